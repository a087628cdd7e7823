// What the gathers leave to CUB: scans, sorts and selections on a GPU, by the width of what is moved. Plain C++, so
// that CUB is compiled once and not for every semiring.
#pragma once

#include "kernels/offset_reader.hpp"

#include <cstddef>
#include <cstdint>

namespace nz::kernels::cuda {

/// Keys and what moves with them, in two places between which a sort may go to and fro; afterwards [0] is the
/// sorted one.
struct sorted_pairs {
    std::uint32_t* keys[2];
    void* values[2];
    std::size_t value_bytes;  ///< 0: keys alone
    offset_t count;
};

/// Temporary bytes that any of the calls below needs for `count` products from `columns` columns.
std::size_t sort_bytes(offset_t columns, offset_t count, std::size_t value_bytes);

/// starts[k] = how many entries the columns before the k-th listed one hold; starts[columns] the total.
void column_starts(offset_reader offsets, const index_t* listed, offset_t columns, offset_t* starts,
                   void* temporary, std::size_t bytes, void* stream);
/// Stable, by bits [first_bit, end_bit) of the keys.
void radix_sort(sorted_pairs& pairs, int first_bit, int end_bit, void* temporary, std::size_t bytes,
                void* stream);
/// Stable, by comparison of whole keys; in place.
void merge_sort(sorted_pairs& pairs, void* temporary, std::size_t bytes, void* stream);
/// The places where a key differs from the one before it, and how many there are.
void find_heads(const std::uint32_t* keys, offset_t count, std::int32_t* heads, std::int32_t* found,
                void* temporary, std::size_t bytes, void* stream);

}  // namespace nz::kernels::cuda
