// Row schedule: whole rows, shared out so that every thread has about the same rows plus entries. A row costs
// about as much as an entry (its offset, its store, one mispredicted branch), hence the sum.
#pragma once

#include "core/bits.hpp"
#include "core/parallel.hpp"
#include "kernels/offset_reader.hpp"

namespace nz::kernels::cpu {

/// The first row of piece `part` of `parts`, a multiple of 64 so that bitmap words have one writer.
inline index_t first_row(const offset_reader& offsets, index_t rows, int part, int parts) {
    if (part == 0) return 0;
    if (part == parts) return rows;
    const offset_t target = (offsets[rows] + rows) * part / parts;
    offset_t low = 0, high = rows;
    while (low < high) {
        const offset_t mid = (low + high) / 2;
        if (offsets[mid] + mid < target)
            low = mid + 1;
        else
            high = mid;
    }
    return static_cast<index_t>(
        std::min<offset_t>(rows, (low + bits::per_word / 2) / bits::per_word * bits::per_word));
}

}  // namespace nz::kernels::cpu
