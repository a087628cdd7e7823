// The figures of matam2012, each a function that registers, runs and prints.
#pragma once

#include "papers/shared/datasets.hpp"
#include "papers/shared/runs.hpp"

namespace nz::bench::matam2012 {

using namespace papers;

int forms(const options& o, const context& ctx);  ///< figures 5 and 6, and products within a memory limit
int bands(const options& o, const context& ctx);  ///< figure 9, without the division
int sparse_dense(const options& o, const context& ctx);  ///< figure 10

/// A product within half of the memory that it takes uncut (on a CPU: half of its workspace), against the uncut one.
void add_limited(const context& ctx, const std::shared_ptr<slot<product_problem>>& at, const input& i,
                 const std::string& kernel);
void print_limited(const std::vector<input>& inputs, const std::vector<std::string>& kernels,
                   const std::map<std::string, measurement>& results);

}  // namespace nz::bench::matam2012
