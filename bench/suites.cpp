#include "suites.hpp"

namespace nz::bench {

// Its benchmarks register themselves (bench/ops/reading.cpp).
int reading_suite(const options& o) {
    run(o, "^reading/");
    return 0;
}

std::vector<suite> suites() {
    return {
        {"bfs",
         "breadth-first search against SuiteSparse:GraphBLAS; --table 1: regret of the direction rule",
         bfs_suite,
         {.tables = {1}}},
        {"sssp",
         "shortest paths over weights 1 to 255; --table 1: the width of buckets",
         sssp_suite,
         {.tables = {1}}},
        {"bfs_many",
         "64 searches at once, counts alone, with sums of vertices and with levels, against as many single ones",
         bfs_many_suite},
        {"gap",
         "GAP's six kernels on five kinds of graph of 2^SCALE vertices, by its rules; checked",
         gap_suite,
         {.inputs = false, .scale = true}},
        {"graph500",
         "Graph500's two kernels at 2^SCALE vertices: the graph's building, 64 searches, five checks",
         graph500_suite,
         {.inputs = false, .scale = true}},
        {"pagerank", "PageRank to a change of 1e-4, float and double ranks, all and settled rows left out",
         pagerank_suite},
        {"matvec", "SpMV and SpMSpV by every kernel, with the share of the read bandwidth", matvec_suite},
        {"spadd", "A + A^T by the balanced path, with the share of the copy rate", spadd_suite},
        {"spgemm", "A * A by every kernel, against SuiteSparse:GraphBLAS and Eigen", spgemm_suite},
        {"spmm",
         "sparse x dense by every kernel, 8 to 64 columns, against Eigen, SuiteSparse:GraphBLAS and SpMV",
         spmm_suite},
        {"sddmm", "dense x dense at sparse places, 16 to 128 products each, against cuSPARSE on a GPU",
         sddmm_suite},
        {"transpose", "transposes, and matrices from coordinates, with the share of the copy rate",
         transpose_suite},
        {"reorder", "orders of vertices: their cost, and what searches and products gain; no peer",
         reorder_suite},
        {"regret", "what the plan chose over the best of all kernels, on every input and operation",
         regret_suite},
        {"reading",
         "files to sorted, expanded CSR: parse alone, whole, gzip",
         reading_suite,
         {.inputs = false}},
        {"limits",
         "what the floors are made of: streams, scattered access by table size, launches, host link",
         limits_suite,
         {.inputs = false}},
        {"papers/yang2015",
         "BFS by sparse against dense vectors: --table 1 to 4, --figure 2",
         yang2015_suite,
         {.tables = {1, 2, 3, 4}, .figures = {1, 2}}},
        {"papers/yang2018",
         "products by rows and columns, and what five optimisations make of search: --table 1 and 2, --figure 2 and 5 to 7",
         yang2018_suite,
         {.tables = {1, 2}, .figures = {2, 5, 6, 7}}},
        {"papers/dalton2015",
         "SpMV, SpAdd and SpGEMM whose time follows the work: --table 2, --figure 2 and 4 to 11",
         dalton2015_suite,
         {.tables = {2}, .figures = {2, 4, 5, 6, 7, 8, 9, 10, 11}}},
        {"papers/matam2012",
         "SpGEMM by rows and columns, within a memory limit, CPU and GPU together, bands, sparse x dense: --figure 3 to 10",
         matam2012_suite,
         {.figures = {3, 4, 5, 6, 7, 8, 9, 10}}},
        {"papers/ji2022",
         "products and searches over tiles, against cuSPARSE's BSR, gathers and push_pull: --table 2, --figure 6 to 12",
         ji2022_suite,
         {.tables = {2}, .figures = {6, 7, 8, 9, 10, 11, 12}}}};
}

}  // namespace nz::bench
