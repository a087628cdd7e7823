// Products of matrices on a GPU: every compiled semiring against the CPU's kernel bit for bit, rows of every bin, both
// kinds of tables, and results that stay there. Skips where there is no GPU.
#include "core/device.hpp"
#include "instantiate/mxm_device_cells.hpp"
#include "storage/matrix_body.hpp"
#include "support/battery.hpp"
#include "support/compare.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace nz::test {
namespace {

constexpr unsigned mxm_device_seed = 20261123;

class MxmOnDevice : public ::testing::Test {
protected:
    void SetUp() override {
        if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
    }
    std::mt19937 random{mxm_device_seed};
};

std::vector<const instantiate::mxm_device_cell*> device_cells() {
    std::vector<const instantiate::mxm_device_cell*> cells;
    for (const auto group : {instantiate::arithmetic_device_mxm(), instantiate::tropical_device_mxm(),
                             instantiate::label_device_mxm(), instantiate::structure_device_mxm()})
        for (const auto& cell : group) cells.push_back(&cell);
    return cells;
}

TEST_F(MxmOnDevice, TheManifestIsTheCpus) {
    EXPECT_EQ(device_cells().size(), instantiate::mxv_cell_count());
    for (const auto* cell : device_cells())
        EXPECT_EQ(instantiate::find_mxm_device_cell(cell->add, cell->multiply, cell->operand), cell);
}

// On the GPU, with the plan's word for it.
matrix on_gpu(const context& ctx, const semiring& s, const matrix& a, const matrix& b,
              matrix_options options = {}) {
    const auto rows = options.transpose_a ? a.columns() : a.rows();
    matrix c(ctx, s.value_type(a.type(), b.type()), rows, options.transpose_b ? b.rows() : b.columns());
    options.kernel = "hash";  // bands would go by diagonals
    const mxm_plan plan = mxm(ctx, c, s, a, b, options);
    EXPECT_TRUE(plan.on_device) << to_string(plan);
    EXPECT_EQ(plan.kernel, "hash");
    return c;
}

TEST_F(MxmOnDevice, EverySemiringAgreesWithTheModelOverTheBattery) {
    const context ctx({.backend = backend::cuda});
    for (const auto* cell : device_cells()) {
        const semiring s(cell->add, cell->multiply, cell->operand);
        SCOPED_TRACE(s.name());
        auto cases = matrix_battery(cell->operand, random);
        for (auto& larger : larger_matrices(cell->operand, random)) cases.push_back(std::move(larger));
        for (const auto& [name, a] : cases) {
            const dictionary b =
                a.rows == a.columns ? a : random_dictionary(a.columns, 70, 0.2, cell->operand, random);
            const matrix c = on_gpu(ctx, s, make_matrix(ctx, a, true), make_matrix(ctx, b, true));
            c.validate();
            ASSERT_TRUE(same(model_mxm(s, a, b), c)) << name;
        }
    }
}

// Rows of 0 to `longest` entries, values whose sums round.
matrix mixed_rows(const context& ctx, index_t rows, index_t columns, index_t longest, std::mt19937& random) {
    std::vector<index_t> i, j;
    std::vector<double> x;
    std::uniform_real_distribution<double> real(-1, 1);
    for (index_t row = 0; row < rows; ++row) {
        const auto kind = static_cast<index_t>(random() % 10);
        const index_t n = row % 97 == 5 ? longest >> random() % 8 : kind * kind / 2;
        const auto start = static_cast<index_t>(random() % static_cast<unsigned>(columns));
        for (index_t m = 0; m < n; ++m) {
            i.push_back(row);
            j.push_back(kind % 2 ? static_cast<index_t>((start + offset_t{m}) % columns)
                                 : static_cast<index_t>(random() % static_cast<unsigned>(columns)));
            x.push_back(real(random));
        }
    }
    return matrix::build<double>(ctx, {rows, columns, i, j, x}, binary_id::first);
}

TEST_F(MxmOnDevice, RowsOfEveryBinAreTheCpusBitForBit) {
    const context ctx({.backend = backend::cuda}), cpu({.backend = backend::cpu, .threads = 2});
    // Tables in shared memory of narrow and wide blocks, and in device memory; and columns that leave no room for places.
    for (const index_t columns : {3000, 130000, 900000, 3000000, 300000000}) {
        SCOPED_TRACE(columns);
        const matrix a = mixed_rows(ctx, 2000, 3000, 2500, random),
                     b = mixed_rows(ctx, 3000, columns, 3000, random);
        for (const auto* name : {"plus_times_fp64", "min_plus_fp64", "any_second_fp64"}) {
            SCOPED_TRACE(name);
            const semiring s(name);
            const matrix c = on_gpu(ctx, s, a, b);
            matrix expected(cpu, dtype::float64, 2000, columns);
            mxm(cpu, expected, s, a, b, {.kernel = "hash"});
            ASSERT_TRUE(same_bits(expected, c));
            ASSERT_TRUE(same_bits(expected, on_gpu(ctx, s, a, b))) << "a second time";
        }
    }
}

// Rows of `entries` entries each: neighbours where `apart` is 1, otherwise so far from each other.
matrix regular(const context& ctx, index_t rows, index_t columns, index_t entries, index_t apart,
               std::mt19937& random) {
    std::vector<index_t> i, j;
    std::vector<double> x;
    std::uniform_real_distribution<double> real(-1, 1);
    for (index_t row = 0; row < rows; ++row)
        for (index_t m = 0; m < entries; ++m) {
            i.push_back(row);
            j.push_back(static_cast<index_t>((row + offset_t{m} * apart) % columns));
            x.push_back(real(random));
        }
    return matrix::build<double>(ctx, {rows, columns, i, j, x}, binary_id::first);
}

TEST_F(MxmOnDevice, ProductsThatMeetOftenAreAddedInTheCpusOrder) {
    const context ctx({.backend = backend::cuda}), cpu({.backend = backend::cpu, .threads = 2});
    struct shape {
        index_t of_a, of_b, apart, columns;
    };
    constexpr shape shapes[] = {
        // few words, many words; rows of B read together, alone, in several steps
        {5, 5, 1, 2000},
        {21, 21, 1, 2000},
        {27, 27, 40, 2000},
        {100, 4, 1, 2000},
        {300, 3, 7, 2000},
        {20, 15, 33, 2000},
        {12, 70, 1, 2000},
        {16, 16, 1, 2000},
        {17, 16, 1, 2000},
        {60, 90, 1, 2000},
        {200, 8, 64, 2000},
        {40, 40, 31, 2000},
        {3, 700, 1, 2000},
        // sorted by a warp and by blocks, short and long rows of B, in one go and in several
        {20, 16, 37, 60000},
        {30, 30, 37, 60000},
        {50, 40, 41, 60000},
        {64, 64, 43, 60000},
        {3, 700, 47, 60000},
        {1, 4096, 61, 300000},
        {1300, 3, 40, 60000},
        {65, 64, 43, 60000},
        // columns that leave no room for places beside them, or whose table lies in device memory
        {40, 25, 997, 5000000},
        {60, 34, 997, 5000000},
        {64, 64, 997, 3000000},
        {90, 91, 1033, 2000000},
        {3, 2730, 31, 1100000},
        {95, 90, 33, 2000000}};
    const auto expect_the_cpus = [&](const shape& of, index_t rows) {
        const auto [of_a, of_b, apart, columns] = of;
        SCOPED_TRACE(::testing::Message() << of_a << " x " << of_b << ", " << apart << " apart, " << rows);
        const matrix a = regular(ctx, rows, 1500, of_a, apart, random),
                     b = regular(ctx, 1500, columns, of_b, apart, random);
        for (const auto* name : {"plus_times_fp64", "max_plus_fp64", "any_second_fp64"}) {
            SCOPED_TRACE(name);
            const semiring s(name);
            matrix expected(cpu, dtype::float64, rows, columns);
            mxm(cpu, expected, s, a, b, {.kernel = "hash"});
            ASSERT_TRUE(same_bits(expected, on_gpu(ctx, s, a, b)));
        }
    };
    for (const shape& of : shapes) expect_the_cpus(of, 500);
    // So many rows that warps have those of many steps, which are blocks' where rows are few.
    constexpr index_t many = 8000;
    for (const shape& of : {shape{100, 4, 1, 2000}, {300, 3, 7, 2000}, {60, 90, 1, 2000}, {150, 30, 7, 900}})
        expect_the_cpus(of, many);
    // Blocks': steps of rows of B far apart, places that all or none of a step's products share, one warp's places alone.
    for (const shape& of : {shape{300, 90, 1, 2000},
                            {1400, 2, 1, 2000},
                            {1400, 1, 2, 2},
                            {70, 1500, 1, 1500},
                            {700, 40, 16, 20000},
                            {1500, 16, 1, 16},
                            {33, 2048, 1, 2500}})
        expect_the_cpus(of, 40);
}

// Rows of A and of B that a block surveys, by pairs and by products, where nearly all others are short.
TEST_F(MxmOnDevice, LongRowsAmongShortOnesAreTheCpusBitForBit) {
    const context ctx({.backend = backend::cuda}), cpu({.backend = backend::cpu, .threads = 2});
    constexpr index_t n = 30000;
    for (const index_t length : {1024, 1025, 5000, 29999}) {
        SCOPED_TRACE(length);
        std::vector<index_t> i, j;
        std::vector<double> x;
        std::uniform_real_distribution<double> real(-1, 1);
        const auto add = [&](index_t row, offset_t column) {
            i.push_back(row);
            j.push_back(static_cast<index_t>(column % n));
            x.push_back(real(random));
        };
        for (const index_t row : {3, 4, 7000, n - 1})  // two side by side, and the last
            for (index_t m = 0; m < length; ++m) add(row, row + offset_t{m} * (row % 2 ? 1 : 7));
        for (index_t row = 0; row < n; row += 3) add(row, row * offset_t{11} + 5);
        for (index_t m = 0; m < 600; ++m)
            add(20000, n / 2 + 2 * m);  // entries of A that meet next to nothing
        const matrix a = matrix::build<double>(ctx, {n, n, i, j, x}, binary_id::first);
        for (const auto* name : {"plus_times_fp64", "any_second_fp64", "min_secondi"}) {
            SCOPED_TRACE(name);
            const semiring s(name);
            matrix expected(cpu, s.value_type(a.type(), a.type()), n, n);
            mxm(cpu, expected, s, a, a, {.kernel = "hash"});
            ASSERT_TRUE(same_bits(expected, on_gpu(ctx, s, a, a)));
        }
    }
}

// Some of the places of `all`, whole rows of them, none in others, and as many beside them.
matrix part_of(const context& ctx, const matrix& all, std::mt19937& random) {
    const auto view = all.csr<double>();
    std::vector<index_t> i, j;
    for (index_t row = 0; row < view.rows; ++row)
        for (auto at = static_cast<std::size_t>(view.offsets[static_cast<std::size_t>(row)]);
             at < static_cast<std::size_t>(view.offsets[static_cast<std::size_t>(row) + 1]); ++at) {
            if (row % 7 == 3 || (row % 7 != 5 && random() % 3)) continue;
            i.insert(i.end(), 2, row);
            j.push_back(view.columns[at]);
            j.push_back(static_cast<index_t>(random() % static_cast<unsigned>(view.columns_count)));
        }
    const std::vector<double> ones(i.size(), 1);
    return matrix::build<double>(ctx, {view.rows, view.columns_count, i, j, ones}, binary_id::first);
}

TEST_F(MxmOnDevice, MaskedRowsOfEveryBinAreTheCpusBitForBit) {
    const context ctx({.backend = backend::cuda}), cpu({.backend = backend::cpu, .threads = 2});
    for (const index_t columns : {3000, 130000, 3000000, 300000000}) {
        SCOPED_TRACE(columns);
        const matrix a = mixed_rows(ctx, 2000, 3000, 2500, random),
                     b = mixed_rows(ctx, 3000, columns, 3000, random);
        matrix all(cpu, dtype::float64, 2000, columns);
        mxm(cpu, all, semiring("plus_times"), a, b, {.kernel = "hash"});
        const matrix mask = part_of(ctx, all, random);
        for (const auto* name : {"plus_times_fp64", "any_second_fp64"})
            for (const bool complement : {false, true})
                for (const bool structure : {false, true}) {
                    SCOPED_TRACE(::testing::Message() << name << (complement ? " complement" : ""));
                    const semiring s(name);
                    matrix_options options{.mask = &mask,
                                           .mask_structure = structure,
                                           .mask_complement = complement,
                                           .kernel = "masked_row"};
                    matrix c(ctx, dtype::float64, 2000, columns),
                        expected(cpu, dtype::float64, 2000, columns);
                    const mxm_plan plan = mxm(ctx, c, s, a, b, options);
                    EXPECT_TRUE(plan.on_device);
                    EXPECT_EQ(plan.kernel, "masked_row");
                    options.kernel = "hash";
                    mxm(cpu, expected, s, a, b, options);
                    ASSERT_GT(expected.nnz(), all.nnz() / 10) << "little is let through";
                    ASSERT_LT(expected.nnz(), all.nnz()) << "nothing is barred";
                    ASSERT_TRUE(same_bits(expected, c));
                }
    }
}

// Values in the order of places, then the places.
std::vector<double> values_of(const matrix& a) {
    const dictionary d = read(a);
    std::vector<double> values;
    for (const auto& [place, x] : d.entries)
        values.push_back(from_element<double>(cast(x, d.type, dtype::float64)));
    for (const auto& [place, x] : d.entries)
        values.push_back(static_cast<double>(place.first) * 4096 + static_cast<double>(place.second));
    return values;
}

// Rows of A for warps and for blocks, tabled and searched; columns of every length; every kind of cell.
TEST_F(MxmOnDevice, DotProductsOfAMasksPlacesAreTheCpus) {
    const context ctx({.backend = backend::cuda}), cpu({.backend = backend::cpu, .threads = 2});
    for (const index_t inner : {3000, 40000}) {
        SCOPED_TRACE(inner);
        const matrix a = mixed_rows(ctx, 600, inner, inner, random),
                     b = mixed_rows(ctx, inner, 900, 700, random);
        matrix all(cpu, dtype::float64, 600, 900);
        mxm(cpu, all, semiring("plus_times"), a, b, {.kernel = "hash"});
        const matrix mask = part_of(ctx, all, random);
        const auto rows = a.csr<double>();
        index_t longest = 0;
        for (std::size_t i = 0; i < 600; ++i)
            longest = std::max(longest, rows.offsets[i + 1] - rows.offsets[i]);
        EXPECT_GT(longest, inner > 10000 ? 8192 : 256) << "rows of one kind alone";
        for (const auto* name : {"plus_times_fp64", "any_second_fp64", "plus_pair_int64", "min_plus_int32",
                                 "any_secondi_int32", "lor_land_bool"})
            for (const bool structure : {false, true}) {
                SCOPED_TRACE(name);
                const semiring s(name);
                const dtype type = s.value_type(a.type(), b.type());
                matrix_options options{.mask = &mask, .mask_structure = structure};
                matrix c(ctx, type, 600, 900), again = c, expected(cpu, type, 600, 900);
                options.kernel = "masked_row";
                mxm(cpu, expected, s, a, b, options);
                options.kernel = "masked_dot";
                const mxm_plan plan = mxm(ctx, c, s, a, b, options);
                EXPECT_TRUE(plan.on_device);
                EXPECT_EQ(plan.kernel, "masked_dot");
                c.validate();
                const auto x = values_of(expected), y = values_of(c);
                ASSERT_EQ(x.size(), y.size());
                for (std::size_t n = 0; n < x.size(); ++n)
                    ASSERT_NEAR(x[n], y[n], 1e-12 * (1 + std::abs(x[n])));
                mxm(ctx, again, s, a, b, options);
                ASSERT_EQ(values_of(c), values_of(again)) << "bit for bit";
            }
    }
}

// Rows of A up to 20,000 entries, of which warps, blocks and several blocks have one; columns that a block goes through, and that
// short rows search.
TEST_F(MxmOnDevice, DotProductsOfLongRowsAndColumnsAreTheCpus) {
    const context ctx({.backend = backend::cuda}), cpu({.backend = backend::cpu, .threads = 2});
    constexpr index_t inner = 40000, columns = 1500;
    const auto with_lengths = [&](index_t lists, const auto& length_of, bool by_columns) {
        std::vector<index_t> i, j;
        std::vector<double> x;
        std::uniform_real_distribution<double> real(-1, 1);
        for (index_t list = 0; list < lists; ++list)
            for (index_t n = 0; n < length_of(list); ++n) {
                i.push_back(list);
                j.push_back(static_cast<index_t>(random() % unsigned{inner}));
                x.push_back(real(random));
            }
        if (by_columns) return matrix::build<double>(ctx, {inner, lists, j, i, x}, binary_id::first);
        return matrix::build<double>(ctx, {lists, inner, i, j, x}, binary_id::first);
    };
    const std::vector<index_t> lengths = {1, 20000, 5000, 1500, 250, 180, 0, 40, 7, 9000};
    const matrix a =
        with_lengths(200, [&](index_t i) { return i < 10 ? lengths[std::size_t(i)] : 30; }, false);
    const std::vector<index_t> of_columns = {30000, 6000, 0, 1, 40000, 4500, 900};
    const matrix b = with_lengths(
        columns,
        [&](index_t j) { return j % 100 < 7 && j < 400 ? of_columns[std::size_t(j % 100)] : 25 + j % 30; },
        true);
    const matrix everywhere = [&] {
        std::vector<index_t> i, j;
        std::vector<double> x;
        for (index_t row = 0; row < 200; ++row)
            for (index_t column = 0; column < (row % 3 ? columns : 90); ++column) {
                i.push_back(row);
                j.push_back(column);
                x.push_back(1);
            }
        return matrix::build<double>(ctx, {200, columns, i, j, x}, binary_id::first);
    }();
    for (const auto* name : {"plus_times_fp64", "any_second_fp64", "any_secondi_int32", "min_plus_fp64"}) {
        SCOPED_TRACE(name);
        const semiring s(name);
        const dtype type = s.value_type(a.type(), b.type());
        matrix_options options{.mask = &everywhere, .mask_structure = true};
        matrix c(ctx, type, 200, columns), again = c, expected(cpu, type, 200, columns);
        options.kernel = "masked_row";
        mxm(cpu, expected, s, a, b, options);
        options.kernel = "masked_dot";
        EXPECT_TRUE(mxm(ctx, c, s, a, b, options).on_device);
        c.validate();
        const auto x = values_of(expected), y = values_of(c);
        ASSERT_EQ(x.size(), y.size());
        for (std::size_t n = 0; n < x.size(); ++n) ASSERT_NEAR(x[n], y[n], 1e-12 * (1 + std::abs(x[n]))) << n;
        mxm(ctx, again, s, a, b, options);
        ASSERT_EQ(values_of(c), values_of(again)) << "bit for bit";
    }
}

TEST_F(MxmOnDevice, ResultsThatDoNotFitLeaveInChunksBitForBit) {
    const context cpu({.backend = backend::cpu, .threads = 2}),
        small({.backend = backend::cuda, .memory_limit = std::size_t{4} << 20});
    for (const index_t columns : {4000, 900000}) {
        SCOPED_TRACE(columns);
        const matrix a = mixed_rows(cpu, 4000, 3000, 600, random),
                     b = mixed_rows(cpu, 3000, columns, 900, random);
        for (const auto* name : {"plus_times_fp64", "any_second_fp64"}) {
            const semiring s(name);
            matrix c(small, dtype::float64, 4000, columns), expected(cpu, dtype::float64, 4000, columns);
            const mxm_plan plan = mxm(small, c, s, a, b);
            mxm(cpu, expected, s, a, b, {.kernel = "hash"});
            ASSERT_GT(expected.nnz() * 12, offset_t{8} << 20) << "no test of what does not fit";
            EXPECT_TRUE(plan.on_device);
            EXPECT_GT(plan.chunks, 3) << to_string(plan);
            c.validate();
            ASSERT_TRUE(same_bits(expected, c));
            mxm(small, c, s, a, b);
            ASSERT_TRUE(same_bits(expected, c)) << "a second time";
        }
    }
    const context tiny({.backend = backend::cuda, .memory_limit = std::size_t{64} << 10});
    const matrix a = mixed_rows(cpu, 4000, 4000, 600, random);
    matrix c(tiny, dtype::float64, 4000, 4000);
    EXPECT_THROW(mxm(tiny, c, semiring("plus_times"), a, a), out_of_memory);
}

TEST_F(MxmOnDevice, MasksAccumulatorsAndTransposesAreObeyed) {
    const context ctx({.backend = backend::cuda});
    const semiring s("plus_times_int64");
    const dictionary a = random_dictionary(21, 17, 0.25, dtype::int64, random),
                     b = random_dictionary(17, 90, 0.2, dtype::int64, random), t = model_mxm(s, a, b);
    const matrix left = make_matrix(ctx, a), right = make_matrix(ctx, b);
    for (const bool pinned : {false, true})
        check_settings<matrix>(
            ctx, t.rows, t.columns, t.type, random,
            [&](const auto& c, const auto& how) { return write(c, t, how); },
            [&](matrix& c, matrix_options options) {
                if (pinned) options.kernel = "hash";
                const mxm_plan plan = mxm(ctx, c, s, left, right, options);
                ASSERT_TRUE(plan.on_device);
                // By how many places the mask lists.
                const bool dots = plan.kernel == "masked_dot" && !options.mask_complement;
                ASSERT_TRUE(options.mask && !pinned ? dots || plan.kernel == "masked_row"
                                                    : plan.kernel == "hash")
                    << plan.kernel;
            });
    check_settings<matrix>(
        ctx, t.rows, t.columns, t.type, random,
        [&](const auto& c, const auto& how) { return write(c, t, how); },
        [&](matrix& c, matrix_options options) {
            options.transpose_b = true;
            const matrix by_columns = make_matrix(ctx, transposed(b));  // anew: it has no rows of B yet
            const mxm_plan plan = mxm(ctx, c, s, left, by_columns, options);
            ASSERT_TRUE(plan.on_device);
            ASSERT_EQ(plan.kernel, !options.mask             ? "hash"
                                   : options.mask_complement ? "masked_row"
                                                             : "masked_dot");
        });
    for (const bool over_a : {false, true})
        for (const bool over_b : {false, true})
            ASSERT_TRUE(same(t, on_gpu(ctx, s, make_matrix(ctx, over_a ? transposed(a) : a),
                                       make_matrix(ctx, over_b ? transposed(b) : b),
                                       {.transpose_a = over_a, .transpose_b = over_b})));
    matrix square = make_matrix(ctx, random_dictionary(30, 30, 0.2, dtype::int64, random));
    const dictionary before = read(square);
    mxm(ctx, square, s, square, square);
    ASSERT_TRUE(same(model_mxm(s, before, before), square));
}

TEST_F(MxmOnDevice, NaNInfinityAndTheSignsOfZerosAreKept) {
    constexpr double inf = std::numeric_limits<double>::infinity(),
                     nan = std::numeric_limits<double>::quiet_NaN();
    const double odd[] = {nan, inf, -inf, -0.0, 0.0, 1};
    const context ctx({.backend = backend::cuda});
    // Rows of a warp and, 700 wide, of a block.
    for (const index_t n : {36, 700}) {
        std::vector<index_t> i, j;
        std::vector<double> x;
        for (index_t row = 0; row < 36; ++row)
            for (index_t column = 0; column < n; ++column)
                if ((row * 7 + column * 5) % 4 != 1) {
                    i.push_back(row);
                    j.push_back(column);
                    x.push_back(odd[(row * row + 3 * column) % 6]);
                }
        const auto b = matrix::build<double>(ctx, {36, n, i, j, x});
        const auto a = matrix::build<double>(ctx, {36, n, i, j, x});
        for (const auto* ring : {"plus_times_fp64", "min_plus_fp64", "max_plus_fp64", "min_max_fp64"}) {
            const matrix c = on_gpu(ctx, semiring(ring), a, b, {.transpose_a = true});
            matrix expected(ctx, dtype::float64, n, n);
            mxm(ctx, expected, semiring(ring), a, b, {.transpose_a = true, .kernel = "reference"});
            const auto u = c.csr<double>(), v = expected.csr<double>();
            ASSERT_EQ(u.values.size(), v.values.size());
            for (std::size_t k = 0; k < u.values.size(); ++k) {
                ASSERT_EQ(std::isnan(u.values[k]), std::isnan(v.values[k])) << ring << " at " << k;
                if (std::isnan(v.values[k])) continue;
                ASSERT_EQ(std::signbit(u.values[k]), std::signbit(v.values[k])) << ring << " at " << k;
                ASSERT_EQ(u.values[k], v.values[k]) << ring << " at " << k;
            }
        }
    }
}

TEST_F(MxmOnDevice, ResultsStayThereAndComeHomeWhenLookedAt) {
    const context ctx({.backend = backend::cuda}), cpu({.backend = backend::cpu});
    const semiring s("plus_times");
    const dictionary a = random_dictionary(90, 90, 0.1, dtype::float64, random);
    const matrix left = make_matrix(ctx, a);
    const matrix warm = on_gpu(ctx, s, left, left);
    const std::size_t host = ctx.bytes_in_use();
    const matrix once = on_gpu(ctx, s, left, left), twice = on_gpu(ctx, s, once, left);
    EXPECT_GT(twice.nnz(), 0);
    EXPECT_EQ(ctx.bytes_in_use(), host) << "a result was fetched that nobody looked at";
    matrix expected(cpu, dtype::float64, 90, 90);
    mxm(cpu, expected, s, left, left);
    mxm(cpu, expected, s, expected, left);
    EXPECT_TRUE(same_bits(expected, twice));
}

TEST_F(MxmOnDevice, WithoutRowsColumnsOrEntriesTheResultIsEmpty) {
    const context ctx({.backend = backend::cuda});
    const semiring s("plus_times");
    for (const auto& [m, n, p] : {std::array{0, 5, 4}, {5, 0, 4}, {5, 4, 0}, {5, 6, 7}}) {
        const matrix c = on_gpu(ctx, s, matrix(ctx, dtype::float64, m, n), matrix(ctx, dtype::float64, n, p));
        EXPECT_EQ(c.nnz(), 0);
        c.validate();
    }
}

TEST_F(MxmOnDevice, OperandsOfWhichNoPartFitsTheMemoryLimitAreRefusedAndTheOutputStaysAsItWas) {
    // A strip of it takes 800,000 bytes for where rows begin alone.
    const context roomy({.backend = backend::cuda}), ctx({.backend = backend::cuda, .memory_limit = 3 << 19});
    const matrix a = load(roomy, "random:100000,8").matrix;
    matrix c(ctx, dtype::float64, 100000, 100000);
    c.set(1, 2, 3.0);
    EXPECT_THROW(mxm(ctx, c, semiring("plus_times"), a, a), out_of_memory);
    EXPECT_EQ(c.nnz(), 1);
    EXPECT_EQ(c.get(1, 2)->get<double>(), 3.0);
}

// Words of 64 columns are counted for as many columns as there can be.
TEST_F(MxmOnDevice, AsManyColumnsAsThereCanBe) {
    const context ctx({.backend = backend::cuda});
    constexpr index_t most = std::numeric_limits<index_t>::max();
    std::vector<index_t> rows, columns, ks(10, 0), all(10);
    for (index_t k = 0; k < 10; ++k) {
        all[k] = k;
        for (index_t j = 0; j < 900; ++j) {
            rows.push_back(k);
            columns.push_back(j == 899 ? most - 1
                                       : static_cast<index_t>((j * 2386091LL + k * 977) % (most - 1)));
        }
    }
    const std::vector<std::int64_t> ones(10, 1), twos(rows.size(), 2);
    const matrix a = matrix::build<std::int64_t>(ctx, {1, 10, ks, all, ones}),
                 b = matrix::build<std::int64_t>(ctx, {10, most, rows, columns, twos});
    const matrix c = on_gpu(ctx, semiring("plus_times"), a, b);
    matrix expected(ctx, dtype::int64, 1, most);
    mxm(context({.backend = backend::cpu}), expected, semiring("plus_times"), a, b);
    EXPECT_TRUE(same(read(expected), c));
}

TEST_F(MxmOnDevice, MasksWithoutRows) {
    const context ctx({.backend = backend::cuda});
    const matrix a(ctx, dtype::float64, 0, 5), mask(ctx, dtype::boolean, 0, 7);
    const matrix b = make_matrix(ctx, random_dictionary(5, 7, 0.5, dtype::float64, random));
    for (const auto* kernel : {"", "masked_dot", "masked_row"}) {
        matrix c(ctx, dtype::float64, 0, 7);
        mxm(ctx, c, semiring("plus_times"), a, b, {.mask = &mask, .mask_structure = true, .kernel = kernel});
        EXPECT_EQ(c.nnz(), 0) << kernel;
        EXPECT_NO_THROW(c.validate());
    }
}

}  // namespace
}  // namespace nz::test
