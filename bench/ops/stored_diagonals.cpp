#include "ops/stored_diagonals.hpp"

#include "core/device.hpp"
#include "ops/mxm_dia.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace nz::bench {
namespace {

bool same(const matrix& x, const matrix& y) {
    const auto u = x.csr<double>(), v = y.csr<double>();
    return std::ranges::equal(u.offsets, v.offsets) && std::ranges::equal(u.columns, v.columns) &&
           std::memcmp(u.values.data(), v.values.data(), u.values.size_bytes()) == 0;
}

double kernel_ms(const context& gpu, const dia_matrix& a, const dia_matrix& b, int repeats) {
    const auto* cell = instantiate::find_dia_device_cell(binary_id::plus, binary_id::times, dtype::float64);
    const ops::device_dia_product product(gpu, *cell, a.body(), b.body(),
                                          ops::meet(a.body(), b.body(), dtype::float64));
    std::vector<double> times;
    for (int n = -1; n < repeats; ++n) {
        gpu.gpu()->timed([&] { product.enqueue(); });
        if (const double ms = gpu.gpu()->milliseconds(); n >= 0) times.push_back(ms);
    }
    return median(std::move(times));
}

}  // namespace

measurement stored_product(const context& ctx, const matrix& a, double copy, int repeats) {
    const semiring ring("plus_times");
    const context cpu({.backend = backend::cpu, .threads = ctx.threads()});
    const dia_matrix left = dia_matrix::from_matrix(ctx, a), right = dia_matrix::from_matrix(ctx, a);
    dia_matrix c(ctx, dtype::float64, 0, 0);
    const auto multiply = [&] {
        c = dia_matrix(ctx, dtype::float64, 0, 0);
        mxm(ctx, c, ring, left, right);
        ctx.wait();
    };
    multiply();
    matrix expected(cpu, dtype::float64, a.rows(), a.columns());
    mxm(cpu, expected, ring, a, a);
    if (!same(expected, c.to_matrix(cpu))) throw error("diagonals: other entries than the matrices'");
    const timing call = time_ms(repeats, multiply);
    const double ms = ctx.gpu() ? kernel_ms(ctx, left, right, repeats) : call.median;
    const auto values = static_cast<double>(left.nnz() + right.nnz() + c.nnz());
    return {
        ms,
        {{"call_ms", call.median}, {"bytes", 8 * values}, {"share_of_copy", 8 * values / copy * 1e3 / ms}}};
}

void print_stored(const measurement& m) {
    fmt::print("    {:20} {:>34.3f} ms, {:.3f} the call, {:.0f}% of the rate of a copy of A, B and C\n",
               "dia_dia/stored", m.ms, m.counters.at("call_ms"), 100 * m.counters.at("share_of_copy"));
}

}  // namespace nz::bench
