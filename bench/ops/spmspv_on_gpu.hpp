// SpMSpV on a GPU, part of the matvec suite: every gather kernel and the planned one, by the density of the vector.
#pragma once

#include "harness.hpp"

namespace nz::bench {

/// Those of the suite's matrices whose rows and columns are alike enough for a random sparse vector.
std::vector<std::string> sparse_sources(const std::vector<std::string>& sources);
/// Registers spmspv/MATRIX/DENSITY/KERNEL for the kernels that run here, in double; says which do not.
void add_spmspv_on_gpu(const context& gpu, const context& cpu, const std::vector<std::string>& sources);
/// Times, and the regret of the plan: its time over that of the best kernel.
void print_spmspv_on_gpu(const std::vector<std::string>& sources,
                         const std::map<std::string, measurement>& results);

}  // namespace nz::bench
