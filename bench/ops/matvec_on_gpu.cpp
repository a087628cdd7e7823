// SpMV on a GPU, plus_times in double and float: our kernels and cuSPARSE's algorithms on the same arrays, each checked
// against a plain loop on the host first, then timed between events. The floor is gpu_spmv_floor_ms with the rates that
// this run measures, of what the kernel reads: the CSR, slices, bins or ranks. What our library does not serve on the GPU is
// left out, and said once. Each matrix is generated once for both types, and is gone before the next one.
#include "ops/matvec_on_gpu.hpp"

#include "limits/gpu.hpp"
#include "ops/gpu_operands.hpp"
#include "ops/spmspv_on_gpu.hpp"
#include "storage/matrix_body.hpp"
#include "suites.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace nz::bench {
namespace {

constexpr int repeats = 21;
constexpr const char* matrices[] = {"laplace3d:160",    "laplace2d:4000",      "banded:4000000,21",
                                    "random:8000000,8", "rmat_directed:22,16", "lp:4284,1092610,11300000",
                                    "dense:6000,6000",  "grid2d:4900",         "powerlaw:4000000"};
constexpr const char* kernels[] = {"csr_row", "csr_merge", "planned"};
constexpr dtype types[] = {dtype::float64, dtype::float32};

std::string_view pin(std::string_view kernel) { return kernel == "planned" ? std::string_view() : kernel; }

// The matrix at hand: the benchmarks come one matrix after another, and one type after another.
class bench_slot {
public:
    bench_slot(const context& gpu, const context& cpu) : gpu_(gpu), cpu_(cpu) {}

    const structure& matrix_of(const std::string& source) {
        if (source != source_) {
            operands_.reset();
            structure_.reset();
            structure_ = make_structure(cpu_, source);
            source_ = source;
        }
        return *structure_;
    }
    const operands& operands_of(const std::string& source, dtype type) {
        const structure& s = matrix_of(source);
        if (!operands_ || operands_->type != type) {
            operands_.reset();
            operands_ = make_operands(gpu_, s, type);
            shape_ = shape_of(s.a, static_cast<int>(size_of(type)), cpu_.threads());
        }
        return *operands_;
    }
    /// Of the operands that were asked for last.
    const spmv_shape& shape() const { return shape_; }
    spmv_shape ranked_shape() const {
        return ranked_shape_of(structure_->a, shape_.value_bytes, cpu_.threads());
    }

private:
    const context &gpu_, &cpu_;
    std::string source_;
    std::optional<structure> structure_;
    std::optional<operands> operands_;
    spmv_shape shape_;
};

// Of a product that reads a form of its own and gathers nothing from memory: so many bytes over the copy rate.
measurement rated_form(double ms, double bytes, const spmv_shape& shape) {
    const double floor = 1e3 * bytes / measured_gpu_limits().copy.per_second;
    return {ms,
            {{"gflops", 2 * shape.entries / ms / 1e6},
             {"gbytes_per_s", bytes / ms / 1e6},
             {"floor_ms", floor},
             {"share_of_floor", floor / ms},
             {"entries", shape.entries}}};
}
// Slices, x and y once.
measurement rated_slices(double ms, const storage::dia_slices& slices, const spmv_shape& shape) {
    const auto held = static_cast<double>(slices.bytes());
    measurement m = rated_form(ms, held + shape.value_bytes * (shape.rows + shape.columns), shape);
    m.counters["slices_ms"] = slices.kernel_ms;
    m.counters["slices_bytes"] = held;
    return m;
}
// Bins of columns, but for what is said of runs, x, y and offsets once, and a product an entry written and read.
measurement rated_bins(double ms, const storage::column_bins& bins, const spmv_shape& shape) {
    const auto read = static_cast<double>(bins.bytes() - bins.deltas.bytes());
    measurement m = rated_form(ms,
                               read + 2.0 * shape.value_bytes * shape.entries +
                                   shape.value_bytes * (shape.rows + shape.columns) + 4.0 * (shape.rows + 1),
                               shape);
    m.counters["bins_ms"] = bins.kernel_ms;
    m.counters["bins_bytes"] = static_cast<double>(bins.bytes());
    return m;
}

measurement rated(double ms, const spmv_shape& shape) {
    const double floor = gpu_spmv_floor_ms(measured_gpu_limits(), shape);
    return {ms,
            {{"gflops", 2 * shape.entries / ms / 1e6},
             {"gbytes_per_s", shape.bytes() / ms / 1e6},
             {"floor_ms", floor},
             {"share_of_floor", floor / ms},
             {"sectors", shape.sectors},
             {"entries", shape.entries}}};
}

// Beside a form's own floor that of the CSR, which the operation has whatever reads it.
measurement with_csr_floor(measurement m, const spmv_shape& shape) {
    m.counters["csr_floor_ms"] = gpu_spmv_floor_ms(measured_gpu_limits(), shape);
    return m;
}

// The kernels that run here for this type, by a product of a tiny matrix; says why others do not.
std::vector<std::string> kernels_here(const context& gpu, dtype type) {
    const structure tiny = make_structure(gpu, "random:64,4");
    const operands o = make_operands(gpu, tiny, type);
    // What plans take of repeated products: what makes these forms is loaded before it is timed.
    for (const char* kernel : {"dia_slice", "csr_ranked", "csr_binned"}) try {
            vector y(gpu, type, tiny.a.rows());
            mxv_on_gpu_ms(gpu, o.a, o.x, y, kernel, type, 1);
        } catch (const not_supported& why) {
            fmt::print("mxv {} {}: not loaded: {}\n", kernel, name_of(type), why.what());
        }
    std::vector<std::string> here;
    for (const std::string kernel : kernels) try {
            vector y(gpu, type, tiny.a.rows());
            mxv_on_gpu_ms(gpu, o.a, o.x, y, pin(kernel), type, 1);
            expect_product(tiny, type, y, kernel);
            here.push_back(kernel);
        } catch (const not_supported& why) {
            fmt::print("mxv {} {}: left out: {}\n", kernel, name_of(type), why.what());
        }
    return here;
}

// By the floor of the form that the plan took, and that of the CSR beside it.
measurement rated_plan(const context& gpu, bench_slot& slot, const storage::matrix_body& body, dtype type,
                       double ms) {
    const auto& memory = gpu.device_memory();
    const storage::csr& rows = body.rows_anywhere();
    if (body.has_slices(memory, rows, type))
        return with_csr_floor(rated_slices(ms, *body.slices_in(memory, rows, type, {}), slot.shape()),
                              slot.shape());
    if (body.has_bins(memory, rows, type, size_of(type)))
        return with_csr_floor(
            rated_bins(ms, *body.bins_in(memory, rows, type, size_of(type), {}), slot.shape()), slot.shape());
    if (!body.has_ranks(memory, rows)) return rated(ms, slot.shape());
    measurement m = rated(ms, slot.ranked_shape());
    m.counters["ranks_ms"] = body.ranks_in(memory, rows, {})->kernel_ms;
    return with_csr_floor(std::move(m), slot.shape());
}

void add_spmv(const context& gpu, const std::shared_ptr<bench_slot>& slot, const std::string& source,
              dtype type, const std::vector<std::string>& own) {
    const std::string prefix = fmt::format("spmv/{}/{}/", source, name_of(type));
    for (const std::string& kernel : own)
        add(prefix + kernel, [=, &gpu] {
            const operands& o = slot->operands_of(source, type);
            vector y(gpu, type, o.on_device.rows);
            o.a.expect_products(products_expected);
            std::string planned;
            const double ms =
                mxv_on_gpu_ms(gpu, o.a, o.x, y, pin(kernel), type, repeats, determinism::strict, &planned);
            expect_product(slot->matrix_of(source), type, y, kernel);
            measurement m =
                pin(kernel).empty() ? rated_plan(gpu, *slot, o.a.body(), type, ms) : rated(ms, slot->shape());
            m.planned = planned;
            return m;
        });
    for (const cusparse_variant& v : cusparse_variants())
        add(prefix + "cusparse_" + v.name, [=, &gpu] {
            const operands& o = slot->operands_of(source, type);
            const structure& s = slot->matrix_of(source);
            cusparse_spmv(gpu, o.on_device, v, 1);
            expect_device_product(gpu, s, o, v.name);
            const cusparse_time t = cusparse_spmv(gpu, o.on_device, v, repeats);
            expect_device_product(gpu, s, o, v.name);
            measurement m = rated(t.ms, slot->shape());
            m.counters["analysis_ms"] = t.analysis_ms;
            return m;
        });
}

// What one line of the table is made of.
struct row {
    std::string source;
    dtype type;
    const measurement* own[std::size(kernels)] = {};
    const measurement* peer = nullptr;  // the best of cuSPARSE
    std::string peer_name;

    const measurement* planned() const { return own[std::size(kernels) - 1]; }
    const measurement* shown() const { return planned() ? planned() : peer; }
};

row make_row(const std::string& source, dtype type, const std::map<std::string, measurement>& results) {
    row r{source, type, {}, nullptr, {}};
    const std::string prefix = fmt::format("spmv/{}/{}/", source, name_of(type));
    for (std::size_t k = 0; k < std::size(kernels); ++k)
        if (const auto it = results.find(prefix + kernels[k]); it != results.end()) r.own[k] = &it->second;
    for (const cusparse_variant& v : cusparse_variants())
        if (const auto it = results.find(prefix + "cusparse_" + v.name); it != results.end())
            if (!r.peer || it->second.ms < r.peer->ms) {
                r.peer = &it->second;
                r.peer_name = v.name;
            }
    return r;
}

void print_row(const row& r) {
    const auto ms = [](const measurement* m) { return m ? fmt::format("{:.4f}", m->ms) : std::string("-"); };
    const auto counter = [](const measurement* m, const char* key, double unit, const char* sign) {
        return m ? fmt::format("{:.0f}{}", m->counters.at(key) * unit, sign) : std::string("-");
    };
    const auto made = [&] {  // what the planned product's form took to make
        for (const char* form : {"slices_ms", "ranks_ms", "bins_ms"})
            if (r.planned() && r.planned()->counters.count(form))
                return fmt::format("{:.3f}", r.planned()->counters.at(form));
        return std::string("-");
    };
    fmt::print("{:25} {:8} {:>8.4f} {:>8} {:>9} {:>8} {:>6} {:>6} {:>9} {:>9} {:>6} {:18} {:>6}\n", r.source,
               name_of(r.type), r.shown()->counters.at("floor_ms"), ms(r.own[0]), ms(r.own[1]), ms(r.own[2]),
               counter(r.planned(), "gbytes_per_s", 1, ""), counter(r.planned(), "share_of_floor", 100, "%"),
               made(), ms(r.peer), counter(r.peer, "share_of_floor", 100, "%"), r.peer_name,
               r.planned() && r.peer ? fmt::format("{:.2f}", r.peer->ms / r.planned()->ms) : "-");
}

void print_correlations(const char* who, const std::vector<const measurement*>& of) {
    std::vector<double> times, floors, entries;
    for (const measurement* m : of) {
        times.push_back(m->ms);
        floors.push_back(m->counters.at("floor_ms"));
        entries.push_back(m->counters.at("entries"));
    }
    if (of.size() > 2)
        fmt::print("{}: correlation of time with the floor {:.4f}, with the entries (dalton2015) {:.4f}\n",
                   who, correlation(times, floors), correlation(times, entries));
}

void print_summary(const std::vector<row>& rows) {
    std::vector<double> ratios;
    for (const row& r : rows)
        if (r.planned() && r.peer) ratios.push_back(r.peer->ms / r.planned()->ms);
    if (!ratios.empty())
        fmt::print("best of cuSPARSE / planned, geometric mean of {}: {:.3f}\n", ratios.size(),
                   geometric_mean(ratios));
    for (const dtype type : types) {
        std::vector<const measurement*> own, peer;
        for (const row& r : rows)
            if (r.type == type) {
                if (r.planned()) own.push_back(r.planned());
                if (r.peer) peer.push_back(r.peer);
            }
        print_correlations(fmt::format("planned, {}", name_of(type)).c_str(), own);
        print_correlations(fmt::format("cuSPARSE, {}", name_of(type)).c_str(), peer);
    }
}

void print_spmv(const std::string& device, const std::vector<std::string>& sources,
                const std::map<std::string, measurement>& results) {
    std::vector<row> rows;
    for (const auto& source : sources)
        for (const dtype type : types)
            if (row r = make_row(source, type, results); r.shown()) rows.push_back(std::move(r));
    const gpu_limits& l = measured_gpu_limits();
    fmt::print("\n{}; copy {:.0f} GB/s, gathers of 8 bytes from 32 MiB {:.0f} G/s; {}; medians of {}\n",
               device, l.copy.per_second / 1e9, l.gather_rate(32 << 20, 8) / 1e9,
               cusparse_version().empty() ? "no cuSPARSE" : "cuSPARSE " + cusparse_version(), repeats);
    fmt::print("{:25} {:8} {:>8} {:>8} {:>9} {:>8} {:>6} {:>6} {:>9} {:>9} {:>6} {:18} {:>6}\n", "ms", "",
               "floor", "csr_row", "csr_merge", "planned", "GB/s", "share", "form in", "cuSPARSE", "share",
               "its best", "ratio");
    for (const row& r : rows) print_row(r);
    print_summary(rows);
}

}  // namespace

int matvec_suite_on_gpu(const options& o, const context& gpu) {
    const context cpu({.backend = backend::cpu, .threads = o.threads});
    std::vector<std::string> sources = o.inputs;
    if (sources.empty()) sources.assign(std::begin(matrices), std::end(matrices));
    if (o.quick) sources = {"laplace3d:40", "random:200000,8", "rmat_directed:16,16"};
    if (!why_no_cusparse().empty()) fmt::print("cuSPARSE: left out: {}\n", why_no_cusparse());
    std::map<dtype, std::vector<std::string>> own;
    for (const dtype type : types) own[type] = kernels_here(gpu, type);
    const auto slot = std::make_shared<bench_slot>(gpu, cpu);
    for (const auto& source : sources)
        for (const dtype type : types) add_spmv(gpu, slot, source, type, own[type]);
    const auto sparse = sparse_sources(sources);
    add_spmspv_on_gpu(gpu, cpu, sparse);
    const auto results = run(o, "^sp(mv|mspv)/");
    print_spmv(gpu.device(), sources, results);
    print_spmspv_on_gpu(sparse, results);
    return 0;
}

}  // namespace nz::bench
