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
};

/// Vertices of the k largest values, ties by vertex.
std::vector<offset_t> largest(const vector& values, int k);
/// "0.0123", or a whole number.
std::string value_text(const vector& values, offset_t vertex);
json value_json(const vector& values, offset_t vertex);

/// --top K.
void add_top(CLI::App& verb, int& top, const std::string& what);
/// -o FILE for write_vertices.
void add_vertex_output(CLI::App& verb, settings& s, const std::string& columns);
/// By the suffix of s.output: .npz, an array for each column and one of the vertices' own names; else text, a line for
/// each vertex.
void write_vertices(const settings& s, const loaded& in, const std::vector<vertex_column>& columns);

}  // namespace nz::cli
