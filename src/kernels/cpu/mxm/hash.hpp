// mxm/hash: C = A B row by row, every row summed in a hash table of its own size.
//
// Who owns what: runs of rows with about as many products each go to whichever thread is free (common_rows.hpp); a row
//   belongs to one thread and to the first slots of its table, so that a short row's table stays in the first-level cache.
// Bins: rows of one or two terms are copied or merged; rows whose table would have a slot a column take the column as
//   slot and are read out in its order; the others probe one slot after the other from a multiplicative hash, half of
//   the slots free at least, and sort the places they filled (by insertion up to 24, by radix beyond).
// Nothing is counted before it is filled, as in dense_row: runs are filled in turns (common_turns.hpp), and a row's table is sized by its
//   products. Where count comes first, fill sizes it by the row's entries.
// Determinism: products of one place are added in the order of k, by one thread; the order of slots never shows.
// Sync: a run's turn; the join. Workspace: the table and the places of the largest row a thread.
// Cost: products times a probe; a sort of the result's rows.
// Why dense_row was not enough: its row of sums is as long as B is wide; with many columns and short rows every product
//   misses the cache.
#pragma once

#include "kernels/cpu/mxm/common_turns.hpp"
#include "plan/mxm_workspace.hpp"

#include <bit>

namespace nz::kernels::cpu {

void hash_count(const mxm_arguments& arguments);

namespace hash_detail {

inline constexpr index_t free_slot = -1;

/// Places of a row in the order of their making: column above, slot below.
using place = std::uint64_t;
inline place make_place(index_t column, std::uint32_t slot) {
    return static_cast<place>(static_cast<std::uint32_t>(column)) << 32 | slot;
}
/// Sorts n places by column; `spare` has room for as many.
void sort_places(place* places, place* spare, offset_t n);

/// Keys by slot, all free between rows. A row uses the first 2^bits slots.
class key_table {
public:
    key_table(plan::workspace_parts& parts, const mxm_arguments& k)
        : most_(std::min<offset_t>(k.most_products, k.columns)),
          columns_(k.columns),
          keys_(parts.take<index_t>(plan::table_slots(most_))) {
        std::fill_n(keys_, plan::table_slots(most_), free_slot);
    }
    offset_t most() const { return most_; }

    /// For a row of up to n places.
    void size_for(offset_t n) {
        const offset_t slots = plan::table_slots(std::min(n, most_));
        direct_ = slots >= columns_;
        shift_ = 32 - std::countr_zero(static_cast<std::uint64_t>(slots));
        mask_ = static_cast<std::uint32_t>(slots - 1);
    }
    bool direct() const { return direct_; }

    /// The slot of column j; calls made(slot) when it was free. Tables are below 2^32 slots: rows below 2^31 columns.
    template <class Made>
    [[gnu::always_inline]] std::uint32_t slot_of(index_t j, Made&& made) {
        std::uint32_t slot =
            direct_ ? static_cast<std::uint32_t>(j)
                    : static_cast<std::uint32_t>((static_cast<std::uint32_t>(j) * 0x9E3779B1u) >> shift_);
        while (keys_[slot] != j) {
            if (keys_[slot] == free_slot) {
                keys_[slot] = j;
                made(slot);
                break;
            }
            slot = (slot + 1) & mask_;
        }
        return slot;
    }
    bool taken(std::uint32_t slot) const { return keys_[slot] != free_slot; }
    void release(std::uint32_t slot) { keys_[slot] = free_slot; }

private:
    offset_t most_;
    index_t columns_;
    index_t* keys_;
    bool direct_ = false;
    int shift_ = 0;
    std::uint32_t mask_ = 0;
};

/// Thread t's part of a workspace of hash's own.
inline plan::workspace_parts parts_of(const mxm_arguments& k, int t) {
    return plan::workspace_parts(static_cast<std::byte*>(k.workspace) +
                                 plan::hash_workspace(k.most_products, k.columns, k.value_bytes) *
                                     static_cast<std::size_t>(t));
}

/// Counts rows.
class counter {
public:
    counter(const mxm_arguments& k, int t) : counter(k, parts_of(k, t)) {}
    counter(const mxm_arguments& k, plan::workspace_parts parts)
        : k_(k),
          parts_(parts),
          table_(parts_, k),
          slots_(after_sums(parts_, k, table_).take<std::uint32_t>(table_.most())),
          ahead_(k, 0) {}

    void operator()(index_t first, index_t last) {
        for (index_t i = first; i < last; ++i) k_.counts[i] = static_cast<index_t>(count(i));
    }

private:
    static plan::workspace_parts& after_sums(plan::workspace_parts& parts, const mxm_arguments& k,
                                             const key_table& table) {
        parts.take<std::byte>(plan::table_slots(table.most()) * static_cast<offset_t>(k.value_bytes));
        return parts;
    }

    offset_t count(index_t i) {
        const span_of_row a = row_of(k_.a.offsets, i);
        if (a.size() <= short_row) {
            for (offset_t p = a.begin; p < a.end; ++p) ahead_(p);
            return count_short_row(k_, a);
        }
        table_.size_for(k_.products[i + offset_t{1}] - k_.products[i]);
        offset_t n = 0;
        for (offset_t p = a.begin; p < a.end; ++p) {
            ahead_(p);
            const span_of_row b = row_of(k_.b.offsets, k_.a.columns[p]);
            for (offset_t q = b.begin; q < b.end; ++q)
                table_.slot_of(k_.b.columns[q], [&](std::uint32_t made) { slots_[n++] = made; });
        }
        for (offset_t m = 0; m < n; ++m) table_.release(slots_[m]);
        return n;
    }

    const mxm_arguments& k_;
    plan::workspace_parts parts_;
    key_table table_;
    std::uint32_t* slots_;
    rows_ahead ahead_;
};

template <class Cell>
class filler {
public:
    using V = typename Cell::value;
    filler(const mxm_arguments& k, int t) : filler(k, parts_of(k, t)) {}
    filler(const mxm_arguments& k, plan::workspace_parts parts)
        : k_(k),
          parts_(parts),
          table_(parts_, k),
          sums_(parts_.take<V>(plan::table_slots(table_.most()))),
          places_(parts_.take<place>(table_.most())),
          spare_(parts_.take<place>(table_.most())),
          of_(k),
          ahead_(k, sizeof(typename Cell::operand)) {}

    void operator()(index_t first, index_t last) {
        fill_rows(k_, first, last, [&](index_t i, offset_t place) {
            const span_of_row a = row_of(k_.a.offsets, i);
            if (a.size() <= short_row) {
                for (offset_t p = a.begin; p < a.end; ++p) ahead_(p);
                return fill_short_row(k_, of_, i, a, place);
            }
            table_.size_for(k_.offsets[i + offset_t{1}] - k_.offsets[i]);
            add_row(i, a);
            return read_out(place);
        });
    }

private:
    void add_row(index_t i, span_of_row a) {
        count_ = 0;
        for (offset_t p = a.begin; p < a.end; ++p) {
            ahead_(p);
            const index_t row = k_.a.columns[p];
            const auto x = of_.a(p);
            const span_of_row b = row_of(k_.b.offsets, row);
            for (offset_t q = b.begin; q < b.end; ++q) {
                const index_t j = k_.b.columns[q];
                bool present = true;
                const std::uint32_t slot = table_.slot_of(j, [&](std::uint32_t made) {
                    places_[count_++] = make_place(j, made);
                    sums_[made] = before_first<Cell>();
                    present = false;
                });
                add_product<Cell>(sums_[slot], Cell::multiply(x, of_.b(q), i, row), present);
            }
        }
    }

    // From place `at` on; returns the place behind.
    offset_t read_out(offset_t at) {
        if (table_.direct()) {
            for (index_t j = 0; j < k_.columns; ++j)
                if (table_.taken(static_cast<std::uint32_t>(j))) {
                    of_.out_columns[at] = j;
                    of_.out_values[at++] = sums_[j];
                    table_.release(static_cast<std::uint32_t>(j));
                }
            return at;
        }
        sort_places(places_, spare_, count_);
        for (offset_t n = 0; n < count_; ++n) {
            const auto slot = static_cast<std::uint32_t>(places_[n]);
            of_.out_columns[at + n] = static_cast<index_t>(places_[n] >> 32);
            of_.out_values[at + n] = sums_[slot];
            table_.release(slot);
        }
        return at + count_;
    }

    const mxm_arguments& k_;
    plan::workspace_parts parts_;
    key_table table_;
    V* sums_;
    place *places_, *spare_;
    mxm_operands<Cell> of_;
    rows_ahead ahead_;
    offset_t count_ = 0;
};

}  // namespace hash_detail

template <class Cell>
void hash_fill(const mxm_arguments& k) {
    fill_runs_of_rows<hash_detail::filler<Cell>>(k);
}

}  // namespace nz::kernels::cpu
