// Orders of vertices: what they cost beside a breadth-first search, and what searches and products gain. Each graph is
// shuffled first, since generators and files number theirs with some care; "given" is as it was. Every search in the new numbers
// is checked against the one in the old.
#include "storage/matrix_body.hpp"
#include "suites.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace nz::bench {
namespace {

constexpr int repeats = 5, source_count = 4;
constexpr const char* graphs[] = {"grid2d:1000", "laplace3d:60", "rmat:16,16"};
constexpr const char* numberings[] = {"given", "shuffled", "rcm", "degree", "cluster"};
constexpr index_t tile = 64;

struct graph {
    matrix given, shuffled;
    vector shuffle;                 // shuffle(number in `shuffled`) = number in `given`
    std::vector<offset_t> sources;  // as `given` has them
};

graph make(const context& ctx, const std::string& name) {
    const matrix a = load(ctx, name).matrix;
    std::vector<index_t> numbers(static_cast<std::size_t>(a.rows()));
    std::iota(numbers.begin(), numbers.end(), 0);
    std::mt19937_64 random(1);
    std::ranges::shuffle(numbers, random);
    const vector shuffle = vector::dense<index_t>(ctx, numbers);
    graph g{a, permute(ctx, a, shuffle), shuffle, {}};
    const auto& rows = a.body().rows();
    while (static_cast<int>(g.sources.size()) < source_count && a.nnz() > 0) {
        const auto s = static_cast<offset_t>(random() % static_cast<std::uint64_t>(a.rows()));
        if (rows.offset(s + 1) > rows.offset(s)) g.sources.push_back(s);
    }
    return g;
}

// Entries in a tile of 64 x 64 that has any, on average.
double entries_a_tile(const matrix& a) {
    const auto& rows = a.body().rows();
    std::vector<index_t> last(static_cast<std::size_t>(rows.columns / tile) + 1, -1);
    double tiles = 0;
    for (index_t i = 0; i < rows.rows; ++i)
        for (offset_t k = rows.offset(i); k < rows.offset(i + offset_t{1}); ++k)
            tiles += std::exchange(last[rows.index_data()[k] / tile], i / tile) != i / tile;
    return tiles > 0 ? static_cast<double>(rows.nnz) / tiles : 0;
}

double bfs_ms(const context& ctx, const graph& g, const matrix& a, const vector& order) {
    const vector inverse = nz::inverse(ctx, order);
    const auto places = inverse.values<index_t>();
    std::vector<double> times;
    for (const offset_t s : g.sources) {
        const index_t source = places[static_cast<std::size_t>(s)];
        const vector levels = restore(ctx, bfs(ctx, a, source).levels, order),
                     expected = bfs(ctx, g.given, s).levels;
        if (!std::ranges::equal(levels.values<std::int32_t>(), expected.values<std::int32_t>()))
            throw error("the search in the new order finds other levels");
        times.push_back(time_ms(repeats, [&] { bfs(ctx, a, source); }).best);
    }
    return median(times);
}

double spmv_ms(const context& ctx, const matrix& a) {
    const vector x = vector::full(ctx, a.columns(), scalar(1.0));
    vector y(ctx, dtype::float64, a.rows());
    return time_ms(repeats, [&] { mxv(ctx, y, semiring("plus_times"), a, x); }).best;
}

measurement measure(const context& ctx, const graph& g, const std::string& numbering) {
    timing ordering_time, permuting;
    matrix a = g.shuffled;
    vector order = g.shuffle;  // from a's numbers to those of `given`
    if (numbering == "given") {
        std::vector<index_t> same(static_cast<std::size_t>(a.rows()));
        std::iota(same.begin(), same.end(), 0);
        a = g.given;
        order = vector::dense<index_t>(ctx, same);
    } else if (numbering != "shuffled") {
        const ordering how = parse_ordering(numbering);
        a.facts();  // finds out whether the pattern is symmetric, once for all orders
        const vector found = nz::order(ctx, a, how);
        ordering_time = time_ms(repeats, [&] { nz::order(ctx, a, how); });
        permuting = time_ms(repeats, [&] { permute(ctx, a, found); });
        a = permute(ctx, a, found);
        order = permute(ctx, g.shuffle, found);
    }
    const matrix_facts& facts = a.facts();
    return {bfs_ms(ctx, g, a, order),
            {{"entries", static_cast<double>(a.nnz())},
             {"order_ms", ordering_time.best},
             {"permute_ms", permuting.best},
             {"bandwidth", static_cast<double>(std::max(facts.bandwidth_lower, facts.bandwidth_upper))},
             {"entries_a_tile", entries_a_tile(a)},
             {"spmv_ms", spmv_ms(ctx, a)}}};
}

}  // namespace

int reorder_suite(const options& o) {
    const context ctx({.backend = backend::cpu, .threads = o.threads});
    std::vector<std::string> inputs = o.inputs;
    if (inputs.empty()) inputs.assign(std::begin(graphs), std::end(graphs));
    if (o.quick) inputs = {"grid2d:100", "rmat:10,8"};
    std::vector<std::string> names;
    for (const auto& input : inputs) {
        const auto g = std::make_shared<graph>(make(ctx, input));
        names.push_back(input.substr(input.rfind('/') + 1));
        for (const std::string numbering : numberings)
            add("reorder/" + names.back() + "/" + numbering, [=] { return measure(ctx, *g, numbering); });
    }
    const auto results = run(o, "^reorder/");
    fmt::print("\n{:22} {:9} {:>9} {:>9} {:>10} {:>11} {:>8} {:>8} {:>12}\n", "graph", "numbers", "order ms",
               "permute", "bandwidth", "in a tile", "bfs ms", "spmv ms", "order / bfs");
    for (const auto& name : names)
        for (const std::string numbering : numberings) {
            const auto found = results.find("reorder/" + name + "/" + numbering);
            const auto shuffled = results.find("reorder/" + name + "/shuffled");
            if (found == results.end() || shuffled == results.end()) continue;
            const auto& c = found->second.counters;
            fmt::print("{:22} {:9} {:>9.2f} {:>9.2f} {:>10.0f} {:>11.2f} {:>8.3f} {:>8.3f} {:>12.1f}\n", name,
                       numbering, c.at("order_ms"), c.at("permute_ms"), c.at("bandwidth"),
                       c.at("entries_a_tile"), found->second.ms, c.at("spmv_ms"),
                       c.at("order_ms") / shuffled->second.ms);
        }
    return 0;
}

}  // namespace nz::bench
