// A matrix's entries by ranges of columns, each as wide as a multiprocessor's shared memory holds operands of, and where the CSR's order finds
// them again: what mxv/csr_binned reads in place of columns and values, so that no product gathers from memory.
#pragma once

#include "storage/csr.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace nz::storage {

/// Neighbouring entries of the CSR that are one bin: a block sums their rows. A range's part of a bin is a run.
inline constexpr offset_t bin_entries = 4096;
/// Ranges of columns, at most: as many as a bin has entries.
inline constexpr offset_t most_bin_ranges = bin_entries;
/// A range's entries begin at a multiple of this.
inline constexpr offset_t bin_alignment = 8;
/// The operands of a range of columns, which two blocks of a multiprocessor hold.
inline constexpr std::size_t bin_table_bytes = 96 * 1024;
/// Columns of a range: their places in it have 16 bits.
constexpr index_t bin_width(std::size_t operand_bytes) {
    return static_cast<index_t>(std::min<std::size_t>(bin_table_bytes / operand_bytes, 65536));
}
constexpr offset_t bin_ranges(offset_t columns, std::size_t operand_bytes) {
    const offset_t width = bin_width(operand_bytes);
    return (columns + width - 1) / width;
}
constexpr offset_t bins_of(offset_t nnz) { return (nnz + bin_entries - 1) / bin_entries; }
/// Places of entries and of runs have 32 bits.
constexpr bool may_bin(offset_t nnz, offset_t columns, std::size_t operand_bytes) {
    return nnz < offset_t{1} << 31 && bin_ranges(columns, operand_bytes) <= most_bin_ranges;
}

/// Places of a matrix with so many entries by ranges, however many there are: its entries and what stands between.
constexpr offset_t most_binned_places(offset_t nnz) { return nnz + bin_alignment * most_bin_ranges; }

/// 32 neighbouring places of a bin's entries in the order of ranges.
struct bin_word {
    std::uint32_t heads;   ///< where a run begins, as bits
    std::uint32_t before;  ///< runs of the bin that begin before
};

/// On a GPU. The order of a run's entries is open: sums go by the CSR's.
struct column_bins {
    const csr* source;  ///< what it was made from
    std::shared_ptr<memory_resource> memory;
    std::optional<dtype> type;  ///< of the values; none: they are not there
    std::size_t operand_bytes = 8;
    // By ranges, in each by bins; up to seven zeros behind a range.
    buffer range_starts;  ///< uint32_t[ranges + 1]
    buffer columns;       ///< uint16_t[nnz + 8 ranges]: the column's place in its range
    buffer values;        ///< of `type`, likewise; one where it stands for all; empty without a type
    // By bins.
    buffer
        order;  ///< uint16_t[bins * 4096]: at each place of a bin, by ranges, which of its entries stands there
    buffer words;  ///< bin_word[bins * 128]
    buffer
        deltas;  ///< uint32_t[bins * ranges]: of a bin's runs, in order: place by ranges less place by bins, modulo 2^32
    double kernel_ms = -1;  ///< that a GPU took to make them

    offset_t ranges() const { return bin_ranges(source->columns, operand_bytes); }
    offset_t bins() const { return bins_of(source->nnz); }
    /// Entries and what stands between ranges, at most.
    offset_t places() const { return source->nnz + bin_alignment * ranges(); }
    std::size_t bytes() const {
        return range_starts.bytes() + columns.bytes() + values.bytes() + order.bytes() + words.bytes() +
               deltas.bytes();
    }
};

}  // namespace nz::storage
