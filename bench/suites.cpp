#include "suites.hpp"

#include <fmt/format.h>
#include <omp.h>

namespace nz::bench {

int limits_suite(const options& o) {
    const int threads = o.threads ? o.threads : omp_get_max_threads();
    fmt::print("read, huge pages, {} threads: {:.1f} GB/s\n", threads, read_bandwidth(threads) / 1e9);
    fmt::print("read, 4 KiB pages, {} threads: {:.1f} GB/s\n", threads,
               read_bandwidth_small_pages(threads) / 1e9);
    return 0;
}

// Its benchmarks register themselves (bench/ops/reading.cpp).
int reading_suite(const options& o) {
    run(o, "^reading/");
    return 0;
}

std::vector<suite> suites() {
    return {
        {"bfs", "breadth-first search against SuiteSparse:GraphBLAS; --table 1: regret of the direction rule",
         bfs_suite},
        {"bfs_many", "64 searches at once, counts alone and with levels, against as many single ones",
         bfs_many_suite},
        {"matvec", "SpMV and SpMSpV by every kernel, with the share of the read bandwidth", matvec_suite},
        {"reading", "files to sorted, expanded CSR: parse alone, whole, gzip", reading_suite},
        {"limits", "what this machine's memory delivers", limits_suite},
        {"papers/yang2018", "--table 2: what each of the five optimisations contributes", yang2018_suite}};
}

}  // namespace nz::bench
