#include "storage/csr_parts.hpp"

#include "core/parallel.hpp"

#include <algorithm>
#include <atomic>

namespace nz::storage {

csr rows_between(const context& ctx, const csr& a, index_t first, index_t last) {
    const offset_t from = a.offset(first), to = a.offset(last);
    csr part;
    part.rows = last - first;
    part.columns = a.columns;
    part.nnz = to - from;
    part.type = a.type;
    part.kind = a.kind;
    part.sorted = a.sorted;
    part.offset_bytes = offset_bytes_for(part.nnz);
    const auto width = static_cast<std::size_t>(part.offset_bytes);
    part.offsets = buffer(ctx.memory(), (static_cast<std::size_t>(part.rows) + 1) * width);
    by_width(width, [&]<class U>(std::type_identity<U>) {
        U* const offsets = part.offsets.as<U>();
        with_offsets(a, [&](const auto* of) {
            parallel::for_pieces(ctx.threads(), offset_t{part.rows} + 1, [&](offset_t begin, offset_t end) {
                for (offset_t i = begin; i < end; ++i) offsets[i] = static_cast<U>(of[first + i] - from);
            });
        });
    });
    const auto entries = static_cast<std::size_t>(part.nnz);
    part.indices = buffer::borrow(a.index_data() + from, entries * sizeof(index_t));
    part.values = a.kind == value_kind::full
                      ? buffer::borrow(
                            a.values.as<const std::byte>() + static_cast<std::size_t>(from) * a.value_bytes(),
                            entries * a.value_bytes())
                      : buffer::borrow(a.values.data(), a.values.bytes());
    return part;
}

csr rows_between(const context& ctx, const csr& a, index_t first, index_t last, index_t origin,
                 index_t columns) {
    csr part = rows_between(ctx, a, first, last);
    part.columns = columns;
    if (origin == 0) return part;
    buffer indices(ctx.memory(), static_cast<std::size_t>(part.nnz) * sizeof(index_t));
    const index_t* const from = part.index_data();
    auto* const to = indices.as<index_t>();
    parallel::for_pieces(ctx.threads(), part.nnz, [&](offset_t begin, offset_t end) {
        for (offset_t e = begin; e < end; ++e) to[e] = from[e] - origin;
    });
    part.indices = std::move(indices);
    return part;
}

csr columns_between(const context& ctx, const csr& a, index_t first, index_t last, bool with_values) {
    const index_t* columns = a.index_data();
    const array<index_t> lengths(ctx, static_cast<std::size_t>(a.rows));
    const auto place_of = [&](offset_t row, index_t column) {
        return std::lower_bound(columns + a.offset(row), columns + a.offset(row + 1), column) - columns;
    };
    parallel::for_pieces(ctx.threads(), a.rows, [&](offset_t begin, offset_t end) {
        for (offset_t i = begin; i < end; ++i)
            lengths[static_cast<std::size_t>(i)] =
                static_cast<index_t>(place_of(i, last) - place_of(i, first));
    });
    csr part = allocate_csr(ctx, a.type, with_values ? a.kind : value_kind::pattern, a.rows, last - first,
                            std::span<const index_t>(lengths.data(), lengths.size()));
    const bool full = part.kind == value_kind::full;
    if (!full && part.values.bytes()) std::memcpy(part.values.data(), a.values.data(), part.values.bytes());
    by_width(a.value_bytes(), [&]<class U>(std::type_identity<U>) {
        parallel::for_pieces(ctx.threads(), a.rows, [&](offset_t begin, offset_t end) {
            for (offset_t i = begin; i < end; ++i) {
                const index_t count = lengths[static_cast<std::size_t>(i)];
                if (count == 0) continue;
                const offset_t from = place_of(i, first), to = part.offset(i);
                index_t* const out = part.indices.as<index_t>() + to;
                for (index_t n = 0; n < count; ++n) out[n] = columns[from + n] - first;
                if (full) std::copy_n(a.values.as<const U>() + from, count, part.values.as<U>() + to);
            }
        });
    });
    return part;
}

array<offset_t> column_starts(const context& ctx, const csr& a) {
    array<offset_t> starts(ctx, static_cast<std::size_t>(a.columns) + 1);
    starts.fill(0);
    parallel::for_pieces(ctx.threads(), a.nnz, [&](offset_t begin, offset_t end) {
        for (offset_t q = begin; q < end; ++q)
            std::atomic_ref(starts[static_cast<std::size_t>(a.index_data()[q]) + 1])
                .fetch_add(1, std::memory_order_relaxed);
    });
    for (std::size_t j = 1; j < starts.size(); ++j) starts[j] += starts[j - 1];
    return starts;
}

std::vector<index_t> even_cuts(index_t n, index_t parts, const std::function<double(index_t)>& before) {
    std::vector<index_t> cuts{0};
    const double all = before(n);
    for (index_t part = 1; part < parts; ++part) {
        const double wanted = all * part / parts;
        index_t low = cuts.back(), high = n;
        while (low < high) {
            const index_t middle = low + (high - low) / 2;
            if (before(middle) < wanted)
                low = middle + 1;
            else
                high = middle;
        }
        if (low > cuts.back() && low < n) cuts.push_back(low);
    }
    cuts.push_back(n);
    return cuts;
}

void append(int threads, const strip_rows& rows, offset_t* next, csr& to) {
    const auto count = static_cast<offset_t>(rows.starts.size()) - 1;
    constexpr offset_t rows_a_turn = 1024;
    by_width(to.value_bytes(), [&]<class U>(std::type_identity<U>) {
        parallel::for_chunks(threads, count, rows_a_turn, [&](offset_t first, offset_t last) {
            for (offset_t i = first; i < last; ++i) {
                const offset_t from = rows.starts[static_cast<std::size_t>(i)] - rows.starts[0],
                               n = rows.starts[static_cast<std::size_t>(i) + 1] - rows.starts[0] - from;
                index_t* const out = to.indices.as<index_t>() + next[i];
                for (offset_t k = 0; k < n; ++k) out[k] = rows.columns[from + k] + rows.first_column;
                std::copy_n(static_cast<const U*>(rows.values) + from, n, to.values.as<U>() + next[i]);
                next[i] += n;
            }
        });
    });
}

}  // namespace nz::storage
