// Sorting one row by column, values along, repeats kept in their order.
#pragma once

#include "nonzero/types.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace nz::storage {

/// Reused from row to row.
template <class U>
struct row_scratch {
    std::vector<std::uint64_t> keys, other;
    std::vector<U> values;
};

namespace detail {

// Below, comparing sorts win over counting passes that each clear 256 counters.
inline constexpr std::size_t radix_from = 512;

// By the upper half of the keys, stable, a byte a pass; passes in which all keys agree are skipped.
inline void radix_sort(std::vector<std::uint64_t>& keys, std::vector<std::uint64_t>& other) {
    other.resize(keys.size());
    std::array<std::array<std::uint32_t, 256>, 4> counts{};
    for (const std::uint64_t key : keys)
        for (int pass = 0; pass < 4; ++pass) ++counts[pass][key >> (32 + 8 * pass) & 255];
    for (int pass = 0; pass < 4; ++pass) {
        auto& count = counts[pass];
        const int shift = 32 + 8 * pass;
        if (count[keys[0] >> shift & 255] == keys.size()) continue;
        std::uint32_t running = 0;
        for (std::uint32_t& c : count) running += std::exchange(c, running);
        for (const std::uint64_t key : keys) other[count[key >> shift & 255]++] = key;
        keys.swap(other);
    }
}

// Every entry's place is the number of smaller ones and of equal ones before it: N x n comparisons for the vector unit,
// and none of them is a branch.
template <int N, class U>
bool sort_by_rank(index_t* columns, U* values, int n) {
    alignas(64) std::array<index_t, N> from, place{}, equal{};
    std::array<U, N> moved;
    for (int i = 0; i < N; ++i) from[i] = i < n ? columns[i] : std::numeric_limits<index_t>::max();
    if (values) std::copy_n(values, n, moved.begin());
    for (int j = 0; j < n; ++j) {
        const index_t column = from[j];
        for (int i = 0; i < N; ++i) {
            const index_t same = (column == from[i]) & (j < i);
            place[i] += (column < from[i]) | same;
            equal[i] |= same;
        }
    }
    index_t repeats = 0;
    for (int i = 0; i < N; ++i) repeats |= equal[i];
    for (int k = 0; k < n; ++k) {
        columns[place[k]] = from[k];
        if (values) values[place[k]] = moved[k];
    }
    return repeats;
}

}  // namespace detail

/// Sorts up to rank_most columns, stably, and moves the values along where there are any; whether two are equal.
inline constexpr std::size_t rank_most = 32;
template <class U>
bool sort_short_row(index_t* columns, U* values, std::size_t n) {
    return n <= 16 ? detail::sort_by_rank<16>(columns, values, static_cast<int>(n))
                   : detail::sort_by_rank<rank_most>(columns, values, static_cast<int>(n));
}

namespace detail {

// Rows of a few entries, as meshes have them: no ranks (laplace2d:1000 permuted 175 -> 125 ms).
inline constexpr std::size_t most_inserted = 8;
template <class U>
void insert_each(index_t* columns, U* values, std::size_t n) {
    for (std::size_t i = 1; i < n; ++i) {
        const index_t column = columns[i];
        const U value = values[i];
        std::size_t k = i;
        for (; k > 0 && columns[k - 1] > column; --k) {
            columns[k] = columns[k - 1];
            values[k] = values[k - 1];
        }
        columns[k] = column;
        values[k] = value;
    }
}

}  // namespace detail

/// Sorts columns[0..n) and moves values[0..n) along.
template <class U>
void sort_row(index_t* columns, U* values, std::size_t n, row_scratch<U>& scratch) {
    if (n <= detail::most_inserted) return detail::insert_each(columns, values, n);
    if (n <= rank_most) {
        sort_short_row(columns, values, n);
        return;
    }
    // Keys of column and place: unique, so that any sort of them is stable. A row of 2^32 entries, which only
    // repeats can make, does not fit them and is sorted by a permutation of wider places.
    if (n >> 32) {
        std::vector<std::size_t> order(n);
        for (std::size_t k = 0; k < n; ++k) order[k] = k;
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return columns[a] < columns[b]; });
        const std::vector<index_t> c(columns, columns + n);
        scratch.values.assign(values, values + n);
        for (std::size_t k = 0; k < n; ++k) columns[k] = c[order[k]], values[k] = scratch.values[order[k]];
        return;
    }
    auto& keys = scratch.keys;
    keys.resize(n);
    for (std::size_t k = 0; k < n; ++k) keys[k] = static_cast<std::uint64_t>(columns[k]) << 32 | k;
    if (n < detail::radix_from)
        std::sort(keys.begin(), keys.end());
    else
        detail::radix_sort(keys, scratch.other);
    scratch.values.assign(values, values + n);
    for (std::size_t k = 0; k < n; ++k) {
        columns[k] = static_cast<index_t>(keys[k] >> 32);
        values[k] = scratch.values[static_cast<std::uint32_t>(keys[k])];
    }
}

}  // namespace nz::storage
