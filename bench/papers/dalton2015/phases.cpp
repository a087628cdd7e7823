// Figure 11: where two_level_sort's time goes. Setup: products counted for every row. Sorting of tiles, and merging of the tiles
// of one row, are done in both passes (count and fill), each timed alone by a pass that does nothing else; the rest of fill is
// forming and adding up products, the rest of count is counting; other: memory, offsets, the plan.
#include "papers/dalton2015/figures.hpp"
#include "papers/dalton2015/tiles.hpp"

#include <fmt/format.h>

namespace nz::bench::dalton2015 {
namespace {

namespace detail = kernels::cpu::two_level_detail;

constexpr int repeats = 3;
constexpr const char* parts_of_time[] = {"setup", "sort", "merge", "count", "reduce", "other"};

// Tiles sorted as the kernel does, and no more; the columns of rows of several tiles merged too, if asked for.
class sorter {
public:
    sorter(const kernels::mxm_arguments& k, int t, bool merges)
        : k_(k), parts_(detail::parts_of(k, t)), keys_(k, parts_), spread_(k, parts_), merges_(merges) {}
    void operator()(index_t first, index_t last) {
        detail::for_tiles(
            k_, first, last, keys_, [](index_t, index_t, const detail::tile&) {},
            [&](index_t row) {
                if (merges_)
                    spread_.collect(k_, keys_, row);
                else
                    detail::for_tiles_of_row(k_, row, [&](const detail::tile& of) { return keys_.sort(of); });
            });
    }

private:
    const kernels::mxm_arguments& k_;
    plan::workspace_parts parts_;
    detail::tile_keys keys_;
    detail::spread_columns spread_;
    bool merges_;
};

double pass_ms(const context& ctx, const kernels::mxm_arguments& k, bool merges) {
    return timed(ctx, repeats,
                 [&] { kernels::cpu::for_runs_of_rows(k, [&](int t) { return sorter(k, t, merges); }); })
        .best;
}

measurement measure(const context& ctx, const product_problem& p) {
    matrix c(ctx, dtype::float64, 1, 1);
    multiply(ctx, p, c, "two_level_sort");
    expect_same(p.expected, c, "two_level_sort");
    const timing whole = timed(ctx, repeats, [&] { multiply(ctx, p, c, "two_level_sort"); });
    const semiring ring("plus_times");
    const matrix_options options{.transpose_b = p.transposed, .kernel = "two_level_sort"};
    const ops::product of = ops::make_product(ctx, ring, p.a, p.a, options);
    const double setup = timed(ctx, repeats, [&] {
                             plan::mxm_facts f = ops::facts_of(of);
                             ops::mxm_collected known;
                             ops::collect_products(of, f, known);
                         }).best;
    const tiled_product tiles(of);
    const double sort = pass_ms(ctx, tiles.arguments, false),
                 merge = pass_ms(ctx, tiles.arguments, true) - sort;
    const double count =
        timed(ctx, repeats, [&] { kernels::cpu::two_level_sort_count(tiles.arguments); }).best;
    ops::mxm_collected known;
    const mxm_plan plan = ops::make_plan(of, known);
    const ops::mxm_counted counted = ops::count_compiled(of, plan, known);
    const double fill = timed(ctx, repeats, [&] { ops::fill_compiled(of, plan, known, counted); }).best;
    return {whole.median,
            {{"best_ms", whole.best},
             {"products", static_cast<double>(p.products)},
             {"setup", setup},
             {"sort", 2 * sort},
             {"merge", 2 * merge},
             {"count", count - sort - merge},
             {"reduce", fill - sort - merge},
             {"other", whole.best - setup - count - fill}}};
}

}  // namespace

int phases(const options& o, const context& ctx) {
    const std::vector<input> inputs = inputs_of(o, williams(), size::of_product);
    print_stand_ins(inputs, williams());
    if (kernels_here(ctx, "mxm", {"two_level_sort"}).empty()) return 0;
    const auto at = std::make_shared<slot<product_problem>>(
        [ctx](const std::string& source) { return make_product(ctx, source); });
    const auto name_of = [](const input& i) { return "dalton2015/phases/" + i.name + "/two_level_sort"; };
    for (const input& i : inputs) add(name_of(i), [=] { return measure(ctx, at->of(i.source)); });
    const auto results = run(o, "^dalton2015/phases/");
    fmt::print("\n{:13} {:26} {:>10} {:>9}  share of:", "two_level_sort", "ours", "products", "ms");
    for (const char* part : parts_of_time) fmt::print(" {:>9}", part);
    fmt::print("\n");
    for (const input& i : inputs) {
        const measurement* m = find(results, name_of(i));
        if (!m) continue;
        const double whole = counter(m, "best_ms");
        fmt::print("{:14} {:26} {:>10.0f} {:>9.2f}           ", i.paper, i.name, counter(m, "products"),
                   whole);
        for (const char* part : parts_of_time) fmt::print(" {:>8.1f}%", 100 * counter(m, part) / whole);
        fmt::print("\n");
    }
    fmt::print("parts are timed apart from each other: where they exceed the whole, `other` is below 0\n");
    return 0;
}

}  // namespace nz::bench::dalton2015
