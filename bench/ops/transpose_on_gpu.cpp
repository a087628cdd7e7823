// Transposes on a GPU, in double, operand and result there: checked against the host's, then timed between two events, memory
// taken and given back in the stream's order. The share is that of the rate of a copy, counting A and A^T once each.
#include "core/device.hpp"
#include "limits/gpu.hpp"
#include "storage/device_convert.hpp"
#include "storage/matrix_body.hpp"
#include "suites.hpp"

#include <fmt/format.h>

#include <cstring>

namespace nz::bench {
namespace {

constexpr int repeats = 7;

measurement measure(const context& gpu, const context& cpu, const std::string& source) {
    const matrix given = load(cpu, source).matrix;
    std::vector<index_t> rows, columns;
    std::vector<double> values;
    given.extract_tuples(rows, columns, values);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<double>(k);
    const auto m = static_cast<index_t>(given.rows()), n = static_cast<index_t>(given.columns());
    const matrix a = matrix::build<double>(cpu, {m, n, rows, columns, values});
    matrix t(gpu, dtype::float64, n, m);
    transpose(gpu, t, a);
    const storage::csr &found = t.body().rows(), &expected = a.body().columns();
    if (std::memcmp(found.offsets.data(), expected.offsets.data(), found.offsets.bytes()) != 0 ||
        std::memcmp(found.indices.data(), expected.indices.data(), found.indices.bytes()) != 0 ||
        std::memcmp(found.values.data(), expected.values.data(), found.values.bytes()) != 0)
        throw error(source + ": another transpose than the host's");
    const auto entries = a.body().rows_on(gpu);
    const auto held = a.body().values_on(gpu, a.body().rows(), dtype::float64);
    const auto shape = storage::rows_of(a.body().rows(), *entries);
    std::vector<double> ms;
    for (int k = 0; k < repeats; ++k) {
        gpu.gpu()->timed(
            [&] { storage::transpose_on_device(gpu, shape, held->values.data(), sizeof(double)); });
        ms.push_back(gpu.gpu()->milliseconds());
    }
    const double bytes = 24.0 * static_cast<double>(a.nnz()) + 4.0 * (m + n), middle = median(ms);
    return {middle,
            {{"entries", static_cast<double>(a.nnz())},
             {"mbytes", bytes / 1e6},
             {"gbytes_per_s", bytes / middle / 1e6},
             {"share_of_copy", bytes / middle * 1e3 / measured_gpu_limits().copy.per_second}}};
}

}  // namespace

int transpose_suite_on_gpu(const options& o, const context& gpu) {
    const context cpu({.backend = backend::cpu, .threads = o.threads});
    std::vector<std::string> sources = o.inputs;
    if (sources.empty())
        sources = {"random:4000000,8", "rmat_directed:21,16", "powerlaw:10000000",
                   "laplace3d:100",    "banded:1000000,21",   "lp:4284,1092610,11300000"};
    if (o.quick) sources = {"laplace3d:20", "random:20000,8"};
    for (const auto& source : sources)
        add("transpose/" + source + "/transpose", [=] { return measure(gpu, cpu, source); });
    const auto results = run(o, "^transpose/");
    fmt::print("\n{:28} {:>10} {:>8} {:>10} {:>7}\n", "ms", "entries", "MB", "transpose", "share");
    for (const auto& [name, r] : results)
        fmt::print("{:28} {:>10.0f} {:>8.0f} {:>10.3f} {:>6.0f}%\n", name, r.counters.at("entries"),
                   r.counters.at("mbytes"), r.ms, 100 * r.counters.at("share_of_copy"));
    return 0;
}

}  // namespace nz::bench
