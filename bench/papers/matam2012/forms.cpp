// Figures 5 (the matrices of Williams and others) and 6 (of SNAP): A * A by row_row, and the time of column_row and of every
// other kernel over row_row's; GraphBLAS and Eigen where the paper has MKL and Cusp. masked_dot, without a mask the paper's
// row-column form, asks for every place of C, and is run where these are not too many.
#include "papers/matam2012/figures.hpp"

#include <fmt/format.h>

namespace nz::bench::matam2012 {
namespace {

constexpr int repeats = 3;
constexpr double most_places = 5e7;

using all_results = std::map<std::string, measurement>;

std::string name_of(const input& i, const std::string& who) {
    return "matam2012/spgemm/" + i.name + "/" + who;
}

void print_forms(const std::vector<input>& inputs, const std::vector<std::string>& columns,
                 const all_results& results) {
    const std::string& base = columns.front();
    fmt::print("\n{:13} {:24} {:>10} {:>10} {:>10}  over it:", "ms", "ours", "products", "entries", base);
    for (std::size_t k = 1; k < columns.size(); ++k) fmt::print(" {:>14}", columns[k]);
    fmt::print("\n");
    std::map<std::string, std::vector<double>> ratios;
    for (const input& i : inputs) {
        const measurement* m = find(results, name_of(i, base));
        if (!m) continue;
        fmt::print("{:13} {:24} {:>10.0f} {:>10.0f} {:>10}          ", i.paper, i.name,
                   counter(m, "products"), counter(m, "output_entries"), best_ms(m, 2));
        for (std::size_t k = 1; k < columns.size(); ++k) {
            const measurement* of = find(results, name_of(i, columns[k]));
            const double ratio = counter(of, "best_ms") / counter(m, "best_ms");
            const bool ran = of && ratio > 0;
            if (ran) ratios[columns[k]].push_back(ratio);
            fmt::print(" {:>14}", ran ? fmt::format("{:.2f}", ratio) : "-");
        }
        fmt::print("\n");
    }
    fmt::print("{:13} {:24} {:>10} {:>10} {:>10}          ", "", "geometric mean", "", "", "");
    for (std::size_t k = 1; k < columns.size(); ++k) {
        const auto& of = ratios[columns[k]];
        fmt::print(" {:>14}", of.empty() ? "-" : fmt::format("{:.2f}", geometric_mean(of)));
    }
    fmt::print("\n");
}

}  // namespace

int forms(const options& o, const context& ctx) {
    const auto set = o.figure == 5 ? williams() : snap();
    const std::vector<input> inputs = inputs_of(o, set, size::of_product);
    print_stand_ins(inputs, set);
    std::vector<std::string> kernels = kernels_here(
        ctx, "mxm",
        {"row_row", "column_row", "column_column", "masked_dot", "hash", "dense_row", "two_level_sort"});
    kernels.emplace_back("planned");
    const auto at = std::make_shared<slot<product_problem>>(
        [ctx](const std::string& source) { return make_product(ctx, source); });
    for (const input& i : inputs) {
        for (const auto& kernel : kernels)
            add(name_of(i, kernel), [=] {
                const product_problem& problem = at->of(i.source);
                const bool few =
                    static_cast<double>(problem.a.rows()) * static_cast<double>(problem.a.rows()) <=
                    most_places;
                if (kernel == "masked_dot" && !few) return measurement{};
                return measure_product(ctx, problem, kernel, repeats);
            });
        add_product_peers(ctx, at, i.source, "matam2012/spgemm/" + i.name, repeats);
        for (const char* kernel : {"planned", "hash"}) add_limited(ctx, at, i, kernel);
    }
    const auto results = run(o, "^matam2012/");
    std::vector<std::string> columns = kernels;
    for (const char* peer : {"graphblas", "eigen"})
        for (const input& i : inputs)
            if (find(results, name_of(i, peer))) {
                columns.emplace_back(peer);
                break;
            }
    print_forms(inputs, columns, results);
    print_limited(inputs, {"planned", "hash"}, results);
    return 0;
}

}  // namespace nz::bench::matam2012
