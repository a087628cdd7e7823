// yang2018, table 2: the five optimisations switched on one after another, over the loop on mxv, in the paper's
// order (structure only, change of direction, masking, early exit, operand reuse), on a Kronecker graph. The paper:
// 0.874, 1.411, 1.527, 3.932, 15.83, 42.44 GTEPS on a K40c. The same switches on the fused kernel beside it; on a GPU that
// one by kernel time, the loop from call to return. Section 7.3's frontiers with duplicates are a last row of the fused kernel alone.
#include "inputs.hpp"
#include "papers/shared/runs.hpp"
#include "papers/yang2018/figures.hpp"

#include <fmt/format.h>

namespace nz::bench {
namespace {

struct stage {
    const char* name;
    const char* switches;
    bool loop = true;  // whether the loop has it
};
constexpr stage stages[] = {{"baseline", "none"},
                            {"structure only", "structure_only"},
                            {"change of direction", "structure_only,change_direction"},
                            {"masking", "structure_only,change_direction,masking"},
                            {"early exit", "structure_only,change_direction,masking,early_exit"},
                            {"operand reuse", "all"},
                            {"duplicates", "all,duplicates", false}};

// A Kronecker graph whose entries hold values, so that a run that reads values has some to read.
matrix valued(const context& ctx, const matrix& a) {
    matrix out(ctx, dtype::boolean, a.rows(), a.columns());
    apply(ctx, out, unary_id::identity, a);
    return out;
}

constexpr const char* forms[][2] = {{"loop", "push_pull_loop"}, {"fused", "push_pull_fused"}};

std::string name_of(const std::string& source, const char* form, const stage& s) {
    return fmt::format("yang2018/stack/{}/{}/{}", source, form, s.name);
}

measurement search_all(const context& ctx, const matrix& a, const std::vector<offset_t>& sources,
                       const char* kernel, const char* switches) {
    std::vector<double> rates, times;
    for (const offset_t s : sources) {
        traverse_options o;
        o.kernel = kernel;
        o.switches = parse_switches(switches);
        o.parents = false;
        offset_t edges = 0;
        double kernel_ms = -1;
        const double called_ms = time_ms(3, [&] {
                                     const auto found = bfs(ctx, a, s, o);
                                     edges = found.edges;
                                     kernel_ms = found.kernel_ms;
                                 }).median;
        const double ms = kernel_ms >= 0 ? kernel_ms : called_ms;
        times.push_back(ms);
        rates.push_back(static_cast<double>(edges) / ms / 1e6);
    }
    return {median(times), {{"gteps", median(rates)}}};
}

void print_table(const std::string& source, const std::map<std::string, measurement>& results) {
    fmt::print("{:22} {:>10} {:>9} {:>10} {:>9}\n", "optimisation", "loop", "speed-up", "fused", "speed-up");
    double last[2] = {0, 0};
    for (const stage& s : stages) {
        fmt::print("{:22}", s.name);
        for (int k = 0; k < 2; ++k) {
            if (k == 0 && !s.loop) {
                fmt::print(" {:>10} {:>9}", "", "");
                continue;
            }
            const auto found = results.find(name_of(source, forms[k][0], s));
            const double now = found == results.end() ? 0 : found->second.counters.at("gteps");
            fmt::print(" {:>10.3f} {:>8.2f}x", now, last[k] > 0 ? now / last[k] : 1);
            last[k] = now;
        }
        fmt::print("\n");
    }
}

}  // namespace

int yang2018_suite(const options& o) {
    using figure = int (*)(const options&, const context&);
    const figure draw = o.figure == 2   ? yang2018::products
                        : o.figure == 5 ? yang2018::levels
                        : o.figure == 6 ? yang2018::searches
                        : o.figure == 7 ? yang2018::libraries
                                        : nullptr;
    if (draw) return draw(o, papers::choose_context(o));
    if (o.table == 1) return yang2018::costs(o, papers::choose_context(o));
    const context ctx({.backend = wanted_backend(o), .threads = o.threads});
    const std::string source = !o.inputs.empty() ? o.inputs.front() : o.quick ? "rmat:13,16" : "rmat:18,48";
    const matrix a = valued(ctx, load(ctx, source).matrix);
    const std::vector<offset_t> sources = random_sources(a, 5);
    fmt::print("{}: {} vertices, {} entries; levels; median of {} sources\n", source, a.rows(), a.nnz(),
               sources.size());
    for (const auto& [form, kernel] : forms)
        for (const stage& s : stages) {
            if (!s.loop && kernel == forms[0][1]) continue;
            add(name_of(source, form, s), [&, kernel = kernel, switches = s.switches] {
                return search_all(ctx, a, sources, kernel, switches);
            });
        }
    print_table(source, run(o, "^yang2018/stack/"));
    return 0;
}

}  // namespace nz::bench
