// SpAdd on a GPU: C = A + A^T in double by ewise/balanced_path and by cuSPARSE's csrgeam2 on the same arrays, checked
// against the CPU's kernel first. Both are timed over their two passes, memory taken beforehand; `call_ms` is the whole
// call of the library, which takes the result's memory and waits for its size and for the result.
#include "core/device.hpp"
#include "core/parallel.hpp"
#include "limits/gpu.hpp"
#include "ops/ewise_device.hpp"
#include "ops/gpu_operands.hpp"
#include "peers/cusparse.hpp"
#include "storage/matrix_body.hpp"
#include "suites.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace nz::bench {
namespace {

constexpr int repeats = 21;
constexpr const char* matrices[] = {"laplace3d:100",    "laplace2d:2000",     "banded:1000000,21",
                                    "random:1000000,8", "rmat_directed:17,8", "powerlaw:1000000"};
// Bytes beyond which the target is a share of the copy rate; below, a time.
constexpr double large = 300e6;

double bytes_of(offset_t rows, offset_t entries) {
    return static_cast<double>(entries) * (sizeof(index_t) + sizeof(double)) +
           static_cast<double>(rows) * sizeof(std::int32_t);
}

struct problem {
    matrix pattern;
    std::vector<double> values;
    std::optional<matrix> a;
    std::optional<matrix> expected;
    double bytes = 0;
};

// The matrix at hand, gone before the next one.
class add_slot {
public:
    add_slot(const context& gpu, const context& cpu) : gpu_(gpu), cpu_(cpu) {}

    const problem& take(const std::string& source) {
        if (source == source_) return *p_;
        p_.reset();
        p_.emplace(problem{load(cpu_, source).matrix, {}, {}, {}});
        const storage::csr& rows = p_->pattern.body().rows();
        p_->values.resize(static_cast<std::size_t>(rows.nnz));
        parallel::for_pieces(cpu_.threads(), rows.nnz, [&](offset_t begin, offset_t end) {
            for (offset_t k = begin; k < end; ++k) p_->values[static_cast<std::size_t>(k)] = value_at(k);
        });
        const csr_view<double> view{
            rows.rows,
            rows.columns,
            {rows.offsets.as<const std::int32_t>(), static_cast<std::size_t>(rows.rows) + 1},
            {rows.index_data(), static_cast<std::size_t>(rows.nnz)},
            p_->values};
        p_->a.emplace(matrix::borrow_csr<double>(gpu_, view));
        p_->expected.emplace(cpu_, dtype::float64, rows.rows, rows.columns);
        ewise_add(cpu_, *p_->expected, binary_id::plus, *p_->a, *p_->a, {.transpose_b = true});
        p_->bytes = 2 * bytes_of(rows.rows, rows.nnz) + bytes_of(rows.rows, p_->expected->nnz());
        source_ = source;
        return *p_;
    }
    const context& gpu() const { return gpu_; }

private:
    const context &gpu_, &cpu_;
    std::string source_;
    std::optional<problem> p_;
};

void expect_equal(const problem& p, const matrix& found, const std::string& name) {
    const auto x = p.expected->csr<double>(), y = found.csr<double>();
    if (!std::ranges::equal(x.offsets, y.offsets) || !std::ranges::equal(x.columns, y.columns) ||
        !std::ranges::equal(x.values, y.values))
        throw error(name + ": other entries than the CPU's");
}

measurement ours(add_slot& slot, const std::string& source) {
    const problem& p = slot.take(source);
    const context& gpu = slot.gpu();
    matrix c(gpu, dtype::float64, p.a->rows(), p.a->columns());
    const timing call = time_ms(repeats, [&] {
        ewise_add(gpu, c, binary_id::plus, *p.a, *p.a, {.transpose_b = true});
        gpu.gpu()->wait();
    });
    expect_equal(p, c, source);
    const double ms = median(ops::ewise_kernel_ms(gpu, kernels::set_operation::unite, binary_id::plus, {*p.a},
                                                  {*p.a, true}, repeats));
    const double copied = p.bytes / measured_gpu_limits().copy.per_second * 1e3;
    const double target = p.bytes > large ? copied / 0.6 : 0.025 + p.bytes / 2.6e9;
    return {ms,
            {{"call_ms", call.median},
             {"work", 2.0 * static_cast<double>(p.a->nnz())},
             {"output_entries", static_cast<double>(p.expected->nnz())},
             {"megabytes", p.bytes / 1e6},
             {"share_of_copy", copied / ms},
             {"target_ms", target}}};
}

measurement cusparse(add_slot& slot, const std::string& source) {
    const problem& p = slot.take(source);
    const context& gpu = slot.gpu();
    const storage::matrix_body& body = p.a->body();
    const auto rows = body.rows_on(gpu), columns = body.columns_on(gpu);
    const auto values = body.values_on(gpu, body.rows(), dtype::float64),
               moved = body.values_on(gpu, body.columns(), dtype::float64);
    const auto n = static_cast<std::size_t>(p.a->rows()), room = static_cast<std::size_t>(p.a->nnz()) * 2;
    const buffer offsets(gpu.device_memory(), (n + 1) * 4), indices(gpu.device_memory(), room * 4),
        sums(gpu.device_memory(), room * 8);
    const device_add add{p.a->rows(),
                         p.a->columns(),
                         {p.a->nnz(), rows->offsets.data(), rows->indices.data(), values->values.data()},
                         {p.a->nnz(), columns->offsets.data(), columns->indices.data(), moved->values.data()},
                         offsets.data(),
                         indices.data(),
                         sums.data()};
    offset_t entries = 0;
    const double ms = cusparse_add_ms(gpu, add, repeats, entries);
    const auto found = static_cast<std::size_t>(entries);
    std::vector<std::int32_t> c_offsets(n + 1);
    std::vector<index_t> c_columns(found);
    std::vector<double> c_values(found);
    gpu.gpu()->download(c_offsets.data(), offsets.data(), c_offsets.size() * 4);
    gpu.gpu()->download(c_columns.data(), indices.data(), found * 4);
    gpu.gpu()->download(c_values.data(), sums.data(), found * 8);
    const csr_view<double> view{static_cast<index_t>(p.a->rows()), static_cast<index_t>(p.a->columns()),
                                c_offsets, c_columns, c_values};
    expect_equal(p, matrix::borrow_csr<double>(gpu, view), source + " by cuSPARSE");
    return {ms, {{"share_of_copy", p.bytes / measured_gpu_limits().copy.per_second * 1e3 / ms}}};
}

void print_results(const std::vector<std::string>& sources,
                   const std::map<std::string, measurement>& results) {
    fmt::print("\ncopy {:.0f} GB/s\n{:22} {:>9} {:>9} {:>7} {:>9} {:>9} {:>10} {:>7}\n",
               measured_gpu_limits().copy.per_second / 1e9, "ms", "MB", "ours", "share", "target", "call",
               "cuSPARSE", "ratio");
    std::vector<double> times, work, ratios;
    for (const auto& source : sources) {
        const auto mine = results.find("spadd/" + source + "/balanced_path"),
                   peer = results.find("spadd/" + source + "/cusparse");
        if (mine == results.end()) continue;
        const auto& m = mine->second;
        times.push_back(m.ms);
        work.push_back(m.counters.at("work"));
        if (peer != results.end()) ratios.push_back(peer->second.ms / m.ms);
        fmt::print("{:22} {:>9.0f} {:>9.4f} {:>6.1f}% {:>9.4f} {:>9.4f} {:>10} {:>7}\n", source,
                   m.counters.at("megabytes"), m.ms, 100 * m.counters.at("share_of_copy"),
                   m.counters.at("target_ms"), m.counters.at("call_ms"),
                   peer == results.end() ? "-" : fmt::format("{:.4f}", peer->second.ms),
                   peer == results.end() ? "-" : fmt::format("{:.1f}", ratios.back()));
    }
    if (!ratios.empty()) fmt::print("geometric mean of the ratios {:.1f}\n", geometric_mean(ratios));
    if (times.size() > 2) fmt::print("correlation of time with work {:.4f}\n", correlation(times, work));
}

}  // namespace

int spadd_suite_on_gpu(const options& o, const context& gpu) {
    const context cpu({.backend = backend::cpu, .threads = o.threads});
    std::vector<std::string> sources = o.inputs;
    if (sources.empty()) sources.assign(std::begin(matrices), std::end(matrices));
    if (o.quick) sources = {"laplace3d:20", "random:20000,8"};
    const auto slot = std::make_shared<add_slot>(gpu, cpu);
    const std::string why = why_no_cusparse();
    if (!why.empty()) fmt::print("no cuSPARSE: {}\n", why);
    for (const auto& source : sources) {
        add("spadd/" + source + "/balanced_path", [=] { return ours(*slot, source); });
        if (why.empty()) add("spadd/" + source + "/cusparse", [=] { return cusparse(*slot, source); });
    }
    print_results(sources, run(o, "^spadd/"));
    return 0;
}

}  // namespace nz::bench
