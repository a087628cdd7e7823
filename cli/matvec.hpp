// What spmv and spmspv share: y = A x over a semiring, timed, checked against a plain loop, and reported.
#pragma once

#include "common.hpp"
#include "nonzero/operations.hpp"

#include <string>

namespace nz::cli {

struct matvec_settings : settings {
    std::string semiring = "plus_times";
    std::string type;    // empty: double
    double density = 1;  // share of the entries of x that are present
    tiling tiles;        // for tile_row and tile_column
};

/// A (its values in the type that the semiring computes in), x, and what became of them.
struct matvec {
    nz::semiring ring;
    nz::matrix a;
    nz::vector x, y;
    mxv_plan plan;
    double ms = 0;          ///< median of the repeats
    offset_t products = 0;  ///< entries of A that meet an entry of x
    std::string breach;     ///< what validation found wrong
};

/// --semiring and --dtype beside the common options.
void add_matvec_options(CLI::App& verb, matvec_settings& s);
/// The verb from loading to the report. Returns the exit status.
int run_matvec(std::string_view verb, const matvec_settings& s);

/// Random entries from `seed`: floats uniform in [0, 1), integers in 0..9; each is present with probability
/// `density`, one at least.
vector random_vector(const context& ctx, dtype type, offset_t size, double density, std::uint64_t seed);
/// Compares m.y with a plain loop over rows: exact for exact types, else within a bound for each row. Empty,
/// or what is wrong. `any_order` lets the monoid `any` pick any product.
std::string check_matvec(const matvec& m, bool any_order);

}  // namespace nz::cli
