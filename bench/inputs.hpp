// Inputs that benches name beside files and generators: real matrices where this machine has them, and matrices made
// from others.
#pragma once

#include "nonzero/nonzero.hpp"

#include <string>
#include <vector>

namespace nz::bench {

/// The folder of real matrices (NONZERO_TEST_DATA, or beside the sources); empty where there is none.
std::string data_folder();
/// The file of a real matrix, or an empty string where it is not there.
std::string real_matrix(const std::string& name);

/// A matrix in double with a value an entry, from a file, a generator, or
///   SOURCE(x)BxB        G + I with every entry a dense B x B block, G of SOURCE or the real matrix of that name
///   half_empty(SOURCE)  with an empty row behind every row
/// A mesh's graph in blocks has the rows of a finite-element matrix with B unknowns a node.
matrix load_input(const context& ctx, const std::string& source);
/// The same, but files and generators come as they are, of any type and without values where they have none.
matrix load_structure(const context& ctx, const std::string& source);

/// Vertices with edges out, drawn with a fixed seed; some may come twice.
std::vector<offset_t> random_sources(const matrix& a, int count);

/// What a benchmark calls it: a file without its folders.
std::string input_name(const std::string& source);

}  // namespace nz::bench
