// SDDMM: T(i,j) = X(i,:) Y(:,j) at the places of a sparse matrix, X by rows and Y by columns, of 16 to 128 columns and rows. On a
// CPU the whole call; on a GPU the kernel between events, operands resident, beside cuSPARSE on the same arrays. Every place is
// checked against a plain loop. Floor: the places, X, Y and the results once, over the rate of a copy, which this run measures;
// a place reads a row of X and a column of Y, so that scattered places move more, which `gathered` counts.
#include "core/buffer.hpp"
#include "core/device.hpp"
#include "core/parallel.hpp"
#include "limits/cpu.hpp"
#include "limits/gpu.hpp"
#include "ops/dense.hpp"
#include "ops/gpu_operands.hpp"
#include "ops/sddmm_device.hpp"
#include "suites.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <cmath>
#include <limits>
#include <optional>

namespace nz::bench {
namespace {

constexpr int sddmm_repeats = 7;
constexpr index_t inners[] = {16, 64, 128};

// A side's rows (of X; columns of Y) of `inner` values each, one after the other.
template <class T>
std::vector<T> lines(const context& cpu, offset_t count, index_t inner, offset_t from) {
    std::vector<T> values(static_cast<std::size_t>(count) * static_cast<std::size_t>(inner));
    parallel::for_pieces(cpu.threads(), static_cast<offset_t>(values.size()),
                         [&](offset_t begin, offset_t end) {
                             for (offset_t k = begin; k < end; ++k)
                                 values[static_cast<std::size_t>(k)] = static_cast<T>(value_at(k + from));
                         });
    return values;
}

template <class T>
struct sampled_problem {
    const context& cpu;
    const structure& s;
    index_t inner;
    std::vector<T> x, y;

    sampled_problem(const context& cpu, const structure& s, index_t inner)
        : cpu(cpu),
          s(s),
          inner(inner),
          x(lines<T>(cpu, s.a.rows(), inner, 0)),
          y(lines<T>(cpu, s.a.columns(), inner, 7)) {}

    dense_view<const T> left(const T* at) const {
        return {static_cast<index_t>(s.a.rows()), inner, {at, x.size()}};
    }
    dense_view<const T> right(const T* at) const {
        return {inner, static_cast<index_t>(s.a.columns()), {at, y.size()}, dense_order::column_major};
    }
    void check(std::span<const T> found, const std::string& who) const {
        if (found.size() != s.indices.size())
            throw error(
                fmt::format("{} by {}: {} places, not {}", s.name, who, found.size(), s.indices.size()));
        const auto n = static_cast<std::size_t>(inner);
        parallel::for_pieces(cpu.threads(), s.a.rows(), [&](offset_t begin, offset_t end) {
            for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
                for (auto p = static_cast<std::size_t>(s.offsets[i]);
                     p < static_cast<std::size_t>(s.offsets[i + 1]); ++p) {
                    double sum = 0;
                    for (std::size_t k = 0; k < n; ++k)
                        sum += static_cast<double>(x[i * n + k]) *
                               static_cast<double>(y[static_cast<std::size_t>(s.indices[p]) * n + k]);
                    const double bound = std::numeric_limits<T>::epsilon() * (inner + 2) * sum;
                    if (!(std::abs(static_cast<double>(found[p]) - sum) <= bound))
                        throw error(
                            fmt::format("{} by {}: place {} is {}, not {}", s.name, who, p, found[p], sum));
                }
        });
    }
    measurement rated(double ms, double copy_rate) const {
        const auto nnz = static_cast<double>(s.indices.size());
        const double bytes = nnz * (4 + sizeof(T)) + static_cast<double>(s.a.rows()) * 4 +
                             static_cast<double>(x.size() + y.size()) * sizeof(T);
        return {ms,
                {{"gflops", 2e-6 * nnz * inner / ms},
                 {"share_of_floor", bytes / ms * 1e3 / copy_rate},
                 {"gathered", (nnz * inner * sizeof(T) + bytes) / bytes}}};
    }
};

template <class T>
measurement on_cpu(const sampled_problem<T>& p) {
    matrix c(p.cpu, dtype_of<T>, p.s.a.rows(), p.s.a.columns());
    const timing t = time_ms(sddmm_repeats, [&] {
        c = matrix(p.cpu, dtype_of<T>, p.s.a.rows(), p.s.a.columns());
        sddmm(p.cpu, c, semiring("plus_times"), p.left(p.x.data()), p.right(p.y.data()), p.s.a,
              {.mask_structure = true, .kernel = "row_dot"});
    });
    p.check(c.template csr<T>().values, "row_dot");
    return p.rated(t.median, copy_bandwidth(p.cpu.threads()));
}

/// What lies in a GPU's memory.
template <class T>
struct device_problem {
    sampled_problem<T> p;
    operands o;
    buffer x, y;

    device_problem(const context& gpu, const context& cpu, const structure& s, index_t inner)
        : p(cpu, s, inner),
          o(make_operands(gpu, s, dtype_of<T>)),
          x(gpu.device_memory(), p.x.size() * sizeof(T)),
          y(gpu.device_memory(), p.y.size() * sizeof(T)) {
        gpu.gpu()->upload(x.data(), p.x.data(), x.bytes());
        gpu.gpu()->upload(y.data(), p.y.data(), y.bytes());
        gpu.gpu()->wait();
    }
};

template <class T>
measurement on_gpu(const context& gpu, const device_problem<T>& d) {
    const auto& p = d.p;
    const semiring ring("plus_times");
    const auto left = p.left(d.x.template as<T>());
    const auto right = p.right(d.y.template as<T>());
    matrix c(gpu, dtype_of<T>, p.s.a.rows(), p.s.a.columns());
    const dense_plan plan = sddmm(gpu, c, ring, left, right, d.o.a, {.mask_structure = true});
    fmt::print("{}, {} products: {}\n", p.s.name, p.inner, to_string(plan));
    p.check(c.template csr<T>().values, "row_dot");
    const ops::device_sample sample{ring,
                                    ops::checked("sddmm", "X", left, false),
                                    ops::checked("sddmm", "Y", right, false),
                                    dtype_of<T>,
                                    dtype_of<T>,
                                    d.o.a,
                                    true};
    return p.rated(median(ops::sddmm_kernel_ms(gpu, sample, plan, sddmm_repeats)),
                   measured_gpu_limits().copy.per_second);
}

template <class T>
measurement by_cusparse(const context& gpu, const device_problem<T>& d) {
    const auto& p = d.p;
    const buffer found(gpu.device_memory(), p.s.indices.size() * sizeof(T));
    gpu.gpu()->fill(found.data(), 0xff, found.bytes());
    device_sddmm what{d.o.on_device, p.inner, d.x.data(), d.y.data()};
    what.places.values = found.data();
    const double ms = cusparse_sddmm_ms(gpu, what, sddmm_repeats);
    std::vector<T> values(p.s.indices.size());
    gpu.gpu()->download(values.data(), found.data(), found.bytes());
    p.check(values, "cuSPARSE");
    return p.rated(ms, measured_gpu_limits().copy.per_second);
}

void report(const std::vector<std::string>& sources, const std::map<std::string, measurement>& results) {
    fmt::print("\n{:26} {:>8} {:>6} {:>9} {:>7} {:>9} {:>9} {:>9} {:>6}\n", "sddmm, ms", "products", "type",
               "row_dot", "floor", "gathered", "GFLOP/s", "cuSPARSE", "ratio");
    std::vector<double> ratios;
    for (const auto& source : sources)
        for (const index_t inner : inners)
            for (const char* type : {"double", "float"}) {
                const std::string head = fmt::format("sddmm/{}/{}/{}/", source, inner, type);
                const auto mine = results.find(head + "row_dot"), peer = results.find(head + "cusparse");
                if (mine == results.end()) continue;
                const measurement& m = mine->second;
                const bool compared = peer != results.end();
                if (compared) ratios.push_back(peer->second.ms / m.ms);
                fmt::print("{:26} {:>8} {:>6} {:>9.3f} {:>6.0f}% {:>9.1f} {:>9.1f} {:>9} {:>6}\n", source,
                           inner, type, m.ms, 100 * m.counters.at("share_of_floor"),
                           m.counters.at("gathered"), m.counters.at("gflops"),
                           compared ? fmt::format("{:.3f}", peer->second.ms) : "-",
                           compared ? fmt::format("{:.2f}", ratios.back()) : "-");
            }
    if (!ratios.empty())
        fmt::print("geometric mean of the ratios {:.2f}, lowest {:.2f}\n", geometric_mean(ratios),
                   *std::ranges::min_element(ratios));
}

// The operands of one benchmark, gone before the next one's.
template <class Made>
class last_used {
public:
    template <class... Arguments>
    Made& take(const structure& s, index_t inner, const Arguments&... arguments) {
        if (!made_ || s_ != &s || inner_ != inner) {
            made_.reset();
            made_.emplace(arguments..., s, inner);
            s_ = &s;
            inner_ = inner;
        }
        return *made_;
    }
    void drop() { made_.reset(); }

private:
    std::optional<Made> made_;
    const structure* s_ = nullptr;
    index_t inner_ = 0;
};

template <class T>
void add_on_gpu(const context& gpu, const context& cpu, const std::shared_ptr<structure>& s, index_t inner,
                bool peers) {
    const auto held = std::make_shared<last_used<device_problem<T>>>();
    const std::string head =
        fmt::format("sddmm/{}/{}/{}/", s->name, inner, sizeof(T) == 8 ? "double" : "float");
    add(head + "row_dot", [=, &gpu, &cpu] {
        const measurement m = on_gpu<T>(gpu, held->take(*s, inner, gpu, cpu));
        if (!peers) held->drop();
        return m;
    });
    if (peers)
        add(head + "cusparse", [=, &gpu, &cpu] {
            const measurement m = by_cusparse<T>(gpu, held->take(*s, inner, gpu, cpu));
            held->drop();
            return m;
        });
}

}  // namespace

int sddmm_suite(const options& o) {
    const context ctx({.backend = wanted_backend(o), .threads = o.threads});
    const bool gpu = ctx.backend() == backend::cuda;
    const context cpu({.backend = backend::cpu, .threads = o.threads ? o.threads : omp_get_max_threads()});
    std::vector<std::string> sources = o.inputs;
    if (sources.empty())
        sources = gpu ? std::vector<std::string>{"laplace3d:160", "random:4000000,8", "rmat_directed:20,16"}
                      : std::vector<std::string>{"laplace3d:60", "random:200000,8", "rmat_directed:16,16"};
    if (o.quick) sources = {"laplace3d:20", "random:20000,8"};
    const std::string why = gpu ? why_no_cusparse() : std::string();
    if (!why.empty()) fmt::print("no cuSPARSE: {}\n", why);
    for (const auto& source : sources) {
        const auto s = std::make_shared<structure>(make_structure(cpu, source));
        for (const index_t inner : inners) {
            if (gpu) {
                add_on_gpu<double>(ctx, cpu, s, inner, why.empty());
                add_on_gpu<float>(ctx, cpu, s, inner, why.empty());
                continue;
            }
            const std::string head = fmt::format("sddmm/{}/{}/", source, inner);
            add(head + "double/row_dot",
                [=, &cpu] { return on_cpu(sampled_problem<double>(cpu, *s, inner)); });
            add(head + "float/row_dot", [=, &cpu] { return on_cpu(sampled_problem<float>(cpu, *s, inner)); });
        }
    }
    report(sources, run(o, "^sddmm/"));
    return 0;
}

}  // namespace nz::bench
