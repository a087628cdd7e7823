// mxm/masked_dot on a GPU, step by step.
#pragma once

#include "instantiate/mxm_device_cells.hpp"
#include "ops/mxm_device_sides.hpp"

namespace nz::ops {

/// mxm/masked_dot: the products of a mask's places.
class device_dot : device_sides {
public:
    device_dot(const context& ctx, const device_factors& f, const instantiate::mxm_device_cell& cell)
        : device_sides(ctx, f.value_type), cell_(cell) {
        const storage::csr& a = place(f.left, f.ring.ignores_a(), f.operand_type, k_.a, k_.a_step);
        const operand columns{f.right.a, !f.right.transposed};
        const storage::csr& b = place(columns, f.ring.ignores_b(), f.operand_type, k_.b, k_.b_step);
        k_.rows = a.rows;
        k_.inner = a.columns;
        k_.columns = b.rows;
        k_.a_entries = a.nnz;
        k_.b_entries = b.nnz;
        place_mask(*f.mask);
        const auto n = static_cast<std::size_t>(k_.rows), m = static_cast<std::size_t>(k_.mask_entries);
        const auto& memory = ctx.device_memory();
        scan_bytes_ = kernels::on_cuda().mxm.dot_scan_bytes(k_.rows);
        sums_ = buffer(memory, m * size_of(value_type_));
        met_ = buffer(memory, m);
        rows_ = buffer(memory, (2 * n + 2) * sizeof(index_t));
        starts_ = buffer(memory, (n + 2) * sizeof(offset_t));
        scan_ = buffer(memory, scan_bytes_);
        k_.dot_values = sums_.data();
        k_.dot_met = met_.as<bool>();
        k_.dot_lengths = rows_.as<index_t>();
        k_.dot_rows = k_.dot_lengths + n;
        k_.dot_long_rows = k_.dot_rows + n;
        k_.dot_starts = starts_.as<offset_t>();
        k_.tables = scan_.data();
    }
    /// Entries of B's columns over all places: the products that are looked for.
    offset_t steps() const {
        offset_t* at = k_.dot_starts + k_.rows + 1;
        kernels::on_cuda().mxm.dot_steps(k_, at, stream());
        offset_t found = 0;
        ctx_.gpu()->download(&found, at, sizeof found);
        return found;
    }
    void sum() const {
        cell_.masked_dot(k_, stream());
        kernels::on_cuda().mxm.dot_starts(k_, scan_bytes_, stream());
    }
    void take_result() {
        ctx_.gpu()->download(&entries_, k_.dot_starts + k_.rows, sizeof entries_);
        take_entries();
    }
    void compact() const { kernels::on_cuda().mxm.dot_compact(k_, size_of(value_type_), stream()); }
    matrix result(const context& own) { return taken(own); }
    /// After sum: where rows of the result begin, and their end.
    array<offset_t> read_starts() const {
        array<offset_t> starts(ctx_, static_cast<std::size_t>(k_.rows) + 1);
        ctx_.gpu()->download(starts.data(), k_.dot_starts, starts.size() * sizeof(offset_t));
        return starts;
    }
    /// After compact: entries [from, to) into c.
    void fetch(offset_t from, offset_t to, storage::csr& c) const {
        const auto at = static_cast<std::size_t>(from), n = static_cast<std::size_t>(to - from),
                   width = size_of(value_type_);
        ctx_.gpu()->download(c.indices.as<index_t>() + at, out_.columns() + at, n * sizeof(index_t));
        ctx_.gpu()->download(c.values.as<std::byte>() + at * width,
                             static_cast<std::byte*>(out_.values()) + at * width, n * width);
    }

private:
    const instantiate::mxm_device_cell& cell_;
    std::size_t scan_bytes_ = 0;
    buffer sums_, met_, rows_, starts_, scan_;
};

}  // namespace nz::ops
