// ewise/words, apply/words and reduce/blocks on a GPU against the dictionary model, for vectors that are there alone: every
// compiled operator and type, dense, bitmap and sparse operands, every way of writing the result. Skips where there is no GPU.
#include "core/device.hpp"
#include "instantiate/vector_cells.hpp"
#include "ops/vector_words.hpp"
#include "storage/matrix_body.hpp"
#include "storage/vector_body.hpp"
#include "support/contexts.hpp"
#include "support/kernels.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace nz::test {
namespace {

constexpr unsigned vector_words_device_seed = 20261122;

class VectorWordsOnDevice : public ::testing::TestWithParam<dtype> {
protected:
    void SetUp() override {
        if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
    }
    std::mt19937 random{vector_words_device_seed};
    dictionary some(index_t size, vector_form form) {
        return random_dictionary(size, 1, form == vector_form::dense ? 1.1 : 0.4, GetParam(), random);
    }
};
INSTANTIATE_TEST_SUITE_P(Types, VectorWordsOnDevice, ::testing::ValuesIn(all_types),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST_P(VectorWordsOnDevice, JoinEveryOperatorAsTheModelSays) {
    const context ctx({.backend = backend::cuda});
    for (int id = 0; id <= static_cast<int>(binary_id::lxnor); ++id) {
        const binary_op op(static_cast<binary_id>(id));
        if (op.input_type(GetParam()) != GetParam()) continue;
        SCOPED_TRACE(op.name());
        const dtype result = result_type(op, GetParam(), GetParam());
        const bool served = words_serve(op.id(), GetParam());
        for (const vector_form left : every_form)
            for (const vector_form right : every_form)
                for (const bool intersection : {false, true}) {
                    const index_t size = 200 + static_cast<index_t>(random() % 100);
                    const dictionary a = some(size, left), b = some(size, right);
                    vector w(ctx, result, size);
                    const vector u = there(ctx, make_vector(ctx, a, left)), v = make_vector(ctx, b, right);
                    const auto plan =
                        intersection ? ewise_mult(ctx, w, op, u, v) : ewise_add(ctx, w, op, v, u);
                    EXPECT_EQ(plan.on_device, served);
                    ASSERT_TRUE(
                        same(intersection ? model_ewise(op, a, b, true) : model_ewise(op, b, a, false), w))
                        << name_of(left) << " and " << name_of(right);
                }
    }
}

TEST_P(VectorWordsOnDevice, ApplyAsTheReferenceDoes) {
    const dtype type = GetParam();
    const scalar fixed = scalar(type, cast(to_element(true), dtype::boolean, type));
    const context ctx({.backend = backend::cuda});
    for (const vector_form form : every_form) {
        constexpr index_t size = 1000;
        const vector u = make_vector(ctx, some(size, form), form);
        const vector_options by_reference{.kernel = "reference"};
        for (int id = 0; id < static_cast<int>(unary_id::user); ++id) {
            const unary_op op(static_cast<unary_id>(id));
            if (op.id() == unary_id::bnot) continue;
            if (!is_floating(type) && op.id() >= unary_id::sqrt) continue;
            vector found(ctx, type, size), expected(ctx, type, size);
            const auto plan = apply(ctx, found, op, there(ctx, u));
            EXPECT_EQ(plan.on_device, words_serve(op.id(), type)) << op.name();
            apply(ctx, expected, op, u, by_reference);
            if (op.id() >= unary_id::exp)
                ASSERT_TRUE(same_but_for_roundings(read(expected), read(found))) << op.name();
            else
                ASSERT_TRUE(same(read(expected), found)) << op.name();
        }
        for (const binary_id id : {binary_id::minus, binary_id::div, binary_id::max, binary_id::ge}) {
            const binary_op op(id);
            vector found(ctx, result_type(op, type, type), size), expected = found;
            apply(ctx, found, op, fixed, there(ctx, u));
            apply(ctx, expected, op, fixed, u, by_reference);
            ASSERT_TRUE(same(read(expected), found)) << op.name() << ", first operand fixed";
            apply(ctx, found, op, there(ctx, u), fixed);
            apply(ctx, expected, op, u, fixed, by_reference);
            ASSERT_TRUE(same(read(expected), found)) << op.name() << ", second operand fixed";
        }
    }
}

TEST_P(VectorWordsOnDevice, SelectByValueAsTheReferenceDoes) {
    const dtype type = GetParam();
    const context ctx({.backend = backend::cuda});
    for (const vector_form form : every_form) {
        constexpr index_t size = 500;
        const dictionary of = some(size, form);
        const vector u = make_vector(ctx, of, form);
        const scalar thunk(type, of.entries.begin()->second);
        for (int id = static_cast<int>(index_unary_id::valueeq);
             id <= static_cast<int>(index_unary_id::valuege); ++id) {
            const index_unary_op op(static_cast<index_unary_id>(id));
            vector found(ctx, type, size), expected(ctx, type, size);
            const auto plan = select(ctx, found, op, there(ctx, u), thunk);
            EXPECT_EQ(plan.on_device, words_serve(ops::comparison_by(op).id(), type));
            select(ctx, expected, op, u, thunk, {.kernel = "reference"});
            ASSERT_TRUE(same(read(expected), found)) << op.name() << " " << name_of(form);
        }
    }
}

TEST_P(VectorWordsOnDevice, WriteInEverySetting) {
    const context ctx({.backend = backend::cuda});
    const dtype type = GetParam();
    for (const setting& s : all_settings())
        for (const vector_form form : every_form) {
            constexpr index_t size = 150;
            const dictionary u = some(size, form), c = some(size, every_form[random() % 3]),
                             m = random_dictionary(size, 1, 0.5, any_type(random), random);
            const vector mask = make<vector>(ctx, m, random);
            for (const bool output_there : {false, true}) {
                vector w = make<vector>(ctx, c, random);
                if (output_there) w = there(ctx, w);
                apply(ctx, w, unary_id::identity, there(ctx, make_vector(ctx, u, form)), options_of(s, mask));
                ASSERT_TRUE(same(write(c, u, writing_of(s, m)), w)) << s.name() << " " << name_of(type);
            }
        }
}

// Few entries join many where these are: in place if one handle alone has them there, else in a copy.
TEST_P(VectorWordsOnDevice, WriteFewEntriesIntoMany) {
    const context ctx({.backend = backend::cuda});
    const dtype type = GetParam();
    for (int id = 0; id <= static_cast<int>(binary_id::lxnor); ++id) {
        const binary_op op(static_cast<binary_id>(id));
        if (op.input_type(type) != type) continue;
        const writing joined{.accum = op};
        for (const vector_form form : {vector_form::dense, vector_form::bitmap})
            for (const double density : {0.0, 0.001, 0.05}) {
                constexpr index_t size = 3000;
                const dictionary c = some(size, form);
                const dictionary few = random_dictionary(size, 1, density, type, random),
                                 more = random_dictionary(size, 1, density, type, random);
                const vector u = there(ctx, make_vector(ctx, few, vector_form::sparse)),
                             v = there(ctx, make_vector(ctx, more, vector_form::sparse));
                const auto join = [&](vector& w, const vector& t) {
                    apply(ctx, w, unary_id::identity, t, {.accum = op});
                };
                vector w = there(ctx, make_vector(ctx, c, form));
                const vector shared = w;
                join(w, u);  // what a copy has as well
                join(w, v);  // its own, not counted yet
                const dictionary once = write(c, few, joined), twice = write(once, more, joined);
                ASSERT_TRUE(same(c, shared)) << op.name();
                ASSERT_EQ(w.count(), static_cast<offset_t>(twice.entries.size())) << op.name();
                join(w, u);  // its own, counted
                ASSERT_TRUE(same(write(twice, few, joined), w)) << op.name() << density;
                vector on_host = make_vector(ctx, c, form);
                join(on_host, u);
                ASSERT_TRUE(same(once, on_host)) << op.name();
            }
    }
}

TEST_P(VectorWordsOnDevice, ReduceAddsUpEveryBlockAndTwiceTheSame) {
    const dtype type = GetParam();
    const context ctx({.backend = backend::cuda});
    for (const index_t size : {0, 1, 31, 255, 256, 257, 8191, 8192, 8193, 20000})
        for (const vector_form form : every_form) {
            dictionary a = some(size, form);
            if (form == vector_form::bitmap)  // the first blocks are empty
                a.entries.erase(a.entries.begin(), a.entries.lower_bound({std::min(size, 10000), 0}));
            const vector u = make_vector(ctx, a, form);
            for (const binary_id id : {binary_id::plus, binary_id::min, binary_id::max}) {
                const monoid add(id);
                element sum = add.identity(type);
                bool first = true;
                for (const auto& [at, x] : a.entries) {
                    sum = first ? x : compute(add.op(), sum, type, x, type);
                    first = false;
                }
                const scalar found = reduce(ctx, add, there(ctx, u));
                ASSERT_EQ(show(sum, type), show(found.bits(), type)) << size << add.name();
                ASSERT_EQ(found, reduce(ctx, add, there(ctx, u)));
            }
        }
}

TEST(ReduceOnDevice, GivesTheBitsOfTheHost) {
    if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
    const context ctx({.backend = backend::cuda}), cpu({.backend = backend::cpu});
    std::mt19937 random(vector_words_device_seed + 1);
    for (const index_t size : {100, 257, 8192, 100000, 3000000})
        for (const bool gaps : {false, true}) {
            vector u = vector::full(cpu, size, scalar(0.0f));
            auto* values = u.mutable_body().values.as<float>();
            for (index_t i = 0; i < size; ++i) values[i] = std::generate_canonical<float, 24>(random);
            if (gaps) u.remove(size / 2);
            const scalar sum = reduce(cpu, binary_id::plus, u);
            vector copy(ctx, dtype::float32, size);
            apply(ctx, copy, unary_id::identity, u);
            const vector lying = there(ctx, copy);
            EXPECT_EQ(reduce(ctx, binary_id::plus, lying), sum) << size;
            EXPECT_TRUE(lying.get(0));  // the host has it now too
            EXPECT_EQ(reduce(ctx, binary_id::plus, lying), sum) << size;
        }
}

TEST(VectorsOnDevice, StayThereWhenSomebodyLooksAndInOtherTypes) {
    if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
    const context ctx({.backend = backend::cuda});
    const vector u = there(ctx, vector::full(ctx, 1000, scalar(2.5f))),
                 v = there(ctx, vector::full(ctx, 1000, scalar(4.0))),
                 whole = there(ctx, vector::full(ctx, 1000, scalar(std::int32_t{3})));
    EXPECT_EQ(u.get(7)->get<float>(), 2.5f);
    vector w(ctx, dtype::float64, 1000);
    EXPECT_TRUE(ewise_add(ctx, w, binary_id::plus, u, v).on_device);
    EXPECT_EQ(w.get(999)->get<double>(), 6.5);
    EXPECT_TRUE(apply(ctx, w, binary_id::times, whole, scalar(0.5)).on_device);
    EXPECT_EQ(w.get(0)->get<double>(), 1.5);
    EXPECT_TRUE(ewise_mult(ctx, w, binary_id::plus, whole, u, {.accum = binary_id::plus}).on_device);
    EXPECT_EQ(w.get(5)->get<double>(), 7);
    const matrix a = load(ctx, "laplace2d:20").matrix;
    const vector x = there(ctx, vector::full(ctx, 400, scalar(1.0f)));
    vector y(ctx, dtype::float32, 400), expected = y;
    mxv(ctx, y, semiring("plus_times"), a, x);
    EXPECT_EQ(mxv(ctx, y, semiring("plus_times"), a, x).moved_bytes, 0u);
    mxv(ctx, expected, semiring("plus_times"), a, x, {.kernel = "reference"});
    EXPECT_TRUE(same(read(expected), y));
}

// Arrays that were handed out stay until the vector changes, whoever else reads it.
TEST(VectorsOnDevice, KeepACopyForEachContext) {
    if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
    const context one({.backend = backend::cuda}), two({.backend = backend::cuda});
    vector v = vector::full(one, 500, scalar(3.0));
    const auto first = v.values_on<double>(one), second = v.values_on<double>(two);
    EXPECT_NE(first.data(), second.data());
    EXPECT_EQ(v.values_on<double>(one).data(), first.data());
    EXPECT_EQ(v.values_on<double>(two).data(), second.data());
    v.set(0, scalar(4.0));
    EXPECT_EQ(v.values_on<double>(two).size(), 500u);
    double x = 0;
    two.gpu()->download(&x, v.values_on<double>(two).data(), sizeof x);
    EXPECT_EQ(x, 4);
}

TEST(ReduceOnDevice, AddsUpTheEntriesOfAProductThatIsThere) {
    if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
    const context ctx({.backend = backend::cuda}), cpu({.backend = backend::cpu});
    const matrix a = load(ctx, "rmat:10,8").matrix;
    matrix c(ctx, dtype::int64, a.rows(), a.rows()), expected(cpu, dtype::int64, a.rows(), a.rows());
    mxm(ctx, c, semiring(binary_id::plus, binary_id::pair, dtype::int64), a, a);
    EXPECT_TRUE(c.body().away());
    const auto sum = reduce(ctx, binary_id::plus, c);
    EXPECT_TRUE(c.body().away()) << "the sum needs no copy on the host";
    mxm(cpu, expected, semiring(binary_id::plus, binary_id::pair, dtype::int64), a, a);
    EXPECT_EQ(sum, reduce(cpu, binary_id::plus, expected));
}

}  // namespace
}  // namespace nz::test
