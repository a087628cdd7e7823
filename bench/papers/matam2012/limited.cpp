// Products within a memory limit (section III: output that does not fit is computed in parts). On a CPU the limit leaves half
// of the workspace beside the result; on a GPU half of all that the uncut product takes there, so that the result goes to the
// host in chunks. Equal to the plain loop's result bit for bit, cut or not.
#include "papers/matam2012/figures.hpp"

#include <fmt/format.h>

namespace nz::bench::matam2012 {
namespace {

constexpr int repeats = 3;

std::string name_of(const input& i, const std::string& kernel) {
    return "matam2012/limited/" + i.name + "/" + kernel;
}

context limited(const context& ctx, std::size_t bytes) {
    return context({.backend = ctx.backend(), .threads = ctx.threads(), .memory_limit = bytes});
}

// The most bytes that the product takes when it is not cut. Where it fills before it counts, as it may with room to spare: of the
// other way, which a byte less makes it take.
std::size_t most_bytes(const context& roomy, const product_problem& p, const std::string& pinned) {
    const std::size_t most = roomy.peak_bytes();
    const context counted = limited(roomy, most - 1);
    matrix c(counted, dtype::float64, 1, 1);
    return multiply(counted, p, c, pinned).fewest_threads == 0 ? counted.peak_bytes() : most;
}

measurement measure(const context& ctx, const product_problem& p, const std::string& kernel) {
    const std::string pinned = kernel == "planned" ? "" : kernel;
    const context roomy = limited(ctx, 0);
    matrix c(roomy, dtype::float64, 1, 1);
    const mxm_plan uncut = multiply(roomy, p, c, pinned);
    const bool gpu = ctx.backend() == backend::cuda;
    const std::size_t most = gpu ? roomy.device_peak_bytes() : most_bytes(roomy, p, pinned),
                      limit = gpu ? most / 2 : most - uncut.workspace_bytes / 2;
    const timing whole = timed(roomy, repeats, [&] { multiply(roomy, p, c, pinned); });
    c = matrix(roomy, dtype::float64, 1, 1);
    std::map<std::string, double> counters = {{"uncut_ms", whole.best},
                                              {"uncut_bytes", static_cast<double>(most)},
                                              {"limit_bytes", static_cast<double>(limit)}};
    try {
        const context tight = limited(ctx, limit);
        matrix cut(tight, dtype::float64, 1, 1);
        const mxm_plan plan = multiply(tight, p, cut, pinned);
        expect_same(p.expected, cut, kernel + " within a limit");
        if (!gpu && tight.peak_bytes() > limit) throw error("the memory limit was not kept");
        const timing t = timed(tight, repeats, [&] { multiply(tight, p, cut, pinned); });
        counters["best_ms"] = t.best;
        counters["chunks"] = plan.chunks;
        counters["fewest_threads"] = plan.fewest_threads;
        return {t.median, counters};
    } catch (const out_of_memory& e) {
        fmt::print("{}\n", e.what());
        return {0, counters};
    }
}

}  // namespace

void add_limited(const context& ctx, const std::shared_ptr<slot<product_problem>>& at, const input& i,
                 const std::string& kernel) {
    add(name_of(i, kernel), [=] { return measure(ctx, at->of(i.source), kernel); });
}

void print_limited(const std::vector<input>& inputs, const std::vector<std::string>& kernels,
                   const std::map<std::string, measurement>& results) {
    fmt::print("\n{:24} {:8} {:>10} {:>10} {:>9} {:>9} {:>7} {:>7} {:>8}\n", "within a limit", "",
               "uncut, MB", "limit, MB", "uncut ms", "cut ms", "ratio", "chunks", "threads");
    for (const auto& kernel : kernels)
        for (const input& i : inputs) {
            const measurement* m = find(results, name_of(i, kernel));
            if (!m) continue;
            const bool fits = m->counters.contains("best_ms");
            fmt::print(
                "{:24} {:8} {:>10.1f} {:>10.1f} {:>9.2f} {:>9} {:>7} {:>7} {:>8}\n", i.name, kernel,
                counter(m, "uncut_bytes") / 1e6, counter(m, "limit_bytes") / 1e6, counter(m, "uncut_ms"),
                fits ? best_ms(m, 2) : "no room",
                fits ? fmt::format("{:.2f}", counter(m, "best_ms") / counter(m, "uncut_ms")) : "-",
                counter(m, "chunks"),
                counter(m, "fewest_threads") > 0 ? fmt::format("{}", counter(m, "fewest_threads")) : "all");
        }
}

}  // namespace nz::bench::matam2012
