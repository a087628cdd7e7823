// The floor of y = A x on a CPU: entries whose line of x misses the first level of cache at the rate of products with
// random places of a table that the second level holds, those that miss the second at the rate for a table of x's size,
// their own 12 bytes among both; every other byte of one pass (entries, offsets, x and y once) at the bandwidth of reading
// a block of so many bytes again and again, part of which stays in the last level. The larger of these alone is no floor
// that a core comes near: gathers and streams share the lines it can have under way. What rows cost is not in it; lines of x
// that miss count among both. One cache stands for those of all threads.
#pragma once

#include "nonzero/nonzero.hpp"
#include "storage/ell_slices.hpp"
#include "storage/ranked_columns.hpp"

#include <span>

namespace nz::bench {

/// Entries in double, 32-bit offsets, x and y, each once.
double spmv_bytes(const matrix& a);

class spmv_floor {
public:
    /// Goes through the entries once to see which lines of x two caches of 8 ways, 32 KiB and 1 MiB, would hold.
    explicit spmv_floor(const matrix& a);
    /// From now on of a representation of so many bytes, x and y among them, that is read in order without gathers.
    void stream(double bytes) {
        bytes_ = bytes;
        second_level_ = beyond_ = 0;
        reread_ = 0;
    }
    /// From now on of the ranks: x is gathered into their order, written, and read by them.
    void rank(const storage::ranked_columns& ranked);
    /// From now on of slices of equally long rows: x is gathered in their order.
    void slices(const storage::ell_slices& ell);
    /// Measures the rates beside the matrix that they are for, and keeps the best of all that it measured: what a shared
    /// host delivers changes by the minute, so ask for it again between timings of what is held against the floor.
    void measure(int threads);
    double bytes() const { return bytes_; }          ///< of one pass
    double bandwidth() const { return bandwidth_; }  ///< bytes a second, beyond all caches
    double ms() const;

private:
    /// x in the order of ranks, of which `held` columns have entries.
    void order(const buffer& columns, index_t held);
    /// Counts the lines of x that a core whose caches are empty misses.
    void gather(std::span<const index_t> places);

    double bytes_, second_level_, beyond_;  ///< of one pass; entries by where their line of x comes from
    double x_bytes_;
    double bandwidth_ = 0, reread_ = 0, second_level_rate_ = 0, beyond_rate_ = 0;
};

}  // namespace nz::bench
