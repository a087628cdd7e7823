#include "vertices.hpp"

#include "io/arrays.hpp"
#include "sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace nz::cli {
namespace {

const std::vector<vertex_column>& shown(const vertex_report& r) {
    return r.shown.empty() ? r.columns : r.shown;
}

void print_json(const settings& s, const graph_input& graph, const vertex_report& r) {
    json o = report(r.verb, s, graph.ctx, graph.in, r.kernel, r.ms);
    o.update(r.facts);
    for (const auto v : r.first) {
        json entry = {{"vertex", graph.in.original(v)}};
        for (const auto& c : shown(r)) entry[c.name] = value_json(c.values, v);
        o[r.list].push_back(entry);
    }
    if (s.validate) o["valid"] = r.breach.empty();
    if (!r.breach.empty()) o["breach"] = r.breach;
    if (s.explain) o["explanation"] = r.explanation;
    print(o);
}

void print_text(const settings& s, const graph_input& graph, const vertex_report& r) {
    fmt::print("{}\n", input_text(s, graph.in));
    if (s.explain)
        for (const auto& line : r.explanation) fmt::print("{}\n", line);
    fmt::print("{}\n", r.headline);
    if (shown(r).size() > 1 && !r.first.empty()) {
        fmt::print("{:>12}", "vertex");
        for (const auto& c : shown(r)) fmt::print(" {:>12}", c.name);
        fmt::print("\n");
    }
    for (const auto v : r.first) {
        fmt::print("{:>12}", graph.in.original(v));
        for (const auto& c : shown(r))
            if (!c.plural.empty())
                fmt::print(" {}", count_text(c.values.get(v)->get<offset_t>(), c.singular, c.plural));
            else
                fmt::print(" {:>{}}", value_text(c.values, v), shown(r).size() > 1 ? 12 : 0);
        fmt::print("\n");
    }
    if (s.validate && r.breach.empty()) fmt::print("valid: {}\n", r.proof);
}

}  // namespace

graph_input open_graph(const settings& s) {
    if (!s.output.empty()) check_columns(s.output);
    const context ctx = make_context(s);
    graph_input graph{ctx, load_input(ctx, s)};
    check_graph(graph.matrix());
    return graph;
}

int conclude(const settings& s, const graph_input& graph, const vertex_report& r) {
    if (!s.output.empty()) write_vertices(s, graph.in, r.columns);
    if (s.json)
        print_json(s, graph, r);
    else
        print_text(s, graph, r);
    if (r.breach.empty()) return 0;
    tell(fmt::format("nz: the {} are not valid: {}\n", r.subject, r.breach));
    return 1;
}

vector named(const context& ctx, const loaded& in, const vector& vertices) {
    if (in.input.original_ids.empty()) return vertices;
    std::vector<std::int64_t> names;
    for (const index_t v : vertices.values<index_t>()) names.push_back(v < 0 ? -1 : in.original(v));
    return vector::dense<std::int64_t>(ctx, names);
}

vector sizes_by_label(const context& ctx, const vector& labels) {
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(labels.size()));
    for (const auto label : labels.values<std::int32_t>()) ++sizes[static_cast<std::size_t>(label)];
    return vector::dense<std::int64_t>(ctx, sizes);
}

void add_vertex_verb(CLI::App& verb, vertex_settings& s, const std::string& what, const std::string& columns,
                     const std::string& kernels) {
    add_input(verb, s);
    add_file_reading(verb, s);
    add_top(verb, s.top, what);
    if (kernels.empty())
        add_run(verb, s);
    else
        add_computation(verb, s, kernels);
    add_transformations(verb, s);
    add_vertex_output(verb, s, columns);
}

std::vector<offset_t> largest(const vector& values, int k) {
    return dispatch(values.type(), [&]<class T>(std::type_identity<T>) {
        const auto x = values.values<T>();
        std::vector<offset_t> order(x.size());
        std::iota(order.begin(), order.end(), offset_t{0});
        const auto end = order.begin() + std::min<std::ptrdiff_t>(k, std::ssize(order));
        const auto at = [&](offset_t v) { return x[static_cast<std::size_t>(v)]; };
        std::partial_sort(order.begin(), end, order.end(),
                          [&](offset_t u, offset_t v) { return at(u) != at(v) ? at(u) > at(v) : u < v; });
        order.erase(end, order.end());
        return order;
    });
}

std::string value_text(const vector& values, offset_t vertex) {
    const scalar x = *values.get(vertex);
    return is_floating(values.type()) ? fmt::format("{:.6g}", x.get<double>())
                                      : fmt::format("{}", x.get<std::int64_t>());
}
json value_json(const vector& values, offset_t vertex) {
    const scalar x = *values.get(vertex);
    return is_floating(values.type()) ? json(x.get<double>()) : json(x.get<std::int64_t>());
}

void add_top(CLI::App& verb, int& top, const std::string& what) {
    verb.add_option("--top", top, fmt::format("{} (default {})", what, top))
        ->check(CLI::Range(0, 1000000))
        ->option_text("K");
}

void add_vertex_output(CLI::App& verb, settings& s, const std::string& columns) {
    add_output(
        verb, s,
        fmt::format("Write 'vertex {}' for every vertex to this file: .npz for NumPy, else text", columns));
}

void write_vertices(const settings& s, const loaded& in, const std::vector<vertex_column>& columns,
                    const std::string& vertex) {
    const offset_t n = in.matrix().rows();
    std::vector<std::int64_t> names(static_cast<std::size_t>(n));
    for (offset_t v = 0; v < n; ++v) names[static_cast<std::size_t>(v)] = in.original(v);
    std::vector<io::named_array> arrays = {{vertex, dtype::int64, names.data(), n}};
    for (const auto& c : columns)
        arrays.push_back({c.name, c.values.type(),
                          dispatch(c.values.type(),
                                   [&]<class T>(std::type_identity<T>) -> const void* {
                                       return c.values.template values<T>().data();
                                   }),
                          n});
    if (is_npz(s.output))
        io::write_npz_arrays(s.output, arrays);
    else
        io::write_text_columns(s.output, arrays);
}

}  // namespace nz::cli
