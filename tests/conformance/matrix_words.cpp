// apply to matrices by words and by rows, on every backend there is, against the reference: every operator and type, one value for all
// entries and none.
#include "core/device.hpp"
#include "storage/matrix_body.hpp"
#include "support/battery.hpp"
#include "support/contexts.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace nz::test {
namespace {

constexpr unsigned matrix_words_seed = 94;

// What apply(c, options) does by `kernel` is what it does by the reference, on a GPU but for roundings where the function has them;
// whether the kernel served.
template <class Apply>
bool agrees(const context& ctx, const matrix& a, bool transposed, std::string_view kernel, Apply&& apply,
            bool rounds = false) {
    const auto rows = transposed ? a.columns() : a.rows(), columns = transposed ? a.rows() : a.columns();
    matrix c(ctx, a.type(), rows, columns), expected = c;
    try {
        const operation_plan plan = apply(c, {.transpose_a = transposed, .kernel = kernel});
        EXPECT_EQ(plan.kernel, kernel);
        const bool there =
            ctx.gpu() && kernel == "words" && a.nnz() > 0 && a.values_held() == value_kind::full;
        EXPECT_EQ(plan.on_device, there);
        if (there) {
            EXPECT_TRUE(c.body().away());
        }
    } catch (const not_supported&) {
        return false;
    } catch (const domain_error&) {  // bits of what has none
        return false;
    }
    apply(expected, {.transpose_a = transposed, .kernel = "reference"});
    c.validate();
    EXPECT_TRUE(rounds && ctx.gpu() ? same_but_for_roundings(read(expected), read(c))
                                    : static_cast<bool>(same(read(expected), c)));
    return true;
}

TEST(MatrixWords, AgreeWithTheReferenceOnEveryOperatorAndType) {
    std::mt19937 random(matrix_words_seed);
    for (const context& ctx : contexts()) {
        int served = 0;
        for (const dtype type : all_types)
            for (auto& [name, content] : larger_matrices(type, random)) {
                const matrix a = make_matrix(ctx, content, true);
                for (const bool transposed : {false, true}) {
                    SCOPED_TRACE(name + std::string(name_of(type)) + (transposed ? " transposed" : ""));
                    for (int id = 0; id < static_cast<int>(unary_id::user); ++id)
                        served += agrees(
                            ctx, a, transposed, "words",
                            [&](matrix& c, const matrix_options& o) {
                                return apply(ctx, c, static_cast<unary_id>(id), a, o);
                            },
                            static_cast<unary_id>(id) >= unary_id::exp);
                    for (const binary_id id :
                         {binary_id::plus, binary_id::rminus, binary_id::first, binary_id::lt}) {
                        const scalar two(type, scalar(2).as(type));
                        served += agrees(
                            ctx, a, transposed, "words",
                            [&](matrix& c, const matrix_options& o) { return apply(ctx, c, id, a, two, o); });
                        served += agrees(
                            ctx, a, transposed, "words",
                            [&](matrix& c, const matrix_options& o) { return apply(ctx, c, id, two, a, o); });
                    }
                    EXPECT_TRUE(agrees(ctx, a, transposed, "rows", [&](matrix& c, const matrix_options& o) {
                        return apply(ctx, c, index_unary_id::diagindex, a, scalar(3), o);
                    }));
                }
            }
        EXPECT_GT(served, 200);
    }
}

TEST(MatrixWords, OneValueForAllEntriesIsLookedAtOnce) {
    for (const context& ctx : contexts()) {
        const matrix a = load(ctx, "rmat:9,8").matrix;
        matrix pattern(ctx, dtype::float64, a.rows(), a.columns()), c = pattern;
        apply(ctx, pattern, binary_id::second, a, scalar(4.0), {.kernel = "words"});
        EXPECT_EQ(pattern.nnz(), a.nnz());
        EXPECT_TRUE(agrees(ctx, a, false, "rows", [&](matrix& t, const matrix_options& o) {
            return apply(ctx, t, unary_id::ainv, a, o);
        }));
        EXPECT_EQ(apply(ctx, c, unary_id::ainv, pattern).kernel, "words");
        EXPECT_EQ(c.nnz(), a.nnz());
    }
}

// The order is that of storage on the host: the reference's bits. A GPU's is another, which these values do not show.
TEST(ReduceRows, IsTheReferenceBitForBitForEveryMonoidAndType) {
    std::mt19937 random(matrix_words_seed);
    for (const context& ctx : contexts())
        for (const dtype type : all_types) {
            auto battery = larger_matrices(type, random);
            battery.push_back({"uneven", uneven_rows(60, 20000, type, random)});
            battery.push_back({"one row", random_dictionary(1, 9000, 0.5, type, random)});
            for (auto& [name, content] : battery) {
                const matrix a = make_matrix(ctx, content, true);
                for (const binary_id id : {binary_id::plus, binary_id::times, binary_id::min, binary_id::max,
                                           binary_id::lor, binary_id::land, binary_id::any, binary_id::eq})
                    for (const bool transposed : {false, true}) {
                        SCOPED_TRACE(name + std::string(name_of(type)) + std::string(binary_op(id).name()));
                        vector w(ctx, type, transposed ? a.columns() : a.rows()), expected = w;
                        const auto plan = reduce(ctx, w, id, a, {.transpose_a = transposed});
                        EXPECT_EQ(plan.kernel, "rows");
                        const bool sums = id == binary_id::plus || id == binary_id::max;
                        if (ctx.gpu() && sums && type == dtype::float32 && a.nnz() > 0) {
                            EXPECT_TRUE(plan.on_device);
                        }
                        reduce(ctx, expected, id, a, {.transpose_a = transposed, .kernel = "reference"});
                        ASSERT_TRUE(same(read(expected), w));
                    }
            }
        }
}

// NaN gives way to every number, wherever it stands.
TEST(ReduceRows, OfNaNIsNaNWhereNothingElseIs) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                     inf = std::numeric_limits<double>::infinity();
    const std::vector<std::int32_t> offsets{0, 3, 6, 9, 11, 12, 14};
    const std::vector<index_t> columns{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 0, 0, 1};
    const std::vector<double> values{nan, 1, 2, 1, nan, -2, nan, nan, 3, nan, nan, nan, nan, -inf};
    for (const context& ctx : contexts()) {
        const matrix a = matrix::from_csr(ctx, csr_view<double>{6, 3, offsets, columns, values});
        for (const auto& [id, sums] :
             {std::pair{binary_id::min, std::vector<double>{1, -2, 3, nan, nan, -inf}},
              std::pair{binary_id::max, std::vector<double>{2, 1, 3, nan, nan, -inf}}}) {
            vector w(ctx, dtype::float64, 6);
            reduce(ctx, w, id, a);
            for (index_t i = 0; i < 6; ++i) {
                const double found = w.get(i)->get<double>(), expected = sums[static_cast<std::size_t>(i)];
                EXPECT_TRUE(found == expected || (found != found && expected != expected))
                    << i << " " << found;
            }
        }
    }
}

// The sum of a row that begins in one chunk and ends in another, in an order that does not change.
TEST(ReduceRows, IsTheSameOnAGpuTwiceAndNearTheHosts) {
    const context ctx;
    if (!ctx.gpu()) GTEST_SKIP() << "no GPU here";
    std::mt19937 random(matrix_words_seed);
    for (const matrix& of :
         {load(ctx, "rmat:12,16").matrix, load(ctx, "laplace2d:70").matrix,
          make_matrix(ctx, random_dictionary(3, 40000, 0.5, dtype::float64, random), true)}) {
        matrix a(ctx, dtype::float64, of.rows(), of.columns());
        apply(ctx, a, unary_id::identity, of);
        apply(ctx, a, binary_id::times, a, scalar(0.1));
        vector first(ctx, dtype::float64, a.rows()), second = first, host = first;
        EXPECT_TRUE(reduce(ctx, first, binary_id::plus, a).on_device);
        reduce(ctx, second, binary_id::plus, a);
        reduce(ctx, host, binary_id::plus, a, {.kernel = "reference"});
        EXPECT_TRUE(same(read(first), second));
        const vector ones = vector::full(ctx, a.columns(), scalar(1.0));
        EXPECT_TRUE(close(host, first, row_bounds(a, ones, dtype::float64)));
    }
}

// With the bits of as many values, for every monoid that is built in: of one value for all entries and of none.
TEST(ReduceOfOneValue, IsThatOfAsManyValues) {
    for (const context& ctx : contexts())
        for (const dtype type : all_types)
            for (const double x : {1.0, 3.0, 0.1, -2.0}) {
                if (x < 0 && !is_floating(type) && type != dtype::int32) continue;
                const matrix a = load(ctx, "random:3000,12").matrix;
                const scalar value(type, scalar(x).as(type));
                matrix one(ctx, type, a.rows(), a.columns()), each = one;
                apply(ctx, one, binary_id::second, a, value);
                apply(ctx, each, binary_id::second, a, value);
                each.set(0, a.csr<double>().columns[0], value);  // which writes the values out
                each.nnz();
                ASSERT_EQ(each.values_held(), value_kind::full);
                for (const binary_id id : {binary_id::plus, binary_id::times, binary_id::min, binary_id::max,
                                           binary_id::lor, binary_id::land, binary_id::any}) {
                    SCOPED_TRACE(std::string(binary_op(id).name()) + " of " + std::string(name_of(type)));
                    EXPECT_EQ(reduce(ctx, id, one), reduce(ctx, id, each)) << x;
                    vector w(ctx, type, a.rows()), expected = w;
                    reduce(ctx, w, id, one);
                    // A GPU adds a row's floats in another order.
                    const bool in_order = !ctx.gpu() || monoid(id).exact(type);
                    reduce(ctx, expected, id, each, {.kernel = in_order ? "reference" : ""});
                    EXPECT_TRUE(same(read(expected), w)) << x;
                }
            }
}

TEST(MatrixWords, PinsThatCannotServeSayWhy) {
    const context ctx({.backend = backend::cpu, .threads = 1});
    matrix a(ctx, dtype::float64, 3, 3);
    a.set(1, 1, scalar(2.0));
    EXPECT_THROW(apply(ctx, a, index_unary_id::rowindex, a, scalar(1), {.kernel = "words"}), not_supported);
    vector w(ctx, dtype::float64, 3);
    EXPECT_THROW(apply(ctx, w, unary_id::abs, w, {.kernel = "rows"}), not_supported);
}

}  // namespace
}  // namespace nz::test
