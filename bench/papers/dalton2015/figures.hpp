// The figures of dalton2015, each a function that registers, runs and prints.
#pragma once

#include "papers/shared/datasets.hpp"
#include "papers/shared/runs.hpp"

namespace nz::bench::dalton2015 {

using namespace papers;

int unions(const options& o, const context& ctx);    ///< figure 2
int sorts(const options& o, const context& ctx);     ///< figure 4
int spmv(const options& o, const context& ctx);      ///< figures 5 and 6
int sums(const options& o, const context& ctx);      ///< figures 7 and 8
int products(const options& o, const context& ctx);  ///< figures 9 and 10
int phases(const options& o, const context& ctx);    ///< figure 11

}  // namespace nz::bench::dalton2015
