// Transposes, and matrices built from coordinates in random order, in double: the result is checked, then timed. The
// share is that of the rate of a copy (nz-bench limits), counting the bytes of input and output once. The result's
// memory is taken and given back in each call.
#include "limits/cpu.hpp"
#include "ops/coordinates.hpp"
#include "storage/csr.hpp"
#include "storage/matrix_body.hpp"
#include "suites.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cstring>

namespace nz::bench {
namespace {

constexpr int repeats = 5;

double bytes_of(const matrix& a) {
    return static_cast<double>(a.nnz()) * (sizeof(index_t) + sizeof(double)) +
           static_cast<double>(a.rows()) * sizeof(std::int32_t);
}

bool same(const storage::csr& x, const storage::csr& y) {
    return x.nnz == y.nnz && x.rows == y.rows && x.offset_bytes == y.offset_bytes &&
           std::memcmp(x.offsets.data(), y.offsets.data(), x.offsets.bytes()) == 0 &&
           std::memcmp(x.indices.data(), y.indices.data(), x.indices.bytes()) == 0 &&
           std::memcmp(x.values.data(), y.values.data(), x.values.bytes()) == 0;
}

measurement shared(const timing& t, double bytes, double rate, offset_t entries) {
    return {t.median,
            {{"best_ms", t.best},
             {"entries", static_cast<double>(entries)},
             {"mbytes", bytes / 1e6},
             {"gbytes_per_s", bytes / t.best / 1e6},
             {"share_of_copy", bytes / (t.best / 1e3) / rate}}};
}

measurement measure_transpose(const context& ctx, const std::string& name, const coordinates& p,
                              double rate) {
    const storage::csr& a = p.a.body().rows();
    if (!same(a, storage::transpose(ctx, storage::transpose(ctx, a))))
        throw error(name + ": the transpose of the transpose is another matrix");
    const timing t = time_ms(repeats, [&] { storage::transpose(ctx, a); });
    return shared(t, 2 * bytes_of(p.a) + 4.0 * static_cast<double>(a.columns - a.rows), rate, a.nnz);
}

measurement measure_build(const context& ctx, const std::string& name, const coordinates& p, double rate) {
    const auto build = [&] { return matrix::build<double>(ctx, p.view()); };
    if (!same(p.a.body().rows(), build().body().rows()))
        throw error(name + ": the coordinates make another matrix");
    const timing t = time_ms(repeats, build);
    return shared(t, bytes_of(p.a) + 16.0 * static_cast<double>(p.values.size()), rate, p.a.nnz());
}

}  // namespace

int transpose_suite(const options& o) {
    if (const context wanted({.backend = wanted_backend(o), .threads = o.threads}); wanted.gpu())
        return transpose_suite_on_gpu(o, wanted);
    const int threads = o.threads ? o.threads : omp_get_max_threads();
    const context ctx({.backend = backend::cpu, .threads = threads});
    std::vector<std::string> sources = o.inputs;
    if (sources.empty())
        sources = {"random:4000000,8", "rmat_directed:20,16", "powerlaw:5000000",
                   "laplace3d:100",    "banded:1000000,21",   "lp:4284,1092610,11300000"};
    if (o.quick) sources = {"laplace3d:20", "random:20000,8"};
    const double rate = copy_bandwidth(threads);
    std::vector<std::string> names;
    for (const auto& source : sources) {
        // Made when its turn comes and dropped after: coordinates of several large matrices are much to hold.
        names.push_back(source.substr(source.rfind('/') + 1));
        const auto of = [=, name = names.back()](auto&& measure) {
            return [=] { return measure(ctx, name, shuffled_coordinates(ctx, source), rate); };
        };
        add("transpose/" + names.back() + "/transpose", of(measure_transpose));
        add("transpose/" + names.back() + "/build", of(measure_build));
    }
    const auto results = run(o, "^transpose/");
    fmt::print("\ncopy {:.1f} GB/s\n{:28} {:>10} {:>8} {:>10} {:>7} {:>10} {:>7}\n", rate / 1e9, "best ms",
               "entries", "MB", "transpose", "share", "build", "share");
    for (const auto& name : names) {
        const auto turned = results.find("transpose/" + name + "/transpose"),
                   built = results.find("transpose/" + name + "/build");
        if (turned == results.end() || built == results.end()) continue;
        const auto &x = turned->second.counters, &y = built->second.counters;
        fmt::print("{:28} {:>10.0f} {:>8.0f} {:>10.1f} {:>6.0f}% {:>10.1f} {:>6.0f}%\n", name,
                   x.at("entries"), x.at("mbytes"), x.at("best_ms"), 100 * x.at("share_of_copy"),
                   y.at("best_ms"), 100 * y.at("share_of_copy"));
    }
    return 0;
}

}  // namespace nz::bench
