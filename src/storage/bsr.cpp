// CSR to blocks: the rows of a block row are merged by the block that their next entry lies in. The smallest is the next block,
// and rows that have it step over its columns. One pass counts, one fills; threads share block rows.
#include "storage/bsr.hpp"

#include "core/bits.hpp"
#include "core/checks.hpp"
#include "storage/forms.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace nz::storage {
namespace {

constexpr index_t block_rows_a_turn = 256;
constexpr index_t none = std::numeric_limits<index_t>::max();  // no block: columns end below it

// The blocks of one block row, one after the other.
template <class Offset>
struct block_walk {
    const index_t* columns;
    const int side;
    Offset at[largest_block], end[largest_block];

    block_walk(const csr& a, const Offset* offsets, int block_side, index_t block_row)
        : columns(a.index_data()), side(block_side) {
        for (int r = 0; r < side; ++r) {
            const offset_t i = offset_t{block_row} * side + r;
            at[r] = i < a.rows ? offsets[i] : 0;
            end[r] = i < a.rows ? offsets[i + 1] : 0;
        }
    }
    index_t next() const {
        index_t least = none;
        for (int r = 0; r < side; ++r)
            if (at[r] < end[r]) least = std::min(least, columns[at[r]]);
        return least == none ? none : least / side;
    }
    /// Calls f(c, r, place) for each entry that block has.
    template <class F>
    void take(index_t block, F&& f) {
        const offset_t first = offset_t{block} * side, last = first + side;
        for (int r = 0; r < side; ++r)
            for (; at[r] < end[r] && columns[at[r]] < last; ++at[r])
                f(static_cast<int>(columns[at[r]] - first), r, static_cast<offset_t>(at[r]));
    }
};

template <class Offset>
offset_t count_blocks(const csr& a, const Offset* offsets, int side, index_t block_row) {
    offset_t count = 0;
    block_walk walk(a, offsets, side, block_row);
    for (index_t block; (block = walk.next()) != none; ++count) walk.take(block, [](int, int, offset_t) {});
    return count;
}

template <class U, class Offset>
void fill_block_row(const csr& a, const Offset* offsets, const U* from, bsr& t, index_t block_row) {
    offset_t k = t.starts.as<offset_t>()[block_row];
    const int side = t.side, places = side * side;
    block_walk walk(a, offsets, side, block_row);
    for (index_t block; (block = walk.next()) != none; ++k) {
        t.columns.as<index_t>()[k] = block;
        std::uint64_t mask = 0;
        U* to = from ? t.values.as<U>() + k * places : nullptr;
        if (to) std::fill_n(to, places, U{0});
        walk.take(block, [&](int c, int r, offset_t place) {
            mask |= std::uint64_t{1} << (c * side + r);
            if (to) to[c * side + r] = from[place];
        });
        if (t.masks.data()) t.masks.as<std::uint64_t>()[k] = mask;
    }
}

}  // namespace

bsr make_bsr(const context& ctx, const csr& a, int side, std::optional<dtype> type) {
    bsr t{&a, ctx.memory(), side, 0, type, {}, {}, {}, {}};
    const index_t n = t.block_rows();
    t.starts = buffer(ctx.memory(), (static_cast<std::size_t>(n) + 1) * sizeof(offset_t));
    auto* starts = t.starts.as<offset_t>();
    with_offsets(a, [&](const auto* offsets) {
        for_parts(ctx, n, block_rows_a_turn,
                  [&](index_t i) { starts[i] = count_blocks(a, offsets, side, i); });
    });
    for (index_t i = 0; i < n; ++i) t.count += std::exchange(starts[i], t.count);
    starts[n] = t.count;
    form_values values = values_for_form(ctx, a, type);
    const auto count = static_cast<std::size_t>(t.count);
    const offset_t places = offset_t{side} * side;
    t.columns = buffer(ctx.memory(), count * sizeof(index_t));
    if (t.count * places != a.nnz) t.masks = buffer(ctx.memory(), count * sizeof(std::uint64_t));
    if (const std::size_t bytes = values.each_bytes) {
        const std::size_t used = count * static_cast<std::size_t>(places) * bytes;
        t.values = buffer(ctx.memory(), used + largest_block * bytes);
        std::fill_n(t.values.as<char>() + used, largest_block * bytes, char{0});
    } else {
        t.values = std::move(values.one);
    }
    by_width(std::max<std::size_t>(values.each_bytes, 1), [&]<class U>(std::type_identity<U>) {
        with_offsets(a, [&](const auto* offsets) {
            for_parts(ctx, n, block_rows_a_turn, [&](index_t i) {
                fill_block_row(a, offsets, static_cast<const U*>(values.each), t, i);
            });
        });
    });
    return t;
}

namespace {

std::uint64_t mask_of(const bsr& t, offset_t k) {
    return t.masks.data() ? t.masks.as<std::uint64_t>()[k] : block_mask(t.side * t.side);
}

// Calls f(i, j, place) for each entry, a block's column by column.
template <class F>
void for_entries(const bsr& t, F&& f) {
    const int side = t.side;
    for (index_t b = 0; b < t.block_rows(); ++b)
        for (offset_t k = t.starts.as<offset_t>()[b]; k < t.starts.as<offset_t>()[b + 1]; ++k)
            bits::for_each(mask_of(t, k), 0, [&](offset_t place) {
                f(offset_t{b} * side + place % side,
                  offset_t{t.columns.as<index_t>()[k]} * side + place / side, k * side * side + place);
            });
}

}  // namespace

csr to_csr(const context& ctx, const bsr& t) {
    const csr& a = *t.source;
    std::vector<index_t> lengths(static_cast<std::size_t>(a.rows));
    for_entries(t, [&](offset_t i, offset_t, offset_t) { ++lengths[static_cast<std::size_t>(i)]; });
    const dtype type = t.type.value_or(a.type);
    const value_kind kind = !t.type ? value_kind::pattern : a.kind;
    csr out = allocate_csr(ctx, type, kind, a.rows, a.columns, lengths);
    std::vector<offset_t> next(static_cast<std::size_t>(a.rows));
    for (index_t i = 0; i < a.rows; ++i) next[static_cast<std::size_t>(i)] = out.offset(i);
    if (kind == value_kind::iso) store(out.values.data(), type, 0, load(t.values.data(), type, 0));
    for_entries(t, [&](offset_t i, offset_t j, offset_t place) {
        const offset_t to = next[static_cast<std::size_t>(i)]++;
        out.indices.as<index_t>()[to] = static_cast<index_t>(j);
        if (kind == value_kind::full) store(out.values.data(), type, to, load(t.values.data(), type, place));
    });
    return out;
}

void validate(const bsr& t, const char* what) {
    const csr& a = *t.source;
    const auto* starts = t.starts.as<offset_t>();
    const auto* columns = t.columns.as<index_t>();
    require<invalid_format>(starts[0] == 0 && starts[t.block_rows()] == t.count,
                            "{}: block rows begin at {} and end at {} of {} blocks", what, starts[0],
                            starts[t.block_rows()], t.count);
    for (index_t b = 0; b < t.block_rows(); ++b)
        for (offset_t k = starts[b]; k < starts[b + 1]; ++k) {
            require<invalid_format>(k == starts[b] || columns[k - 1] < columns[k],
                                    "{}: block row {} has block column {} behind {}", what, b, columns[k],
                                    columns[k > 0 ? k - 1 : 0]);
            require<invalid_format>(mask_of(t, k) != 0, "{}: block {} of block row {} holds nothing", what, k,
                                    b);
        }
    offset_t entries = 0;
    for_entries(t, [&](offset_t i, offset_t j, offset_t) {
        require<invalid_format>(i < a.rows && j < a.columns, "{}: row {} has column {}, beyond {} x {}", what,
                                i, j, a.rows, a.columns);
        ++entries;
    });
    require<invalid_format>(entries == a.nnz, "{}: {} entries of {}", what, entries, a.nnz);
}

block_sample sample_blocks(const csr& a) {
    constexpr offset_t samples = 64;
    block_sample found;
    with_offsets(a, [&](const auto* offsets) {
        for (std::size_t s = 0; s < block_sides.size(); ++s) {
            const int side = block_sides[s];
            const index_t rows = bsr::block_rows_of(a.rows, side);
            const offset_t taken = std::min<offset_t>(samples, rows);
            offset_t entries = 0, blocks = 0;
            for (offset_t k = 0; k < taken; ++k) {
                const auto b = static_cast<index_t>(taken > 1 ? k * (rows - 1) / (taken - 1) : 0);
                const offset_t end = std::min<offset_t>(offset_t{b} * side + side, a.rows);
                entries += offsets[end] - offsets[offset_t{b} * side];
                blocks += count_blocks(a, offsets, side, b);
            }
            found.blocks[s] = entries ? static_cast<double>(blocks) / static_cast<double>(entries) : 1;
        }
    });
    return found;
}

}  // namespace nz::storage
