// kronecker/rows on every backend there is against the reference: operators that are compiled and not, values of every kind, empty rows.
#include "storage/matrix_body.hpp"
#include "support/battery.hpp"
#include "support/contexts.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

namespace nz::test {
namespace {

constexpr unsigned kronecker_seed = 98;

// Full, one value for all, and a pattern.
std::vector<matrix> of_every_kind(const context& ctx, index_t rows, index_t columns, dtype type,
                                  std::mt19937& random) {
    const matrix full = make_matrix(ctx, random_dictionary(rows, columns, 0.3, type, random), true);
    matrix one(ctx, type, rows, columns);
    assign(ctx, one, scalar(type, random_value(type, random)), index_list::all(), index_list::all(),
           {.mask = &full, .mask_structure = true});
    matrix pattern = load(ctx, "rmat:4,3").matrix;
    return {full, one, pattern};
}

TEST(Kronecker, IsTheReferencesForEveryOperatorAndKindOfValues) {
    std::mt19937 random(kronecker_seed);
    for (const context& ctx : contexts())
        for (const dtype type : {dtype::boolean, dtype::int16, dtype::int32, dtype::int64, dtype::float64}) {
            const auto left = of_every_kind(ctx, 23, 17, type, random),
                       right = of_every_kind(ctx, 40, 31, type, random);
            for (const matrix& a : left)
                for (const matrix& b : right)
                    for (const binary_id id : {binary_id::first, binary_id::second, binary_id::minus,
                                               binary_id::times, binary_id::min, binary_id::lt,
                                               binary_id::pair, binary_id::firstj, binary_id::secondi}) {
                        if (random() % 3) continue;
                        const bool ta = random() % 2, tb = random() % 2;
                        SCOPED_TRACE(std::string(name_of(type)) + " " + std::string(binary_op(id).name()));
                        const auto size = [](const matrix& m, bool first) {
                            return first ? m.rows() : m.columns();
                        };
                        matrix c(ctx, type, size(a, !ta) * size(b, !tb), size(a, ta) * size(b, tb)),
                            expected = c;
                        const auto plan = kronecker(ctx, c, id, a, b, {.transpose_a = ta, .transpose_b = tb});
                        EXPECT_EQ(plan.kernel, "rows");
                        if (ctx.gpu() && type == dtype::float64 && id == binary_id::times) {
                            EXPECT_TRUE(plan.on_device);
                            EXPECT_TRUE(c.body().away());
                        }
                        kronecker(ctx, expected, id, a, b,
                                  {.transpose_a = ta, .transpose_b = tb, .kernel = "reference"});
                        c.validate();
                        ASSERT_TRUE(same(read(expected), c));
                    }
        }
}

// Rows of the result that reach over many tiles, and tiles of many rows.
TEST(Kronecker, OfLongRowsIsTheReferences) {
    std::mt19937 random(kronecker_seed);
    for (const context& ctx : contexts()) {
        const matrix a = make_matrix(ctx, uneven_rows(7, 3000, dtype::float64, random), true),
                     b = make_matrix(ctx, random_dictionary(9, 8, 0.4, dtype::float64, random), true);
        for (const bool turned : {false, true}) {
            matrix c(ctx, dtype::float64, 63, 24000), expected = c;
            kronecker(ctx, c, binary_id::times, turned ? b : a, turned ? a : b);
            kronecker(ctx, expected, binary_id::times, turned ? b : a, turned ? a : b,
                      {.kernel = "reference"});
            c.validate();
            ASSERT_TRUE(same(read(expected), c));
        }
    }
}

TEST(Kronecker, WithNothingIsNothing) {
    for (const context& ctx : contexts()) {
        const matrix a = load(ctx, "laplace2d:5").matrix, none(ctx, a.type(), 4, 6),
                     flat(ctx, a.type(), 0, 3);
        matrix c(ctx, a.type(), 100, 150), d(ctx, a.type(), 0, 75);
        kronecker(ctx, c, binary_id::times, a, none);
        EXPECT_EQ(c.nnz(), 0);
        kronecker(ctx, d, binary_id::times, a, flat);
        EXPECT_EQ(d.nnz(), 0);
        d.validate();
    }
}

}  // namespace
}  // namespace nz::test
