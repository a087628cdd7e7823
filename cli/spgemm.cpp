// nz spgemm: C = A B over a semiring, under a mask or not, timed, checked against the reference and reported.
#include "common.hpp"
#include "core/device.hpp"
#include "kernels/kernel_ids.hpp"
#include "nonzero/errors.hpp"
#include "nonzero/operations.hpp"
#include "transform.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace nz::cli {
namespace {

struct spgemm_settings : settings {
    std::string second;  // empty: A, or A^T where A is not square
    std::string mask;    // a file or a generator; empty: none
    bool transpose_b = false, complement = false, mask_structure = false, estimate = false;
    bool hybrid = false;
    double cpu_share = -1;  // below 0: as it goes
    std::string semiring = "plus_times";
    std::string type;  // empty: double
};

/// The operands, and what became of them.
struct spgemm {
    nz::semiring ring;
    loaded in;
    matrix a, b;
    std::optional<matrix> mask;
    bool transposed;
    matrix c;
    mxm_plan plan;
    double ms = 0;
    std::size_t peak_bytes = 0;  // beyond the inputs
    std::optional<mxm_estimate> estimate{};
    std::optional<hybrid_report> divided{};
};

matrix load_other(const context& ctx, const settings& s, const std::string& source) {
    settings other = s;
    other.input = source;
    other.symmetrize = other.drop_loops = other.largest_component = false;
    other.weights.clear();
    return load_input(ctx, other).matrix();
}

// Patterns are multiplied in double, and counted in int64, unless the type is given.
semiring ring_of(const spgemm_settings& s) {
    const semiring ring = named_semiring(s.semiring, s.type);
    if (ring.pinned_type() || ring.multiply().positional()) return ring;
    if (ring.ignores_a() && ring.ignores_b())
        return ring.add().id() == binary_id::plus ? semiring(ring.add(), ring.multiply(), dtype::int64)
                                                  : ring;
    const bool logical = ring.operand_type(dtype::float64, dtype::float64) != dtype::float64;
    return logical ? ring : semiring(ring.add(), ring.multiply(), dtype::float64);
}

spgemm make_operands(const context& ctx, const spgemm_settings& s) {
    semiring ring = ring_of(s);
    loaded in = load_input(ctx, s);
    const auto in_type = [&](const matrix& given, bool ignored) {
        return ignored ? given : with_type(ctx, given, ring.operand_type(given.type(), given.type()));
    };
    const matrix a = in_type(in.matrix(), ring.ignores_a());
    const bool square = a.rows() == a.columns();
    const matrix b = in_type(s.second.empty() ? in.matrix() : load_other(ctx, s, s.second), ring.ignores_b());
    const bool transposed = s.second.empty() ? !square || s.transpose_b : s.transpose_b;
    std::optional<matrix> mask;
    if (!s.mask.empty()) mask = load_other(ctx, s, s.mask);
    matrix c(ctx, ring.value_type(a.type(), b.type()), a.rows(), transposed ? b.rows() : b.columns());
    return {std::move(ring), std::move(in), a, b, std::move(mask), transposed, std::move(c), {}};
}

matrix_options options_of(const spgemm_settings& s, const spgemm& m, std::string_view kernel) {
    matrix_options o;
    o.kernel = kernel;
    o.transpose_b = m.transposed;
    o.determinism = s.requested();
    if (m.mask) {
        o.mask = &*m.mask;
        o.mask_structure = s.mask_structure;
        o.mask_complement = s.complement;
    }
    return o;
}

mxm_plan multiply(const context& ctx, const spgemm_settings& s, const spgemm& m, matrix& c,
                  std::string_view kernel) {
    c.clear();
    return mxm(ctx, c, m.ring, m.a, m.b, options_of(s, m, kernel));
}

void multiply(const context& ctx, const spgemm_settings& s, spgemm& m) {
    if (!s.hybrid) {
        m.plan = multiply(ctx, s, m, m.c, s.kernel);
        return;
    }
    m.c.clear();
    m.divided = mxm_hybrid(ctx, m.c, m.ring, m.a, m.b, {s.cpu_share}, options_of(s, m, s.kernel));
    m.plan = m.divided->on_gpu;
}

void compute(const context& ctx, const spgemm_settings& s, spgemm& m) {
    if (s.estimate) m.estimate = estimate_mxm(ctx, m.ring, m.a, m.b, {.transpose_b = m.transposed});
    if (s.repeat > 1) multiply(ctx, s, m);
    std::vector<double> times;
    for (int k = 0; k < s.repeat; ++k) {
        m.c.clear();
        context counted = ctx;
        counted.reset_peak();
        const std::size_t before = ctx.bytes_in_use();
        const stopwatch watch;
        multiply(ctx, s, m);
        if (m.plan.on_device) ctx.gpu()->wait();
        times.push_back(watch.ms());
        m.peak_bytes = ctx.peak_bytes() - before;
    }
    m.ms = median(std::move(times));
}

matrix magnitudes(const context& ctx, const matrix& a) {
    matrix out(ctx, a.type(), a.rows(), a.columns());
    apply(ctx, out, unary_id::abs, a);
    return out;
}

// Sums of the products' magnitudes, or more: what the rounding of sums in any order is measured by.
matrix bounds_of(const context& ctx, const spgemm_settings& s, const spgemm& m) {
    using enum binary_id;
    const binary_id by = m.ring.multiply().id();
    const bool of_magnitudes = by == times || by == div || by == rdiv || by == first || by == second ||
                               by == pair;  // then the product's magnitude is theirs
    matrix out(ctx, m.c.type(), m.c.rows(), m.c.columns());
    mxm(ctx, out, semiring(monoid(plus), of_magnitudes ? by : plus, m.ring.pinned_type()),
        magnitudes(ctx, m.a), magnitudes(ctx, m.b), options_of(s, m, "reference"));
    return out;
}

template <class T>
struct entries_of {
    std::vector<index_t> rows, columns;
    std::vector<T> values;

    explicit entries_of(const matrix& a) { a.extract_tuples(rows, columns, values); }
};

// Floating sums and products may have been formed in another order than the reference's.
bool is_valid(const context& ctx, const spgemm_settings& s, const spgemm& m) {
    matrix expected(ctx, m.c.type(), m.c.rows(), m.c.columns());
    multiply(ctx, s, m, expected, "reference");
    const monoid& add = m.ring.add();
    if (add.exact(m.c.type())) return same_entries(expected, m.c);
    const matrix bounds = add.id() == binary_id::plus ? bounds_of(ctx, s, m) : magnitudes(ctx, expected);
    return dispatch(m.c.type(), [&]<class T>(std::type_identity<T>) {
        if constexpr (std::is_floating_point_v<T>) {
            const structure a(m.a);
            const entries_of<T> want(expected), got(m.c), most(bounds);
            if (want.rows != got.rows || want.columns != got.columns) return false;
            for (std::size_t k = 0; k < want.values.size(); ++k) {
                const T u = want.values[k], v = got.values[k];
                if (u == v || (u != u && v != v)) continue;
                const double strays = std::abs(static_cast<double>(u) - static_cast<double>(v)),
                             terms = static_cast<double>(a.length(want.rows[k]));
                if (!(strays <= std::numeric_limits<T>::epsilon() * terms * most.values[k])) return false;
            }
        }
        return true;
    });
}

double gflops(const spgemm& m) {
    return m.ms > 0 ? 2 * static_cast<double>(m.plan.products) / (m.ms * 1e6) : 0;
}

std::string second_text(const spgemm_settings& s, const spgemm& m) {
    const std::string name = s.second.empty() ? "itself" : s.second;
    return m.transposed ? name + " transposed" : name;
}

std::string chunks_text(const mxm_plan& plan) {
    if (plan.on_device && plan.strips > 1)
        return fmt::format(" The factors do not fit the GPU: {} of A by {} strips of B's columns.",
                           count_text(plan.chunks, "chunk of rows", "chunks of rows"), plan.strips);
    if (plan.on_device && plan.chunks > 1)
        return fmt::format(
            " The product does not fit the GPU: {} chunks of rows, each on its way to the host while the next is computed.",
            plan.chunks);
    if (!plan.fewest_threads) return {};
    return fmt::format(
        " The workspace of all rows at once does not fit the memory limit: {}, the widest rows by {}.",
        count_text(plan.chunks, "chunk of rows", "chunks of rows"),
        count_text(plan.fewest_threads, "thread", "threads"));
}

std::string estimate_text(const spgemm& m) {
    const mxm_estimate& e = *m.estimate;
    return fmt::format("estimate: {} products, at most {}, {:.0f} expected from {} ({:+.1f}%), {} of result",
                       e.products, count_text(e.most_entries, "entry", "entries"), e.expected_entries,
                       count_text(e.sampled_rows, "row", "rows"), 100 * e.error(m.c.nnz()),
                       bytes_text(e.expected_bytes));
}

std::string explanation(const spgemm& m) {
    return fmt::format(
               "Kernel {}: {}. {} products make {} entries, {:.2f} each; {} of workspace, {} in all.",
               m.plan.kernel, m.plan.reason, m.plan.products, m.c.nnz(),
               m.c.nnz() ? static_cast<double>(m.plan.products) / static_cast<double>(m.c.nnz()) : 0.0,
               bytes_text(static_cast<double>(m.plan.workspace_bytes)),
               bytes_text(static_cast<double>(m.peak_bytes))) +
           chunks_text(m.plan);
}

void report_spgemm(const spgemm_settings& s, const context& ctx, const spgemm& m, bool valid) {
    if (s.json) {
        json r = report("spgemm", s, ctx, m.in, m.plan.kernel, m.ms);
        r["second"] = second_text(s, m);
        r["semiring"] = m.ring.name();
        r["type"] = name_of(m.c.type());
        if (m.mask) r["mask_nonzeros"] = m.mask->nnz();
        r["products"] = m.plan.products;
        r["output_nonzeros"] = m.c.nnz();
        r["gflops"] = gflops(m);
        r["peak_bytes"] = m.peak_bytes;
        r["workspace_bytes"] = m.plan.workspace_bytes;
        r["chunks"] = m.plan.chunks;
        r["strips"] = m.plan.strips;
        if (m.divided)
            r["hybrid"] = {{"cpu_share", m.divided->cpu_share},
                           {"cpu_ms", m.divided->cpu_ms},
                           {"gpu_ms", m.divided->gpu_ms},
                           {"cpu_kernel", m.divided->on_cpu.kernel}};
        if (m.estimate)
            r["estimate"] = {{"products", m.estimate->products},
                             {"most_nonzeros", m.estimate->most_entries},
                             {"expected_nonzeros", m.estimate->expected_entries},
                             {"sampled_rows", m.estimate->sampled_rows},
                             {"expected_bytes", m.estimate->expected_bytes},
                             {"error", m.estimate->error(m.c.nnz())}};
        r["plan"] = to_string(m.plan);
        if (s.validate) r["valid"] = valid;
        if (s.explain) r["explanation"] = explanation(m);
        print(r);
        return;
    }
    fmt::print("{}\n", input_text(s, m.in));
    fmt::print("plan: {}\n", to_string(m.plan));
    if (m.estimate) fmt::print("{}\n", estimate_text(m));
    if (m.divided && m.divided->on_cpu.kernel.empty())
        fmt::print("divided: the factors went in parts, and the GPU took all rows: {}\n",
                   time_text(m.divided->gpu_ms));
    else if (m.divided)
        fmt::print(
            "divided: the CPU added {:.1f}% of the products by {}, {} after both began to fill; the GPU took {}\n",
            100 * m.divided->cpu_share, m.divided->on_cpu.kernel, time_text(m.divided->cpu_ms),
            time_text(m.divided->gpu_ms));
    if (s.explain) fmt::print("{}\n", explanation(m));
    fmt::print("times {}: {} products, {}, {}{}, {:.3f} GFLOP/s, {} at most\n", second_text(s, m),
               m.plan.products, count_text(m.c.nnz(), "entry", "entries"), time_text(m.ms),
               s.repeat > 1 ? fmt::format(" (median of {})", s.repeat) : "", gflops(m),
               bytes_text(static_cast<double>(m.peak_bytes)));
    if (s.validate && valid) fmt::print("valid: agrees with a plain loop over the rows\n");
}

int run_spgemm(const spgemm_settings& s) {
    if (!s.output.empty()) check_output(s.output);
    const context ctx = make_context(s);
    ring_of(s);  // wrong words are told before a long load
    spgemm m = make_operands(ctx, s);
    compute(ctx, s, m);
    const bool valid = !s.validate || is_valid(ctx, s, m);
    if (!s.output.empty()) save(ctx, m.c, s.output);
    report_spgemm(s, ctx, m, valid);
    if (valid) return 0;
    tell(fmt::format("nz: the result is not valid: it differs from the reference\n"));
    return 1;
}

}  // namespace

void add_spgemm(CLI::App& app, runner& run) {
    auto* verb = app.add_subcommand("spgemm", "Product of two sparse matrices over a semiring");
    const auto s = std::make_shared<spgemm_settings>();
    s->repeat = 5;
    add_input(*verb, *s);
    verb->add_option("SECOND", s->second,
                     "B: a file or a generator (default: A, or A^T where A is not square)")
        ->option_text(" ");
    verb->add_flag("--transpose-b", s->transpose_b, "Multiply by the transpose of B");
    auto* mask = verb->add_option("--mask", s->mask,
                                  "Only places that this file or generator has with a value other than 0");
    mask->option_text("INPUT");
    verb->add_flag("--mask-complement", s->complement, "Only places that the mask does not have")
        ->needs(mask);
    verb->add_flag("--mask-structure", s->mask_structure, "Whatever the values of the mask")->needs(mask);
    verb->add_flag("--estimate", s->estimate,
                   "Say before computing what will come out (masks aside), and after how far off that was");
    verb->add_flag(
        "--hybrid", s->hybrid,
        "CPU and GPU together, for a result on the host: rows divided as it goes, or by --cpu-share");
    verb->add_option("--cpu-share", s->cpu_share,
                     "With --hybrid: so much of the products are the CPU's, 0 to 1")
        ->option_text("SHARE")
        ->check(CLI::Range(0.0, 1.0))
        ->needs("--hybrid");
    add_semiring(*verb, s->semiring, "min_plus, any_pair, lor_land", s->type, "the products");
    add_file_reading(*verb, *s);
    add_transformations(*verb, *s);
    add_computation(*verb, *s, kernels::known_ids("mxm") + ", reference");
    add_output(*verb, *s, "Write the result; the suffix says the format, as in convert");
    verb->footer("Example: nz spgemm rmat_directed:14,8 --validate");
    verb->callback([&run, s] { run = [s] { return run_spgemm(*s); }; });
}

}  // namespace nz::cli
