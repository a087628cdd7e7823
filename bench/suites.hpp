// The suites, each in a file of its own.
#pragma once

#include "harness.hpp"

namespace nz::bench {

int bfs_suite(const options& o);
int bfs_suite_on_gpu(const options& o, const context& ctx);
int sssp_suite(const options& o);
int bfs_many_suite(const options& o);
int pagerank_suite(const options& o);
int gap_suite(const options& o);
int graph500_suite(const options& o);
/// Products that the matvec suites say will follow, as a solver makes them: the plan may make slices then.
inline constexpr offset_t products_expected = 1000;
int matvec_suite(const options& o);
int matvec_suite_on_gpu(const options& o, const context& gpu);
int spadd_suite(const options& o);
int transpose_suite(const options& o);
int reorder_suite(const options& o);
int spgemm_suite(const options& o);
int spmm_suite(const options& o);
int sddmm_suite(const options& o);
int spgemm_suite_on_gpu(const options& o, const context& gpu);
int spmm_suite_on_gpu(const options& o, const context& gpu);
int spadd_suite_on_gpu(const options& o, const context& gpu);
int transpose_suite_on_gpu(const options& o, const context& gpu);
int regret_suite(const options& o);
int reading_suite(const options& o);
int limits_suite(const options& o);
int yang2015_suite(const options& o);
int yang2018_suite(const options& o);
int dalton2015_suite(const options& o);
int matam2012_suite(const options& o);
int ji2022_suite(const options& o);

}  // namespace nz::bench
