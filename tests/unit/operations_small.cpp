// Each operation on a case that one can do on paper.
#include "kernels/reference/mxv.hpp"
#include "ops/masks.hpp"
#include "ops/write_back.hpp"
#include "storage/matrix_body.hpp"
#include "support/small.hpp"

#include <gtest/gtest.h>

namespace nz::test {
namespace {

class Operations : public ::testing::Test {
protected:
    context ctx;
    // 1 2 .
    // . . 3
    matrix a = matrix_of<int>(ctx, 2, 3, {{0, 0, 1}, {0, 1, 2}, {1, 2, 3}});
    // . 5 .
    // 4 . 6
    matrix b = matrix_of<int>(ctx, 2, 3, {{0, 1, 5}, {1, 0, 4}, {1, 2, 6}});
    matrix c = matrix(ctx, dtype::int32, 2, 3);
    matrix square = matrix(ctx, dtype::int32, 2, 2);
    vector u = vector_of<int>(ctx, 3, {{0, 7}, {2, 9}});
    vector v = vector_of<int>(ctx, 3, {{0, 2}, {1, 3}});
    vector w = vector(ctx, dtype::int32, 3);
};

TEST_F(Operations, MxmMultipliesRowsByColumns) {
    const operation_plan plan = mxm(ctx, square, semiring("plus_times"), a, b, {.transpose_b = true});
    EXPECT_EQ(text(square), "(0,0)=10 (0,1)=4 (1,1)=18");
    EXPECT_EQ(plan.kernel, "dense_row");
    EXPECT_FALSE(plan.reason.empty());
    mxm(ctx, square, semiring("min_plus"), a, b, {.transpose_b = true, .kernel = "reference"});
    EXPECT_EQ(text(square), "(0,0)=7 (0,1)=5 (1,1)=9");
    mxm(ctx, square, semiring("any_secondi"), a, b, {.transpose_b = true});
    EXPECT_EQ(text(square), "(0,0)=1 (0,1)=0 (1,1)=2") << "the smallest k";
}

TEST_F(Operations, MxvsReferenceAddsProductsInTheOrderOfColumns) {
    const auto product = [&](std::string_view s, const vector& x) {
        return text(
            storage::make_vector(kernels::reference::mxv(ctx, semiring(s), a.body().rows(), x.body())));
    };
    EXPECT_EQ(product("plus_times", u), "0=7 1=27");
    EXPECT_EQ(product("plus_times", v), "0=8");
    EXPECT_EQ(product("any_second", v), "0=2");
    EXPECT_EQ(product("plus_firsti", u), "0=0 1=1");
    EXPECT_EQ(product("max_secondi", v), "0=1");
    EXPECT_EQ(product("plus_secondj", u), "0=0 1=0");
}

TEST_F(Operations, EwiseAddIsTheUnionAndMultTheIntersection) {
    ewise_add(ctx, c, binary_id::minus, a, b);
    EXPECT_EQ(text(c), "(0,0)=1 (0,1)=-3 (1,0)=4 (1,2)=-3");
    ewise_mult(ctx, c, binary_id::times, a, b);
    EXPECT_EQ(text(c), "(0,1)=10 (1,2)=18");
    ewise_mult(ctx, c, binary_id::secondj, a, b);
    EXPECT_EQ(text(c), "(0,1)=1 (1,2)=2");
    ewise_add(ctx, w, binary_id::plus, u, v);
    EXPECT_EQ(text(w), "0=9 1=3 2=9");
    ewise_mult(ctx, w, binary_id::plus, u, v);
    EXPECT_EQ(text(w), "0=9");
}

TEST_F(Operations, EwiseAddTakesLoneEntriesToTheOperatorsResultType) {
    ewise_add(ctx, w, binary_id::lt, u, v);
    EXPECT_EQ(text(w), "0=0 1=1 2=1") << "3 and 9 become true as results of a comparison";
}

TEST_F(Operations, ApplyTakesFourKindsOfOperators) {
    apply(ctx, c, unary_id::ainv, a);
    EXPECT_EQ(text(c), "(0,0)=-1 (0,1)=-2 (1,2)=-3");
    apply(ctx, c, index_unary_id::colindex, a, scalar(10));
    EXPECT_EQ(text(c), "(0,0)=10 (0,1)=11 (1,2)=12");
    apply(ctx, c, binary_id::minus, scalar(10), a);
    EXPECT_EQ(text(c), "(0,0)=9 (0,1)=8 (1,2)=7");
    apply(ctx, c, binary_id::minus, a, scalar(10));
    EXPECT_EQ(text(c), "(0,0)=-9 (0,1)=-8 (1,2)=-7");
    EXPECT_THROW(apply(ctx, c, binary_id::firsti, a, scalar(1)), domain_error) << "a scalar has no place";
}

TEST_F(Operations, SelectKeepsValues) {
    select(ctx, c, index_unary_id::valuegt, a, scalar(1));
    EXPECT_EQ(text(c), "(0,1)=2 (1,2)=3");
    select(ctx, c, index_unary_id::diag, a, scalar(0));
    EXPECT_EQ(text(c), "(0,0)=1");
}

TEST_F(Operations, ReduceSumsRowsColumnsAndAll) {
    vector rows(ctx, dtype::int32, 2);
    reduce(ctx, rows, binary_id::plus, a);
    EXPECT_EQ(text(rows), "0=3 1=3");
    reduce(ctx, w, binary_id::plus, a, {.transpose_a = true});
    EXPECT_EQ(text(w), "0=1 1=2 2=3");
    EXPECT_EQ(reduce(ctx, binary_id::times, a), scalar(6));
    EXPECT_EQ(reduce(ctx, binary_id::max, u), scalar(9));
    EXPECT_EQ(reduce(ctx, binary_id::min, vector(ctx, dtype::int8, 4)), scalar(std::int8_t{127}))
        << "the identity";
}

TEST_F(Operations, AssignDeletesWhatIsAbsentWithinTheRegionOnly) {
    const std::vector<index_t> places{2, 0};
    assign(ctx, v, vector_of<int>(ctx, 2, {{0, 5}}), index_list(places));
    EXPECT_EQ(text(v), "1=3 2=5") << "v(2) = 5, v(0) deleted, v(1) stays";
    const std::vector<index_t> row{1}, columns{0, 2};
    assign(ctx, b, scalar(8), index_list(row), index_list(columns));
    EXPECT_EQ(text(b), "(0,1)=5 (1,0)=8 (1,2)=8");
    assign_row(ctx, b, u, 0, index_list::all());
    EXPECT_EQ(text(b), "(0,0)=7 (0,2)=9 (1,0)=8 (1,2)=8");
    assign_column(ctx, b, vector_of<int>(ctx, 2, {{1, 1}}), index_list::all(), 2);
    EXPECT_EQ(text(b), "(0,0)=7 (1,0)=8 (1,2)=1");
}

TEST_F(Operations, AssignLetsTheLastOfRepeatedPlacesWin) {
    const std::vector<index_t> places{1, 1, 0, 0};
    assign(ctx, w, vector_of<int>(ctx, 4, {{0, 1}, {1, 2}, {2, 3}}), index_list(places));
    EXPECT_EQ(text(w), "1=2");
}

TEST_F(Operations, AssignOfAScalarUnderAMaskTouchesTheMaskOnly) {
    const operation_plan plan = assign(ctx, c, scalar(4), index_list::all(), index_list::all(), {.mask = &a});
    EXPECT_EQ(text(c), "(0,0)=4 (0,1)=4 (1,2)=4");
    EXPECT_EQ(plan.reason, "the scalar goes to the mask's own entries");
}

TEST_F(Operations, ExtractTakesRowsAndColumnsInAnyOrderAndAgain) {
    const std::vector<index_t> rows{1, 0}, columns{2, 0, 2};
    extract(ctx, c, a, index_list(rows), index_list(columns));
    EXPECT_EQ(text(c), "(0,0)=3 (0,2)=3 (1,1)=1");
    vector column(ctx, dtype::int32, 2);
    extract_column(ctx, column, a, index_list(rows), 1);
    EXPECT_EQ(text(column), "1=2");
    extract(ctx, w, u, index_list(columns));
    EXPECT_EQ(text(w), "0=9 1=7 2=9");
}

TEST_F(Operations, TransposeAndKronecker) {
    matrix t(ctx, dtype::int32, 3, 2), k(ctx, dtype::int32, 2, 6);
    transpose(ctx, t, a);
    EXPECT_EQ(text(t), "(0,0)=1 (1,0)=2 (2,1)=3");
    kronecker(ctx, k, binary_id::times, matrix_of<int>(ctx, 1, 2, {{0, 1, 10}}), a);
    EXPECT_EQ(text(k), "(0,3)=10 (0,4)=20 (1,5)=30");
}

TEST_F(Operations, PinnedKernelsThatDoNotExistAreRefusedWithTheKnownOnes) {
    try {
        mxm(ctx, square, semiring("plus_times"), a, b, {.transpose_b = true, .kernel = "table"});
        FAIL() << "not refused";
    } catch (const domain_error& e) {
        EXPECT_STREQ(
            e.what(),
            "'table' is not a kernel of mxm; there are hash, dense_row, row_row, column_row, column_column, "
            "two_level_sort, masked_dot, masked_row, dia_dia, reference");
    }
    EXPECT_THROW(apply(ctx, c, unary_id::ainv, a, {.kernel = "row_row"}), domain_error);
}

TEST_F(Operations, ResultsTakeTheFormThatTheirCountSuits) {
    const auto form_of = [&](index_t count) {
        vector out(ctx, dtype::int32, 160);
        std::vector<index_t> indices(static_cast<std::size_t>(count));
        std::vector<int> values(indices.size(), 1);
        for (index_t i = 0; i < count; ++i) indices[i] = i;
        apply(ctx, out, unary_id::identity, vector::build<int>(ctx, 160, indices, values));
        EXPECT_EQ(out.count(), count);
        return out.form();
    };
    EXPECT_EQ(form_of(10), vector_form::sparse) << "160 / bitmap_from_one_in";
    EXPECT_EQ(form_of(11), vector_form::bitmap);
    EXPECT_EQ(form_of(160), vector_form::dense);
}

TEST_F(Operations, MaskWordsHoldPresenceOrTruth) {
    for (const vector_form form : {vector_form::sparse, vector_form::bitmap}) {
        vector mask = vector_of<float>(ctx, 70, {{0, 1.0f}, {3, 0.0f}, {4, -0.0f}, {69, std::nanf("")}});
        mask.convert_to(form);
        const auto structure = ops::mask_words(ctx, mask, true), value = ops::mask_words(ctx, mask, false);
        EXPECT_EQ(structure[0], 0b11001u);
        EXPECT_EQ(value[0], 0b1u);
        EXPECT_EQ(structure[1], 1u << 5);
        EXPECT_EQ(value[1], 1u << 5);
    }
    const std::vector<int> values{1, 0, 2};
    EXPECT_EQ(ops::mask_words(ctx, vector::dense<int>(ctx, values), true)[0], 0b111u);
    EXPECT_EQ(ops::mask_words(ctx, vector::dense<int>(ctx, values), false)[0], 0b101u);
}

TEST_F(Operations, FloatSumsAreTheSameBitsWhateverTheThreads) {
    std::vector<double> values(50000);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = 1.0 / static_cast<double>(k + 1);
    scalar one;
    for (const int threads : {1, 2, 5}) {
        context_options options;
        options.threads = threads;
        const context many(options);
        const scalar sum = reduce(many, binary_id::plus, vector::dense<double>(many, values));
        if (threads == 1) one = sum;
        EXPECT_EQ(sum, one);
    }
}

}  // namespace
}  // namespace nz::test
