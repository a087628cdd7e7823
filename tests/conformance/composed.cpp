// Products over semirings that are not compiled: multiplied and summed by two compiled loops, on whichever side, entry for entry what the
// dictionary model says.
#include "ops/composed.hpp"

#include "algebra/stand_in.hpp"
#include "instantiate/vector_cells.hpp"
#include "support/compare.hpp"
#include "support/contexts.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <utility>

namespace nz::test {
namespace {

constexpr unsigned composed_seed = 20261201;

// Whether products on these types are composed.
bool composes(const semiring& s, dtype a, dtype b, auto&& is_compiled) {
    try {
        return !is_compiled(s) && !algebra::stand_in(s, a, b, is_compiled) &&
               ops::composed_multiply_of(s, a, b);
    } catch (const domain_error&) {  // a bitwise monoid of floats
        return false;
    }
}
bool composes_mxm(const semiring& s, dtype a, dtype b) {
    return composes(s, a, b, [&](const semiring& r) { return ops::mxm_cell_of(r, a, b); });
}
bool composes_mxv(const semiring& s, dtype a, dtype b) {
    return composes(s, a, b, [&](const semiring& r) { return ops::mxv_cell_of(r, a, b); });
}

// Whether a GPU sums values of this type over the monoid.
bool summed_on_device(const monoid& add, dtype value) {
    return add.id() != binary_id::any && instantiate::find_reduce_rows_on_device(
                                             add.id(), algebra::wider_type(add.id(), value).value_or(value));
}
bool is_bitwise(const monoid& add) {
    using enum binary_id;
    return add.id() == bor || add.id() == band || add.id() == bxor || add.id() == bxnor;
}
class Composed : public ::testing::TestWithParam<dtype> {
protected:
    std::mt19937 random{composed_seed};
    dictionary some(index_t rows, index_t columns, dtype type, double density = 0.3) {
        return random_dictionary(rows, columns, density, type, random);
    }
};
INSTANTIATE_TEST_SUITE_P(Types, Composed, ::testing::ValuesIn(all_types),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST_P(Composed, ProductsOfMatricesAreWhatTheModelSays) {
    const dtype type = GetParam();
    int met = 0;
    for (const dtype other : {type, dtype::int8})
        for (const std::string& name : semiring_names()) {
            const semiring s(name);
            if (!composes_mxm(s, type, other)) continue;
            ++met;
            const dictionary a = some(70, 20, type), b = some(20, 31, other), t = model_mxm(s, a, b);
            for (const context& ctx : sides()) {
                const matrix left = make_matrix(ctx, a, true), right = make_matrix(ctx, b);
                matrix c(ctx, t.type, 70, 31);
                if (ctx.gpu() && !is_bitwise(s.add())) {
                    const auto plan = mxm(ctx, c, s, left, right);
                    EXPECT_EQ(plan.kernel, "composed") << name;
                    EXPECT_TRUE(plan.on_device) << name;
                } else {  // so few products are another path's
                    const matrix_options none;
                    const auto product = ops::make_product(ctx, s, left, right, none);
                    mxm_plan plan;
                    plan.products = 4000;
                    c = storage::make_matrix(ctx, *ops::mxm_composed(product, plan));
                }
                ASSERT_TRUE(same(t, c)) << name << " of " << name_of(type) << " and " << name_of(other);
            }
        }
    EXPECT_GE(met, 20);
}

TEST_P(Composed, ProductsWithVectorsAreWhatTheModelSays) {
    const dtype type = GetParam();
    int met = 0;
    for (const dtype other : {type, dtype::int8})
        for (const std::string& name : semiring_names()) {
            const semiring s(name);
            if (!composes_mxv(s, type, other)) continue;
            ++met;
            const dictionary a = some(300, 40, type), u = some(40, 1, other, met % 2 ? 0.6 : 1.0);
            const dictionary t = model_mxm(s, a, u);
            for (const context& ctx : sides()) {
                if (ctx.gpu() && shows_order(s, t.type)) continue;
                vector w(ctx, t.type, 300);
                const auto plan = mxv(ctx, w, s, make_matrix(ctx, a, true), make_vector(ctx, u, random));
                EXPECT_EQ(plan.kernel, "composed") << name;
                EXPECT_EQ(plan.on_device, ctx.gpu() && summed_on_device(s.add(), t.type)) << name;
                ASSERT_TRUE(same(t, w)) << name << " of " << name_of(type) << " and " << name_of(other);
            }
        }
    EXPECT_GE(met, 20);
}

TEST_P(Composed, ObeyEverySetting) {
    const dtype type = GetParam();
    for (const context& ctx : sides()) {
        bool turn = static_cast<int>(type) % 2 != 0;
        for (const char* name : {"max_minus", "plus_min", "times_first", "min_times"}) {
            SCOPED_TRACE(name);
            const semiring s(name);
            if (!composes_mxm(s, type, type) || !composes_mxv(s, type, type)) continue;
            if (std::exchange(turn, !turn)) continue;  // half of them for each type
            const dictionary a = some(60, 60, type, 0.7), b = some(60, 20, type, 0.7), u = some(60, 1, type);
            const dictionary t = model_mxm(s, a, b), w = model_mxm(s, a, u);
            const matrix left = make_matrix(ctx, a), right = make_matrix(ctx, b),
                         turned = make_matrix(ctx, transposed(a));
            const vector x = make_vector(ctx, u, vector_form::bitmap);
            for (const dtype out : {t.type, dtype::int16, dtype::float64}) {
                check_settings<matrix>(
                    ctx, 60, 20, out, random, written(t),
                    [&](matrix& c, const matrix_options& options) { mxm(ctx, c, s, left, right, options); });
                check_settings<matrix>(ctx, 60, 20, out, random, written(t),
                                       [&](matrix& c, matrix_options options) {
                                           options.transpose_a = true;
                                           mxm(ctx, c, s, turned, right, options);
                                       });
                check_settings<vector>(
                    ctx, 60, 1, out, random, written(w),
                    [&](vector& c, const vector_options& options) { mxv(ctx, c, s, left, x, options); });
            }
        }
    }
}

matrix full_matrix(const context& ctx, index_t rows, index_t columns, std::mt19937& random) {
    std::vector<double> values(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
    std::vector<std::int32_t> offsets;
    std::vector<index_t> places;
    for (index_t i = 0; i <= rows; ++i) offsets.push_back(i * columns);
    for (std::size_t k = 0; k < values.size(); ++k) {
        values[k] = static_cast<double>(random()) / 1e9 - 2;
        places.push_back(static_cast<index_t>(k % static_cast<std::size_t>(columns)));
    }
    return matrix::from_csr(ctx, csr_view<double>{rows, columns, offsets, places, values});
}

// Rows longer than a block of entries, and of more products: pieces go on from the sum before, so that the bits stay the reference's.
TEST(ComposedOfLongRows, AddsInTheOrderOfTheReference) {
    std::mt19937 random(composed_seed + 1);
    for (const int threads : {1, 3}) {
        const context ctx = with_threads(threads);
        const matrix a = full_matrix(ctx, 70, 9000, random), b = full_matrix(ctx, 90, 70, random),
                     few = full_matrix(ctx, 6, 90, random);
        std::vector<double> values(9000);
        for (double& x : values) x = static_cast<double>(random()) / 1e9 - 2;
        const vector u = vector::dense<double>(ctx, values);
        vector gaps = u, lone(ctx, dtype::float64, 9000);
        for (index_t i = 0; i < 9000; i += 3) gaps.remove(i);
        lone.set(8999, scalar(1.5));
        for (const char* name : {"plus_div", "plus_min", "times_max", "min_times"}) {
            const semiring s(name);
            for (const vector* x : std::initializer_list<const vector*>{&u, &gaps, &lone}) {
                vector w(ctx, dtype::float64, 70), expected = w;
                EXPECT_EQ(mxv(ctx, w, s, a, *x).kernel, "composed") << name;
                mxv(ctx, expected, s, a, *x, {.kernel = "reference"});
                EXPECT_TRUE(same(read(expected), w)) << name;
            }
            matrix c(ctx, dtype::float64, 6, 70), expected = c;
            EXPECT_EQ(mxm(ctx, c, s, few, b).kernel, "composed") << name;
            mxm(ctx, expected, s, few, b, {.kernel = "reference"});
            EXPECT_TRUE(same_bits(expected, c)) << name;
        }
    }
}

// What a caller brings as a multiply operator is not composed, as a monoid it is.
TEST(OnesOwnOperators, ObeyEverySetting) {
    std::mt19937 random(composed_seed + 2);
    const auto minus = binary_op::make<double>("own_minus", [](double x, double y) { return x - y; }),
               greater = binary_op::make<double>("own_max", [](double x, double y) { return x > y ? x : y; });
    for (const context& ctx : contexts())
        for (const semiring& s :
             {semiring(monoid("max"), minus), semiring(monoid(greater, -1e9), binary_id::minus)}) {
            const dictionary a = random_dictionary(60, 60, 0.7, dtype::float64, random),
                             b = random_dictionary(60, 20, 0.7, dtype::float64, random),
                             u = random_dictionary(60, 1, 0.7, dtype::float64, random);
            const matrix left = make_matrix(ctx, a), right = make_matrix(ctx, b);
            const vector x = make_vector(ctx, u, vector_form::bitmap);
            const std::string_view kernel = s.multiply().id() == binary_id::user ? "generic" : "composed";
            check_settings<matrix>(ctx, 60, 20, dtype::float64, random, written(model_mxm(s, a, b)),
                                   [&](matrix& c, const matrix_options& options) {
                                       EXPECT_EQ(mxm(ctx, c, s, left, right, options).kernel, kernel);
                                   });
            check_settings<vector>(ctx, 60, 1, dtype::float64, random, written(model_mxm(s, a, u)),
                                   [&](vector& w, const vector_options& options) {
                                       EXPECT_EQ(mxv(ctx, w, s, left, x, options).kernel, kernel);
                                   });
        }
}

TEST(ComposedPlan, NeedsNoWordForEachOfVeryManyColumns) {
    const context ctx({.backend = backend::cpu});
    const std::vector<index_t> zero{0}, far{1 << 30};
    const std::vector<double> two{2};
    const matrix a = matrix::build<double>(ctx, {1, 1, zero, zero, two}),
                 b = matrix::build<double>(ctx, {1, (1 << 30) + 1, zero, far, two});
    matrix c(ctx, dtype::float64, 1, (1 << 30) + 1);
    EXPECT_EQ(mxm(ctx, c, semiring("max_times"), a, b).kernel, "generic");
    EXPECT_EQ(c.get(0, 1 << 30)->get<double>(), 4);
}

// Rows of more than one chunk, gaps in u, one value for all, sums of places that are any_pair's.
TEST(ComposedProducts, AreTheSameOnAGpu) {
    const context ctx, host({.backend = backend::cpu});
    if (!ctx.gpu()) GTEST_SKIP() << "no GPU here";
    std::mt19937 random(composed_seed + 4);
    const dictionary content = random_dictionary(40, 2000, 0.7, dtype::int32, random),
                     second = random_dictionary(2000, 30, 0.4, dtype::int32, random);
    for (const char* name :
         {"max_times", "plus_min_fp32", "times_rminus_int64", "lxor_land", "min_first_fp64"}) {
        SCOPED_TRACE(name);
        const semiring s(name);
        const dtype type = s.value_type(dtype::int32, dtype::int32);
        for (const bool ones : {false, true}) {
            dictionary values = content;
            if (ones)
                for (auto& [at, x] : values.entries) x = to_element(std::int32_t{1});
            const matrix a = make_matrix(ctx, values, true), b = make_matrix(ctx, second);
            for (const vector_form form : every_form) {
                const dictionary u =
                    random_dictionary(2000, 1, form == vector_form::dense ? 1.0 : 0.8, dtype::int32, random);
                vector w(ctx, type, 40), expected(host, type, 40);
                EXPECT_TRUE(mxv(ctx, w, s, a, make_vector(ctx, u, form)).on_device);
                mxv(host, expected, s, make_matrix(host, values), make_vector(host, u, form));
                EXPECT_TRUE(same(read(expected), w));
            }
            matrix c(ctx, type, 40, 30), expected(host, type, 40, 30);
            EXPECT_TRUE(mxm(ctx, c, s, a, b).on_device);
            mxm(host, expected, s, make_matrix(host, values), make_matrix(host, second),
                {.kernel = "reference"});
            EXPECT_TRUE(same(read(expected), c));
        }
    }
}

// What has no room for the blocks, or a word a column, goes on without: by the generic path, or with what that has no room for itself.
TEST(ComposedProducts, DoWithoutWhereMemoryIsShort) {
    std::mt19937 random(composed_seed + 3);
    for (const int threads : {1, 4}) {
        const context free = with_threads(threads);
        dictionary narrow = full_dictionary(500, 16, dtype::float64, random);
        narrow.columns = 500000;  // its products meet in few of its columns
        const matrix a = load(free, "laplace2d:60").matrix,
                     few = make_matrix(free, full_dictionary(64, 500, dtype::float64, random)),
                     wide = make_matrix(free, narrow);
        const vector u = vector::full(free, a.rows(), scalar(2.0));
        vector sums(free, dtype::float64, a.rows());
        matrix expected(free, dtype::float64, 64, 500000);
        EXPECT_EQ(mxv(free, sums, semiring("max_times"), a, u).kernel, "composed");
        EXPECT_EQ(mxm(free, expected, semiring("max_times"), few, wide).kernel, "composed");
        std::set<std::string> products, rows;
        for (std::size_t limit = 100000; limit < 20000000; limit += limit / 16) {
            const context ctx = with_threads(threads, limit);
            matrix c(ctx, dtype::float64, 64, 500000);
            vector w(ctx, dtype::float64, a.rows());
            rows.insert(std::string(mxv(ctx, w, semiring("max_times"), a, u).kernel));
            EXPECT_TRUE(same(read(sums), w)) << limit;
            try {
                products.insert(std::string(mxm(ctx, c, semiring("max_times"), few, wide).kernel));
                EXPECT_TRUE(same_bits(expected, c)) << limit;
            } catch (const out_of_memory&) {
                EXPECT_LT(limit, std::size_t{4000000});
            }
        }
        EXPECT_EQ(products, (std::set<std::string>{"composed", "generic"}));
        EXPECT_EQ(rows, (std::set<std::string>{"composed", "generic"}));
    }
}

TEST(ComposedPlan, HasAWordAColumnForNoMoreThreadsThanProductsPayFor) {
    EXPECT_EQ(plan::composed_threads(32767, 100, 8), 0);
    EXPECT_EQ(plan::composed_threads(32768, 100, 8), 4);
    EXPECT_EQ(plan::composed_threads(1000000, 100, 8), 8);
    EXPECT_EQ(plan::composed_threads(1000000, 1000000, 8), 4);
    EXPECT_EQ(plan::composed_threads(1000000, 5000000, 8), 0);
    EXPECT_EQ(plan::composed_threads(offset_t{1} << 50, 5, 8), 8);
}

// Of a mask of few rows only their products are formed.
TEST(ComposedProducts, UnderAMaskOfFewRows) {
    for (const context& ctx : sides()) {
        const matrix a = load(ctx, "rmat:9,16").matrix;
        const std::vector<index_t> i{3, 40}, j{7, 2};
        const std::vector<double> x{1, 1};
        const matrix mask = matrix::build<double>(ctx, {512, 512, i, j, x});
        matrix c(ctx, dtype::float64, 512, 512), expected = c;
        const auto plan = mxm(ctx, c, semiring("max_times_fp64"), a, a, {.mask = &mask});
        EXPECT_EQ(plan.kernel, "composed");
        EXPECT_EQ(plan.on_device, ctx.gpu() != nullptr);
        if (!ctx.gpu()) {
            EXPECT_TRUE(plan.reads_columns) << "the places by dot products";
            EXPECT_GT(plan.workspace_bytes, std::size_t{4} * 512);
        }
        mxm(ctx, expected, semiring("max_times_fp64"), a, a, {.mask = &mask, .kernel = "reference"});
        EXPECT_TRUE(same(read(expected), c));
    }
}

// Rows after rows, as little memory has it, with rows between that the mask has nothing for: the host's bits.
TEST(ComposedProducts, GoRowsAfterRowsOnAGpu) {
    const context ctx({.device_memory_limit = std::size_t{64} << 20}), host({.backend = backend::cpu});
    if (!ctx.gpu()) GTEST_SKIP() << "no GPU here";
    const matrix a = load(ctx, "laplace3d:20").matrix, b = load(host, "laplace3d:20").matrix;
    const index_t rows = a.rows();
    std::vector<index_t> i, j;
    for (index_t row = 0; row < rows; row += row % 900 == 0 ? 700 : 1)
        for (index_t k = 0; k < 4; ++k) {
            i.push_back(row);
            j.push_back((row + k * k * 19) % rows);
        }
    const std::vector<double> ones(i.size(), 1);
    const matrix few = matrix::build<double>(ctx, {rows, rows, i, j, ones}),
                 few_here = matrix::build<double>(host, {rows, rows, i, j, ones});
    for (const char* name : {"plus_min", "max_times", "times_max"})
        for (const bool masked : {false, true})
            for (const bool complement : {false, true}) {
                if (complement && !masked) continue;
                SCOPED_TRACE(std::string(name) + (masked ? complement ? " complement" : " mask" : ""));
                matrix c(ctx, dtype::float64, rows, rows), expected(host, dtype::float64, rows, rows);
                const auto plan = mxm(ctx, c, semiring(name), a, a,
                                      {.mask = masked ? &few : nullptr, .mask_complement = complement});
                EXPECT_EQ(plan.kernel, "composed");
                EXPECT_TRUE(plan.on_device);
                mxm(host, expected, semiring(name), b, b,
                    {.mask = masked ? &few_here : nullptr, .mask_complement = complement});
                EXPECT_TRUE(same_bits(expected, c));
            }
}

// Too little for places and sums: the host's, at once.
TEST(ComposedProducts, WithoutRoomOnAGpuAreTheHosts) {
    const context ctx({.device_memory_limit = std::size_t{10} << 20}), host({.backend = backend::cpu});
    if (!ctx.gpu()) GTEST_SKIP() << "no GPU here";
    const matrix a = load(ctx, "laplace3d:20").matrix;
    matrix c(ctx, dtype::float64, a.rows(), a.rows()), expected(host, dtype::float64, a.rows(), a.rows());
    const auto plan = mxm(ctx, c, semiring("max_times"), a, a);
    EXPECT_EQ(plan.kernel, "composed");
    EXPECT_FALSE(plan.on_device);
    mxm(host, expected, semiring("max_times"), load(host, "laplace3d:20").matrix,
        load(host, "laplace3d:20").matrix);
    EXPECT_TRUE(same_bits(expected, c));
}

TEST(ComposedProducts, OfNothingAreNothing) {
    for (const context& ctx : contexts()) {
        const matrix a(ctx, dtype::float64, 4, 5), b(ctx, dtype::float64, 5, 6);
        matrix c(ctx, dtype::float64, 4, 6);
        vector w(ctx, dtype::float64, 4);
        mxm(ctx, c, semiring("max_times"), a, b);
        mxv(ctx, w, semiring("max_times"), a, vector::full(ctx, 5, scalar(1.0)));
        EXPECT_EQ(c.nnz(), 0);
        EXPECT_EQ(w.count(), 0);
        // Rows and columns that do not meet.
        const std::vector<index_t> i{1}, j{2};
        const std::vector<double> x{3};
        const matrix one = matrix::build<double>(ctx, {4, 5, i, j, x});
        vector u(ctx, dtype::float64, 5);
        u.set(4, scalar(1.0));
        mxv(ctx, w, semiring("max_times"), one, u);
        EXPECT_EQ(w.count(), 0);
        mxm(ctx, c, semiring("max_times"), one, b);
        EXPECT_EQ(c.nnz(), 0);
    }
}

TEST(ComposedProducts, ThatAreNotDefinedAreRefused) {
    for (const context& ctx : contexts()) {
        const matrix a(ctx, dtype::float64, 4, 4);
        matrix c(ctx, dtype::float64, 4, 4);
        vector w(ctx, dtype::float64, 4);
        EXPECT_THROW(mxm(ctx, c, semiring("bor_times"), a, a), domain_error);
        EXPECT_THROW(mxv(ctx, w, semiring("bor_times"), a, w), domain_error);
    }
}

}  // namespace
}  // namespace nz::test
