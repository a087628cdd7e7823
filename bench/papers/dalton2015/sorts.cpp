// Figure 4: what a tile's sort takes by the bits of the columns: the kernel's own, whose keys carry the number of their product,
// against pairs of key and number sorted once by the column, and twice, by column and by row. The paper has clock cycles of a
// block of 128 threads; here it is nanoseconds a product of a tile, one thread.
#include "papers/dalton2015/figures.hpp"
#include "papers/dalton2015/tiles.hpp"

#include <fmt/format.h>

#include <numeric>
#include <random>

namespace nz::bench::dalton2015 {
namespace {

constexpr int repeats = 200;
constexpr offset_t size_of_tile = kernels::cpu::two_level_detail::tile_products;

struct pair {
    std::uint32_t key, number;
};

// The same radix passes as the kernel's, of 8 bits, over pairs.
void sort_pairs(std::vector<pair>& pairs, std::vector<pair>& spare, int bits) {
    for (int shift = 0; shift < bits; shift += 8) {
        std::uint32_t starts[256] = {};
        for (const pair& p : pairs) ++starts[p.key >> shift & 255];
        std::uint32_t running = 0;
        for (auto& s : starts) running += std::exchange(s, running);
        for (const pair& p : pairs) spare[starts[p.key >> shift & 255]++] = p;
        pairs.swap(spare);
    }
}

struct tile_of_bits {
    std::vector<index_t> columns;
    matrix a, b;
};

// One row of A that meets a tile's rows of B, of one entry each.
tile_of_bits make(const context& ctx, int bits) {
    std::mt19937_64 random(1);
    const auto n = static_cast<std::size_t>(size_of_tile);
    std::vector<index_t> all(n), columns(n);
    std::iota(all.begin(), all.end(), 0);
    for (index_t& j : columns) j = static_cast<index_t>(random() & ((std::uint64_t{1} << bits) - 1));
    columns.front() = 0;  // as many bits as asked for
    columns.back() = (index_t{1} << bits) - 1;
    const std::vector<index_t> first(n, 0);
    const std::vector<double> ones(n, 1.0);
    return {columns, matrix::build<double>(ctx, {1, static_cast<index_t>(n), first, all, ones}),
            matrix::build<double>(ctx, {static_cast<index_t>(n), index_t{1} << bits, all, columns, ones})};
}

measurement of_kernel(const context& ctx, int bits) {
    namespace detail = kernels::cpu::two_level_detail;
    const tile_of_bits tile = make(ctx, bits);
    const semiring ring("plus_times");
    const matrix_options options;
    const ops::product p = ops::make_product(ctx, ring, tile.a, tile.b, options);
    const tiled_product t(p);
    plan::workspace_parts parts = detail::parts_of(t.arguments, 0);
    detail::tile_keys keys(t.arguments, parts);
    const timing time = time_ms(repeats, [&] { keys.sort({{0, 0, 0}, size_of_tile}); });
    std::vector<index_t> sorted = tile.columns;
    std::ranges::sort(sorted);
    for (offset_t n = 0; n < size_of_tile; ++n)
        if (keys.column(keys[n]) != sorted[static_cast<std::size_t>(n)]) throw error("a tile is not sorted");
    return {time.median, {{"best_ms", time.best}, {"ns_a_product", 1e6 * time.best / size_of_tile}}};
}

measurement of_pairs(const context& ctx, int bits, int passes) {
    const tile_of_bits tile = make(ctx, bits);
    std::vector<pair> given, pairs, spare(tile.columns.size());
    for (const index_t j : tile.columns)
        given.push_back({static_cast<std::uint32_t>(j), static_cast<std::uint32_t>(given.size())});
    const timing time = time_ms(repeats, [&] {
        pairs = given;
        for (int pass = 0; pass < passes; ++pass) sort_pairs(pairs, spare, bits);
    });
    if (!std::ranges::is_sorted(pairs, {}, &pair::key)) throw error("pairs are not sorted");
    return {time.median, {{"best_ms", time.best}, {"ns_a_product", 1e6 * time.best / size_of_tile}}};
}

std::string name_of(int bits, const char* how) { return fmt::format("dalton2015/sort/{}/{}", bits, how); }

}  // namespace

int sorts(const options& o, const context& ctx) {
    if (kernels_here(ctx, "mxm", {"two_level_sort"}).empty()) return 0;
    for (int bits = 28; bits >= 12; bits -= o.quick ? 8 : 2) {
        add(name_of(bits, "keys"), [=] { return of_kernel(ctx, bits); });
        add(name_of(bits, "pairs"), [=] { return of_pairs(ctx, bits, 1); });
        add(name_of(bits, "pairs_twice"), [=] { return of_pairs(ctx, bits, 2); });
    }
    const auto results = run(o, "^dalton2015/sort/");
    fmt::print("\n{:>5} {:>16} {:>10} {:>12}   (ns a product, tiles of {}; keys: their making included)\n",
               "bits", "the kernel's keys", "pairs", "pairs, twice", size_of_tile);
    for (int bits = 28; bits >= 12; bits -= 2) {
        const auto of = [&](const char* how) {
            return counter(find(results, name_of(bits, how)), "ns_a_product");
        };
        if (of("keys") > 0)
            fmt::print("{:>5} {:>16.2f} {:>10.2f} {:>12.2f}\n", bits, of("keys"), of("pairs"),
                       of("pairs_twice"));
    }
    return 0;
}

}  // namespace nz::bench::dalton2015
