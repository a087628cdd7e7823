// Where a GPU has too little memory, what the host can do is done there. Skips where there is no GPU.
#include "core/device.hpp"
#include "storage/matrix_body.hpp"
#include "support/contexts.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

namespace nz::test {
namespace {

class LittleMemoryOnDevice : public ::testing::Test {
protected:
    void SetUp() override {
        if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
    }
    // C of `work` under a limit that holds no operand, and on the CPU.
    template <class Work>
    void expect_the_hosts(const char* name, index_t rows, index_t columns, Work&& work) {
        SCOPED_TRACE(name);
        const context cpu({.backend = backend::cpu}),
            tiny({.backend = backend::cuda, .device_memory_limit = std::size_t{256} << 10});
        const matrix a = load(cpu, "random:20000,8").matrix;
        matrix c(tiny, dtype::float64, rows, columns), expected(cpu, dtype::float64, rows, columns);
        const operation_plan plan = work(tiny, c, a);
        EXPECT_FALSE(plan.on_device);
        work(cpu, expected, a);
        EXPECT_TRUE(same(read(expected), c));
        EXPECT_LE(tiny.device_peak_bytes(), std::size_t{256} << 10);
    }
};

TEST_F(LittleMemoryOnDevice, OperationsOnMatricesGoByTheHost) {
    constexpr index_t n = 20000;
    expect_the_hosts("select", n, n, [](const context& ctx, matrix& c, const matrix& a) {
        return select(ctx, c, index_unary_id::tril, a, scalar(0));
    });
    expect_the_hosts("apply", n, n, [](const context& ctx, matrix& c, const matrix& a) {
        return apply(ctx, c, unary_id::ainv, a);
    });
    expect_the_hosts("apply by places", n, n, [](const context& ctx, matrix& c, const matrix& a) {
        return apply(ctx, c, index_unary_id::diagindex, a, scalar(1));
    });
    expect_the_hosts("ewise_add", n, n, [](const context& ctx, matrix& c, const matrix& a) {
        return ewise_add(ctx, c, binary_id::plus, a, a);
    });
    expect_the_hosts("ewise_mult", n, n, [](const context& ctx, matrix& c, const matrix& a) {
        return ewise_mult(ctx, c, binary_id::div, a, a);
    });
    expect_the_hosts("transpose", n, n,
                     [](const context& ctx, matrix& c, const matrix& a) { return transpose(ctx, c, a); });
}

TEST_F(LittleMemoryOnDevice, SumsOfRowsGoByTheHost) {
    const context cpu({.backend = backend::cpu}),
        tiny({.backend = backend::cuda, .device_memory_limit = std::size_t{256} << 10});
    const matrix a = load(cpu, "random:20000,8").matrix;
    vector w(tiny, dtype::float64, 20000), expected(cpu, dtype::float64, 20000);
    EXPECT_FALSE(reduce(tiny, w, binary_id::max, a).on_device);
    reduce(cpu, expected, binary_id::max, a);
    EXPECT_TRUE(same(read(expected), w));
}

TEST_F(LittleMemoryOnDevice, TrianglesAreCountedAllTheSame) {
    const context cpu({.backend = backend::cpu}),
        tiny({.backend = backend::cuda, .device_memory_limit = std::size_t{192} << 10});
    const matrix graph = load(cpu, "rmat:12,8").matrix;
    EXPECT_EQ(triangles(tiny, graph).total, triangles(cpu, graph).total);
}

// All of a matrix in the context of what it becomes.
TEST_F(LittleMemoryOnDevice, AnExtractOfAllIsOfTheOutputsContext) {
    const context one({.backend = backend::cuda}), other({.backend = backend::cuda});
    const matrix a = load(one, "random:1000,8").matrix;
    matrix c(other, dtype::float64, 1000, 1000), d(one, dtype::float64, 1000, 1000);
    extract(other, c, a, index_list::all(), index_list::all());
    EXPECT_EQ(c.body().ctx.memory(), other.memory());
    EXPECT_TRUE(same(read(a), c));
    extract(one, d, a, index_list::all(), index_list::all());
    EXPECT_EQ(&d.body(), &a.body()) << "in the same it is the matrix itself";
}

}  // namespace
}  // namespace nz::test
