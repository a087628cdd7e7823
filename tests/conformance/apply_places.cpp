// apply by places and by comparisons with a thunk, on every backend there is, against the reference.
#include "core/device.hpp"
#include "storage/matrix_body.hpp"
#include "support/battery.hpp"
#include "support/contexts.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace nz::test {
namespace {

constexpr unsigned apply_places_seed = 20261130;
constexpr index_unary_id numbers[] = {index_unary_id::rowindex, index_unary_id::colindex,
                                      index_unary_id::diagindex};
constexpr std::int64_t shifts[] = {0, -3, std::numeric_limits<std::int64_t>::max()};  // the last wraps

TEST(ApplyPlaces, NumbersOfAMatrixAreTheReferences) {
    std::mt19937 random(apply_places_seed);
    for (const context& ctx : contexts())
        for (const dtype type : {dtype::boolean, dtype::float64})
            for (auto& [name, content] : larger_matrices(type, random)) {
                const matrix a = make_matrix(ctx, content, true);
                for (const bool transposed : {false, true})
                    for (const index_unary_op op : numbers)
                        for (const std::int64_t shift : shifts) {
                            SCOPED_TRACE(name + " " + std::string(op.name()) +
                                         (transposed ? " transposed" : ""));
                            matrix c(ctx, dtype::int64, transposed ? a.columns() : a.rows(),
                                     transposed ? a.rows() : a.columns()),
                                expected = c;
                            const auto plan =
                                apply(ctx, c, op, a, scalar(shift), {.transpose_a = transposed});
                            EXPECT_EQ(plan.kernel, "places");
                            EXPECT_EQ(plan.on_device, ctx.gpu() != nullptr && a.nnz() > 0);
                            if (plan.on_device) {
                                EXPECT_TRUE(c.body().away());
                            }
                            apply(ctx, expected, op, a, scalar(shift),
                                  {.transpose_a = transposed, .kernel = "reference"});
                            c.validate();
                            ASSERT_TRUE(same(read(expected), c));
                        }
            }
}

TEST(ApplyPlaces, NumbersOfAVectorAreTheReferences) {
    std::mt19937 random(apply_places_seed);
    for (const context& ctx : contexts())
        for (const vector_form form : every_form)
            for (const index_t size : {0, 1, 1000, 70000}) {
                const dictionary content = random_dictionary(size, 1, form == vector_form::dense ? 1.1 : 0.4,
                                                             dtype::float32, random);
                const vector here = make_vector(ctx, content, form);
                for (const bool away : {false, true}) {
                    if (away && (!ctx.gpu() || size == 0)) continue;
                    const vector u = away ? there(ctx, here) : here;
                    for (const index_unary_op op : numbers)
                        for (const std::int64_t shift : shifts) {
                            SCOPED_TRACE(std::string(op.name()) + " of " + std::string(name_of(form)));
                            vector w(ctx, dtype::int64, size), expected = w;
                            const auto plan = apply(ctx, w, op, u, scalar(shift));
                            EXPECT_EQ(plan.kernel, "places");
                            EXPECT_EQ(plan.on_device, away);
                            apply(ctx, expected, op, here, scalar(shift), {.kernel = "reference"});
                            ASSERT_TRUE(same(read(expected), w));
                        }
                }
            }
}

TEST(ApplyPlaces, ComparisonsGoByWords) {
    std::mt19937 random(apply_places_seed);
    for (const context& ctx : contexts())
        for (const dtype type : all_types) {
            const vector u =
                make_vector(ctx, random_dictionary(500, 1, 1.1, type, random), vector_form::dense);
            const matrix a = make_matrix(ctx, random_dictionary(60, 50, 0.3, type, random), true);
            for (int id = static_cast<int>(index_unary_id::valueeq);
                 id <= static_cast<int>(index_unary_id::valuege); ++id) {
                const index_unary_op op(static_cast<index_unary_id>(id));
                SCOPED_TRACE(std::string(op.name()) + " of " + std::string(name_of(type)));
                vector w(ctx, dtype::boolean, 500), expected = w;
                const auto plan = apply(ctx, w, op, u, scalar(2.5));
                if (type == dtype::float64 || type == dtype::int32) {
                    EXPECT_EQ(plan.kernel, "words");
                }
                apply(ctx, expected, op, u, scalar(2.5), {.kernel = "reference"});
                ASSERT_TRUE(same(read(expected), w));
                matrix c(ctx, dtype::boolean, 60, 50), by_reference = c;
                apply(ctx, c, op, a, scalar(2.5));
                apply(ctx, by_reference, op, a, scalar(2.5), {.kernel = "reference"});
                ASSERT_TRUE(same(read(by_reference), c));
            }
        }
}

TEST(ApplyPlaces, PinsServeWhatTheyHave) {
    const context ctx({.backend = backend::cpu, .threads = 1});
    matrix a(ctx, dtype::float64, 3, 3), c(ctx, dtype::int64, 3, 3);
    a.set(1, 2, scalar(2.0));
    EXPECT_EQ(apply(ctx, c, index_unary_id::diagindex, a, scalar(1), {.kernel = "places"}).kernel, "places");
    EXPECT_EQ(apply(ctx, c, index_unary_id::diagindex, a, scalar(1), {.kernel = "rows"}).kernel, "rows");
    EXPECT_THROW(apply(ctx, c, index_unary_id::tril, a, scalar(1), {.kernel = "places"}), not_supported);
    EXPECT_THROW(apply(ctx, a, unary_id::abs, a, {.kernel = "places"}), not_supported);
    vector w(ctx, dtype::int64, 3);
    EXPECT_THROW(apply(ctx, w, index_unary_id::valuelt, w, scalar(1), {.kernel = "places"}), not_supported);
}

}  // namespace
}  // namespace nz::test
