// The tables and figures of ji2022, each a function that registers, runs and prints.
#pragma once

#include "papers/shared/runs.hpp"

namespace nz::bench::ji2022 {

using namespace papers;

/// The suite's inputs: those asked for, or a few generated ones of its classes (and a real mesh where there is one).
std::vector<std::string> inputs_of(const options& o, bool graphs);

int tiles(const options& o, const context& ctx);       ///< table 2
int products(const options& o, const context& ctx);    ///< figure 6
int searches(const options& o, const context& ctx);    ///< figures 7, 8 and 12
int phases(const options& o, const context& ctx);      ///< figure 9
int levels(const options& o, const context& ctx);      ///< figure 10
int conversion(const options& o, const context& ctx);  ///< figure 11

}  // namespace nz::bench::ji2022
