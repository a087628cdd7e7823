// Path schedule: entries and ends of rows in one order, a row's end after its entries; pieces are equal lengths of it and
// fall anywhere within rows.
#pragma once

#include "core/parallel.hpp"
#include "kernels/offset_reader.hpp"

namespace nz::kernels::cpu {

/// Before entry `entry`; the rows before `row` have ended.
struct row_cut {
    index_t row;
    offset_t entry;
};

/// Where piece `part` of `parts` begins.
inline row_cut cut_path(const offset_reader& offsets, index_t rows, int part, int parts) {
    const offset_t steps = offsets[rows] + rows, before = steps * part / parts;
    offset_t low = 0, high = rows;  // the first row whose end is not among the steps before
    while (low < high) {
        const offset_t mid = (low + high) / 2;
        if (offsets[mid + 1] + mid + 1 <= before)
            low = mid + 1;
        else
            high = mid;
    }
    return {static_cast<index_t>(low), before - low};
}

}  // namespace nz::kernels::cpu
