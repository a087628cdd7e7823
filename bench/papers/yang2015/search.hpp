// Breadth-first search as yang2015 has it (its algorithm 1): an unmasked product a level, then a pass that keeps what
// is new. Only the product is timed; the pass around it is the same for every kernel.
#pragma once

#include "harness.hpp"

#include <string>
#include <vector>

namespace nz::bench::yang2015 {

/// A way of multiplying: the kernel that is pinned, and whether the frontier is a dense vector of truth values.
struct method {
    const char* label;  ///< as the paper's tables have it
    const char* name;   ///< in the names of benchmarks
    const char* kernel;
    bool dense;
};
inline constexpr method methods[] = {{"no sort", "no_sort", "csc_gather_scatter", false},
                                     {"SpMV", "spmv", "csr_merge", true},
                                     {"radix sort", "radix_sort", "csc_gather_radix", false},
                                     {"merge sort", "merge_sort", "csc_gather_merge", false}};
inline constexpr int method_count = 4, spmv_method = 1, radix_method = 2;

/// Where products' time goes, as the paper's table III has it; what is in none of them is the rest.
struct phase_times {
    double common = 0, scatter = 0, sort = 0;  ///< ms
    phase_times& operator+=(const phase_times& more) {
        common += more.common, scatter += more.scatter, sort += more.sort;
        return *this;
    }
};

struct product_time {
    double ms = 0;
    phase_times phases;
};

struct level {
    offset_t frontier = 0;  ///< vertices
    offset_t products = 0;  ///< entries in their rows
    double ms = 0;          ///< of u A with u the frontier, the median
};

struct search_result {
    std::vector<level> levels;
    std::vector<std::int32_t> depths;
    offset_t edges = 0;  ///< entries in the rows of the vertices reached
    double ms = 0;       ///< of all products
    phase_times phases;  ///< likewise
};

/// A graph of truth values, and the room that searches over it use again and again.
class searcher {
public:
    searcher(const context& ctx, const std::string& source);

    const matrix& graph() const { return a_; }
    offset_t longest_row() const { return a_.facts().degree_max; }
    search_result search(offset_t source, const method& m, int repeats) const;
    /// Of u A for these vertices, the best of `repeats`.
    double product_ms(const std::vector<index_t>& frontier, const method& m, int repeats) const;
    offset_t products_of(const std::vector<index_t>& frontier) const;
    /// Vertices with neighbours, drawn without repeats.
    std::vector<index_t> random_vertices(std::size_t count) const;
    /// Throws unless the depths are those of the library's own search.
    void check(offset_t source, const search_result& found, const method& m) const;

private:
    vector frontier_vector(const std::vector<index_t>& frontier, bool dense) const;
    /// By rising time.
    std::vector<product_time> timed_products(const vector& u, const method& m, vector& w, int repeats) const;

    context ctx_;
    matrix a_;
};

}  // namespace nz::bench::yang2015
