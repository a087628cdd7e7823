// nz spmm: C = A B for a dense random B, timed, checked against a plain loop, and reported.
#include "spmm.hpp"

#include "kernels/kernel_ids.hpp"
#include "nonzero/errors.hpp"
#include "random_value.hpp"
#include "transform.hpp"

#include <fmt/format.h>

#include <memory>

namespace nz::cli {
namespace {

void fill(const dense_memory& b, std::uint64_t seed) {
    const std::uint64_t key = io::key_of(seed, io::purpose::values);
    dispatch(b.type, [&]<class T>(std::type_identity<T>) {
        T* const values = b.block.as<T>();
        // The same B in either layout: place (i, j) draws number i * columns + j.
        for (index_t i = 0; i < b.rows; ++i)
            for (index_t j = 0; j < b.columns; ++j) {
                const offset_t number = static_cast<offset_t>(i) * b.columns + j;
                io::random_stream r(key, static_cast<std::uint64_t>(number));
                values[b.order == dense_order::row_major ? number : static_cast<offset_t>(j) * b.rows + i] =
                    random_value<T>(r);
            }
    });
}

spmm make_operands(const context& ctx, const spmm_settings& s, const matrix& given) {
    semiring ring = named_semiring(s.semiring, s.type);
    const dtype operand = ring.operand_type(given.type(), dtype::float64);
    matrix a = ring.ignores_a() ? given : with_type(ctx, given, operand);
    dense_memory b(ctx, operand, a.columns(), s.columns, s.order());
    dense_memory c(ctx, ring.value_type(a.type(), operand), a.rows(), s.columns, s.order());
    fill(b, s.seed);
    return {std::move(ring), std::move(a), std::move(b), std::move(c), {}};
}

void compute(const context& ctx, const spmm_settings& s, spmm& m) {
    const dense_options o{.kernel = s.kernel, .determinism = s.requested()};
    std::vector<double> times;
    if (s.repeat > 1) mxd(ctx, m.c.view(), m.ring, m.a, m.b.view(), o);
    for (int k = 0; k < s.repeat; ++k) {
        const stopwatch watch;
        m.plan = mxd(ctx, m.c.view(), m.ring, m.a, m.b.view(), o);
        times.push_back(watch.ms());
    }
    m.ms = median(std::move(times));
}

double products(const spmm& m) { return static_cast<double>(m.a.nnz()) * m.b.columns; }
double gflops(const spmm& m) { return m.ms > 0 ? 2 * products(m) / (m.ms * 1e6) : 0; }

// A, B and C once: what has to be moved at least.
double bytes_moved(const spmm& m) {
    const bool reads_values = !m.ring.ignores_a() && m.a.values_held() == value_kind::full;
    const auto entry = static_cast<double>(sizeof(index_t) + (reads_values ? size_of(m.a.type()) : 0));
    return static_cast<double>(m.a.nnz()) * entry +
           static_cast<double>(m.a.rows() + 1) * structure(m.a).offset_bytes() +
           (m.ring.ignores_b() ? 0 : static_cast<double>(m.b.block.bytes())) +
           static_cast<double>(m.c.block.bytes());
}
double gbytes_per_s(const spmm& m) { return m.ms > 0 ? bytes_moved(m) / (m.ms * 1e6) : 0; }

std::string explanation(const spmm& m) {
    return fmt::format("Kernel {}: {}. B and C lie by {}s{}; semiring {} on {} {}; {} of workspace.",
                       m.plan.kernel, m.plan.reason, name_of(m.b.order),
                       m.plan.packs_second ? ", B is copied by rows first" : "", m.ring.name(),
                       name_of(m.b.type),
                       m.plan.tier == tier::compiled ? "is compiled" : "runs on the generic path",
                       bytes_text(static_cast<double>(m.plan.workspace_bytes)));
}

void report_spmm(const spmm_settings& s, const context& ctx, const loaded& in, const spmm& m,
                 const std::string& breach) {
    if (s.json) {
        json r = report("spmm", s, ctx, in, m.plan.kernel, m.ms);
        r["columns"] = s.columns;
        r["layout"] = s.layout;
        r["semiring"] = m.ring.name();
        r["type"] = name_of(m.b.type);
        r["products"] = m.a.nnz() * s.columns;
        r["gflops"] = gflops(m);
        r["gbytes_per_s"] = gbytes_per_s(m);
        r["workspace_bytes"] = m.plan.workspace_bytes;
        r["plan"] = to_string(m.plan);
        if (s.validate) r["valid"] = breach.empty();
        if (s.explain) r["explanation"] = explanation(m);
        print(r);
        return;
    }
    fmt::print("{}\n", input_text(s, in));
    fmt::print("plan: {}\n", to_string(m.plan));
    if (s.explain) fmt::print("{}\n", explanation(m));
    fmt::print("times {} x {}, by {}s: {}{}, {:.3f} GFLOP/s, {:.2f} GB/s\n", m.b.rows,
               count_text(m.b.columns, "column", "columns"), s.layout, time_text(m.ms),
               s.repeat > 1 ? fmt::format(" (median of {})", s.repeat) : "", gflops(m), gbytes_per_s(m));
    if (s.validate && breach.empty()) fmt::print("valid: agrees with a plain loop over the rows\n");
}

int run_spmm(const spmm_settings& s) {
    const context ctx = make_context(s);
    named_semiring(s.semiring, s.type);  // wrong words are told before a long load
    const loaded in = load_input(ctx, s);
    spmm m = make_operands(ctx, s, in.matrix());
    compute(ctx, s, m);
    const std::string breach = s.validate ? check_spmm(m) : "";
    report_spmm(s, ctx, in, m, breach);
    if (breach.empty()) return 0;
    tell(fmt::format("nz: the result is not valid: {}\n", breach));
    return 1;
}

}  // namespace

void add_spmm(CLI::App& app, runner& run) {
    auto* verb = app.add_subcommand("spmm", "Sparse matrix times dense matrix, over any semiring");
    const auto s = std::make_shared<spmm_settings>();
    s->repeat = 10;
    add_input(*verb, *s);
    verb->add_option("--columns", s->columns, "Columns of B and C (default 32)")
        ->check(CLI::Range(1, 1 << 20))
        ->option_text("N");
    verb->add_option("--layout", s->layout, "How B and C lie: row (default) or column, one after another")
        ->check(CLI::IsMember({"row", "column"}))
        ->option_text("NAME");
    add_semiring(*verb, s->semiring, "min_plus, plus_second, max_times", s->type, "B and of the products");
    add_file_reading(*verb, *s);
    add_transformations(*verb, *s);
    add_computation(*verb, *s, kernels::known_ids("mxd") + ", reference");
    verb->footer(
        "B is random: floats in [0, 1), integers in 0..9. GFLOP/s counts 2 for an entry and column; GB/s counts A, B\n"
        "and C once.\n"
        "Example: nz spmm laplace3d:60 --columns 64 --layout column --validate");
    verb->callback([&run, s] { run = [s] { return run_spmm(*s); }; });
}

}  // namespace nz::cli
