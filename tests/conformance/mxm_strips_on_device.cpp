// Products whose factors do not fit the GPU's memory limit: in chunks of A's rows by strips of B's columns, bit for bit what comes out
// where there is room, and what the CPU says, within the limit. Skips where there is no GPU.
#include "core/device.hpp"
#include "storage/matrix_body.hpp"
#include "support/compare.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

namespace nz::test {
namespace {

constexpr unsigned mxm_strips_seed = 20261124;

/// Where the factors are cut.
struct cut_factors {
    bool a, b;
};

class MxmStripsOnDevice : public ::testing::Test {
protected:
    void SetUp() override {
        if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
    }

    // Rows of about `per_row` entries, values whose sums round; every `gap`-th row and column is empty.
    matrix scattered(index_t rows, index_t columns, index_t per_row, index_t gap = 0) {
        std::vector<index_t> i, j;
        for (index_t row = 0; row < rows; ++row)
            for (index_t n = 0; n < per_row && !(gap && row % gap == 1); ++n) {
                const auto column = static_cast<index_t>(random() % static_cast<unsigned>(columns));
                if (gap && column % gap == 2) continue;
                i.push_back(row);
                j.push_back(column);
            }
        const std::vector<double> x = reals(i.size(), random);
        return matrix::build<double>(cpu, {rows, columns, i, j, x}, binary_id::first);
    }
    // The same places, all with this value: held once, or not at all where it is 1.
    matrix with_one_value(const matrix& m, double value) {
        dictionary d = read(m);
        for (auto& [at, x] : d.entries) x = to_element(value);
        return make_matrix(cpu, d, true);
    }
    static std::size_t bytes_of(const matrix& m) { return m.body().rows().bytes(); }

    // Within `limit`, cut as expected, and twice.
    void expect_the_whole(const char* name, const matrix& a, const matrix& b, std::size_t limit,
                          cut_factors cut, const matrix_options& options = {}) {
        SCOPED_TRACE(name);
        const semiring s(name);
        const context roomy({.backend = backend::cuda}),
            small({.backend = backend::cuda, .memory_limit = limit});
        const dtype type = s.value_type(a.type(), b.type());
        const offset_t rows = options.transpose_a ? a.columns() : a.rows(),
                       columns = options.transpose_b ? b.rows() : b.columns();
        matrix whole(roomy, type, rows, columns), c(small, type, rows, columns),
            expected(cpu, type, rows, columns);
        mxm_plan plan = mxm(small, c, s, a, b, options);  // before anything of the factors is built
        const mxm_plan uncut = mxm(roomy, whole, s, a, b, options);
        ASSERT_EQ(uncut.strips, 1) << to_string(uncut);
        ASSERT_EQ(uncut.chunks, 1) << to_string(uncut);
        matrix_options plain = options;
        plain.kernel = options.mask ? "masked_row" : "hash";
        mxm(cpu, expected, s, a, b, plain);
        for (const bool again : {false, true}) {
            SCOPED_TRACE(again ? "a second time" : "");
            if (again) plan = mxm(small, c, s, a, b, options);
            EXPECT_TRUE(plan.on_device);
            EXPECT_EQ(plan.strips > 1, cut.b) << to_string(plan);
            EXPECT_EQ(plan.chunks > 1, cut.a) << to_string(plan);
            c.validate();
            if (plan.kernel == uncut.kernel || uncut.kernel == "dia_dia") {  // whose bits are hash's
                // A part leaves out the rows in which its mask lists nothing.
                EXPECT_LE(plan.products, uncut.products);
                EXPECT_TRUE(options.mask || plan.products == uncut.products) << plan.products;
                ASSERT_TRUE(same_bits(whole, c));
            } else {
                EXPECT_EQ(uncut.kernel, "masked_dot")
                    << "which takes B whole, and here gives way to " << plan.kernel;
            }
            if (plan.kernel != "masked_dot") {  // which adds in another order than the CPU
                ASSERT_TRUE(same_bits(expected, c));
            }
        }
        EXPECT_GT(c.nnz(), 0);
        EXPECT_LE(small.device_peak_bytes(), limit);
        EXPECT_LE(small.peak_bytes(), limit);
    }

    const context cpu{{.backend = backend::cpu, .threads = 2}};
    std::mt19937 random{mxm_strips_seed};
};

constexpr const char* cut_semirings[] = {"plus_times_fp64", "min_plus_fp64",     "any_second_fp64",
                                         "plus_times_fp32", "any_secondi_int32", "plus_pair_int64",
                                         "min_first_int64", "lor_land_bool"};

TEST_F(MxmStripsOnDevice, AFifthOfBIsEnough) {
    const matrix a = scattered(300, 4000, 10, 7), b = scattered(4000, 6000, 40, 5);
    for (const auto* name : cut_semirings) expect_the_whole(name, a, b, bytes_of(b) / 5, {false, true});
}

TEST_F(MxmStripsOnDevice, AFifthOfAIsEnough) {
    const matrix a = scattered(5000, 1000, 40, 9), b = scattered(1000, 1000, 3, 5);
    for (const auto* name : cut_semirings) expect_the_whole(name, a, b, bytes_of(a) / 5, {true, false});
}

TEST_F(MxmStripsOnDevice, BothAreCutWhereNeitherFits) {
    const matrix a = scattered(3000, 9000, 60, 11), b = scattered(9000, 2000, 20, 0);
    for (const auto* name : {"plus_times_fp64", "any_secondi_int32", "plus_pair_int64"})
        expect_the_whole(name, a, b, bytes_of(b) / 3, {true, true});
}

// Where each chunk of A meets few rows of B these are brought alone; but where the operator looks at their numbers.
TEST_F(MxmStripsOnDevice, NeighboursNeedNoStrips) {
    for (const auto* source : {"laplace2d:120", "banded:20000,21", "laplace3d:25"}) {
        SCOPED_TRACE(source);
        const matrix pattern = load(cpu, source).matrix;
        std::vector<index_t> i, j;
        std::vector<double> x;
        pattern.extract_tuples(i, j, x);
        x = reals(i.size(), random);
        const matrix a = matrix::build<double>(
            cpu, {static_cast<index_t>(pattern.rows()), static_cast<index_t>(pattern.columns()), i, j, x});
        const std::size_t limit = bytes_of(a) / 2;
        for (const auto* name : {"plus_times_fp64", "min_plus_fp64", "plus_pair_int64", "lor_land_bool"})
            expect_the_whole(name, a, a, limit, {true, false});
        expect_the_whole("plus_times_fp64", a, a, limit, {true, false},
                         {.mask = &a, .replace = true, .kernel = "masked_row"});
        const context small({.backend = backend::cuda, .device_memory_limit = bytes_of(a) * 9 / 25});
        matrix c(small, dtype::float64, a.rows(), a.columns());
        EXPECT_NE(mxm(small, c, semiring("plus_times"), a, a).reason.find("that they meet"),
                  std::string::npos);
        const semiring looks("any_secondi_int32");
        matrix expected(cpu, dtype::int32, a.rows(), a.columns()),
            places(small, dtype::int32, a.rows(), a.columns());
        const mxm_plan plan = mxm(small, places, looks, a, a);
        EXPECT_NE(plan.reason.find("columns of B"), std::string::npos) << to_string(plan);
        mxm(cpu, expected, looks, a, a, {.kernel = "hash"});
        EXPECT_TRUE(same_bits(expected, places));
    }
}

TEST_F(MxmStripsOnDevice, RowsOfManyProductsAreTheSame) {
    // Pairs and tables of words in every strip, and pieces that do not fit a slot.
    const matrix a = scattered(150, 2000, 100, 13), b = scattered(2000, 200000, 300, 0);
    expect_the_whole("plus_times_fp64", a, b, bytes_of(b) / 3, {false, true});
}

TEST_F(MxmStripsOnDevice, IsoAndPatternFactorsAreCut) {
    const matrix a = scattered(300, 4000, 10, 7), b = scattered(4000, 6000, 80, 5);
    for (const double value : {0.3, 1.0}) {
        const matrix left = with_one_value(a, value), right = with_one_value(b, value);
        ASSERT_EQ(right.body().rows().kind, value == 1 ? value_kind::pattern : value_kind::iso);
        for (const auto* name : {"plus_times_fp64", "plus_pair_int64"})
            expect_the_whole(name, left, right, bytes_of(right) / 3, {false, true});
    }
}

TEST_F(MxmStripsOnDevice, TransposesAreCut) {
    const matrix a = scattered(3000, 2000, 60, 11), b = scattered(40000, 2000, 40, 7);
    // B^T by rows of B; A^T by rows that the host has turned.
    expect_the_whole("plus_times_fp64", scattered(300, 2000, 60, 11), b, bytes_of(b) / 5, {false, true},
                     {.transpose_b = true});
    expect_the_whole("plus_times_fp64", a, scattered(3000, 700, 3), bytes_of(a) / 4, {true, false},
                     {.transpose_a = true});
    const matrix square = scattered(8000, 8000, 40, 7);
    expect_the_whole("plus_times_fp64", square, square, bytes_of(square) / 3, {true, true});
}

TEST_F(MxmStripsOnDevice, MasksAreCutLikeTheResult) {
    const matrix a = scattered(300, 4000, 10, 7), b = scattered(4000, 6000, 40, 5),
                 mask = scattered(300, 6000, 40, 4);
    for (const bool structure : {false, true})
        for (const bool complement : {false, true})
            for (const auto* name : {"plus_times_fp64", "plus_pair_int64"}) {
                // Replaced, for what stays of an old output is merged with the new one, beside it.
                matrix_options options{.mask = &mask,
                                       .mask_structure = structure,
                                       .mask_complement = complement,
                                       .replace = true};
                expect_the_whole(name, a, b, bytes_of(b) / 4, {false, true}, options);
                options.kernel = "masked_row";
                expect_the_whole(name, a, b, bytes_of(b) / 4, {false, true}, options);
            }
}

TEST_F(MxmStripsOnDevice, DotProductsKeepTheirBitsInChunksOfRows) {
    const matrix a = scattered(5000, 1000, 40, 9), b = scattered(1000, 1000, 15, 5),
                 mask = scattered(5000, 1000, 3, 4);
    const context roomy({.backend = backend::cuda});
    matrix c(roomy, dtype::float64, 5000, 1000);
    for (const std::string_view kernel : {"", "masked_dot", "masked_row"})
        for (const bool structure : {false, true}) {
            const matrix_options options{.mask = &mask, .mask_structure = structure, .kernel = kernel};
            if (kernel.empty()) {
                ASSERT_EQ(mxm(roomy, c, semiring("plus_times"), a, b, options).kernel, "masked_dot");
            }
            expect_the_whole("plus_times_fp64", a, b, bytes_of(a) / 4, {true, false}, options);
            expect_the_whole("min_plus_fp64", a, b, bytes_of(a) / 4, {true, false}, options);
        }
}

TEST_F(MxmStripsOnDevice, MasksAccumulatorsAndReplaceAreObeyed) {
    const matrix a = scattered(150, 20000, 1000), b = scattered(20000, 40, 1);
    const context small({.backend = backend::cuda, .memory_limit = bytes_of(a) / 4});
    const semiring s("plus_times_fp64");
    const auto fresh = [&] { return scattered(150, 40, 8); };
    const matrix mask = fresh(), old = fresh();
    for (const bool masked : {false, true})
        for (const bool complement : {false, true})
            for (const bool replace : {false, true})
                for (const bool accumulated : {false, true}) {
                    matrix c = old, expected = old;
                    matrix_options options =
                        accumulated ? matrix_options{.accum = binary_id::minus} : matrix_options{};
                    options.mask = masked ? &mask : nullptr;
                    options.mask_complement = complement;
                    options.replace = replace;
                    options.kernel = masked ? "masked_row" : "hash";
                    const mxm_plan plan = mxm(small, c, s, a, b, options);
                    mxm(cpu, expected, s, a, b, options);
                    EXPECT_TRUE(plan.on_device);
                    EXPECT_GT(plan.chunks * plan.strips, 1) << to_string(plan);
                    ASSERT_TRUE(same(read(expected), c)) << masked << complement << replace << accumulated;
                }
}

TEST_F(MxmStripsOnDevice, WhatLiesOnTheGpuAloneStaysThere) {
    const matrix x = scattered(300, 200, 5), y = scattered(200, 4000, 5), b = scattered(4000, 6000, 40, 5);
    const std::size_t limit = bytes_of(b) / 4;
    const context small({.backend = backend::cuda, .memory_limit = limit});
    const semiring s("plus_times_fp64");
    matrix a(small, dtype::float64, 300, 4000), c(small, dtype::float64, 300, 6000),
        expected(cpu, dtype::float64, 300, 6000), left(cpu, dtype::float64, 300, 4000);
    mxm(small, a, s, x, y);
    ASSERT_TRUE(a.on_device());
    const mxm_plan plan = mxm(small, c, s, a, b);
    EXPECT_GT(plan.strips, 1) << to_string(plan);
    EXPECT_TRUE(a.on_device());
    mxm(cpu, left, s, x, y, {.kernel = "hash"});
    mxm(cpu, expected, s, left, b, {.kernel = "hash"});
    EXPECT_TRUE(same_bits(expected, c));
    EXPECT_LE(small.device_peak_bytes(), limit);
}

TEST_F(MxmStripsOnDevice, AContextHoldsFactorsThatItsGpuHasNoRoomFor) {
    const matrix a = scattered(300, 4000, 10, 7), b = scattered(4000, 6000, 40, 5);
    const std::size_t limit = bytes_of(b) / 4;
    const context ctx({.backend = backend::cuda, .device_memory_limit = limit});
    EXPECT_EQ(ctx.device_memory_limit(), limit);
    EXPECT_EQ(ctx.memory_limit(), 0u);
    const matrix left = matrix::from_csr<double>(ctx, a.csr<double>()),
                 right = matrix::from_csr<double>(ctx, b.csr<double>());
    matrix c(ctx, dtype::float64, 300, 6000), expected(cpu, dtype::float64, 300, 6000);
    const mxm_plan plan = mxm(ctx, c, semiring("plus_times_fp64"), left, right);
    EXPECT_TRUE(plan.on_device);
    EXPECT_GT(plan.strips, 1) << to_string(plan);
    mxm(cpu, expected, semiring("plus_times_fp64"), a, b, {.kernel = "hash"});
    EXPECT_TRUE(same_bits(expected, c));
    EXPECT_LE(ctx.device_peak_bytes(), limit);
    EXPECT_GT(ctx.peak_bytes(), limit);

    // Both limits are kept, each in its place; one number holds for both.
    const context both({.backend = backend::cuda, .memory_limit = 4 * limit, .device_memory_limit = limit}),
        one({.backend = backend::cuda, .memory_limit = limit});
    EXPECT_EQ(both.memory_limit(), 4 * limit);
    EXPECT_EQ(both.device_memory_limit(), limit);
    EXPECT_EQ(one.device_memory_limit(), limit);
    EXPECT_NO_THROW(buffer(both.memory(), 2 * limit));
    EXPECT_THROW(buffer(both.device_memory(), 2 * limit), out_of_memory);
    EXPECT_THROW(buffer(one.device_memory(), 2 * limit), out_of_memory);
}

TEST_F(MxmStripsOnDevice, CopiesOfFactorsGiveWayToTheirParts) {
    const matrix a = scattered(300, 4000, 10, 7), b = scattered(4000, 6000, 40, 5);
    const std::size_t limit = bytes_of(b) + bytes_of(b) / 6;
    const context small({.backend = backend::cuda, .memory_limit = limit});
    const vector u = vector::dense<double>(small, reals(6000, random));
    vector w(small, dtype::float64, 4000);
    mxv(small, w, semiring("plus_times_fp64"), b, u);  // B is there, and all else is not
    matrix c(small, dtype::float64, 300, 6000), expected(cpu, dtype::float64, 300, 6000);
    const mxm_plan plan = mxm(small, c, semiring("plus_times_fp64"), a, b);
    EXPECT_TRUE(plan.on_device);
    mxm(cpu, expected, semiring("plus_times_fp64"), a, b, {.kernel = "hash"});
    EXPECT_TRUE(same_bits(expected, c));
    EXPECT_LE(small.device_peak_bytes(), limit);
}

TEST_F(MxmStripsOnDevice, FormsOfFactorsGiveWayToTheirParts) {
    const matrix a = scattered(300, 4000, 10, 7), b = scattered(4000, 6000, 40, 5);
    const std::size_t limit = 5 * bytes_of(b);
    const context small({.backend = backend::cuda, .memory_limit = limit});
    const vector u = vector::dense<double>(small, reals(6000, random));
    const auto multiply = [&] {
        vector w(small, dtype::float64, 4000);
        for (const char* kernel : {"tile_column", "csr_ranked"})
            mxv(small, w, semiring("plus_times_fp64"), b, u, {.kernel = kernel});
    };
    multiply();
    const std::size_t forms = b.body().form_bytes_on(small), left = device::bytes_left(small);
    EXPECT_GT(forms, bytes_of(b));
    b.body().leave(small);
    EXPECT_EQ(b.body().form_bytes_on(small), 0u);
    EXPECT_GE(device::bytes_left(small), left + forms + bytes_of(b));
    multiply();
    EXPECT_EQ(b.body().form_bytes_on(small), forms) << "made again";

    // No room for A beside the forms.
    const buffer taken(small.device_memory(), device::bytes_left(small) - bytes_of(a) / 2);
    matrix c(small, dtype::float64, 300, 6000), expected(cpu, dtype::float64, 300, 6000);
    EXPECT_TRUE(mxm(small, c, semiring("plus_times_fp64"), a, b).on_device);
    EXPECT_EQ(b.body().form_bytes_on(small), 0u);
    mxm(cpu, expected, semiring("plus_times_fp64"), a, b, {.kernel = "hash"});
    EXPECT_TRUE(same_bits(expected, c));
    EXPECT_LE(small.device_peak_bytes(), limit);
}

TEST_F(MxmStripsOnDevice, WithoutRoomForTheSmallestPartTheErrorNamesBytesAndTheOutputStays) {
    const matrix a = scattered(300, 4000, 10), b = scattered(4000, 6000, 40), mask = scattered(300, 6000, 3);
    const context tiny({.backend = backend::cuda, .memory_limit = 90000}),
        small({.backend = backend::cuda, .memory_limit = bytes_of(b) / 4});
    const auto text_of = [&](const context& ctx, const matrix_options& options) {
        matrix c(ctx, dtype::float64, 300, 6000);
        c.set(1, 2, 3.0);
        std::string text;
        try {
            mxm(ctx, c, semiring("plus_times_fp64"), a, b, options);
        } catch (const out_of_memory& e) {
            text = e.what();
        }
        EXPECT_EQ(c.nnz(), 1);
        return text;
    };
    const auto has = [](const std::string& text, std::string_view part) {
        EXPECT_NE(text.find(part), text.npos) << "'" << text << "' lacks " << part;
    };
    const std::string none = text_of(tiny, {});
    has(none, "A is 300 x 4000 float64");
    has(none, "bytes needed on the GPU for the smallest parts of them, 90000 free: raise the limit");
    has(text_of(small, {.kernel = "two_level_sort"}), "kernel two_level_sort takes both factors whole");
    has(text_of(small, {.mask = &mask, .kernel = "masked_dot"}),
        "beside B, which kernel masked_dot takes whole");
    // The host has B and no room for where its columns begin.
    const context full({.backend = backend::cuda, .memory_limit = bytes_of(b) + 40000});
    const matrix own = matrix::from_csr<double>(full, b.csr<double>());
    try {
        matrix c(full, dtype::float64, 300, 6000);
        mxm(full, c, semiring("plus_times_fp64"), a, own);
        ADD_FAILURE() << "there was room";
    } catch (const out_of_memory& e) {
        has(e.what(), "48008 bytes needed on the host, ");
        has(e.what(), "of the memory limit of " + std::to_string(bytes_of(b) + 40000));
    }
}

}  // namespace
}  // namespace nz::test
