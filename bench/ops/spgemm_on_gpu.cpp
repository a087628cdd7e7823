// SpGEMM on a GPU: C = A * A in double as planned (hash, or dia_dia for bands), by two_level_sort and by cuSPARSE on the same arrays,
// and C<A> = A * A by masked_row, checked against the CPU first: ours bit for bit (two_level_sort, which adds rows of several tiles
// in parts, to 12 digits), cuSPARSE by its number of entries. All are timed over their steps, memory taken
// and sizes known; `call_ms` is the whole call of the library, which takes memory, and waits for sizes and result.
#include "core/device.hpp"
#include "core/parallel.hpp"
#include "limits/gpu.hpp"
#include "ops/gpu_operands.hpp"
#include "ops/mxm_device.hpp"
#include "ops/mxm_pattern_device.hpp"
#include "ops/stored_diagonals.hpp"
#include "peers/cusparse.hpp"
#include "storage/matrix_body.hpp"
#include "suites.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>

namespace nz::bench {
namespace {

constexpr int repeats = 7;
constexpr const char* matrices[] = {"laplace3d:100",    "laplace2d:2000",     "banded:1000000,21",
                                    "random:1000000,8", "rmat_directed:17,8", "powerlaw:1000000"};

struct square_problem {
    matrix pattern;
    std::vector<double> values;
    std::optional<matrix> a;
    offset_t entries = 0;
};

// The matrix at hand, gone before the next one.
class square_slot {
public:
    square_slot(const context& gpu, const context& cpu) : gpu_(gpu), cpu_(cpu) {}

    square_problem& take(const std::string& source) {
        if (source == source_) return *p_;
        p_.reset();
        p_.emplace(square_problem{load(cpu_, source).matrix, {}, {}});
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
        source_ = source;
        return *p_;
    }
    const context& gpu() const { return gpu_; }
    const context& cpu() const { return cpu_; }

private:
    const context &gpu_, &cpu_;
    std::string source_;
    std::optional<square_problem> p_;
};

// The entries of A alone, where masked.
matrix_options options_of(const square_problem& p, const std::string& kernel) {
    const bool masked = kernel == "masked_row";
    matrix_options o;
    if (kernel == "two_level_sort") o.kernel = "two_level_sort";
    if (masked)
        o.mask = &*p.a, o.kernel = "masked_row";  // masked_dot, which may be planned, adds in another order
    o.mask_structure = masked;
    return o;
}

void expect_equal(const square_slot& slot, const square_problem& p, const std::string& kernel,
                  const matrix& found, const std::string& name) {
    matrix expected(slot.cpu(), dtype::float64, p.a->rows(), p.a->columns());
    matrix_options options = options_of(p, kernel);
    options.kernel = {};
    mxm(slot.cpu(), expected, semiring("plus_times"), *p.a, *p.a, options);
    const double tolerance = kernel == "two_level_sort" ? 1e-12 : 0;
    const auto near = [=](double u, double v) { return std::abs(u - v) <= tolerance * std::abs(u); };
    const auto x = expected.csr<double>(), y = found.csr<double>();
    if (!std::ranges::equal(x.offsets, y.offsets) || !std::ranges::equal(x.columns, y.columns) ||
        !std::ranges::equal(x.values, y.values, near))
        throw error(name + ": other entries than the CPU's");
}

measurement ours(square_slot& slot, const std::string& source, const std::string& kernel) {
    square_problem& p = slot.take(source);
    const matrix_options options = options_of(p, kernel);
    const context& gpu = slot.gpu();
    const semiring ring("plus_times");
    mxm_plan plan;
    matrix c(gpu, dtype::float64, p.a->rows(), p.a->columns());
    const timing call = time_ms(repeats, [&] {
        c = matrix(gpu, dtype::float64, p.a->rows(), p.a->columns());
        plan = mxm(gpu, c, ring, *p.a, *p.a, options);
        gpu.gpu()->wait();
    });
    expect_equal(slot, p, kernel, c, source);
    const offset_t entries = c.nnz();
    if (kernel == "planned") p.entries = entries;
    c = matrix(gpu, dtype::float64, 1, 1);
    const ops::operand a{*p.a};
    const auto times =
        ops::mxm_kernel_ms(gpu, {ring, a, a, dtype::float64, dtype::float64, &options}, repeats);
    const double bytes = static_cast<double>(entries) * 12 + static_cast<double>(p.a->rows()) * 4;
    const double ms = median(times.all_ms);
    return {ms,
            {{"call_ms", call.median},
             {"fill_ms", median(times.fill_ms)},
             {"products", static_cast<double>(plan.products)},
             {"output_entries", static_cast<double>(entries)},
             {"memory_of_c", 1 + static_cast<double>(plan.workspace_bytes) / bytes},
             {"gflops", 2 * static_cast<double>(plan.products) / ms / 1e6}},
            kernel == "planned" ? std::string(plan.kernel) : std::string()};
}

// New values at known places: the kernel alone, the whole call, and what finding the places took.
measurement numeric(square_slot& slot, const std::string& source) {
    square_problem& p = slot.take(source);
    const context& gpu = slot.gpu();
    const semiring ring("plus_times");
    std::optional<mxm_pattern> pattern;
    const timing find = time_ms(1, [&] { pattern.emplace(find_pattern(gpu, ring, *p.a, *p.a)); });
    if (!pattern->plan().on_device) throw error(source + ": the lists of products do not fit");
    matrix c(gpu, dtype::float64, p.a->rows(), p.a->columns());
    const timing call = time_ms(repeats, [&] {
        c = matrix(gpu, dtype::float64, p.a->rows(), p.a->columns());
        mxm(gpu, c, ring, *p.a, *p.a, *pattern);
        gpu.gpu()->wait();
    });
    expect_equal(slot, p, "planned", c, source);
    const double entries = static_cast<double>(c.nnz()),
                 products = static_cast<double>(pattern->plan().products);
    c = matrix(gpu, dtype::float64, 1, 1);
    const double ms = median(ops::numeric_kernel_ms(gpu, ring, *p.a, *p.a, *pattern, {}, repeats));
    // The lists and A's values in, C's values out.
    const double bytes = 8 * products + 12 * entries + 16 * static_cast<double>(p.a->nnz());
    return {ms,
            {{"call_ms", call.median},
             {"find_ms", find.median},
             {"products", products},
             {"list_bytes", 8 * products + 4 * entries},
             {"share_of_floor", bytes / measured_gpu_limits().copy.per_second * 1e3 / ms}}};
}

// Row sums of C against those of A (A 1): C is too large to be computed a second way.
void expect_row_sums(const context& cpu, const storage::csr& a, std::span<const double> values,
                     const matrix& found, const std::string& name) {
    const storage::csr& c = found.body().rows();
    const auto rows_of = [&](auto&& f) {
        parallel::for_chunks(cpu.threads(), a.rows, 1024, [&](offset_t begin, offset_t end) {
            for (auto i = static_cast<index_t>(begin); i < end; ++i) f(i);
        });
    };
    std::vector<double> once(static_cast<std::size_t>(a.rows));
    rows_of([&](index_t i) {
        for (offset_t k = a.offset(i); k < a.offset(i + offset_t{1}); ++k)
            once[static_cast<std::size_t>(i)] += values[static_cast<std::size_t>(k)];
    });
    std::atomic<bool> wrong = false;
    rows_of([&](index_t i) {
        double want = 0, sum = 0;
        for (offset_t k = a.offset(i); k < a.offset(i + offset_t{1}); ++k)
            want += values[static_cast<std::size_t>(k)] * once[static_cast<std::size_t>(a.index_data()[k])];
        for (offset_t k = c.offset(i); k < c.offset(i + offset_t{1}); ++k) sum += c.values.as<double>()[k];
        if (!(std::abs(sum - want) <= 1e-12 * want)) wrong = true;
    });
    if (wrong) throw error(name + ": rows with other sums than A (A 1)");
}

// A result of over ten times the GPU's memory limit; and factors that do not fit it either.
constexpr struct limited_product {
    const char *name, *source;
    std::size_t limit;
} limited_products[] = {{"streamed", "random:1000000,48", std::size_t{2} << 30},
                        {"in_parts", "random:1000000,24", std::size_t{96} << 20},
                        {"by_met_rows", "laplace3d:160", std::size_t{256} << 20}};

// A call after one that pins the host's memory, and the result's bytes over the link's.
measurement limited(square_slot& slot, const limited_product& l) {
    square_problem& p = slot.take(l.source);
    const context gpu(
        {.backend = backend::cuda, .threads = slot.cpu().threads(), .device_memory_limit = l.limit});
    mxm_plan plan;
    matrix c(gpu, dtype::float64, p.a->rows(), p.a->columns());
    const timing call = time_ms(3, [&] {
        c = matrix(gpu, dtype::float64, p.a->rows(), p.a->columns());
        plan = mxm(gpu, c, semiring("plus_times"), *p.a, *p.a);
    });
    const storage::csr& rows = p.pattern.body().rows();
    expect_row_sums(slot.cpu(), rows, p.values, c, l.name);
    const double bytes = static_cast<double>(c.nnz()) * 12;
    fmt::print("{} within {} bytes: {}\n", l.source, l.limit, to_string(plan));
    return {call.median,
            {{"chunks", static_cast<double>(plan.chunks)},
             {"strips", static_cast<double>(plan.strips)},
             {"output_entries", static_cast<double>(c.nnz())},
             {"times_the_limit", bytes / static_cast<double>(l.limit)},
             {"gbytes_per_s", bytes / call.median / 1e6},
             {"share_of_link", bytes / call.median * 1e3 / measured_gpu_limits().to_host.per_second}}};
}

measurement cusparse(square_slot& slot, const std::string& source) {
    square_problem& p = slot.take(source);
    const context& gpu = slot.gpu();
    const storage::matrix_body& body = p.a->body();
    const auto rows = body.rows_on(gpu);
    const auto values = body.values_on(gpu, body.rows(), dtype::float64);
    const device_multiply multiply{p.a->rows(), p.a->nnz(), rows->offsets.data(), rows->indices.data(),
                                   values->values.data()};
    offset_t entries = 0;
    const double ms = cusparse_multiply_ms(gpu, multiply, 3, entries);
    if (p.entries && entries != p.entries)
        throw error(fmt::format("{}: cuSPARSE has {} entries, ours {}", source, entries, p.entries));
    return {ms, {}};
}

void print_results(const std::vector<std::string>& sources,
                   const std::map<std::string, measurement>& results) {
    fmt::print("\n{:22} {:>11} {:>11} {:>9} {:>9} {:>9} {:>8} {:>8} {:>10} {:>7}\n", "ms", "products",
               "entries", "ours", "fill", "call", "GFLOP/s", "memory", "cuSPARSE", "ratio");
    std::vector<double> times, work, ratios, sorted_times, sorted_work;
    for (const auto& source : sources) {
        const auto mine = results.find("spgemm/" + source + "/planned"),
                   peer = results.find("spgemm/" + source + "/cusparse"),
                   masked = results.find("spgemm/" + source + "/masked_row");
        if (mine == results.end()) continue;
        const auto& m = mine->second;
        times.push_back(m.ms);
        work.push_back(m.counters.at("products"));
        if (peer != results.end()) ratios.push_back(peer->second.ms / m.ms);
        fmt::print("{:22} {:>11.0f} {:>11.0f} {:>9.3f} {:>9.3f} {:>9.3f} {:>8.1f} {:>8.3f} {:>10} {:>7}\n",
                   source, m.counters.at("products"), m.counters.at("output_entries"), m.ms,
                   m.counters.at("fill_ms"), m.counters.at("call_ms"), m.counters.at("gflops"),
                   m.counters.at("memory_of_c"),
                   peer == results.end() ? "-" : fmt::format("{:.3f}", peer->second.ms),
                   peer == results.end() ? "-" : fmt::format("{:.2f}", ratios.back()));
        if (const auto known = results.find("spgemm/" + source + "/numeric"); known != results.end())
            fmt::print(
                "{:22} {:>33.3f} {:>19.3f} ms the call, {:.1f} ms to list {:.2f} GB, {:.0f}% of the floor\n",
                "  places known", known->second.ms, known->second.counters.at("call_ms"),
                known->second.counters.at("find_ms"), known->second.counters.at("list_bytes") / 1e9,
                100 * known->second.counters.at("share_of_floor"));
        if (const auto sorted = results.find("spgemm/" + source + "/two_level_sort");
            sorted != results.end()) {
            sorted_times.push_back(sorted->second.ms);
            sorted_work.push_back(sorted->second.counters.at("products"));
            fmt::print("{:22} {:>33.3f} {:>9.3f} {:>9.3f} {:>17.3f}\n", "  two_level_sort", sorted->second.ms,
                       sorted->second.counters.at("fill_ms"), sorted->second.counters.at("call_ms"),
                       sorted->second.counters.at("memory_of_c"));
        }
        if (const auto stored = results.find("spgemm/" + source + "/dia_dia/stored"); stored != results.end())
            print_stored(stored->second);
        if (masked != results.end())
            fmt::print("{:22} {:>11} {:>11.0f} {:>9.3f} {:>9.3f} {:>9.3f}\n", "  under A itself", "",
                       masked->second.counters.at("output_entries"), masked->second.ms,
                       masked->second.counters.at("fill_ms"), masked->second.counters.at("call_ms"));
    }
    for (const limited_product& l : limited_products)
        if (const auto it = results.find(std::string("spgemm/") + l.name); it != results.end())
            fmt::print(
                "{} within {} MiB: {:.0f} ms, {:.1f} times the limit in {:.0f} chunks of rows, "
                "{:.0f} strips of columns, {:.0f}% of the link\n",
                l.source, l.limit >> 20, it->second.ms, it->second.counters.at("times_the_limit"),
                it->second.counters.at("chunks"), it->second.counters.at("strips"),
                100 * it->second.counters.at("share_of_link"));
    if (!ratios.empty()) fmt::print("geometric mean of the ratios {:.2f}\n", geometric_mean(ratios));
    if (times.size() > 2) fmt::print("correlation of time with products {:.4f}\n", correlation(times, work));
    if (sorted_times.size() > 2)
        fmt::print("... of two_level_sort {:.4f}\n", correlation(sorted_times, sorted_work));
}

}  // namespace

int spgemm_suite_on_gpu(const options& o, const context& gpu) {
    const context cpu({.backend = backend::cpu, .threads = o.threads});
    std::vector<std::string> sources = o.inputs;
    if (sources.empty()) sources.assign(std::begin(matrices), std::end(matrices));
    if (o.quick) sources = {"laplace3d:20", "random:20000,8"};
    const auto slot = std::make_shared<square_slot>(gpu, cpu);
    const std::string why = why_no_cusparse();
    if (!why.empty()) fmt::print("no cuSPARSE: {}\n", why);
    for (const auto& source : sources) {
        for (const char* kernel : {"planned", "two_level_sort", "masked_row"})
            add("spgemm/" + source + "/" + kernel, [=] { return ours(*slot, source, kernel); });
        add("spgemm/" + source + "/numeric", [=] { return numeric(*slot, source); });
        if (is_band(source))
            add("spgemm/" + source + "/dia_dia/stored", [=] {
                return stored_product(slot->gpu(), *slot->take(source).a,
                                      measured_gpu_limits().copy.per_second, repeats);
            });
        if (why.empty()) add("spgemm/" + source + "/cusparse", [=] { return cusparse(*slot, source); });
    }
    if (o.inputs.empty() && !o.quick)
        for (const limited_product& l : limited_products)
            add(std::string("spgemm/") + l.name, [=] { return limited(*slot, l); });
    print_results(sources, run(o, "^spgemm/"));
    return 0;
}

}  // namespace nz::bench
