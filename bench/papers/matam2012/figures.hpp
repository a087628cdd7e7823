// The figures of matam2012, each a function that registers, runs and prints.
#pragma once

#include "papers/shared/datasets.hpp"
#include "papers/shared/runs.hpp"

namespace nz::bench::matam2012 {

using namespace papers;

int forms(const options& o, const context& ctx);    ///< figures 5 and 6, and products within a memory limit
int divided(const options& o, const context& ctx);  ///< figures 7 and 8
int bands(const options& o, const context& ctx);    ///< figure 9
int sparse_dense(const options& o, const context& ctx);  ///< figure 10

/// A * A, or a product of bands, on CPU and GPU together, with shares of the CPU's from none to all.
inline constexpr double searched_shares[] = {0,    0.02, 0.04, 0.06, 0.08, 0.1, 0.125, 0.15, 0.175, 0.2,
                                             0.25, 0.3,  0.35, 0.4,  0.45, 0.5, 0.6,   0.7,  0.85,  1};
/// The time that division_ms() of a share takes at best, that share, and what its neighbours take.
struct best_division {
    double ms = 0, share = 0;
};
best_division search_division(const std::function<double(double)>& division_ms);

/// A product within half of the memory that it takes uncut (on a CPU: half of its workspace), against the uncut one.
void add_limited(const context& ctx, const std::shared_ptr<slot<product_problem>>& at, const input& i,
                 const std::string& kernel);
void print_limited(const std::vector<input>& inputs, const std::vector<std::string>& kernels,
                   const std::map<std::string, measurement>& results);

}  // namespace nz::bench::matam2012
