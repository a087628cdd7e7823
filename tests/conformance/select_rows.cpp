// Select of matrices on every backend there is, every comparison and type against the reference; what stays on a GPU, and masks whose
// values are looked at there, which is skipped where there is none.
#include "core/device.hpp"
#include "storage/matrix_body.hpp"
#include "support/battery.hpp"
#include "support/contexts.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace nz::test {
namespace {

constexpr unsigned select_device_seed = 92;

class SelectOnDevice : public ::testing::Test {
protected:
    void SetUp() override {
        if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
    }
    std::mt19937 random{select_device_seed};
};

TEST(SelectRows, KeepsWhatTheReferenceKeepsByEveryComparisonOfEveryType) {
    std::mt19937 random(select_device_seed);
    for (const context& ctx : contexts())
        for (const dtype type : all_types) {
            auto battery = larger_matrices(type, random);
            battery.push_back({"uneven", uneven_rows(40, 3000, type, random)});
            battery.push_back({"empty", dictionary{30, 20, type, {}}});
            for (auto& [name, content] : battery) {
                const matrix a = make_matrix(ctx, content, true);
                const value_kind kind = a.values_held();
                for (int id = 0; id <= static_cast<int>(index_unary_id::valuege); ++id)
                    for (const bool transposed : {false, true}) {
                        const int thunks[] = {-7, 0, 1, 40}, thunk = thunks[random() % std::size(thunks)];
                        const index_unary_op op(static_cast<index_unary_id>(id));
                        const index_t rows = transposed ? content.columns : content.rows,
                                      columns = transposed ? content.rows : content.columns;
                        matrix c(ctx, type, rows, columns), expected = c;
                        const auto plan = select(ctx, c, op, a, scalar(thunk), {.transpose_a = transposed});
                        const bool one_for_all = kind != value_kind::full && op.by_value();
                        if (!one_for_all) {
                            ASSERT_EQ(plan.on_device, ctx.gpu() && rows > 0 && kind != value_kind::iso);
                        }
                        EXPECT_EQ(plan.tier, tier::compiled);
                        EXPECT_EQ(c.body().away(), plan.on_device);
                        select(ctx, expected, op, a, scalar(thunk),
                               {.transpose_a = transposed, .kernel = "reference"});
                        c.validate();
                        ASSERT_TRUE(same(read(expected), c))
                            << name << ", " << op.name() << " " << thunk << " of " << name_of(type);
                    }
            }
        }
}

// Rows that hold something by ones and in runs, with gaps of all lengths between them.
dictionary with_gaps(index_t rows, std::mt19937& random) {
    dictionary d{rows, 50, dtype::int32, {}};
    const auto fill = [&](index_t row) {
        for (int k = 1 + static_cast<int>(random() % 3); k > 0; --k)
            d.entries[{row, static_cast<index_t>(random() % 50)}] = random_value(dtype::int32, random);
    };
    for (index_t row = 0; row < rows;) {
        for (index_t last = std::min(rows, row + static_cast<index_t>(random() % 100 ? 1 : 200)); row < last;
             ++row)
            fill(row);
        row += static_cast<index_t>(random() % (std::size_t{1} << random() % 18));
    }
    fill(rows - 1);
    return d;
}

TEST(SelectRows, GoesOverLongGapsOfEmptyRows) {
    std::mt19937 random(select_device_seed);
    for (const context& ctx : contexts()) {
        const dictionary content = with_gaps(600'000, random);
        const matrix a = make_matrix(ctx, content, true);
        for (const auto& [op, thunk] : {std::pair(index_unary_op(index_unary_id::colgt), 20),
                                        {index_unary_op(index_unary_id::rowgt), 200'000},
                                        {index_unary_op(index_unary_id::valuegt), 0}}) {
            matrix c(ctx, a.type(), a.rows(), a.columns()), expected = c;
            select(ctx, c, op, a, scalar(thunk));
            select(ctx, expected, op, a, scalar(thunk), {.kernel = "reference"});
            c.validate();
            EXPECT_TRUE(same(read(expected), c)) << op.name();
        }
        std::vector<index_t> some;
        for (const auto& [at, value] : content.entries)
            if (random() % 2) some.push_back(at.first);
        matrix c(ctx, a.type(), static_cast<offset_t>(some.size()), a.columns()), expected = c;
        extract(ctx, c, a, index_list(some), index_list::all());
        extract(ctx, expected, a, index_list(some), index_list::all(), {.kernel = "reference"});
        EXPECT_TRUE(same(read(expected), c));
        const matrix two = make_matrix(ctx, random_dictionary(2, 2, 1.1, dtype::int32, random), true);
        matrix k(ctx, a.type(), a.rows() * 2, a.columns() * 2), k_expected = k;
        kronecker(ctx, k, binary_id::times, a, two);
        kronecker(ctx, k_expected, binary_id::times, a, two, {.kernel = "reference"});
        EXPECT_TRUE(same(read(k_expected), k));
    }
}

TEST_F(SelectOnDevice, LeavesPatternsPatternsAndOtherOperatorsToTheHost) {
    const context ctx({.backend = backend::cuda});
    const matrix a = load(ctx, "rmat:11,8").matrix;
    matrix c(ctx, a.type(), a.rows(), a.columns()), expected = c;
    EXPECT_TRUE(select(ctx, c, index_unary_id::triu, a, scalar(1)).on_device);
    select(ctx, expected, index_unary_id::triu, a, scalar(1), {.kernel = "reference"});
    EXPECT_TRUE(same(read(expected), c));
    const auto odd = index_unary_op::make<bool, double>(
        "odd_rows", [](double, offset_t i, offset_t, double) { return i % 2 == 1; });
    EXPECT_FALSE(select(ctx, c, odd, a, scalar(0.0)).on_device);
    EXPECT_FALSE(select(ctx, c, index_unary_id::rowindex, a, scalar(0)).on_device);
}

TEST(SelectRows, ByValueOfOneForAllTakesEveryEntryOrNone) {
    std::mt19937 random(select_device_seed + 1);
    for (const context& ctx : contexts()) {
        dictionary content = random_dictionary(40, 30, 0.2, dtype::int32, random);
        for (auto& [at, x] : content.entries) x = to_element(std::int32_t{7});
        const matrix iso = make_matrix(ctx, content, true);
        for (auto& [at, x] : content.entries) x = to_element(std::int32_t{1});
        const matrix pattern = make_matrix(ctx, content, true);
        ASSERT_EQ(iso.values_held(), value_kind::iso);
        ASSERT_EQ(pattern.values_held(), value_kind::pattern);
        matrix there(ctx, dtype::int32, 40, 30);
        apply(ctx, there, unary_id::identity, iso);
        EXPECT_EQ(there.on_device(), ctx.gpu() != nullptr);
        EXPECT_EQ(reduce(ctx, binary_id::max, there), scalar(std::int32_t{7}));
        EXPECT_EQ(there.on_device(), ctx.gpu() != nullptr);
        for (const matrix& a :
             {pattern, iso, load(ctx, "grid2d:6").matrix, matrix(ctx, dtype::int32, 40, 30)})
            for (const bool turned : {false, true})
                for (int id = static_cast<int>(index_unary_id::valueeq);
                     id <= static_cast<int>(index_unary_id::valuege); ++id) {
                    const index_unary_op op(static_cast<index_unary_id>(id));
                    matrix c(ctx, dtype::float64, turned ? a.columns() : a.rows(),
                             turned ? a.rows() : a.columns()),
                        expected = c;
                    select(ctx, c, op, a, scalar(7), {.transpose_a = turned});
                    select(ctx, expected, op, a, scalar(7), {.transpose_a = turned, .kernel = "reference"});
                    ASSERT_TRUE(same(read(expected), c)) << op.name();
                }
    }
    const context ctx({.backend = backend::cpu});
    const matrix grid = load(ctx, "grid2d:6").matrix;  // a pattern
    matrix c(ctx, grid.type(), grid.rows(), grid.columns());
    EXPECT_EQ(select(ctx, c, index_unary_id::valuegt, grid, scalar(0)).reason,
              "one value for all: it passes or not");
    EXPECT_EQ(c.nnz(), grid.nnz());
}

TEST(SelectRows, TakesDiagonalsFarOutside) {
    const context ctx;
    const matrix a = load(ctx, "grid2d:10").matrix;
    for (const char* kernel : {"", "reference"})
        for (const std::int64_t far :
             {std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()})
            for (const auto& [op, keeps_above] :
                 {std::pair{index_unary_id::tril, true}, {index_unary_id::triu, false}}) {
                matrix c(ctx, a.type(), a.rows(), a.columns());
                select(ctx, c, op, a, scalar(far), {.kernel = kernel});
                EXPECT_EQ(c.nnz(), keeps_above == (far > 0) ? a.nnz() : 0) << kernel << far;
            }
}

TEST_F(SelectOnDevice, KeepsPlacesOfOneValueForAll) {
    const context ctx({.backend = backend::cuda});
    const std::vector<double> two{2};
    const dictionary d = random_dictionary(30, 40, 0.3, dtype::float64, random);
    const matrix some = make_matrix(ctx, d);
    const auto held = some.csr<double>();
    const matrix a = matrix::from_csr(ctx, csr_view<double>{30, 40, held.offsets, held.columns, two});
    ASSERT_EQ(a.values_held(), value_kind::iso);
    matrix c(ctx, dtype::float64, 30, 40), expected = c, doubled = c;
    EXPECT_TRUE(select(ctx, c, index_unary_id::triu, a, scalar(2)).on_device);
    EXPECT_EQ(c.values_held(), value_kind::iso);
    select(ctx, expected, index_unary_id::triu, a, scalar(2), {.kernel = "reference"});
    EXPECT_TRUE(same(read(expected), c));
    EXPECT_TRUE(apply(ctx, doubled, binary_id::times, a, scalar(2.0)).on_device);
    EXPECT_EQ(doubled.values_held(), value_kind::iso);
    EXPECT_EQ(reduce(ctx, binary_id::plus, doubled).get<double>(), 4.0 * static_cast<double>(a.nnz()));
}

TEST_F(SelectOnDevice, ObeysEveryMask) {
    const context ctx({.backend = backend::cuda});
    const dictionary a = random_dictionary(23, 31, 0.4, dtype::int32, random);
    const matrix input = make_matrix(ctx, a, true);
    matrix kept(ctx, dtype::int32, 23, 31);
    select(ctx, kept, index_unary_id::tril, input, scalar(3), {.kernel = "reference"});
    const dictionary t = read(kept);
    check_settings<matrix>(ctx, 23, 31, dtype::int32, random, written(t),
                           [&](matrix& c, const matrix_options& options) {
                               select(ctx, c, index_unary_id::tril, input, scalar(3), options);
                           });
}

// Of a mask that lies on the GPU alone only what is not 0 lets through, and it stays there.
TEST_F(SelectOnDevice, MasksOnTheGpuAreLookedAtThere) {
    const context ctx({.backend = backend::cuda});
    for (const dtype type : all_types) {
        SCOPED_TRACE(name_of(type));
        const dictionary m = random_dictionary(300, 300, 0.3, type, random),
                         a = random_dictionary(300, 300, 0.05, dtype::float64, random);
        matrix mask(ctx, type, 300, 300);
        select(ctx, mask, index_unary_id::rowle, make_matrix(ctx, m, true), scalar(1000));
        ASSERT_TRUE(mask.body().away());
        const matrix factor = make_matrix(ctx, a, true);
        for (const char* kernel : {"masked_row", "masked_dot"}) {
            matrix c(ctx, dtype::float64, 300, 300), expected = c;
            ASSERT_TRUE(mxm(ctx, c, semiring("plus_times"), factor, factor, {.mask = &mask, .kernel = kernel})
                            .on_device);
            EXPECT_TRUE(mask.body().away()) << kernel;
            const matrix home = make_matrix(ctx, m, true);
            mxm(ctx, expected, semiring("plus_times"), factor, factor,
                {.mask = &home, .kernel = "reference"});
            ASSERT_TRUE(same(read(expected), c)) << kernel;
        }
    }
}

}  // namespace
}  // namespace nz::test
