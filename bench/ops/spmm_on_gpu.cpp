// SpMM on a GPU: C = A B for a dense B of 8 to 64 columns by rows, in double and float, by the planned kernel, by every kernel,
// and by the best of cuSPARSE's algorithms on the same arrays. All operands lie in device memory; times are of kernels, between
// events. Three columns of every result are checked against a plain loop. Floor: the bytes of A, B and C once over the rate of
// a copy, which this run measures.
#include "core/device.hpp"
#include "core/parallel.hpp"
#include "kernels/kernel_ids.hpp"
#include "limits/gpu.hpp"
#include "ops/gpu_operands.hpp"
#include "ops/mxd_device.hpp"
#include "storage/matrix_body.hpp"
#include "suites.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace nz::bench {
namespace {

constexpr int repeats = 11;
constexpr index_t widths[] = {8, 16, 32, 64};
constexpr const char* matrices[] = {"laplace3d:160",    "laplace2d:4000",      "banded:4000000,21",
                                    "random:8000000,8", "rmat_directed:22,16", "lp:4284,1092610,11300000"};

// B(k, j) is value_at(k + j): columns differ, and a column's expected result is one plain loop.
template <class T>
struct dense_problem {
    operands o;
    index_t columns;
    buffer b, c;

    dense_problem(const context& gpu, const structure& s, index_t width)
        : o(make_operands(gpu, s, dtype_of<T>)), columns(width) {
        const auto size = [&](offset_t rows) {
            return static_cast<std::size_t>(rows) * static_cast<std::size_t>(width) * sizeof(T);
        };
        std::vector<T> values(size(s.a.columns()) / sizeof(T));
        parallel::for_pieces(gpu.threads(), s.a.columns(), [&](offset_t begin, offset_t end) {
            for (offset_t k = begin; k < end; ++k)
                for (index_t j = 0; j < width; ++j)
                    values[static_cast<std::size_t>(k * width + j)] = static_cast<T>(value_at(k + j));
        });
        b = buffer(gpu.device_memory(), size(s.a.columns()));
        c = buffer(gpu.device_memory(), size(s.a.rows()));
        gpu.gpu()->upload(b.data(), values.data(), b.bytes());
        spoil(gpu);
        gpu.gpu()->wait();
    }
    void spoil(const context& gpu) const { gpu.gpu()->fill(c.data(), 0xff, c.bytes()); }
    dense_view<const T> second(const structure& s) const {
        return {static_cast<index_t>(s.a.columns()), columns, {b.as<T>(), b.bytes() / sizeof(T)}};
    }
    dense_view<T> result(const structure& s) const {
        return {static_cast<index_t>(s.a.rows()), columns, {c.as<T>(), c.bytes() / sizeof(T)}};
    }
};

// The matrix, and the dense operands of one width, gone before the next.
class slot {
public:
    slot(const context& gpu, const context& cpu) : gpu_(gpu), cpu_(cpu) {}

    const structure& matrix_of(const std::string& source) {
        if (source != source_) {
            f64_.reset();
            f32_.reset();
            s_.emplace(make_structure(cpu_, source));
            source_ = source;
        }
        return *s_;
    }
    template <class T>
    dense_problem<T>& take(const std::string& source, index_t columns) {
        const structure& s = matrix_of(source);
        auto& mine = held<T>();
        if (!mine || mine->columns != columns) {
            f64_.reset();
            f32_.reset();
            mine.emplace(gpu_, s, columns);
        }
        return *mine;
    }
    const context& gpu() const { return gpu_; }

private:
    template <class T>
    std::optional<dense_problem<T>>& held() {
        if constexpr (std::is_same_v<T, double>)
            return f64_;
        else
            return f32_;
    }
    const context &gpu_, &cpu_;
    std::string source_;
    std::optional<structure> s_;
    std::optional<dense_problem<double>> f64_;
    std::optional<dense_problem<float>> f32_;
};

template <class T>
void check(const context& gpu, const structure& s, const dense_problem<T>& p, const std::string& who) {
    std::vector<T> c(p.c.bytes() / sizeof(T));
    gpu.gpu()->download(c.data(), p.c.data(), p.c.bytes());
    p.spoil(gpu);
    parallel::for_pieces(gpu.threads(), s.a.rows(), [&](offset_t begin, offset_t end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
            for (const index_t j : {0, 5, p.columns - 1}) {
                double sum = 0;
                for (auto k = s.offsets[i]; k < s.offsets[i + 1]; ++k)
                    sum += value_at(k) * value_at(s.indices[static_cast<std::size_t>(k)] + offset_t{j});
                const auto found = static_cast<double>(c[i * static_cast<std::size_t>(p.columns) + j]);
                const double bound =
                    std::numeric_limits<T>::epsilon() * (s.offsets[i + 1] - s.offsets[i] + 2) * sum;
                if (!(std::abs(found - sum) <= bound))
                    throw error(
                        fmt::format("{} by {}: C({},{}) is {}, not {}", s.name, who, i, j, found, sum));
            }
    });
}

template <class T>
measurement rated(const structure& s, index_t columns, double ms) {
    const auto nnz = static_cast<double>(s.indices.size()), rows = static_cast<double>(s.a.rows()),
               inner = static_cast<double>(s.a.columns());
    const double bytes = nnz * (4 + sizeof(T)) + rows * 4 + (rows + inner) * columns * sizeof(T);
    return {ms,
            {{"gflops", 2e-6 * nnz * columns / ms},
             {"gbytes_per_s", bytes / ms / 1e6},
             {"share_of_floor", bytes / ms * 1e3 / measured_gpu_limits().copy.per_second}}};
}

template <class T>
measurement ours(slot& at, const std::string& source, index_t columns, std::string_view kernel) {
    dense_problem<T>& p = at.take<T>(source, columns);
    const structure& s = at.matrix_of(source);
    const semiring ring("plus_times");
    const dense_options o{.kernel = kernel};
    const dense_plan plan = mxd(at.gpu(), p.result(s), ring, p.o.a, p.second(s), o);
    fmt::print("{}, {} columns: {}\n", source, columns, to_string(plan));
    check(at.gpu(), s, p, std::string(plan.kernel));
    measurement m = rated<T>(
        s, columns, median(ops::mxd_kernel_ms(at.gpu(), p.result(s), ring, p.o.a, p.second(s), o, repeats)));
    if (kernel.empty()) m.planned = plan.kernel;
    return m;
}

template <class T>
measurement cusparse(slot& at, const std::string& source, index_t columns) {
    dense_problem<T>& p = at.take<T>(source, columns);
    const structure& s = at.matrix_of(source);
    const double ms = cusparse_spmm_ms(at.gpu(), {p.o.on_device, columns, p.b.data(), p.c.data()}, repeats);
    check(at.gpu(), s, p, "cuSPARSE");
    return rated<T>(s, columns, ms);
}

constexpr const char* type_name(bool wide) { return wide ? "double" : "float"; }

void report(const std::vector<std::string>& sources, const std::map<std::string, measurement>& results) {
    for (const bool wide : {true, false}) {
        fmt::print("\n{:26} {:>4} {:>9} {:>6} {:>9} {:>9} {:>9} {:>9} {:>9} {:>6}\n",
                   std::string(type_name(wide)) + ", ms", "cols", "planned", "floor", "GFLOP/s", "tiled",
                   "merge", "half warp", "cuSPARSE", "ratio");
        std::map<index_t, std::vector<double>> ratios;
        for (const auto& source : sources)
            for (const index_t columns : widths) {
                const auto at = [&](std::string_view label) -> const measurement* {
                    const auto it = results.find(
                        fmt::format("spmm/{}/{}/{}/{}", source, columns, type_name(wide), label));
                    return it == results.end() ? nullptr : &it->second;
                };
                const measurement *planned = at("planned"), *peer = at("cusparse");
                if (!planned) continue;
                const auto ms = [&](std::string_view label) {
                    return at(label) ? fmt::format("{:.3f}", at(label)->ms) : std::string("-");
                };
                if (peer) ratios[columns].push_back(peer->ms / planned->ms);
                fmt::print("{:26} {:>4} {:>9.3f} {:>5.0f}% {:>9.1f} {:>9} {:>9} {:>9} {:>9} {:>6}\n", source,
                           columns, planned->ms, 100 * planned->counters.at("share_of_floor"),
                           planned->counters.at("gflops"), ms("csr_tiled"), ms("csr_merge"),
                           ms("csr_half_warp"), ms("cusparse"),
                           peer ? fmt::format("{:.2f}", peer->ms / planned->ms) : "-");
            }
        for (const auto& [columns, all] : ratios)
            fmt::print("{} columns: geometric mean of the ratios {:.2f}, lowest {:.2f}\n", columns,
                       geometric_mean(all), *std::ranges::min_element(all));
    }
}

template <class T>
void add_type(const std::shared_ptr<slot>& at, const std::string& source, index_t columns, bool peers) {
    const std::string head =
        fmt::format("spmm/{}/{}/{}/", source, columns, type_name(std::is_same_v<T, double>));
    add(head + "planned", [=] { return ours<T>(*at, source, columns, ""); });
    for (const auto& id : kernels::kernel_ids)
        if (id.operation == "mxd" && id.cuda == kernels::presence::here)
            add(head + std::string(id.id),
                [=, kernel = id.id] { return ours<T>(*at, source, columns, kernel); });
    if (peers) add(head + "cusparse", [=] { return cusparse<T>(*at, source, columns); });
}

}  // namespace

int spmm_suite_on_gpu(const options& o, const context& gpu) {
    const context cpu({.backend = backend::cpu, .threads = o.threads});
    std::vector<std::string> sources = o.inputs;
    if (sources.empty()) sources.assign(std::begin(matrices), std::end(matrices));
    if (o.quick) sources = {"laplace3d:20", "random:20000,8"};
    const auto at = std::make_shared<slot>(gpu, cpu);
    const std::string why = why_no_cusparse();
    if (!why.empty()) fmt::print("no cuSPARSE: {}\n", why);
    for (const auto& source : sources)
        for (const index_t columns : widths) {
            add_type<double>(at, source, columns, why.empty());
            add_type<float>(at, source, columns, why.empty());
        }
    report(sources, run(o, "^spmm/"));
    return 0;
}

}  // namespace nz::bench
