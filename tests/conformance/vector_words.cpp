// ewise/words, apply/words and reduce/blocks against the dictionary model: every compiled operator and type, dense,
// bitmap and sparse operands, several words and blocks, all numbers of threads.
#include "ops/vector_words.hpp"

#include "instantiate/vector_cells.hpp"
#include "support/contexts.hpp"
#include "support/kernels.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace nz::test {
namespace {

constexpr unsigned vector_words_seed = 20261122;

class VectorWords : public ::testing::TestWithParam<dtype> {
protected:
    std::mt19937 random{vector_words_seed};
    dictionary some(index_t size, vector_form form) {
        return random_dictionary(size, 1, form == vector_form::dense ? 1.1 : 0.4, GetParam(), random);
    }
};
INSTANTIATE_TEST_SUITE_P(Types, VectorWords, ::testing::ValuesIn(all_types),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST_P(VectorWords, JoinEveryOperatorAsTheModelSays) {
    for (int id = 0; id <= static_cast<int>(binary_id::lxnor); ++id) {
        const binary_op op(static_cast<binary_id>(id));
        if (op.input_type(GetParam()) != GetParam()) continue;
        SCOPED_TRACE(op.name());
        const dtype result = result_type(op, GetParam(), GetParam());
        const context ctx({.backend = backend::cpu, .threads = 2});
        constexpr index_t size = 130;
        for (const vector_form left : every_form)
            for (const vector_form right : every_form)
                for (const bool intersection : {false, true}) {
                    const dictionary a = some(size, left), b = some(size, right);
                    vector w(ctx, result, size);
                    const vector u = make_vector(ctx, a, left), v = make_vector(ctx, b, right);
                    const auto plan =
                        intersection ? ewise_mult(ctx, w, op, u, v) : ewise_add(ctx, w, op, u, v);
                    const bool sparse = left == vector_form::sparse && right == vector_form::sparse;
                    const bool served = !sparse && words_serve(op.id(), GetParam());
                    EXPECT_EQ(plan.kernel == "words", served);
                    ASSERT_TRUE(same(model_ewise(op, a, b, intersection), w))
                        << name_of(left) << " and " << name_of(right);
                }
    }
}

TEST_P(VectorWords, SelectByValueAsTheReferenceDoes) {
    const dtype type = GetParam();
    const context ctx({.backend = backend::cpu, .threads = 2});
    for (const vector_form form : every_form) {
        constexpr index_t size = 500;
        const dictionary of = some(size, form);
        const vector u = make_vector(ctx, of, form);
        const scalar thunk(type, of.entries.begin()->second);
        for (int id = static_cast<int>(index_unary_id::valueeq);
             id <= static_cast<int>(index_unary_id::valuege); ++id) {
            const index_unary_op op(static_cast<index_unary_id>(id));
            vector found(ctx, type, size), expected(ctx, type, size);
            const auto plan = select(ctx, found, op, u, thunk);
            EXPECT_EQ(plan.kernel == "words",
                      form != vector_form::sparse && words_serve(ops::comparison_by(op).id(), type));
            select(ctx, expected, op, u, thunk, {.kernel = "reference"});
            ASSERT_TRUE(same(read(expected), found)) << op.name() << " " << name_of(form);
        }
    }
}

TEST_P(VectorWords, JoinLongVectorsInPieces) {
    const context ctx({.backend = backend::cpu, .threads = 3});
    const dictionary a = some(17000, vector_form::dense), b = some(17000, vector_form::bitmap);
    const vector u = make_vector(ctx, a, vector_form::dense), v = make_vector(ctx, b, vector_form::bitmap);
    for (const binary_id id : {binary_id::minus, binary_id::second, binary_id::lt}) {
        const binary_op op(id);
        vector w(ctx, result_type(op, GetParam(), GetParam()), 17000);
        ewise_add(ctx, w, op, u, v);
        EXPECT_TRUE(same(model_ewise(op, a, b, false), w));
        ewise_mult(ctx, w, op, v, u);
        EXPECT_TRUE(same(model_ewise(op, b, a, true), w));
    }
}

TEST_P(VectorWords, AccumulateIntoWhatIsThere) {
    const context ctx({.backend = backend::cpu, .threads = 2});
    for (const binary_id id : {binary_id::plus, binary_id::second, binary_id::minus, binary_id::gt})
        for (const vector_form left : every_form)
            for (const vector_form right : every_form) {
                const dictionary c = some(150, left), t = some(150, right);
                vector w = make_vector(ctx, c, left);
                const vector shared = w;
                writing how;
                how.accum = binary_op(id);
                apply(ctx, w, unary_id::identity, make_vector(ctx, t, right), {.accum = binary_op(id)});
                ASSERT_TRUE(same(write(c, t, how), w)) << binary_op(id).name();
                ASSERT_TRUE(same(c, shared));
            }
}

TEST_P(VectorWords, ApplyAsTheReferenceDoes) {
    const dtype type = GetParam();
    const scalar fixed = scalar(type, cast(to_element(true), dtype::boolean, type));
    for (const int threads : {3})
        for (const vector_form form : every_form)
            for (const index_t size : {90, 17000}) {
                const context ctx({.backend = backend::cpu, .threads = threads});
                const vector u = make_vector(ctx, some(size, form), form);
                const vector_options by_reference{.kernel = "reference"};
                for (int id = 0; id < static_cast<int>(unary_id::user); ++id) {
                    const unary_op op(static_cast<unary_id>(id));
                    if (op.id() == unary_id::bnot) continue;
                    if (!is_floating(type) && op.id() >= unary_id::sqrt) continue;
                    vector found(ctx, type, size), expected(ctx, type, size);
                    const operation_plan plan = apply(ctx, found, op, u);
                    EXPECT_EQ(plan.kernel == "words", words_serve(op.id(), type)) << op.name();
                    apply(ctx, expected, op, u, by_reference);
                    ASSERT_TRUE(same(read(expected), found)) << op.name();
                }
                for (const binary_id id : {binary_id::minus, binary_id::div, binary_id::max, binary_id::ge}) {
                    const binary_op op(id);
                    vector found(ctx, result_type(op, type, type), size), expected = found;
                    apply(ctx, found, op, fixed, u);
                    apply(ctx, expected, op, fixed, u, by_reference);
                    ASSERT_TRUE(same(read(expected), found)) << op.name() << ", first operand fixed";
                    apply(ctx, found, op, u, fixed);
                    apply(ctx, expected, op, u, fixed, by_reference);
                    ASSERT_TRUE(same(read(expected), found)) << op.name() << ", second operand fixed";
                }
            }
}

TEST_P(VectorWords, ReduceAddsUpEveryBlockWhateverTheThreads) {
    const dtype type = GetParam();
    for (const index_t size : {0, 1, 15, 16, 17, 100, 8191, 8192, 8193, 20000})
        for (const vector_form form : every_form) {
            const context one({.backend = backend::cpu, .threads = 1}),
                three({.backend = backend::cpu, .threads = 3});
            dictionary a = some(size, form);
            if (form == vector_form::bitmap)  // the first blocks are empty
                a.entries.erase(a.entries.begin(), a.entries.lower_bound({std::min(size, 10000), 0}));
            const vector u = make_vector(one, a, form);
            for (const binary_id id : {binary_id::plus, binary_id::min, binary_id::max}) {
                const monoid add(id);
                element sum = add.identity(type);
                bool first = true;
                for (const auto& [at, x] : a.entries) {
                    sum = first ? x : compute(add.op(), sum, type, x, type);
                    first = false;
                }
                ASSERT_EQ(show(sum, type), show(reduce(one, add, u).bits(), type)) << size << add.name();
                ASSERT_EQ(reduce(one, add, u), reduce(three, add, u));
            }
        }
}

// Integers that are not compiled are taken in a wider type, whose results are cast back: every bit pattern, on every side.
TEST_P(VectorWords, WrapAsTheirOwnTypeDoes) {
    const dtype type = GetParam();
    if (has_own_words(type)) GTEST_SKIP() << "compiled";
    const auto any_value = [&] {
        const auto bits = static_cast<std::int64_t>(std::uint64_t{random()} << 32 | random());
        return cast(to_element(bits), dtype::int64, type);
    };
    const auto drawn = [&](index_t size) {
        dictionary d{size, 1, type, {}};
        for (index_t i = 0; i < size; ++i)
            if (random() % 8) d.entries[{i, 0}] = any_value();
        return d;
    };
    for (const context& ctx : contexts())
        for (const vector_form form : {vector_form::bitmap, vector_form::sparse}) {
            const vector u = make_vector(ctx, drawn(900), form), v = make_vector(ctx, drawn(900), form);
            const vector here = ctx.gpu() ? there(ctx, u) : u;
            const scalar x(type, any_value());
            for (int id = 0; id <= static_cast<int>(binary_id::le); ++id) {
                const binary_op op(static_cast<binary_id>(id));
                SCOPED_TRACE(op.name());
                vector w(ctx, result_type(op, type, type), 900), expected = w, wide(ctx, dtype::int64, 900),
                                                                 expected_wide = wide;
                ewise_add(ctx, w, op, here, v);
                ewise_add(ctx, expected, op, u, v, {.kernel = "reference"});
                ASSERT_TRUE(same(read(expected), w));
                ewise_mult(ctx, wide, op, v, here);
                ewise_mult(ctx, expected_wide, op, v, u, {.kernel = "reference"});
                ASSERT_TRUE(same(read(expected_wide), wide));
                apply(ctx, wide, op, here, x);
                apply(ctx, expected_wide, op, u, x, {.kernel = "reference"});
                ASSERT_TRUE(same(read(expected_wide), wide));
            }
            for (const binary_id id :
                 {binary_id::plus, binary_id::times, binary_id::min, binary_id::max, binary_id::lor}) {
                const monoid add(id);
                std::optional<element> sum;
                for (const auto& [at, y] : read(u).entries)
                    sum = sum ? compute(add.op(), *sum, add.value_type(type), y, type)
                              : cast(y, type, add.value_type(type));
                EXPECT_EQ(reduce(ctx, add, here), scalar(type, cast(*sum, add.value_type(type), type)))
                    << add.name();
            }
        }
}

// The order that a GPU keeps too: entry i of a block of 8,192 goes to sum i mod 256, and those are added in a tree, as are the blocks'.
TEST(ReduceBlocks, AddsInOneOrderOnEverySide) {
    const context ctx({.backend = backend::cpu, .threads = 2});
    std::mt19937 random(vector_words_seed + 5);
    const auto fold = [](const std::vector<float>& x) {
        std::vector<float> lanes(x.begin(), x.begin() + std::min<std::ptrdiff_t>(256, std::ssize(x)));
        for (std::size_t i = 256; i < x.size(); ++i) lanes[i % 256] += x[i];
        for (std::size_t distance = 128; distance > 0; distance /= 2)
            for (std::size_t l = 0; l + distance < lanes.size() && l < distance; ++l)
                lanes[l] += lanes[l + distance];
        return lanes[0];
    };
    for (const std::size_t size : {1, 100, 257, 5000, 8192, 8193, 300000}) {
        std::vector<float> x(size), sums;
        for (float& value : x) value = std::generate_canonical<float, 24>(random);
        for (std::size_t begin = 0; begin < size; begin += 8192)
            sums.push_back(fold({x.begin() + static_cast<std::ptrdiff_t>(begin),
                                 x.begin() + static_cast<std::ptrdiff_t>(std::min(size, begin + 8192))}));
        EXPECT_EQ(reduce(ctx, binary_id::plus, vector::dense<float>(ctx, x)).get<float>(), fold(sums))
            << size;
    }
}

TEST(VectorWordsPins, SayWhatTheyCannotDo) {
    const context ctx({.backend = backend::cpu});
    const vector dense = vector::full(ctx, 5, scalar(1.0)),
                 bytes = vector::full(ctx, 5, scalar(std::int8_t{1}));
    vector w(ctx, dtype::float64, 5), sparse(ctx, dtype::float64, 5);
    matrix a(ctx, dtype::float64, 3, 3);
    const vector_options words{.kernel = "words"};
    EXPECT_EQ(ewise_add(ctx, w, binary_id::plus, dense, sparse, words).kernel, "words");
    EXPECT_EQ(apply(ctx, w, unary_id::abs, dense, words).kernel, "words");
    EXPECT_THROW(ewise_add(ctx, w, binary_id::plus, sparse, sparse, words), not_supported);
    EXPECT_THROW(ewise_add(ctx, w, binary_id::div, bytes, bytes, words), not_supported);
    EXPECT_THROW(apply(ctx, w, unary_id::minv, bytes, words), not_supported);
    EXPECT_THROW(apply(ctx, w, index_unary_id::rowindex, dense, scalar(1), words), not_supported);
    EXPECT_EQ(apply(ctx, a, unary_id::abs, a, {.kernel = "words"}).kernel, "words");
    EXPECT_THROW(ewise_add(ctx, a, binary_id::plus, a, a, {.kernel = "words"}), not_supported);
    EXPECT_THROW(reduce(ctx, w, binary_id::plus, matrix(ctx, dtype::float64, 5, 5), {.kernel = "blocks"}),
                 not_supported);
}

}  // namespace
}  // namespace nz::test
