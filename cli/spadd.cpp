// nz spadd: C = A + B, or another of the four set operations on their places.
#include "common.hpp"
#include "kernels/kernel_ids.hpp"
#include "nonzero/errors.hpp"
#include "nonzero/operations.hpp"
#include "ops/ewise_device.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>

namespace nz::cli {
namespace {

struct spadd_settings : settings {
    std::string second;  // empty: A^T, or A where A is not square
    std::string operation = "union";
};

operation_plan join(const context& ctx, const spadd_settings& s, matrix& c, const matrix& a, const matrix& b,
                    bool transposed, std::string_view kernel) {
    matrix_options o;
    o.kernel = kernel;
    o.transpose_b = transposed;
    if (s.operation == "union") return ewise_add(ctx, c, binary_id::plus, a, b, o);
    if (s.operation == "intersection") return ewise_mult(ctx, c, binary_id::plus, a, b, o);
    if (s.operation == "difference") return ewise_difference(ctx, c, a, b, o);
    return ewise_symmetric_difference(ctx, c, a, b, o);
}

// On a GPU the kernels' own times: operands resident, memory taken, result left there.
std::vector<double> kernel_times(const context& ctx, const spadd_settings& s, const matrix& a,
                                 const matrix& b, bool transposed) {
    using enum kernels::set_operation;
    const auto operation = s.operation == "union"          ? unite
                           : s.operation == "intersection" ? intersect
                           : s.operation == "difference"   ? subtract
                                                           : exclude;
    return ops::ewise_kernel_ms(ctx, operation, binary_id::plus, {a}, {b, transposed}, s.repeat);
}

int run_spadd(const spadd_settings& s) {
    if (!s.output.empty()) check_output(s.output);
    const context ctx = make_context(s);
    const loaded in = load_input(ctx, s);
    const matrix& a = in.matrix();
    std::optional<loaded> other;
    if (!s.second.empty()) {
        settings of_second = s;
        of_second.input = s.second;
        other = load_input(ctx, of_second);
    }
    const matrix& b = other ? other->matrix() : a;
    const bool transposed = !other && a.rows() == a.columns();
    const dtype type = s.operation == "difference" ? a.type() : promote(a.type(), b.type());
    matrix c(ctx, type, a.rows(), a.columns());
    operation_plan plan = join(ctx, s, c, a, b, transposed, s.kernel);  // warms up, and builds A^T
    std::vector<double> times;
    for (int k = 0; k < s.repeat; ++k) {
        const stopwatch watch;
        plan = join(ctx, s, c, a, b, transposed, s.kernel);
        times.push_back(watch.ms());
    }
    if (plan.on_device) times = kernel_times(ctx, s, a, b, transposed);
    const double ms = median(std::move(times));
    bool valid = true;
    if (s.validate) {
        matrix expected(ctx, type, a.rows(), a.columns());
        join(ctx, s, expected, a, b, transposed, "reference");
        valid = same_entries(expected, c);
    }
    if (!s.output.empty()) save(ctx, c, s.output);
    const std::string explanation = fmt::format("Kernel {}: {}; {} and {} entries in, {} out.", plan.kernel,
                                                plan.reason, a.nnz(), b.nnz(), c.nnz());
    if (s.json) {
        json r = report("spadd", s, ctx, in, plan.kernel, ms);
        r["operation"] = s.operation;
        r["second"] = other ? s.second : transposed ? "transpose" : "itself";
        r["second_nonzeros"] = b.nnz();
        r["output_nonzeros"] = c.nnz();
        r["plan"] = to_string(plan);
        if (s.validate) r["valid"] = valid;
        if (s.explain) r["explanation"] = explanation;
        print(r);
    } else {
        fmt::print("{}\n", input_text(s, in));
        fmt::print("plan: {}\n", to_string(plan));
        if (s.explain) fmt::print("{}\n", explanation);
        fmt::print("{} with {}: {}, {}{}\n", s.operation,
                   other        ? s.second
                   : transposed ? "the transpose"
                                : "itself",
                   count_text(c.nnz(), "entry", "entries"), time_text(ms),
                   s.repeat > 1 ? fmt::format(" (median of {})", s.repeat) : "");
        if (s.validate && valid) fmt::print("valid: agrees with a merge of the rows by one thread\n");
    }
    if (valid) return 0;
    tell(fmt::format("nz: the result is not valid: it differs from the reference\n"));
    return 1;
}

}  // namespace

void add_spadd(CLI::App& app, runner& run) {
    auto* verb =
        app.add_subcommand("spadd", "Sum of two sparse matrices, and set operations on their places");
    const auto s = std::make_shared<spadd_settings>();
    s->repeat = 10;
    add_input(*verb, *s);
    verb->add_option("SECOND", s->second,
                     "B: a file or a generator (default: A^T, or A where A is not square)")
        ->option_text(" ");
    verb->add_option("--operation", s->operation,
                     "union (default), intersection, difference or symmetric_difference;\n"
                     "values at common places are added")
        ->check(CLI::IsMember({"union", "intersection", "difference", "symmetric_difference"}))
        ->option_text("NAME");
    add_file_reading(*verb, *s);
    add_transformations(*verb, *s);
    add_computation(*verb, *s, "balanced_path, reference");
    add_output(*verb, *s, "Write the result; the suffix says the format, as in convert");
    verb->footer("Example: nz spadd rmat_directed:16,8 --validate");
    verb->callback([&run, s] { run = [s] { return run_spadd(*s); }; });
}

}  // namespace nz::cli
