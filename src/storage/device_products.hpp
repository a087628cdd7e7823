// The products of a sparse product whose places are known, listed by place, in a GPU's memory: with them new values are
// multiplied without looking for anything.
#pragma once

#include "storage/device_convert.hpp"

#include <functional>
#include <limits>

namespace nz::storage {

/// An entry of A and one of B, as positions in their arrays.
struct entry_pair {
    std::uint32_t a, b;
};
/// C's entry c sums the products of pairs [starts[c], starts[c + 1]), by A's entry, ascending.
struct product_list {
    buffer starts;  ///< std::uint32_t [entries of C + 1]
    buffer pairs;   ///< entry_pair [products]
    offset_t products = 0;
};
/// Products that a list may have.
inline constexpr offset_t most_listed = std::numeric_limits<std::uint32_t>::max() - offset_t{1};

/// How many products A B has; waited for.
offset_t count_products(const context& gpu, const device_rows& a, const device_rows& b);
/// Lists the products of C = A B, whose places are those of `c`, in chunks of rows: 8 bytes a product and 4 an entry of C, beside
/// 28 bytes a product of the chunk while it works. At most most_listed. Waits for each chunk.
product_list list_products(const context& gpu, const device_rows& a, const device_rows& b,
                           const device_rows& c);

/// Some rows' products: place `first` + k of C sums those of pairs [starts[k], starts[k + 1]), by A's entry, ascending.
struct placed_products {
    const std::uint32_t* starts;  ///< [places + 1]
    const entry_pair* pairs;      ///< [products]
    offset_t first, places, products;
    offset_t
        room;  ///< the most products of any rows taken: memory of one size each time is the pool's to give again
};
/// Calls `take` for rows after rows that have up to `at_once` products together, or one row that has more: no more than 2^31 - 1, or
/// this returns false, before anything is taken. Each place of `c` has a product; with `some`, others may have none there, and are left
/// out. Entries of A and B are most_listed at most. Takes 40 bytes a product of these rows while it looks for places, 8 after
/// that, 4 a place of theirs, and 12 an entry of A.
bool take_products(const context& gpu, const device_rows& a, const device_rows& b, const device_rows& c,
                   bool some, offset_t at_once, const std::function<void(const placed_products&)>& take);
/// Of each product its entry of A's value (or of B's, `second`) from an array that has one an entry, of so many bytes each; with room for as
/// many as there may be.
buffer values_of_products(const context& gpu, const placed_products& of, bool second, const void* values,
                          std::size_t value_bytes);
/// A sum over the places of a CSR by which 64 bits tell it from others; waited for.
std::uint64_t print_on_device(const context& gpu, const device_rows& a);

}  // namespace nz::storage
