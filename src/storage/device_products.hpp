// The products of a sparse product whose places are known, listed by place, in a GPU's memory: with them new values are
// multiplied without looking for anything.
#pragma once

#include "storage/device_convert.hpp"

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
/// Of each product its entry of A's value (or of B's, `second`) from an array that has one an entry, of so many bytes each.
buffer values_of_products(const context& gpu, const product_list& list, bool second, const void* values,
                          std::size_t value_bytes);
/// A sum over the places of a CSR by which 64 bits tell it from others; waited for.
std::uint64_t print_on_device(const context& gpu, const device_rows& a);

}  // namespace nz::storage
