// Every operation refuses every wrong shape, naming both, and leaves its output as it was.
#include "support/small.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace nz::test {
namespace {

class Shapes : public ::testing::Test {
protected:
    context ctx;
    matrix a{ctx, dtype::int32, 3, 4}, a_like{ctx, dtype::int32, 3, 4}, b{ctx, dtype::int8, 4, 5};
    vector u{ctx, dtype::int32, 4}, v{ctx, dtype::int32, 4}, six{ctx, dtype::float32, 6};
    matrix wrong = matrix_of<int>(ctx, 6, 7, {{0, 0, 1}});
    vector wrong_vector = vector_of<int>(ctx, 9, {{0, 1}});

    // The call must throw dimension_mismatch with both words, and the outputs must not change.
    void refuses(const std::function<void()>& call, std::string_view first, std::string_view second) {
        try {
            call();
            ADD_FAILURE() << "nothing was thrown";
        } catch (const dimension_mismatch& e) {
            EXPECT_NE(std::string(e.what()).find(first), std::string::npos) << e.what();
            EXPECT_NE(std::string(e.what()).find(second), std::string::npos) << e.what();
        }
        EXPECT_EQ(text(wrong), "(0,0)=1");
        EXPECT_EQ(text(wrong_vector), "0=1");
    }
    template <class F>
    void refuses_output(F call, std::string_view expected) {
        refuses([&] { call(wrong); }, "C is 6 x 7", expected);
    }
    template <class F>
    void refuses_vector_output(F call, std::string_view expected) {
        refuses([&] { call(wrong_vector); }, "w has size 9", expected);
    }
};

TEST_F(Shapes, OfOperandsMustFit) {
    matrix c(ctx, dtype::int32, 3, 5);
    refuses([&] { mxm(ctx, c, semiring("plus_times"), a, a_like); }, "A is 3 x 4 int32", "B is 3 x 4 int32");
    refuses([&] { mxm(ctx, c, semiring("plus_times"), a, b, {.transpose_b = true}); }, "A is 3 x 4",
            "B^T is 5 x 4 int8");
    refuses([&] { mxm(ctx, c, semiring("plus_times"), a, b, {.transpose_a = true}); }, "A^T is 4 x 3",
            "B is 4 x 5");
    refuses([&] { ewise_add(ctx, c, binary_id::plus, a, b); }, "A is 3 x 4", "B is 4 x 5");
    refuses([&] { ewise_mult(ctx, c, binary_id::plus, a, b); }, "A is 3 x 4", "B is 4 x 5");
    refuses([&] { ewise_add(ctx, v, binary_id::plus, u, six); }, "u has size 4", "v has size 6 (float32)");
    refuses([&] { ewise_mult(ctx, v, binary_id::plus, u, six); }, "u has size 4", "v has size 6");
}

TEST_F(Shapes, OfOutputsMustBeTheResults) {
    using enum binary_id;
    refuses_output([&](matrix& c) { mxm(ctx, c, semiring("plus_times"), a, b); }, "3 x 5");
    refuses_output([&](matrix& c) { ewise_add(ctx, c, plus, a, a_like); }, "3 x 4");
    refuses_output([&](matrix& c) { ewise_mult(ctx, c, plus, a, a_like); }, "3 x 4");
    refuses_output([&](matrix& c) { apply(ctx, c, unary_id::abs, a); }, "3 x 4");
    refuses_output(
        [&](matrix& c) { apply(ctx, c, index_unary_id::rowindex, a, scalar(0), {.transpose_a = true}); },
        "4 x 3");
    refuses_output([&](matrix& c) { apply(ctx, c, plus, scalar(1), a); }, "3 x 4");
    refuses_output([&](matrix& c) { apply(ctx, c, plus, a, scalar(1)); }, "3 x 4");
    refuses_output([&](matrix& c) { select(ctx, c, index_unary_id::tril, a, scalar(0)); }, "3 x 4");
    refuses_output([&](matrix& c) { transpose(ctx, c, a); }, "4 x 3");
    refuses_output([&](matrix& c) { kronecker(ctx, c, times, a, b); }, "12 x 20");
    refuses_output([&](matrix& c) { extract(ctx, c, a, index_list::all(), index_list::all()); }, "3 x 4");
    refuses_output([&](matrix& c) { assign(ctx, c, a, index_list::all(), index_list::all()); }, "A is 3 x 4");
    refuses_vector_output([&](vector& w) { ewise_add(ctx, w, plus, u, v); }, "size 4");
    refuses_vector_output([&](vector& w) { ewise_mult(ctx, w, plus, u, v); }, "size 4");
    refuses_vector_output([&](vector& w) { apply(ctx, w, unary_id::abs, u); }, "size 4");
    refuses_vector_output([&](vector& w) { apply(ctx, w, index_unary_id::rowindex, u, scalar(0)); },
                          "size 4");
    refuses_vector_output([&](vector& w) { apply(ctx, w, plus, scalar(1), u); }, "size 4");
    refuses_vector_output([&](vector& w) { apply(ctx, w, plus, u, scalar(1)); }, "size 4");
    refuses_vector_output([&](vector& w) { select(ctx, w, index_unary_id::tril, u, scalar(0)); }, "size 4");
    refuses_vector_output([&](vector& w) { reduce(ctx, w, plus, a); }, "size 3");
    refuses_vector_output([&](vector& w) { reduce(ctx, w, plus, a, {.transpose_a = true}); }, "size 4");
    refuses_vector_output([&](vector& w) { extract(ctx, w, u, index_list::all()); }, "size 4");
    refuses_vector_output([&](vector& w) { extract_column(ctx, w, a, index_list::all(), 1); }, "size 3");
    refuses_vector_output([&](vector& w) { assign(ctx, w, u, index_list::all()); }, "u has size 4");
}

TEST_F(Shapes, OfMasksMustBeTheOutputs) {
    using enum binary_id;
    const matrix m(ctx, dtype::boolean, 2, 2);
    const vector n(ctx, dtype::boolean, 5);
    matrix c(ctx, dtype::int32, 3, 4), d(ctx, dtype::int32, 3, 5), t(ctx, dtype::int32, 4, 3),
        k(ctx, dtype::int32, 12, 20);
    vector w(ctx, dtype::int32, 4), r(ctx, dtype::int32, 3);
    const auto matrix_refused = [&](auto call) { refuses(call, "the mask is 2 x 2 bool", "C is "); };
    const auto vector_refused = [&](auto call) { refuses(call, "the mask has size 5", "w has size "); };
    const matrix_options options{.mask = &m};
    const vector_options line{.mask = &n};
    matrix_refused([&] { mxm(ctx, d, semiring("plus_times"), a, b, options); });
    matrix_refused([&] { ewise_add(ctx, c, plus, a, a_like, options); });
    matrix_refused([&] { ewise_mult(ctx, c, plus, a, a_like, options); });
    matrix_refused([&] { apply(ctx, c, unary_id::abs, a, options); });
    matrix_refused([&] { select(ctx, c, index_unary_id::tril, a, scalar(0), options); });
    matrix_refused([&] { transpose(ctx, t, a, options); });
    matrix_refused([&] { kronecker(ctx, k, times, a, b, options); });
    matrix_refused([&] { extract(ctx, c, a, index_list::all(), index_list::all(), options); });
    matrix_refused([&] { assign(ctx, c, a, index_list::all(), index_list::all(), options); });
    matrix_refused([&] { assign(ctx, c, scalar(1), index_list::all(), index_list::all(), options); });
    vector_refused([&] { ewise_add(ctx, w, plus, u, v, line); });
    vector_refused([&] { ewise_mult(ctx, w, plus, u, v, line); });
    vector_refused([&] { apply(ctx, w, unary_id::abs, u, line); });
    vector_refused([&] { select(ctx, w, index_unary_id::tril, u, scalar(0), line); });
    vector_refused([&] { reduce(ctx, r, plus, a, line); });
    vector_refused([&] { extract(ctx, w, u, index_list::all(), line); });
    vector_refused([&] { extract_column(ctx, r, a, index_list::all(), 1, line); });
    vector_refused([&] { assign(ctx, w, u, index_list::all(), line); });
    vector_refused([&] { assign(ctx, w, scalar(1), index_list::all(), line); });
    refuses([&] { assign_row(ctx, c, u, 0, index_list::all(), line); }, "the mask has size 5", "size 4");
    refuses([&] { assign_column(ctx, c, r, index_list::all(), 0, line); }, "the mask has size 5", "size 3");
    refuses([&] { assign_row(ctx, c, six, 0, index_list::all()); }, "u has size 6", "4 places");
}

TEST_F(Shapes, IndicesOutsideAreNamed) {
    matrix c(ctx, dtype::int32, 2, 2);
    vector w(ctx, dtype::int32, 2);
    const std::vector<index_t> fine{0, 1}, outside{1, 4}, negative{-1, 0};
    const auto out_of_bounds = [](auto call, std::string_view words) {
        try {
            call();
            ADD_FAILURE() << "nothing was thrown";
        } catch (const index_out_of_bounds& e) {
            EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
        }
    };
    out_of_bounds([&] { extract(ctx, c, a, index_list(outside), index_list(fine)); },
                  "row 4 at position 1 of the list is outside 0..2");
    out_of_bounds([&] { extract(ctx, c, a, index_list(fine), index_list(negative)); },
                  "column -1 at position 0");
    out_of_bounds([&] { extract(ctx, w, u, index_list(outside)); }, "index 4 at position 1");
    out_of_bounds([&] { extract_column(ctx, w, a, index_list(fine), 4); }, "column 4 is outside 0..3");
    out_of_bounds([&] { extract_column(ctx, w, a, index_list(outside), 0); }, "row 4");
    out_of_bounds([&] { assign(ctx, u, scalar(1), index_list(outside)); }, "index 4");
    out_of_bounds([&] { assign(ctx, u, w, index_list(negative)); }, "index -1");
    out_of_bounds([&] { assign(ctx, a, scalar(1), index_list(outside), index_list(fine)); }, "row 4");
    out_of_bounds([&] { assign(ctx, a, c, index_list(fine), index_list(outside)); }, "column 4");
    out_of_bounds([&] { assign_row(ctx, a, u, 3, index_list::all()); }, "row 3 is outside 0..2");
    out_of_bounds([&] { assign_column(ctx, a, six, index_list::all(), -1); }, "column -1 is outside 0..3");
}

TEST_F(Shapes, OperatorsWithoutAMeaningAreRefused) {
    matrix c(ctx, dtype::float64, 3, 4);
    const matrix floats(ctx, dtype::float64, 3, 4);
    EXPECT_THROW(ewise_add(ctx, c, binary_id::bor, floats, floats), domain_error);
    EXPECT_THROW(ewise_add(ctx, c, binary_id::plus, a, a, {.accum = binary_id::firsti}), domain_error);
    EXPECT_THROW(ewise_add(ctx, c, binary_id::plus, a, a, {.accum = binary_id::bxor}), domain_error)
        << "C is float64";
    vector w(ctx, dtype::float64, 3);
    EXPECT_THROW(reduce(ctx, w, binary_id::band, floats), domain_error);
    EXPECT_THROW(apply(ctx, c, unary_id::bnot, floats), domain_error);
}

}  // namespace
}  // namespace nz::test
