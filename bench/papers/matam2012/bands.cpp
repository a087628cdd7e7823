// Figure 9: products of bands by diagonals (dia_dia, its algorithm 3) against kernels on CSR, over rows and diagonals of both
// factors. The paper divides them between a CPU, of time alpha R, and a GPU, of time beta R + gamma S (R products, S places of
// the result). The library has no such division, nor dia_dia on a GPU: what is shown is alpha, how well alpha R predicts, and
// with a GPU its kernels' times beside the CPU's.
#include "papers/matam2012/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace nz::bench::matam2012 {
namespace {

constexpr int repeats = 3;

struct band_shape {
    int rows = 0, a = 0, b = 0;  // diagonals

    std::string name() const { return fmt::format("{},{},{}", rows, a, b); }
    double products() const { return static_cast<double>(rows) * a * b; }
};
constexpr band_shape shapes[] = {{100000, 5, 5},   {100000, 11, 11}, {100000, 21, 21}, {100000, 41, 41},
                                 {100000, 61, 61}, {100000, 11, 41}, {100000, 41, 11}, {25000, 21, 21},
                                 {50000, 21, 21},  {200000, 21, 21}, {400000, 21, 21}};
constexpr band_shape quick_shapes[] = {{2000, 5, 5}, {2000, 11, 11}, {2000, 11, 21}};

std::vector<band_shape> shapes_of(const options& o) {
    if (o.inputs.empty() && o.quick) return {std::begin(quick_shapes), std::end(quick_shapes)};
    if (o.inputs.empty()) return {std::begin(shapes), std::end(shapes)};
    std::vector<band_shape> named;
    for (const auto& words : o.inputs) {
        band_shape s;
        char more = 0;
        if (std::sscanf(words.c_str(), "%d,%d,%d%c", &s.rows, &s.a, &s.b, &more) != 3 || s.rows < 1 ||
            s.a < 1 || s.b < 1)
            throw domain_error("'" + words + "': inputs of figure 9 are ROWS,DIAGONALS,DIAGONALS");
        named.push_back(s);
    }
    return named;
}

struct band_problem {
    matrix a, b;
    plain_csr expected;
};

band_problem make(const context& ctx, const band_shape& s) {
    band_problem p{load_valued(ctx, fmt::format("banded:{},{}", s.rows, s.a)),
                   load_valued(ctx, fmt::format("banded:{},{}", s.rows, s.b)),
                   {}};
    p.expected = plain_product(p.a.csr<double>(), p.b.csr<double>());
    return p;
}

measurement measure(const context& ctx, const band_problem& p, const band_shape& s,
                    const std::string& kernel) {
    const std::string pinned = kernel == "planned" ? "" : kernel;
    matrix c(ctx, dtype::float64, 1, 1);
    const auto multiply = [&] {
        c = matrix(ctx, dtype::float64, p.a.rows(), p.b.columns());
        return mxm(ctx, c, semiring("plus_times"), p.a, p.b, {.kernel = pinned});
    };
    const mxm_plan plan = multiply();
    expect_same(p.expected, c, kernel);
    const timing t = timed(ctx, repeats, multiply);
    fmt::print("{}\n", to_string(plan));
    return {t.median,
            {{"best_ms", t.best},
             {"products", static_cast<double>(plan.products)},
             {"output_entries", static_cast<double>(c.nnz())},
             {"ps_a_product", 1e9 * t.best / s.products()},
             {"gflops", 2 * static_cast<double>(plan.products) / t.best / 1e6}}};
}

using all_results = std::map<std::string, measurement>;

std::string name_of(const band_shape& s, const std::string& who) {
    return "matam2012/band/" + s.name() + "/" + who;
}

void print_bands(const std::vector<band_shape>& all, const std::vector<std::string>& columns,
                 const all_results& results) {
    fmt::print("\n{:16} {:>12} {:>11}", "ms: rows, A, B", "R", "S");
    for (const auto& who : columns) fmt::print(" {:>12}", who);
    fmt::print("\n");
    for (const band_shape& s : all) {
        fmt::print("{:16} {:>12.0f} {:>11}", s.name(), s.products(),
                   static_cast<offset_t>(s.rows) * (s.a + s.b - 1));
        for (const auto& who : columns) fmt::print(" {:>12}", best_ms(find(results, name_of(s, who)), 2));
        fmt::print("\n");
    }
}

// alpha from the sum of all times and all products, and what it predicts.
void print_alpha(const std::vector<band_shape>& all, const std::string& who, const all_results& results) {
    std::vector<double> ms, work, off;
    double time = 0, products = 0;
    for (const band_shape& s : all)
        if (const measurement* m = find(results, name_of(s, who))) {
            ms.push_back(counter(m, "best_ms"));
            work.push_back(s.products());
            time += ms.back();
            products += s.products();
        }
    if (ms.size() < 3) return;
    for (std::size_t k = 0; k < ms.size(); ++k) off.push_back(work[k] * time / products / ms[k]);
    const auto [low, high] = std::ranges::minmax(off);
    fmt::print(
        "{}: alpha {:.3f} ns a product, correlation of time with R {:.4f}, alpha R over the time {:.2f} to "
        "{:.2f}\n",
        who, 1e6 * time / products, correlation(ms, work), low, high);
}

}  // namespace

int bands(const options& o, const context& ctx) {
    const std::vector<band_shape> all = shapes_of(o);
    const bool gpu = ctx.backend() == backend::cuda;
    const context cpu({.backend = backend::cpu, .threads = o.threads});
    fmt::print("the division between CPU and GPU is not in the library: its share of rows is not shown\n");
    const std::vector<std::string> wanted = {"dia_dia", "dense_row", "row_row", "hash"};
    std::vector<std::string> columns;
    const auto problems = std::make_shared<slot<band_problem>>([cpu](const std::string& name) {
        options one;
        one.inputs = {name};
        return make(cpu, shapes_of(one).front());
    });
    const auto add_kernels = [&](const context& where, const std::string& prefix) {
        std::vector<std::string> kernels = kernels_here(where, "mxm", wanted);
        kernels.emplace_back("planned");
        for (const auto& kernel : kernels) {
            columns.push_back(prefix + kernel);
            for (const band_shape& s : all)
                add(name_of(s, columns.back()),
                    [=] { return measure(where, problems->of(s.name()), s, kernel); });
        }
    };
    add_kernels(cpu, gpu ? "cpu_" : "");
    if (gpu) add_kernels(ctx, "gpu_");
    const auto results = run(o, "^matam2012/band/");
    print_bands(all, columns, results);
    for (const auto& who : columns) print_alpha(all, who, results);
    return 0;
}

}  // namespace nz::bench::matam2012
