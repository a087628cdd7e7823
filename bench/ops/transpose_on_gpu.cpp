// Transposes and matrices from coordinates in random order on a GPU, in double, operands and results there: checked against the
// host's, then timed between two events, memory taken and given back in the stream's order. The share is that of the rate of a copy,
// counting input and output once each.
#include "core/buffer.hpp"
#include "core/device.hpp"
#include "limits/gpu.hpp"
#include "ops/coordinates.hpp"
#include "storage/device_assemble.hpp"
#include "storage/device_convert.hpp"
#include "storage/matrix_body.hpp"
#include "suites.hpp"

#include <fmt/format.h>

#include <cstring>

namespace nz::bench {
namespace {

constexpr int repeats = 7;

void expect_same(const storage::csr& expected, const storage::csr& found, const std::string& what) {
    if (found.nnz != expected.nnz ||
        std::memcmp(found.offsets.data(), expected.offsets.data(), found.offsets.bytes()) != 0 ||
        std::memcmp(found.indices.data(), expected.indices.data(), found.indices.bytes()) != 0 ||
        std::memcmp(found.values.data(), expected.values.data(), found.values.bytes()) != 0)
        throw error(what + " than the host's");
}

template <class Work>
measurement rated(const context& gpu, offset_t entries, double bytes, Work work) {
    std::vector<double> ms;
    for (int k = 0; k < repeats; ++k) {
        gpu.gpu()->timed(work);
        ms.push_back(gpu.gpu()->milliseconds());
    }
    const double middle = median(ms);
    return {middle,
            {{"entries", static_cast<double>(entries)},
             {"mbytes", bytes / 1e6},
             {"gbytes_per_s", bytes / middle / 1e6},
             {"share_of_copy", bytes / middle * 1e3 / measured_gpu_limits().copy.per_second}}};
}

measurement measure_transpose(const context& gpu, const context& cpu, const std::string& source) {
    const matrix a = shuffled_coordinates(cpu, source).a;
    matrix t(gpu, dtype::float64, a.columns(), a.rows());
    transpose(gpu, t, a);
    expect_same(a.body().columns(), t.body().rows(), source + ": another transpose");
    const auto entries = a.body().rows_on(gpu);
    const auto held = a.body().values_on(gpu, a.body().rows(), dtype::float64);
    const auto shape = storage::rows_of(a.body().rows(), *entries);
    return rated(gpu, a.nnz(),
                 24.0 * static_cast<double>(a.nnz()) + 4.0 * static_cast<double>(a.rows() + a.columns()),
                 [&] { storage::transpose_on_device(gpu, shape, held->values.data(), sizeof(double)); });
}

measurement measure_build(const context& gpu, const context& cpu, const std::string& source) {
    const coordinates p = shuffled_coordinates(cpu, source);
    const auto there = [&](const void* from, std::size_t bytes) {
        buffer to(gpu.device_memory(), bytes);
        gpu.gpu()->upload(to.data(), from, bytes);
        return to;
    };
    const std::size_t n = p.values.size();
    const buffer rows = there(p.rows.data(), n * sizeof(index_t)),
                 columns = there(p.columns.data(), n * sizeof(index_t)),
                 values = there(p.values.data(), n * sizeof(double));
    gpu.gpu()->wait();
    const auto m = static_cast<index_t>(p.a.rows()), width = static_cast<index_t>(p.a.columns());
    const matrix built = matrix::build<double>(
        gpu, {m, width, {rows.as<index_t>(), n}, {columns.as<index_t>(), n}, {values.as<double>(), n}});
    expect_same(p.a.body().rows(), built.body().rows(), source + ": coordinates make another matrix");
    const storage::device_tuples tuples{m,
                                        width,
                                        static_cast<offset_t>(n),
                                        rows.as<index_t>(),
                                        columns.as<index_t>(),
                                        values.data(),
                                        dtype::float64};
    return rated(gpu, p.a.nnz(), 28.0 * static_cast<double>(n) + 4.0 * m,
                 [&] { storage::assemble_on_device(gpu, tuples, binary_id::plus); });
}

}  // namespace

int transpose_suite_on_gpu(const options& o, const context& gpu) {
    const context cpu({.backend = backend::cpu, .threads = o.threads});
    std::vector<std::string> sources = o.inputs;
    if (sources.empty())
        sources = {"random:4000000,8", "rmat_directed:21,16", "powerlaw:10000000",
                   "laplace3d:100",    "banded:1000000,21",   "lp:4284,1092610,11300000"};
    if (o.quick) sources = {"laplace3d:20", "random:20000,8"};
    for (const auto& source : sources) {
        add("transpose/" + source + "/transpose", [=] { return measure_transpose(gpu, cpu, source); });
        add("transpose/" + source + "/build", [=] { return measure_build(gpu, cpu, source); });
    }
    const auto results = run(o, "^transpose/");
    fmt::print("\n{:40} {:>10} {:>8} {:>10} {:>7}\n", "ms", "entries", "MB", "GPU", "share");
    for (const auto& [name, r] : results)
        fmt::print("{:40} {:>10.0f} {:>8.0f} {:>10.3f} {:>6.0f}%\n", name, r.counters.at("entries"),
                   r.counters.at("mbytes"), r.ms, 100 * r.counters.at("share_of_copy"));
    return 0;
}

}  // namespace nz::bench
