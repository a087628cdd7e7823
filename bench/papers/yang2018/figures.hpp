// The figures of yang2018 and its first table, each a function that registers, runs and prints.
#pragma once

#include "suites.hpp"

namespace nz::bench::yang2018 {

int products(const options& o, const context& ctx);   ///< figure 2
int costs(const options& o, const context& ctx);      ///< table 1: how figure 2's times follow accesses
int levels(const options& o, const context& ctx);     ///< figure 5
int searches(const options& o, const context& ctx);   ///< figure 6: figure 2 with vectors that searches met
int libraries(const options& o, const context& ctx);  ///< figure 7

/// Registers figure 2's products of the graph, and prints them once they ran.
void add_products(const context& ctx, const std::string& source, const std::shared_ptr<matrix>& a,
                  bool quick);
void print_products(const std::string& source, const std::map<std::string, measurement>& results);

}  // namespace nz::bench::yang2018
