// yang2015: breadth-first search by SpMSpV, merging by no sort, radix sort and merge sort, against SpMV. Tables 1 and 2
// over graphs of the shapes of its seven datasets, table 3 and figure 1 with the phases of their products, table 4 and
// figure 2 over Kronecker graphs of edge factor 48. The question that its section IV asks and its section V answers by
// eye, whether the crossing with SpMV comes at a size of the frontier or at a share of the entries, is answered by
// frontiers of random vertices that grow until SpMV is faster. Times are those of the products as a caller sees them,
// the median of the sources; an edge is an entry of the matrix.
#include "kernels/kernel_ids.hpp"
#include "papers/yang2015/search.hpp"
#include "suites.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <optional>

namespace nz::bench {
namespace {

using namespace yang2015;

constexpr int source_count = 10;
// Large graphs, and deep ones with thousands of products a search: sources are drawn until this is spent.
constexpr double budget_ms = 12000;

struct dataset {
    const char* paper;
    const char* shape;                // of the same kind, where the paper's own file is not at hand
    double paper_spmspv, paper_spmv;  // its tables 1 and 2, ms on a K40c
};
constexpr dataset datasets[] = {{"ak2010", "grid2d:212,0.2", 1.686, 0.427},
                                {"belgium_osm", "grid2d:500,0.3", 63.937, 97.280},
                                {"coAuthorsDBLP", "uniform:299067,3", 4.530, 6.213},
                                {"delaunay_n13", "grid2d:90", 1.085, 0.568},
                                {"delaunay_n21", "laplace3d:128", 11.511, 22.241},
                                {"soc-LiveJournal1", "rmat_directed:22,16", 73.722, 214.357},
                                {"kron_g500-logn21", "rmat:21,48", 70.935, 230.609}};

// The graph at hand: the benchmarks come one graph after another.
class graph_slot {
public:
    explicit graph_slot(const context& ctx) : ctx_(ctx) {}
    const searcher& of(const std::string& source) {
        if (source != source_) {
            searcher_.reset();
            searcher_.emplace(ctx_, source);
            source_ = source;
        }
        return *searcher_;
    }

private:
    context ctx_;
    std::string source_;
    std::optional<searcher> searcher_;
};

struct searches {
    std::vector<double> ms, edges;    // a source each
    std::vector<phase_times> phases;  // likewise
    std::vector<level> first;         // the levels from the first source
};
using all_searches = std::map<std::string, searches>;

searches search_all(const searcher& s, const method& m) {
    const auto sources = s.random_vertices(source_count);
    searches all;
    s.check(sources.front(), s.search(sources.front(), m, 1), m);
    double spent = 0;
    for (const index_t source : sources) {
        const auto start = std::chrono::steady_clock::now();
        const search_result r = s.search(source, m, 3);
        all.ms.push_back(r.ms);
        all.edges.push_back(static_cast<double>(r.edges));
        all.phases.push_back(r.phases);
        if (all.first.empty()) all.first = r.levels;
        spent += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
        if (spent > budget_ms) break;
    }
    return all;
}

std::string name_of_search(const std::string& graph, const method& m) {
    return fmt::format("yang2015/bfs/{}/{}", graph, m.name);
}

void add_searches(const std::shared_ptr<graph_slot>& slot, const std::shared_ptr<all_searches>& kept,
                  const std::string& graph, const method& m) {
    add(name_of_search(graph, m), [=, &m] {
        const searcher& s = slot->of(graph);
        const searches all = search_all(s, m);
        (*kept)[name_of_search(graph, m)] = all;
        std::vector<double> rates;
        for (std::size_t k = 0; k < all.ms.size(); ++k) rates.push_back(all.edges[k] / all.ms[k] / 1e3);
        // The phases are those of one search, of the time in the middle.
        std::vector<std::size_t> order(all.ms.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::sort(order, {}, [&](std::size_t k) { return all.ms[k]; });
        const std::size_t middle = order[order.size() / 2];
        const phase_times& phases = all.phases[middle];
        return measurement{median(all.ms),
                           {{"mteps", median(rates)},
                            {"common_ms", phases.common},
                            {"scatter_ms", phases.scatter},
                            {"sort_ms", phases.sort},
                            {"rest_ms", all.ms[middle] - phases.common - phases.scatter - phases.sort},
                            {"sources", static_cast<double>(all.ms.size())},
                            {"levels", static_cast<double>(all.first.size())},
                            {"vertices", static_cast<double>(s.graph().rows())},
                            {"entries", static_cast<double>(s.graph().nnz())},
                            {"longest_row", static_cast<double>(s.longest_row())}}};
    });
}

// The library's own search beside them, as the paper has two of the time's best.
void add_fused(const std::shared_ptr<graph_slot>& slot, const context& ctx, const std::string& graph) {
    add("yang2015/bfs/" + graph + "/fused", [=] {
        const searcher& s = slot->of(graph);
        std::vector<double> times;
        for (const index_t source : s.random_vertices(source_count)) {
            bfs(ctx, s.graph(), source, {.parents = false});
            times.push_back(time_ms(3, [&] { bfs(ctx, s.graph(), source, {.parents = false}); }).median);
        }
        return measurement{median(times), {}};
    });
}

// Where a frontier of random vertices begins to cost more than SpMV, between two sizes on logarithmic axes; nothing
// where it never does.
measurement crossing(const searcher& s, const method& m) {
    const std::vector<index_t> all = s.random_vertices(static_cast<std::size_t>(s.graph().rows()));
    const auto entries = static_cast<double>(s.graph().nnz()), rows = static_cast<double>(s.graph().rows());
    const double spmv = s.product_ms(all, methods[spmv_method], 15);
    s.product_ms({all.front()}, m, 1);
    double last_ratio = 0, last_size = 0, last_products = 0;
    for (std::size_t size = std::min<std::size_t>(16, all.size()), before = 0; size > before;
         before = size, size = std::min(2 * size, all.size())) {
        const std::vector<index_t> frontier(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(size));
        const double ratio = s.product_ms(frontier, m, 5) / spmv, now = static_cast<double>(size),
                     products = static_cast<double>(s.products_of(frontier));
        if (ratio > 1) {
            const double share =
                last_ratio > 0 ? -std::log(last_ratio) / (std::log(ratio) - std::log(last_ratio)) : 1;
            const auto between = [&](double low, double high) {
                return last_ratio > 0 ? low * std::pow(high / low, share) : high;
            };
            const double at_size = between(last_size, now), at_products = between(last_products, products);
            return {spmv,
                    {{"frontier", at_size},
                     {"products", at_products},
                     {"share_of_vertices", at_size / rows},
                     {"share_of_entries", at_products / entries}}};
        }
        last_ratio = ratio, last_size = now, last_products = products;
    }
    return {spmv, {}};
}

std::string name_of_crossing(const std::string& graph, const method& m) {
    return fmt::format("yang2015/crossing/{}/{}", graph, m.name);
}

const measurement* find(const std::map<std::string, measurement>& results, const std::string& name) {
    const auto it = results.find(name);
    return it == results.end() ? nullptr : &it->second;
}

std::string ms_of(const measurement* m) { return m ? fmt::format("{:.3f}", m->ms) : std::string("-"); }

void print_datasets(const std::vector<dataset>& sets, const std::map<std::string, measurement>& results,
                    int table) {
    fmt::print("\n{:17} {:21} {:>9} {:>11} {:>8} {:>7} {:>10} {:>10} {:>10} {:>12}\n", "paper's dataset",
               "of its shape", "vertices", "entries", "longest", "levels", "SpMSpV ms",
               table == 1 ? "fused ms" : "SpMV ms", table == 1 ? "ratio" : "speed-up",
               table == 1 ? "" : "paper's");
    for (const dataset& d : sets) {
        const auto* sparse = find(results, name_of_search(d.shape, methods[radix_method]));
        const auto* other = table == 1 ? find(results, fmt::format("yang2015/bfs/{}/fused", d.shape))
                                       : find(results, name_of_search(d.shape, methods[spmv_method]));
        if (!sparse) continue;
        const auto counter = [&](const char* key) { return sparse->counters.at(key); };
        const double ratio = !other ? 0 : table == 1 ? sparse->ms / other->ms : other->ms / sparse->ms;
        fmt::print(
            "{:17} {:21} {:>9.0f} {:>11.0f} {:>8.0f} {:>7.0f} {:>10} {:>10} {:>10.2f} {:>12}\n", d.paper,
            d.shape, counter("vertices"), counter("entries"), counter("longest_row"), counter("levels"),
            ms_of(sparse), ms_of(other), ratio,
            table == 2 && d.paper_spmspv > 0 ? fmt::format("{:.2f}", d.paper_spmv / d.paper_spmspv) : "");
    }
}

void print_scaling(const std::vector<std::string>& graphs,
                   const std::map<std::string, measurement>& results) {
    fmt::print("\n{:12} {:>10} |", "ms and MTEPS", "entries");
    for (const method& m : methods) fmt::print(" {:>10}", m.label);
    fmt::print(" |");
    for (const method& m : methods) fmt::print(" {:>10}", m.label);
    fmt::print("\n");
    for (const auto& graph : graphs) {
        std::string ms, rates;
        double entries = 0;
        for (const method& m : methods) {
            const measurement* found = find(results, name_of_search(graph, m));
            ms += fmt::format(" {:>10}", ms_of(found));
            rates +=
                found ? fmt::format(" {:>10.1f}", found->counters.at("mteps")) : fmt::format(" {:>10}", "-");
            if (found) entries = found->counters.at("entries");
        }
        fmt::print("{:12} {:>10.0f} |{} |{}\n", graph, entries, ms, rates);
    }
}

// Table III: milliseconds of a search; figure 1: shares of it. SpMV has no phases.
void print_phases(const std::vector<std::string>& graphs, const std::map<std::string, measurement>& results,
                  bool shares) {
    constexpr const char* names[] = {"common", "scatter", "sort", "rest"};
    fmt::print("\n{:21}", shares ? "% of a search's time" : "ms of a search");
    for (const method& m : methods)
        if (!m.dense) fmt::print(" | {:^39}", m.label);
    fmt::print("\n{:21}", "");
    for (const method& m : methods)
        if (!m.dense) fmt::print(" | {:>9} {:>9} {:>9} {:>9}", names[0], names[1], names[2], names[3]);
    fmt::print("\n");
    for (const auto& graph : graphs) {
        fmt::print("{:21}", graph);
        for (const method& m : methods) {
            const measurement* found = m.dense ? nullptr : find(results, name_of_search(graph, m));
            if (m.dense) continue;
            if (!found) {
                fmt::print(" | {:39}", "");
                continue;
            }
            const auto ms = [&](const char* name) { return found->counters.at(fmt::format("{}_ms", name)); };
            double whole = 0;
            for (const char* name : names) whole += ms(name);
            fmt::print(" |");
            for (const char* name : names) fmt::print(" {:>9.4f}", ms(name) * (shares ? 100 / whole : 1));
        }
        fmt::print("\n");
    }
    fmt::print(
        "common: products are formed; scatter: they are added up where they belong; rest: plan, launches, vectors of the caller\n"
        "no sort, on a GPU or by one thread: products go where they belong as they are formed, both in `scatter`\n");
}

void print_levels(const std::string& graph, const all_searches& kept, double entries) {
    const auto of = [&](const method& m) -> const std::vector<level>* {
        const auto it = kept.find(name_of_search(graph, m));
        return it == kept.end() ? nullptr : &it->second.first;
    };
    const auto* lead = of(methods[spmv_method]);
    if (!lead) return;
    fmt::print("\n{}, levels from the first source (ms)\n{:>5} {:>10} {:>11} {:>8}", graph, "level",
               "frontier", "products", "share");
    for (const method& m : methods) fmt::print(" {:>10}", m.label);
    fmt::print("\n");
    for (std::size_t l = 0; l < lead->size(); ++l) {
        const auto products = static_cast<double>((*lead)[l].products);
        fmt::print("{:>5} {:>10} {:>11.0f} {:>7.3f}%", l, (*lead)[l].frontier, products,
                   100 * products / entries);
        for (const method& m : methods)
            fmt::print(" {:>10}", of(m) && l < of(m)->size() ? fmt::format("{:.4f}", (*of(m))[l].ms) : "-");
        fmt::print("\n");
    }
}

void print_points(const std::vector<std::string>& graphs, const all_searches& kept) {
    fmt::print("\n{:12} {:12} {:>12} {:>10}\n", "graph", "method", "edges", "ms");
    for (const auto& graph : graphs)
        for (const method& m : methods)
            if (const auto it = kept.find(name_of_search(graph, m)); it != kept.end())
                for (std::size_t k = 0; k < it->second.ms.size(); ++k)
                    fmt::print("{:12} {:12} {:>12.0f} {:>10.4f}\n", graph, m.label, it->second.edges[k],
                               it->second.ms[k]);
}

void print_crossings(const std::vector<std::string>& graphs,
                     const std::map<std::string, measurement>& results) {
    fmt::print(
        "\nwhere SpMSpV begins to cost more than SpMV (frontiers of random vertices)\n"
        "{:12} {:12} {:>12} {:>12} {:>10} {:>10}\n",
        "graph", "method", "frontier", "products", "vertices", "entries");
    for (const method& m : methods) {
        if (m.dense) continue;
        double low[2] = {1e300, 1e300}, high[2] = {0, 0};
        int crossed = 0;
        for (const auto& graph : graphs) {
            const measurement* c = find(results, name_of_crossing(graph, m));
            if (!c) continue;
            if (c->counters.empty()) {
                fmt::print("{:12} {:12} {:>12}\n", graph, m.label, "never");
                continue;
            }
            fmt::print("{:12} {:12} {:>12.0f} {:>12.0f} {:>9.2f}% {:>9.2f}%\n", graph, m.label,
                       c->counters.at("frontier"), c->counters.at("products"),
                       100 * c->counters.at("share_of_vertices"), 100 * c->counters.at("share_of_entries"));
            const double at[2] = {c->counters.at("frontier"), c->counters.at("share_of_entries")};
            for (int k = 0; k < 2; ++k) low[k] = std::min(low[k], at[k]), high[k] = std::max(high[k], at[k]);
            ++crossed;
        }
        if (crossed > 1)
            fmt::print(
                "{}: over the scales the frontier's size varies {:.1f}-fold, its share of the entries "
                "{:.1f}-fold: the crossing follows the {}\n",
                m.label, high[0] / low[0], high[1] / low[1],
                high[0] / low[0] < high[1] / low[1] ? "size" : "share");
    }
}

bool has_cuda_kernels() {
    for (const method& m : methods) {
        const auto here = std::ranges::any_of(kernels::kernel_ids, [&](const kernels::kernel_id& k) {
            return k.operation == "mxv" && k.id == m.kernel && k.cuda == kernels::presence::here;
        });
        if (!here) return false;
    }
    return true;
}

// The GPU where one is wanted, there, and served by all of the kernels that are compared.
context choose_context(const options& o) {
    if (o.backend == "cuda" && !has_cuda_kernels())
        throw not_supported(
            "papers/yang2015 on the GPU needs its four kernels of mxv there: use --backend cpu");
    const backend wanted = o.backend == "cuda"                         ? backend::cuda
                           : o.backend == "auto" && has_cuda_kernels() ? backend::automatic
                                                                       : backend::cpu;
    return context({.backend = wanted, .threads = o.threads});
}

int run_datasets(const options& o, const context& ctx, int table) {
    std::vector<dataset> sets(std::begin(datasets), std::end(datasets));
    if (o.quick) sets = {datasets[0], datasets[3], {"kron_g500-logn21", "rmat:13,16", 0, 0}};
    if (!o.inputs.empty()) sets.clear();
    for (const auto& input : o.inputs) sets.push_back({"", input.c_str(), 0, 0});
    const auto slot = std::make_shared<graph_slot>(ctx);
    const auto kept = std::make_shared<all_searches>();
    for (const dataset& d : sets) {
        add_searches(slot, kept, d.shape, methods[radix_method]);
        if (table == 1)
            add_fused(slot, ctx, d.shape);
        else
            for (const method& m : methods)
                if (table == 3 || &m == &methods[spmv_method])
                    if (&m != &methods[radix_method]) add_searches(slot, kept, d.shape, m);
    }
    const auto results = run(o, "^yang2015/bfs/");
    if (table != 3) {
        print_datasets(sets, results, table);
        return 0;
    }
    std::vector<std::string> graphs;
    for (const dataset& d : sets) graphs.emplace_back(d.shape);
    if (o.figure != 1) print_scaling(graphs, results);
    print_phases(graphs, results, o.figure == 1);
    return 0;
}

int run_kronecker(const options& o, const context& ctx) {
    std::vector<std::string> graphs = o.inputs;
    if (graphs.empty())
        for (int scale = o.quick ? 10 : 16; scale <= (o.quick ? 12 : 21); ++scale)
            graphs.push_back(fmt::format("rmat:{},48", scale));
    const auto slot = std::make_shared<graph_slot>(ctx);
    const auto kept = std::make_shared<all_searches>();
    for (const auto& graph : graphs) {
        for (const method& m : methods) add_searches(slot, kept, graph, m);
        if (o.figure == 2) continue;
        for (const method& m : methods)
            if (!m.dense) add(name_of_crossing(graph, m), [=, &m] { return crossing(slot->of(graph), m); });
    }
    const auto results = run(o, "^yang2015/");
    if (o.figure == 2) {
        print_points(graphs, *kept);
        return 0;
    }
    for (const auto& graph : graphs)
        if (const auto* m = find(results, name_of_search(graph, methods[spmv_method])))
            print_levels(graph, *kept, m->counters.at("entries"));
    print_scaling(graphs, results);
    print_crossings(graphs, results);
    return 0;
}

}  // namespace

int yang2015_suite(const options& o) {
    const context ctx = choose_context(o);
    fmt::print("{}\n",
               ctx.backend() == backend::cuda ? ctx.device() : fmt::format("CPU, {} threads", ctx.threads()));
    if (o.figure == 2 || o.table == 4) return run_kronecker(o, ctx);
    return run_datasets(o, ctx, o.figure == 1 ? 3 : o.table);
}

}  // namespace nz::bench
