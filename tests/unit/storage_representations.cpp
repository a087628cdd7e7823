// COO and DIA: round trips from the battery, each rule broken once.
#include "storage/coo.hpp"
#include "storage/dia.hpp"
#include "storage/matrix_body.hpp"
#include "support/battery.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

namespace nz::test {
namespace {

using namespace storage;

class Representations : public ::testing::TestWithParam<dtype> {};
INSTANTIATE_TEST_SUITE_P(EveryType, Representations, ::testing::ValuesIn(all_types),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST_P(Representations, CooAndBackKeepsEveryEntry) {
    std::mt19937 random(1);
    const context ctx;
    for (const auto& [name, d] : matrix_battery(GetParam(), random)) {
        const matrix a = make_matrix(ctx, d, true);
        const coo c = to_coo(ctx, a.body().rows());
        validate(c, "coo");
        EXPECT_TRUE(same(d, storage::make_matrix(ctx, to_csr(ctx, c)))) << name;
    }
}

TEST_P(Representations, DiagonalsAndBackKeepEveryEntryAndExplicitZeros) {
    for (const int threads : {1, 3}) {
        const context ctx({.backend = backend::cpu, .threads = threads});
        for (const auto& [rows, columns] : {std::pair(9, 9), {5, 12}, {12, 5}, {17000, 17000}}) {
            dictionary d{rows, columns, GetParam(), {}};
            for (index_t i = 0; i < rows; ++i)
                for (const index_t offset : {-2, 0, 1, 4})
                    if (i + offset >= 0 && i + offset < columns)
                        d.entries[{i, i + offset}] = cast(to_element(i % 5), dtype::int32, GetParam());
            const matrix a = make_matrix(ctx, d, true);
            const dia diagonals = to_dia(ctx, a.body().rows());
            validate(diagonals, "dia");
            EXPECT_EQ(diagonals.nnz(), a.nnz());
            EXPECT_TRUE(same(d, storage::make_matrix(ctx, to_csr(ctx, diagonals))))
                << rows << " x " << columns;
        }
    }
}

TEST(Diagonals, OfAnAntidiagonalMatrixAreRefusedWithBothSizes) {
    const context ctx;
    std::vector<index_t> rows, columns;
    for (index_t i = 0; i < 200; ++i) rows.push_back(i), columns.push_back(199 - i);
    const std::vector<double> values(200, 1.0);
    const matrix a = matrix::build<double>(ctx, {200, 200, rows, columns, values});
    try {
        to_dia(ctx, a.body().rows());
        FAIL() << "not refused";
    } catch (const not_supported& e) {
        EXPECT_NE(std::string(e.what()).find("200 diagonals would take"), std::string::npos) << e.what();
        EXPECT_NE(std::string(e.what()).find(std::to_string(a.body().rows().bytes())), std::string::npos)
            << e.what();
    }
}

TEST(Diagonals, AscendAndHaveARunOfRowsEach) {
    const context ctx;
    const dictionary d{3,
                       4,
                       dtype::float64,
                       {{{0, 0}, to_element(1.0)},
                        {{0, 1}, to_element(2.0)},
                        {{1, 2}, to_element(0.0)},
                        {{2, 1}, to_element(5.0)}}};
    const dia a = to_dia(ctx, make_matrix(ctx, d).body().rows());
    EXPECT_EQ(a.offsets, (std::vector<index_t>{-1, 0, 1}));
    EXPECT_EQ(a.first, (std::vector<index_t>{2, 0, 0}));
    EXPECT_EQ(a.last, (std::vector<index_t>{3, 1, 2}));
    EXPECT_EQ(a.value(0, 2), to_element(5.0));
    EXPECT_EQ(a.value(2, 1), to_element(0.0)) << "an explicit zero is an entry";
}

TEST(Diagonals, WithAGapAreRefusedWithItsFirstPlace) {
    const context ctx;
    dictionary d{8, 8, dtype::int8, {}};
    for (const index_t i : {1, 2, 4, 6}) d.entries[{i, i + 1}] = {1};
    try {
        to_dia(ctx, make_matrix(ctx, d).body().rows());
        FAIL() << "not refused";
    } catch (const not_supported& e) {
        EXPECT_NE(std::string(e.what()).find("diagonal 1 has entries in rows 1 to 6, but none in row 3"),
                  std::string::npos)
            << e.what();
    }
}

template <class Representation>
std::string fault(const Representation& a) {
    try {
        validate(a, "probe");
    } catch (const invalid_format& e) {
        return e.what();
    }
    return "";
}

TEST(Diagonals, ThatBreakARuleAreNamed) {
    const context ctx;
    const dictionary d{3,
                       3,
                       dtype::float64,
                       {{{0, 1}, to_element(2.0)}, {{1, 1}, to_element(3.0)}, {{2, 2}, to_element(4.0)}}};
    const auto broken = [&](auto&& f) {
        dia a = to_dia(ctx, make_matrix(ctx, d).body().rows());
        f(a);
        return fault(a);
    };
    const auto has = [](const std::string& text, const char* part) {
        return text.find(part) != std::string::npos ? ::testing::AssertionSuccess()
                                                    : ::testing::AssertionFailure() << text;
    };
    EXPECT_EQ(broken([](dia&) {}), "");
    EXPECT_TRUE(has(broken([](dia& a) { a.offsets[1] = 0; }), "out of order or repeated"));
    EXPECT_TRUE(has(broken([](dia& a) { a.offsets[1] = 3; }), "outside a 3 x 3"));
    EXPECT_TRUE(
        has(broken([](dia& a) { a.last[1] = 3; }), "rows 0 to 2, but lies inside the matrix in rows 0 to 1"));
    EXPECT_TRUE(has(broken([](dia& a) { a.first[0] = -1; }), "rows -1 to 2"));
    EXPECT_TRUE(has(broken([](dia& a) { a.first[0] = 3; }), "rows 3 to 2"));
    EXPECT_TRUE(has(broken([](dia& a) { a.first.pop_back(); }), "2 diagonals with 1 first and 2 last rows"));
    EXPECT_TRUE(has(broken([](dia& a) { a.stride = 2; }), "a stride of 2"));
    EXPECT_TRUE(has(broken([](dia& a) { a.stride = offset_t{1} << 62; }), "values are fewer"));
    EXPECT_TRUE(has(broken([&](dia& a) { a.values = buffer(ctx.memory(), 8); }), "1 values are fewer"));
}

TEST(Coordinates, ThatBreakARuleAreNamed) {
    const context ctx;
    const dictionary d{3, 3, dtype::int8, {{{0, 1}, {2}}, {{1, 1}, {3}}, {{1, 2}, {4}}}};
    const auto fresh = [&] { return to_coo(ctx, make_matrix(ctx, d).body().rows()); };
    EXPECT_EQ(fault(fresh()), "");
    coo a = fresh();
    a.row_indices.as<index_t>()[1] = 3;
    EXPECT_NE(fault(a).find("entry 1 is (3, 1), outside 3 x 3"), std::string::npos) << fault(a);
    a = fresh();
    a.column_indices.as<index_t>()[2] = 1;
    EXPECT_NE(fault(a).find("entry 2, (1, 1), is out of order or repeated"), std::string::npos) << fault(a);
    a = fresh();
    a.row_indices.as<index_t>()[0] = 2;
    EXPECT_NE(fault(a).find("out of order"), std::string::npos) << fault(a);
    a = fresh();
    a.nnz = 9;
    EXPECT_NE(fault(a).find("shorter than 9"), std::string::npos) << fault(a);
}

}  // namespace
}  // namespace nz::test
