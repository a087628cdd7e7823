// Results for each vertex: the few that stand out, and files of all.
#pragma once

#include "common.hpp"
#include "nonzero/vector.hpp"

#include <string>
#include <vector>

namespace nz::cli {

/// A result with a value for each vertex, dense.
struct vertex_column {
    std::string name;
    vector values;
    std::string singular{}, plural{};  ///< what it counts, where a list shows it alone
};

/// Settings of the verbs that find something for each vertex.
struct vertex_settings : settings {
    int top = 10;
};

/// A graph as such a verb works on it.
struct graph_input {
    context ctx;
    loaded in;
    const nz::matrix& matrix() const { return in.matrix(); }
};
/// Checks --output first; throws usage_error for what is no graph.
graph_input open_graph(const settings& s);

/// What a verb found, for the one place that writes and prints it.
struct vertex_report {
    std::string_view verb;
    std::string kernel{};  ///< of the operation behind it, of several runs the last; empty without one
    double ms = 0;
    std::string subject{}, proof{};  ///< "components", "edges join equal labels": what --validate says
    std::string breach{};            ///< the rule broken, by --validate
    std::string headline{};          ///< the line that says it all
    json facts = json::object();     ///< the same for --json
    std::vector<std::string> explanation{};  ///< lines for --explain
    std::vector<vertex_column> columns{};    ///< for --output
    std::string list = "top";                ///< in JSON, the list of the first few
    std::vector<vertex_column> shown{};      ///< its columns; none: those of --output
    std::vector<offset_t> first{};           ///< its vertices
};
/// Writes --output, prints text or JSON, and returns the exit status.
int conclude(const settings& s, const graph_input& graph, const vertex_report& r);

/// Vertices as values, by the input's own names of them; -1, which is none, stays.
vector named(const context& ctx, const loaded& in, const vector& vertices);
/// For labels that are vertices: how many vertices have each.
vector sizes_by_label(const context& ctx, const vector& labels);

/// Vertices of the k largest values, ties by vertex.
std::vector<offset_t> largest(const vector& values, int k);
/// "0.0123", or a whole number.
std::string value_text(const vector& values, offset_t vertex);
json value_json(const vector& values, offset_t vertex);

/// INPUT and the options of every verb on the vertices of a graph: how to read it, --top `what`, --backend to --explain
/// (with --kernel where `kernels` names some), its transformations, -o FILE with `columns`.
void add_vertex_verb(CLI::App& verb, vertex_settings& s, const std::string& what, const std::string& columns,
                     const std::string& kernels = "");
/// --top K.
void add_top(CLI::App& verb, int& top, const std::string& what);
/// -o FILE for write_vertices.
void add_vertex_output(CLI::App& verb, settings& s, const std::string& columns);
/// By the suffix of s.output: .npz, an array for each column and one of the vertices' own names; else text, a line for
/// each vertex.
void write_vertices(const settings& s, const loaded& in, const std::vector<vertex_column>& columns,
                    const std::string& vertex = "vertex");

}  // namespace nz::cli
