// Figures 7 and 8: A * A on CPU and GPU together for a result on the host, over the GPU alone; and the divisions by a fixed share of
// the products (heuristic I, 25%), by the times of each alone (heuristic II) and as it goes, over the best found by search.
// Times are of filling and of bringing over: counting, which the GPU does for all of them, and taking memory stand beside.
#include "papers/matam2012/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace nz::bench::matam2012 {
namespace {

constexpr int repeats = 5;

measurement measure_divisions(const context& ctx, const product_problem& p) {
    std::set<double> checked;
    std::vector<double> online_shares;
    const auto once = [&](double share) {
        matrix c(ctx, dtype::float64, p.a.rows(), p.transposed ? p.a.rows() : p.a.columns());
        const hybrid_report r =
            mxm_hybrid(ctx, c, semiring("plus_times"), p.a, p.a, {share}, {.transpose_b = p.transposed});
        if (checked.insert(share).second) expect_same(p.expected, c, "mxm_hybrid");
        if (share < 0) online_shares.push_back(r.cpu_share);
        return std::max(r.cpu_ms, r.gpu_ms);
    };
    const auto [best, next] = search_shares(once, repeats);
    const double gpu = least_ms(once, 0, repeats), cpu = least_ms(once, 1, repeats),
                 second_share = gpu / (cpu + gpu);
    const std::vector<double> ms =
        medians_in_turns(once, {best, next, -1, 0, 1, 0.25, second_share}, repeats);
    return {ms[2],
            {{"best_ms", std::min(ms[0], ms[1])},
             {"best_share", ms[0] <= ms[1] ? best : next},
             {"gpu_ms", ms[3]},
             {"cpu_ms", ms[4]},
             {"first_ms", ms[5]},
             {"second_ms", ms[6]},
             {"second_share", second_share},
             {"online_share", median(online_shares)},
             {"products", static_cast<double>(p.products)}}};
}

std::string name_of(const input& i) { return "matam2012/divided/" + i.name; }

void print_divisions(const std::vector<input>& inputs, const std::map<std::string, measurement>& results) {
    fmt::print(
        "\n{:13} {:24} {:>9} {:>9} | {:>9} {:>6} {:>8} | over the best: {:>7} {:>7} {:>6} {:>7} {:>6}\n",
        "ms", "ours", "CPU", "GPU", "best", "share", "over GPU", "I: 25%", "II", "share", "online", "share");
    std::map<std::string, std::vector<double>> over;
    for (const input& i : inputs) {
        const measurement* m = find(results, name_of(i));
        if (!m) continue;
        const double best = std::min(counter(m, "best_ms"), m->ms);
        const auto ratio = [&](const char* who, double ms) {
            over[who].push_back(ms / best);
            return ms / best;
        };
        over["gpu"].push_back(counter(m, "gpu_ms") / best);
        fmt::print(
            "{:13} {:24} {:>9.3f} {:>9.3f} | {:>9.3f} {:>6.3f} {:>8.2f} |                {:>7.2f} {:>7.2f} {:>6.3f} {:>7.2f} {:>6.3f}\n",
            i.paper, i.name, counter(m, "cpu_ms"), counter(m, "gpu_ms"), best, counter(m, "best_share"),
            over["gpu"].back(), ratio("first", counter(m, "first_ms")),
            ratio("second", counter(m, "second_ms")), counter(m, "second_share"), ratio("online", m->ms),
            counter(m, "online_share"));
    }
    if (over.empty()) return;
    fmt::print(
        "geometric means: GPU alone {:.2f} times the best, I {:.2f}, II {:.2f}, online {:.2f} (at most {:.2f})\n",
        geometric_mean(over["gpu"]), geometric_mean(over["first"]), geometric_mean(over["second"]),
        geometric_mean(over["online"]), std::ranges::max(over["online"]));
}

}  // namespace

double least_ms(const division& once, double share, int repeats) {
    once(share);
    double least = once(share);
    for (int k = 1; k < repeats; ++k) least = std::min(least, once(share));
    return least;
}

std::array<double, 2> search_shares(const division& once, int repeats) {
    std::vector<std::pair<double, double>> found;  // times and shares
    for (const double share : searched_shares) found.emplace_back(least_ms(once, share, repeats), share);
    std::ranges::sort(found);
    return {found[0].second, found[1].second};
}

std::vector<double> medians_in_turns(const division& once, const std::vector<double>& shares, int repeats) {
    constexpr int turns = 5;
    std::vector<double> medians;
    std::vector<std::vector<double>> times(shares.size());
    for (int turn = 0; turn < turns; ++turn)
        for (std::size_t k = 0; k < shares.size(); ++k)
            times[k].push_back(least_ms(once, shares[k], repeats));
    for (const auto& of : times) medians.push_back(median(of));
    return medians;
}

int divided(const options& o, const context& ctx) {
    if (ctx.backend() != backend::cuda)
        throw error("figures 7 and 8 divide products between a CPU and a GPU, and there is no GPU");
    const auto set = williams();
    const std::vector<input> inputs = inputs_of(o, set, size::of_product);
    print_stand_ins(inputs, set);
    const auto at = std::make_shared<slot<product_problem>>(
        [ctx](const std::string& source) { return make_product(ctx, source); });
    for (const input& i : inputs) add(name_of(i), [=] { return measure_divisions(ctx, at->of(i.source)); });
    print_divisions(inputs, run(o, "^matam2012/divided/"));
    return 0;
}

}  // namespace nz::bench::matam2012
