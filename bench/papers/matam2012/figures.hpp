// The figures of matam2012, each a function that registers, runs and prints.
#pragma once

#include "papers/shared/datasets.hpp"
#include "papers/shared/runs.hpp"

#include <array>
#include <functional>
#include <vector>

namespace nz::bench::matam2012 {

using namespace papers;

int forms(const options& o, const context& ctx);    ///< figures 5 and 6, and products within a memory limit
int divided(const options& o, const context& ctx);  ///< figures 7 and 8
int bands(const options& o, const context& ctx);    ///< figure 9
int sparse_dense(const options& o, const context& ctx);  ///< figure 10

/// A * A, or a product of bands, on CPU and GPU together, with shares of the CPU's from none to all.
inline constexpr double searched_shares[] = {0,    0.02, 0.04, 0.06, 0.08, 0.1, 0.125, 0.15, 0.175, 0.2,
                                             0.25, 0.3,  0.35, 0.4,  0.45, 0.5, 0.6,   0.7,  0.85,  1};
/// Divides once by a share of the CPU's, or as it goes (below 0), and returns the milliseconds.
using division = std::function<double(double)>;
/// The two shares whose least times are the least.
std::array<double, 2> search_shares(const division& once, int repeats);
/// The least of so many times, after one that takes memory.
double least_ms(const division& once, double share, int repeats);
/// The medians of least times that take turns: of many least times the least is one of luck too, and is not what others are held against. A
/// division comes several times before the next one, whose result has its memory elsewhere.
std::vector<double> medians_in_turns(const division& once, const std::vector<double>& shares, int repeats);

/// A product within half of the memory that it takes uncut (on a CPU: half of its workspace), against the uncut one.
void add_limited(const context& ctx, const std::shared_ptr<slot<product_problem>>& at, const input& i,
                 const std::string& kernel);
void print_limited(const std::vector<input>& inputs, const std::vector<std::string>& kernels,
                   const std::map<std::string, measurement>& results);

}  // namespace nz::bench::matam2012
