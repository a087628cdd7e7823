// Products whose places are known, on a GPU: new values at listed places are the CPU's product bit for bit, for every semiring that
// multiplies values, in any number of chunks; other places are refused. Skips where there is no GPU.
#include "core/device.hpp"
#include "instantiate/mxm_device_cells.hpp"
#include "storage/matrix_body.hpp"
#include "support/battery.hpp"
#include "support/compare.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace nz::test {
namespace {

constexpr unsigned mxm_pattern_device_seed = 20261124;

class MxmPatternOnDevice : public ::testing::Test {
protected:
    void SetUp() override {
        if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
    }
    std::mt19937 random{mxm_pattern_device_seed};
};

std::vector<const instantiate::mxm_device_cell*> cells_with_values() {
    std::vector<const instantiate::mxm_device_cell*> cells;
    for (const auto group : {instantiate::arithmetic_device_mxm(), instantiate::tropical_device_mxm(),
                             instantiate::label_device_mxm(), instantiate::structure_device_mxm()})
        for (const auto& cell : group)
            if (cell.numeric) cells.push_back(&cell);
    return cells;
}

dictionary with_new_values(dictionary d, std::mt19937& random) {
    for (auto& [place, value] : d.entries) value = random_value(d.type, random);
    return d;
}

TEST_F(MxmPatternOnDevice, NewValuesAtKnownPlacesAgreeWithTheModelInEverySemiring) {
    const context ctx({.backend = backend::cuda});
    ASSERT_GT(cells_with_values().size(), 10u);
    for (const auto* cell : cells_with_values()) {
        const semiring s(cell->add, cell->multiply, cell->operand);
        SCOPED_TRACE(s.name());
        auto cases = matrix_battery(cell->operand, random);
        for (auto& larger : larger_matrices(cell->operand, random)) cases.push_back(std::move(larger));
        for (const auto& [name, a] : cases) {
            SCOPED_TRACE(name);
            const dictionary b =
                a.rows == a.columns ? a : random_dictionary(a.columns, 70, 0.2, cell->operand, random);
            const mxm_pattern pattern =
                find_pattern(ctx, s, make_matrix(ctx, a, true), make_matrix(ctx, b, true));
            EXPECT_TRUE(pattern.plan().on_device);
            for (int turn = 0; turn < 2; ++turn) {
                const dictionary u = with_new_values(a, random), v = with_new_values(b, random);
                matrix c(ctx, s.value_type(a.type, b.type), a.rows, b.columns);
                const mxm_plan plan =
                    mxm(ctx, c, s, make_matrix(ctx, u, true), make_matrix(ctx, v, true), pattern);
                EXPECT_TRUE(plan.on_device);
                EXPECT_TRUE(c.on_device());
                EXPECT_EQ(pattern.entries(), c.nnz());
                ASSERT_TRUE(same(model_mxm(s, u, v), c));
            }
        }
    }
}

// Values whose sums round.
matrix with_reals(const context& ctx, const matrix& a, std::mt19937& random) {
    std::uniform_real_distribution<double> real(-1, 1);
    std::vector<index_t> i, j;
    std::vector<double> x;
    a.extract_tuples(i, j, x);
    for (double& value : x) value = real(random);
    return matrix::build<double>(
        ctx, {static_cast<index_t>(a.rows()), static_cast<index_t>(a.columns()), i, j, x});
}

TEST_F(MxmPatternOnDevice, HubsAndManyChunksGiveTheCpusBits) {
    const context ctx({.backend = backend::cuda}), cpu({.backend = backend::cpu});
    const semiring s("plus_times_fp64");
    for (const char* source : {"powerlaw:20000", "laplace2d:60", "rmat_directed:14,16"}) {
        SCOPED_TRACE(source);
        const matrix a = load(cpu, source).matrix;
        const mxm_pattern pattern =
            find_pattern(ctx, s, with_reals(ctx, a, random), with_reals(ctx, a, random));
        const matrix u = with_reals(ctx, a, random), v = with_reals(ctx, a, random);
        const auto n = a.rows();
        matrix expected(cpu, dtype::float64, n, n), c(ctx, dtype::float64, n, n);
        const mxm_plan plan = mxm(cpu, expected, s, u, v);
        if (std::string_view(source).starts_with("rmat")) {
            EXPECT_GT(plan.products, offset_t{1} << 25) << "one chunk";
        }
        mxm(ctx, c, s, u, v, pattern);
        ASSERT_TRUE(same_bits(expected, c));
        // One factor transposed, and what the output held before.
        const mxm_pattern turned = find_pattern(ctx, s, u, v, {.transpose_a = true});
        matrix old = with_reals(ctx, a, random), by_cpu = old;
        mxm(ctx, old, s, u, v, turned, {.accum = binary_id::plus, .transpose_a = true});
        mxm(cpu, by_cpu, s, u, v, {.accum = binary_id::plus, .transpose_a = true});
        ASSERT_TRUE(same_bits(by_cpu, old));
    }
}

TEST_F(MxmPatternOnDevice, OtherPlacesOrAnotherMemoryAreRefused) {
    const context ctx({.backend = backend::cuda}), cpu({.backend = backend::cpu});
    const semiring s("plus_times_fp64");
    const matrix a = load(ctx, "laplace2d:20").matrix;
    const matrix u = with_reals(ctx, a, random);
    matrix moved = u, c(ctx, dtype::float64, 400, 400);
    moved.remove(7, 8);
    moved.set(7, 300, scalar(1.0));
    ASSERT_EQ(moved.nnz(), u.nnz());
    const mxm_pattern pattern = find_pattern(ctx, s, u, u);
    EXPECT_NO_THROW(mxm(ctx, c, s, u, u, pattern));
    EXPECT_THROW(mxm(ctx, c, s, moved, u, pattern), domain_error);
    EXPECT_THROW(mxm(ctx, c, s, u, moved, pattern), domain_error);
    EXPECT_THROW(mxm(ctx, c, s, u, u, pattern, {.transpose_a = true}), domain_error);
    matrix d(cpu, dtype::float64, 400, 400);
    EXPECT_THROW(mxm(cpu, d, s, u, u, pattern), not_supported);
}

// A pattern serves any semiring that is compiled, also where the GPU has no kernel for values alone.
TEST_F(MxmPatternOnDevice, ProductsThatReadNoValuesAreWholeOnes) {
    const context ctx({.backend = backend::cuda});
    const matrix a = load(ctx, "rmat_directed:8,4").matrix;
    const matrix u = with_reals(ctx, a, random);
    const mxm_pattern pattern = find_pattern(ctx, semiring("plus_times_fp64"), u, u);
    ASSERT_TRUE(pattern.plan().on_device);
    for (const char* name : {"plus_pair_int64", "any_pair_bool", "min_secondi_int64"}) {
        SCOPED_TRACE(name);
        const semiring s(name);
        const dtype type = s.value_type(u.type(), u.type());
        matrix c(ctx, type, u.rows(), u.columns()), expected(ctx, type, u.rows(), u.columns());
        mxm(ctx, c, s, u, u, pattern);
        mxm(ctx, expected, s, u, u);
        EXPECT_TRUE(same_bits(expected, c));
        EXPECT_THROW(mxm(ctx, c, s, load(ctx, "rmat_directed:8,3").matrix, u, pattern), domain_error);
    }
}

TEST_F(MxmPatternOnDevice, WhereListsDoNotFitTheCpuFindsThePattern) {
    const context roomy({.backend = backend::cuda}),
        ctx({.backend = backend::cuda, .memory_limit = 10 << 20});
    const semiring s("plus_times_fp64");
    const matrix a = load(roomy, "laplace2d:100").matrix;
    const matrix u = with_reals(ctx, a, random);
    const mxm_pattern pattern = find_pattern(ctx, s, u, u);
    EXPECT_FALSE(pattern.plan().on_device);
    matrix c(ctx, dtype::float64, 10000, 10000), expected(roomy, dtype::float64, 10000, 10000);
    mxm(ctx, c, s, u, u, pattern);
    mxm(roomy, expected, s, u, u);
    EXPECT_TRUE(same_bits(expected, c));
}

}  // namespace
}  // namespace nz::test
