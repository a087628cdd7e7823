// Figure 9: products of bands by diagonals (dia_dia, its algorithm 3) against kernels on CSR, over rows and diagonals of both
// factors. The paper divides them between a CPU, of time alpha R, and a GPU, of time beta R + gamma S (R products, S places of
// the result): with a GPU, the share of the CPU's that this predicts, alpha, beta and gamma from the times of each alone, and
// the one where computing and crossing the link overlap, against the best found by search and the one found as it goes.
#include "ops/mxm_device.hpp"
#include "papers/matam2012/figures.hpp"
#include "plan/mxm_hybrid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <set>

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

division divide(const context& ctx, const band_problem& p) {
    return [&, checked = std::set<double>()](double share) mutable {
        matrix c(ctx, dtype::float64, p.a.rows(), p.b.columns());
        const hybrid_report r =
            mxm_hybrid(ctx, c, semiring("plus_times"), p.a, p.b, {share}, {.kernel = "dia_dia"});
        if (checked.insert(share).second) expect_same(p.expected, c, "mxm_hybrid");
        return std::max(r.cpu_ms, r.gpu_ms);
    };
}

/// beta: the GPU's time without the link, by its kernels on results that stay.
double resident_ms(const context& ctx, const band_problem& p) {
    const ops::operand a{p.a}, b{p.b};
    const matrix_options options{.kernel = "dia_dia"};
    const auto times = ops::mxm_kernel_ms(
        ctx, {semiring("plus_times"), a, b, dtype::float64, dtype::float64, &options}, repeats);
    return median(times.fill_ms);
}

std::string division_name(const band_shape& s) { return "matam2012/band/" + s.name() + "/divided"; }

measurement measure_division(const context& ctx, const band_problem& p) {
    const division once = divide(ctx, p);
    const auto [best, next] = search_shares(once, repeats);
    const std::vector<double> ms = medians_in_turns(once, {best, next, -1, 0, 1}, repeats);
    return {ms[2],
            {{"best_ms", std::min(ms[0], ms[1])},
             {"best_share", ms[0] <= ms[1] ? best : next},
             {"gpu_ms", ms[3]},
             {"cpu_ms", ms[4]},
             {"resident_ms", resident_ms(ctx, p)}}};
}

/// alpha, beta and gamma from the sums over all shapes, and what divisions by them take.
void print_divisions(const context& ctx, const std::vector<band_shape>& all, slot<band_problem>& problems,
                     const all_results& results) {
    double cpu = 0, resident = 0, gpu = 0, products = 0, entries = 0;
    const auto places = [](const band_shape& s) { return static_cast<double>(s.rows) * (s.a + s.b - 1); };
    for (const band_shape& s : all)
        if (const measurement* m = find(results, division_name(s))) {
            cpu += counter(m, "cpu_ms");
            resident += counter(m, "resident_ms");
            gpu += counter(m, "gpu_ms");
            products += s.products();
            entries += places(s);
        }
    if (products == 0) return;
    const double alpha = cpu / products, beta = resident / products, gamma = gpu / entries,
                 gamma_alone = std::max(0.0, gpu - resident) / entries;
    fmt::print(
        "\nalpha {:.4f} ns and beta {:.5f} ns a product, gamma {:.4f} ns a place (beside beta), {:.4f} (overlapping)\n",
        1e6 * alpha, 1e6 * beta, 1e6 * gamma_alone, 1e6 * gamma);
    fmt::print("{:16} {:>8} {:>8} {:>8} {:>7} | {:>9} {:>6} {:>8} | {:>9} {:>6} {:>8} | {:>7} {:>8}\n",
               "ms: rows, A, B", "CPU", "GPU", "best", "share", "predicted", "share", "over it", "overlap",
               "share", "over it", "online", "over it");
    for (const band_shape& s : all) {
        const measurement* m = find(results, division_name(s));
        if (!m) continue;
        const double apart = plan::band_share(alpha, beta, gamma_alone, s.products(), places(s)),
                     overlapped = plan::band_share_overlapped(alpha, beta, gamma, s.products(), places(s));
        const double searched = counter(m, "best_share");
        const std::vector<double> ms =
            medians_in_turns(divide(ctx, problems.of(s.name())), {searched, apart, overlapped, -1}, repeats);
        const double best = std::ranges::min(ms);
        fmt::print(
            "{:16} {:>8.3f} {:>8.3f} {:>8.3f} {:>7.3f} | {:>9.3f} {:>6.3f} {:>8.2f} | {:>9.3f} {:>6.3f} {:>8.2f} | {:>7.3f} {:>8.2f}\n",
            s.name(), counter(m, "cpu_ms"), counter(m, "gpu_ms"), ms[0], searched, ms[1], apart, ms[1] / best,
            ms[2], overlapped, ms[2] / best, ms[3], ms[3] / best);
    }
}

}  // namespace

int bands(const options& o, const context& ctx) {
    const std::vector<band_shape> all = shapes_of(o);
    const bool gpu = ctx.backend() == backend::cuda;
    const context cpu({.backend = backend::cpu, .threads = o.threads});
    const std::vector<std::string> wanted = {"dia_dia", "dense_row", "row_row", "hash"};
    std::vector<std::string> columns;
    const auto problems = std::make_shared<slot<band_problem>>([cpu](const std::string& name) {
        options one;
        one.inputs = {name};
        return make(cpu, shapes_of(one).front());
    });
    struct column {
        const context& where;
        std::string kernel;
    };
    std::vector<column> measured;
    const auto take_kernels = [&](const context& where, const std::string& prefix) {
        std::vector<std::string> kernels = kernels_here(where, "mxm", wanted);
        kernels.emplace_back("planned");
        for (const auto& kernel : kernels) {
            measured.push_back({where, kernel});
            columns.push_back(prefix + kernel);
        }
    };
    take_kernels(cpu, gpu ? "cpu_" : "");
    if (gpu) take_kernels(ctx, "gpu_");
    if (!gpu) fmt::print("the division between a CPU and a GPU is left out: there is no GPU\n");
    for (const band_shape& s : all) {  // a problem is made once
        for (std::size_t n = 0; n < measured.size(); ++n)
            add(name_of(s, columns[n]), [=, &where = measured[n].where, kernel = measured[n].kernel] {
                return measure(where, problems->of(s.name()), s, kernel);
            });
        if (gpu) add(division_name(s), [=] { return measure_division(ctx, problems->of(s.name())); });
    }
    const auto results = run(o, "^matam2012/band/");
    print_bands(all, columns, results);
    for (const auto& who : columns) print_alpha(all, who, results);
    if (gpu) print_divisions(ctx, all, *problems, results);
    return 0;
}

}  // namespace nz::bench::matam2012
