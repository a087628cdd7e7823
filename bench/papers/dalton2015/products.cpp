// Figures 9 and 10: A * A (A * A^T where A is not square) by sorting (two_level_sort), by the planned kernel and by hash: the
// speed-up over one thread that adds products into a dense row, and time against products.
#include "limits/cpu.hpp"
#include "limits/gpu.hpp"
#include "papers/dalton2015/figures.hpp"

#include <fmt/format.h>

namespace nz::bench::dalton2015 {
namespace {

constexpr int repeats = 3;

using all_results = std::map<std::string, measurement>;

std::string name_of(const input& i, const std::string& who) {
    return "dalton2015/spgemm/" + i.name + "/" + who;
}

void print_rows(const std::vector<input>& inputs, const std::vector<std::string>& columns,
                const all_results& results, double copy, bool speed_ups) {
    fmt::print("\n{:13} {:26} {:>10} {:>10} {:>10} {:>9}", speed_ups ? "speed-up" : "ms", "ours", "products",
               "entries", "one thread", "floor ms");
    for (const auto& who : columns) fmt::print(" {:>14}", who);
    fmt::print("\n");
    for (const input& i : inputs) {
        const measurement* m = find(results, name_of(i, "planned"));
        if (!m) continue;
        const double sequential = counter(m, "sequential_ms");
        fmt::print("{:13} {:26} {:>10.0f} {:>10.0f} {:>10.2f} {:>9}", i.paper, i.name, counter(m, "products"),
                   counter(m, "output_entries"), sequential,
                   copy > 0 ? fmt::format("{:.3f}", 1e3 * counter(m, "bytes") / copy) : "-");
        for (const auto& who : columns) {
            const measurement* of = find(results, name_of(i, who));
            fmt::print(" {:>14}", !of         ? "-"
                                  : speed_ups ? fmt::format("{:.2f}", sequential / counter(of, "best_ms"))
                                              : best_ms(of));
        }
        fmt::print("\n");
    }
}

void print_correlations(const std::vector<input>& inputs, const std::vector<std::string>& columns,
                        const all_results& results) {
    std::vector<double> sequential, all_products;
    for (const auto& who : columns) {
        std::vector<double> ms, work, bytes;
        for (const input& i : inputs) {
            const measurement *of = find(results, name_of(i, who)),
                              *planned = find(results, name_of(i, "planned"));
            if (!of || !planned) continue;
            ms.push_back(counter(of, "best_ms"));
            work.push_back(counter(planned, "products"));
            bytes.push_back(counter(planned, "bytes"));
            if (who != "planned") continue;
            sequential.push_back(counter(planned, "sequential_ms"));
            all_products.push_back(counter(planned, "products"));
        }
        print_correlation(who, ms, work, "products");
        if (ms.size() > 2)
            fmt::print("{}: correlation of time with the bytes of A, B and C {:.4f}\n", who,
                       correlation(ms, bytes));
    }
    print_correlation("one thread", sequential, all_products, "products");
    fmt::print("the paper: 0.98 with products\n");
}

}  // namespace

int products(const options& o, const context& ctx) {
    const std::vector<input> inputs = inputs_of(o, williams(), size::of_product);
    print_stand_ins(inputs, williams());
    std::vector<std::string> columns = kernels_here(ctx, "mxm", {"two_level_sort", "hash"});
    columns.insert(columns.begin() + static_cast<std::ptrdiff_t>(columns.size() - 1), "planned");
    const auto at = std::make_shared<slot<product_problem>>(
        [ctx](const std::string& source) { return make_product(ctx, source); });
    for (const input& i : inputs) {
        for (const auto& kernel : columns)
            add(name_of(i, kernel), [=] { return measure_product(ctx, at->of(i.source), kernel, repeats); });
        add_product_peers(ctx, at, i.source, "dalton2015/spgemm/" + i.name, repeats);
    }
    const bool gpu = ctx.backend() == backend::cuda;
    const double copy = o.quick ? 0
                        : gpu   ? measured_gpu_limits().copy.per_second
                                : copy_bandwidth(ctx.threads());
    const auto results = run(o, "^dalton2015/spgemm/");
    for (const char* peer : {"graphblas", "eigen"})
        for (const input& i : inputs)
            if (find(results, name_of(i, peer))) {
                columns.emplace_back(peer);
                break;
            }
    print_rows(inputs, columns, results, copy, o.figure == 9);
    print_correlations(inputs, columns, results);
    return 0;
}

}  // namespace nz::bench::dalton2015
