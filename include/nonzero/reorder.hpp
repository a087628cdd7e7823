// Reordering: a renumbering of a square matrix's vertices under which rows that meet lie near each other. Orders are vectors
// with order(new) = old: the vertex that the caller calls order(k) is k in the reordered matrix.
#pragma once

#include "nonzero/context.hpp"
#include "nonzero/matrix.hpp"
#include "nonzero/vector.hpp"

#include <cstdint>
#include <string_view>

namespace nz {

/// How vertices are ordered. reverse_cuthill_mckee: breadth first from a far end of each component, neighbours by rising degree,
/// backwards (meshes, roads, bands: entries near the diagonal). degree: by falling degree, ties by number. cluster: groups of at
/// most 1,024 grown around vertices of large degree, each by the vertex with most neighbours in the group (social graphs).
enum class ordering : std::uint8_t { reverse_cuthill_mckee, degree, cluster };
/// "rcm", "degree", "cluster".
std::string_view name_of(ordering how);
/// By that name. Throws domain_error for other words.
ordering parse_ordering(std::string_view name);

/// The order of A's vertices, int32 and dense: order(new) = old, a permutation of 0 to n - 1. Edges count in both directions; values
/// are not looked at. The same in every run and for any number of threads. Linear in entries and vertices, on the CPU, one thread:
/// rcm takes 3 breadth-first searches or so, cluster one visit of every entry; 5 bytes a vertex, for cluster up to 4 more an entry,
/// and a copy of the pattern of A or A^T where that is not symmetric. Throws dimension_mismatch when A is not square.
vector order(const context& ctx, const matrix& a, ordering how);
/// The order that undoes this one: inverse(order(new)) = new. Throws domain_error where `order` is no permutation of 0 to n - 1 in
/// int32 or int64.
vector inverse(const context& ctx, const vector& order);

/// B = P A P^T: B(i,j) = A(order(i), order(j)), of A's type, symmetric where A is. Throws dimension_mismatch when A is not square or
/// the order is of another size, domain_error where it is no permutation.
matrix permute(const context& ctx, const matrix& a, const vector& order);
/// w(i) = v(order(i)): an operand for the reordered matrix, in the form that v has. Throws as above.
vector permute(const context& ctx, const vector& v, const vector& order);
/// w(order(i)) = v(i): a result on the reordered matrix by the caller's own numbers, in the form that v has. Throws as above.
vector restore(const context& ctx, const vector& v, const vector& order);
/// The same for results that are vertices themselves, such as the parents of a search: w(order(i)) = order(v(i)); values below 0,
/// which say that there is none, stay. Throws domain_error unless v is int32 or int64, index_out_of_bounds for a value that is no
/// vertex.
vector restore_vertices(const context& ctx, const vector& v, const vector& order);

}  // namespace nz
