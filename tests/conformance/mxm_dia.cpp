// Products of matrices stored by diagonals against mxm of the same matrices, bit for bit: every compiled semiring, bands of every make,
// runs of rows shorter than their diagonals, and what is refused. On the CPU with several threads, and on the GPU where there is one.
#include "instantiate/dia_cells.hpp"
#include "storage/dia.hpp"
#include "storage/matrix_body.hpp"
#include "support/compare.hpp"
#include "support/contexts.hpp"

#include <gtest/gtest.h>

#include <random>

namespace nz::test {
namespace {

// Values that are neither alike nor exact in sums, some of them 0; NaN where there is no entry.
template <class T>
T dia_value(index_t i, index_t j) {
    const int n = static_cast<int>((offset_t{i} * 31 + offset_t{j} * 17) % 97);
    if constexpr (std::is_floating_point_v<T>) return n % 13 ? T(1) / T(1 + n) - T(0.25) : T(-0.0);
    return static_cast<T>(n % 13);
}

struct dia_arrays {
    index_t rows, columns;
    std::vector<index_t> offsets, first{}, last{};  ///< no rows: all
};

template <class T>
dia_matrix make_dia(const context& ctx, const dia_arrays& of) {
    const offset_t stride = of.rows + 3;
    const auto size = of.offsets.size() * static_cast<std::size_t>(stride);
    const auto values = std::make_unique<T[]>(size + 1);
    for (std::size_t n = 0; n < size; ++n)
        values[n] = std::numeric_limits<T>::has_quiet_NaN ? std::numeric_limits<T>::quiet_NaN() : T(1);
    for (std::size_t d = 0; d < of.offsets.size(); ++d) {
        auto [first, last] = storage::rows_inside(of.rows, of.columns, of.offsets[d]);
        if (!of.first.empty()) first = of.first[d], last = of.last[d];
        for (index_t i = first; i < last; ++i)
            values[static_cast<std::size_t>(static_cast<offset_t>(d) * stride + i)] =
                dia_value<T>(i, i + of.offsets[d]);
    }
    return dia_matrix::from_dia<T>(
        ctx, {of.rows, of.columns, of.offsets, {values.get(), size}, stride, of.first, of.last});
}
dia_matrix make_dia(const context& ctx, const dia_arrays& of, dtype type) {
    return dispatch(type, [&]<class T>(std::type_identity<T>) { return make_dia<T>(ctx, of); });
}

std::vector<index_t> diagonals_between(index_t low, index_t high) {
    std::vector<index_t> all;
    for (index_t d = low; d <= high; ++d) all.push_back(d);
    return all;
}

void expect_mxms(const context& ctx, const semiring& s, const dia_matrix& a, const dia_matrix& b,
                 std::string_view kernel = "stored") {
    const context cpu = with_threads(2);
    dia_matrix c(ctx, dtype::int8, 0, 0);
    const operation_plan plan = mxm(ctx, c, s, a, b);
    EXPECT_EQ(plan.kernel, kernel);
    EXPECT_EQ(plan.on_device, ctx.gpu() != nullptr && kernel == "stored");
    EXPECT_EQ(c.on_device(), ctx.gpu() != nullptr);
    matrix expected(cpu, s.value_type(a.type(), b.type()), a.rows(), b.columns());
    mxm(cpu, expected, s, a.to_matrix(cpu), b.to_matrix(cpu), {.kernel = "reference"});
    const matrix found = c.to_matrix(cpu);
    found.validate();
    EXPECT_EQ(c.nnz(), expected.nnz());
    ASSERT_TRUE(same_bits(expected, found));
}

const std::pair<const char*, std::pair<dia_arrays, dia_arrays>> dia_cases[] = {
    {"full bands", {{700, 700, diagonals_between(-10, 10)}, {700, 700, diagonals_between(-10, 10)}}},
    {"other bands", {{900, 900, diagonals_between(0, 6)}, {900, 900, diagonals_between(-30, -20)}}},
    {"three by three", {{1000, 1000, diagonals_between(-1, 1)}, {1000, 1000, diagonals_between(-1, 1)}}},
    {"one by many", {{600, 600, {5}}, {600, 600, diagonals_between(-2, 13)}}},
    {"many by one", {{600, 600, diagonals_between(-2, 13)}, {600, 600, {-5}}}},
    {"single", {{500, 500, {-3}}, {500, 500, {7}}}},
    {"wide and tall", {{400, 600, diagonals_between(90, 100)}, {600, 300, diagonals_between(-200, -180)}}},
    {"tall and wide", {{1500, 300, diagonals_between(-700, -690)}, {300, 1500, diagonals_between(500, 520)}}},
    {"apart", {{800, 800, {-100, -99, -3, 0, 7, 8, 9, 200}}, {800, 800, {-2, 0, 1, 40}}}},
    {"more than 64", {{600, 600, diagonals_between(-40, 40)}, {600, 600, diagonals_between(-35, 40)}}},
    {"wider than a tile holds",
     {{300, 300, diagonals_between(-120, 120)}, {300, 300, diagonals_between(-2, 2)}}},
    {"every diagonal", {{40, 50, diagonals_between(-39, 49)}, {50, 30, diagonals_between(-49, 29)}}},
    {"nothing meets", {{50, 40, {-45, 39}}, {40, 50, {30}}}},
    {"no diagonals", {{50, 40, {}}, {40, 50, {1}}}},
    {"no columns", {{5, 0, {}}, {0, 5, {}}}},
    {"no rows", {{0, 5, {}}, {5, 5, {0}}}},
    {"one row", {{1, 5, diagonals_between(0, 4)}, {5, 1, diagonals_between(-4, 0)}}},
    {"runs of rows",
     {{500, 500, {-1, 0, 1}, {100, 3, 0}, {400, 499, 300}}, {500, 500, {0, 2}, {10, 50}, {490, 400}}}},
};

TEST(StoredDiagonals, MultiplyLikeTheSameMatrices) {
    for (const context& ctx : contexts())
        for (const auto& [name, factors] : dia_cases) {
            SCOPED_TRACE(name);
            for (const auto* ring :
                 {"plus_times_fp64", "min_plus_fp32", "any_secondi_int64", "plus_times_int32"}) {
                SCOPED_TRACE(ring);
                const dtype type = std::string_view(ring).ends_with("fp32")    ? dtype::float32
                                   : std::string_view(ring).ends_with("int32") ? dtype::int32
                                                                               : dtype::float64;
                expect_mxms(ctx, semiring(ring), make_dia(ctx, factors.first, type),
                            make_dia(ctx, factors.second, type));
            }
        }
}

TEST(StoredDiagonals, MultiplyOverEveryCompiledSemiring) {
    for (const context& ctx : contexts())
        for (const auto group : {instantiate::numeric_dia(), instantiate::label_dia()})
            for (const auto& cell : group) {
                const semiring s(cell.add, cell.multiply, cell.operand);
                SCOPED_TRACE(s.name());
                for (const auto& [name, factors] : {dia_cases[0], dia_cases[8], dia_cases[17]}) {
                    SCOPED_TRACE(name);
                    expect_mxms(ctx, s, make_dia(ctx, factors.first, cell.operand),
                                make_dia(ctx, factors.second, cell.operand));
                }
            }
}

TEST(StoredDiagonals, OfOtherTypesAreConvertedAndOtherSemiringsGoByWayOfMxm) {
    for (const context& ctx : contexts()) {
        const dia_arrays band{300, 300, diagonals_between(-4, 4)};
        const dia_matrix ints = make_dia<std::int32_t>(ctx, band), doubles = make_dia<double>(ctx, band);
        expect_mxms(ctx, semiring("plus_times"), ints, doubles);
        expect_mxms(ctx, semiring("plus_times"), doubles, ints);
        expect_mxms(ctx, semiring("any_second"), make_dia<bool>(ctx, band), doubles);
        expect_mxms(ctx, semiring("plus_times"), make_dia<bool>(ctx, band), make_dia<bool>(ctx, band));
        expect_mxms(ctx, semiring("max_minus_int16"), ints, ints, "generic");
    }
}

TEST(StoredDiagonals, MayBeTheirOwnResultAndMoveBetweenContexts) {
    const dia_arrays band{400, 400, diagonals_between(-2, 3)};
    const semiring s("plus_times");
    for (const context& ctx : contexts())
        for (const context& other : contexts()) {
            dia_matrix a = make_dia<double>(other, band);
            const matrix before = a.to_matrix(ctx);
            mxm(ctx, a, s, a, a);
            const context cpu = with_threads(1);
            matrix expected(cpu, dtype::float64, 400, 400);
            mxm(cpu, expected, s, before, before, {.kernel = "reference"});
            ASSERT_TRUE(same_bits(expected, a.in(other).to_matrix(cpu)));
        }
}

TEST(StoredDiagonals, ComeFromMatricesAndShowTheirArrays) {
    for (const context& ctx : contexts()) {
        const matrix a = load(with_threads(2), "banded:500,7").matrix;
        const dia_matrix d = dia_matrix::from_matrix(ctx, a);
        EXPECT_EQ(d.diagonals(), 7);
        EXPECT_EQ(d.nnz(), a.nnz());
        EXPECT_EQ(d.type(), a.type());
        EXPECT_EQ(d.on_device(), ctx.gpu() != nullptr);
        const dia_matrix here = d.in(with_threads(1), dtype::float64);
        const auto view = here.dia<double>();
        EXPECT_EQ(view.offsets.size(), 7u);
        EXPECT_EQ(view.first_rows[0], 3);
        EXPECT_EQ(view.last_rows[6], 497);
        const dia_matrix again = dia_matrix::borrow_dia<double>(with_threads(1), view);
        EXPECT_EQ(again.dia<double>().values.data(), view.values.data());
        matrix doubles(with_threads(1), dtype::float64, 500, 500);
        apply(with_threads(1), doubles, unary_id::identity, a);
        EXPECT_TRUE(same_bits(doubles, again.to_matrix(with_threads(1))));
        if (ctx.gpu()) {
            const dia_matrix there = here.in(ctx);
            const auto lent = there.dia<double>();
            const dia_matrix borrowed = dia_matrix::borrow_dia<double>(ctx, lent);
            EXPECT_EQ(borrowed.dia<double>().values.data(), lent.values.data());
            EXPECT_TRUE(
                same_bits(doubles, dia_matrix::from_dia<double>(ctx, lent).to_matrix(with_threads(1))));
            EXPECT_THROW(dia_matrix::borrow_dia<double>(ctx, view), domain_error);
        }
    }
}

TEST(StoredDiagonals, ThatCannotBeAreRefused) {
    for (const context& ctx : contexts()) {
        const auto refused = [&](auto&& f, const char* part) {
            try {
                f();
            } catch (const error& e) {
                return std::string(e.what()).find(part) != std::string::npos
                           ? ::testing::AssertionSuccess()
                           : ::testing::AssertionFailure() << e.what();
            }
            return ::testing::AssertionFailure() << "not refused: " << part;
        };
        const dia_matrix square = make_dia<double>(ctx, {30, 30, {0}}),
                         wide = make_dia<double>(ctx, {30, 40, {0}});
        dia_matrix c = square;
        const semiring s("plus_times");
        EXPECT_TRUE(refused([&] { mxm(ctx, c, s, wide, square); }, "A is 30 x 40, B is 30 x 30"));
        EXPECT_TRUE(refused([&] { (void)square.dia<float>(); }, "hold float64, not float32"));
        EXPECT_TRUE(refused([&] { make_dia<double>(ctx, {30, 30, {1, 1}}); }, "out of order or repeated"));
        EXPECT_TRUE(refused([&] { make_dia<double>(ctx, {30, 30, {30}}); }, "outside a 30 x 30"));
        EXPECT_TRUE(refused([&] { make_dia<double>(ctx, {30, 30, {2}, {0}, {29}}); }, "rows 0 to 28"));
        for (const index_t far : {std::numeric_limits<index_t>::min(), std::numeric_limits<index_t>::max()})
            EXPECT_TRUE(refused([&] { dia_matrix::from_dia<double>(ctx, {30, 30, std::span(&far, 1), {}}); },
                                "outside a 30 x 30"));
        EXPECT_TRUE(refused([&] { dia_matrix(ctx, dtype::int8, -1, 2); }, "cannot be negative"));
        const std::vector<double> few(10);
        const std::vector<index_t> main{0};
        EXPECT_TRUE(
            refused([&] { dia_matrix::from_dia<double>(ctx, {30, 30, main, few}); }, "10 values are fewer"));
        // Rows 0 and 29 of the anti-diagonal corners meet in a diagonal that has nothing between.
        const dia_matrix corners = make_dia<double>(ctx, {30, 30, {-29, 29}}),
                         back = make_dia<double>(ctx, {30, 30, {-29, 29}});
        EXPECT_TRUE(
            refused([&] { mxm(ctx, c, s, corners, back); }, "entries up to row 0 and from row 29 on"));
        EXPECT_TRUE(refused([&] { dia_matrix::from_matrix(ctx, load(ctx, "random:200,3").matrix); },
                            "diagonals would take"));
        EXPECT_EQ(c.columns(), 30) << "what failed left C alone";
    }
}

TEST(StoredDiagonals, KeepTheMemoryLimit) {
    const dia_arrays band{4000, 4000, diagonals_between(-5, 5)};
    const context little = with_threads(2, 600'000);
    const dia_matrix a = make_dia<double>(little, band);
    dia_matrix c(little, dtype::float64, 0, 0);
    try {
        mxm(little, c, semiring("plus_times"), a, a);
        ADD_FAILURE() << "there was room";
    } catch (const out_of_memory& e) {
        EXPECT_NE(std::string(e.what()).find("672000 bytes needed on the host, "), std::string::npos)
            << e.what();
    }
    EXPECT_EQ(c.rows(), 0);
}

}  // namespace
}  // namespace nz::test
