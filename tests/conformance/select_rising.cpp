// select/rising against its definition, on every backend there is.
#include "ops/select_rising.hpp"

#include "nonzero/nonzero.hpp"
#include "support/contexts.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

namespace nz::test {
namespace {

TEST(SelectRising, KeepsThePlacesWhoseColumnHasTheLongerRow) {
    for (const context& ctx : contexts())
        for (const char* graph : {"rmat:10,8", "rmat:13,16", "uniform:900,5", "rmat_directed:9,4",
                                  "grid2d:30", "dense:1,1", "dense:300,300", "powerlaw:3000"}) {
            SCOPED_TRACE(graph);
            const matrix a = load(ctx, graph).matrix;
            std::vector<index_t> rows, columns, expected_rows, expected_columns, found_rows, found_columns;
            std::vector<double> values, ignored;
            a.extract_tuples(rows, columns, values);
            std::vector<offset_t> length(static_cast<std::size_t>(a.rows()));
            for (const index_t i : rows) ++length[static_cast<std::size_t>(i)];
            for (std::size_t k = 0; k < rows.size(); ++k) {
                const auto own = length[static_cast<std::size_t>(rows[k])],
                           other = length[static_cast<std::size_t>(columns[k])];
                if (own > other || (own == other && columns[k] <= rows[k])) continue;
                expected_rows.push_back(rows[k]);
                expected_columns.push_back(columns[k]);
            }
            const matrix u = ops::select_rising(ctx, a);
            EXPECT_EQ(u.nnz(), std::ssize(expected_rows));
            u.extract_tuples(found_rows, found_columns, ignored);
            EXPECT_EQ(found_rows, expected_rows);
            EXPECT_EQ(found_columns, expected_columns);
        }
}

TEST(SelectRising, OfNothingIsNothing) {
    for (const context& ctx : contexts()) {
        EXPECT_EQ(ops::select_rising(ctx, matrix(ctx, dtype::int32, 0, 0)).nnz(), 0);
        EXPECT_EQ(ops::select_rising(ctx, matrix(ctx, dtype::int32, 70, 70)).nnz(), 0);
        EXPECT_THROW(ops::select_rising(ctx, matrix(ctx, dtype::int32, 3, 4)), dimension_mismatch);
        matrix c(ctx, dtype::int32, 3, 3);
        EXPECT_THROW(select(ctx, c, index_unary_id::tril, c, scalar(std::int64_t{0}), {.kernel = "rising"}),
                     not_supported);
    }
}

}  // namespace
}  // namespace nz::test
