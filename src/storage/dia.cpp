#include "storage/dia.hpp"

#include "core/bits.hpp"
#include "core/checks.hpp"
#include "core/parallel.hpp"

#include <algorithm>
#include <atomic>

namespace nz::storage {
namespace {

constexpr std::size_t always_allowed = 4096;

// The offsets j - i of all diagonals with an entry, ascending.
std::vector<index_t> find_diagonals(const context& ctx, const csr& a) {
    const offset_t shift = a.rows;  // j - i + rows is positive
    array<bits::word> seen(ctx, bits::words_for(offset_t{a.rows} + a.columns));
    seen.fill(0);
    parallel::for_pieces(ctx.threads(), a.rows, [&](offset_t begin, offset_t end) {
        for (offset_t i = begin; i < end; ++i)
            for (offset_t k = a.offset(i); k < a.offset(i + 1); ++k) {
                const offset_t place = a.index_data()[k] - i + shift;
                std::atomic_ref word(seen[static_cast<std::size_t>(place >> 6)]);
                const bits::word bit = bits::word{1} << (place & 63);
                if (!(word.load(std::memory_order_relaxed) & bit))
                    word.fetch_or(bit, std::memory_order_relaxed);
            }
    });
    std::vector<index_t> offsets;
    for (std::size_t w = 0; w < seen.size(); ++w)
        bits::for_each(seen[w], static_cast<offset_t>(w) * bits::per_word,
                       [&](offset_t place) { offsets.push_back(static_cast<index_t>(place - shift)); });
    return offsets;
}

// What the rows of a piece have on each diagonal.
struct run_of_rows {
    index_t first = -1, last = -1;
    offset_t count = 0;
};

bool has_entry(const csr& a, index_t i, index_t j) {
    const index_t* const columns = a.index_data();
    return std::binary_search(columns + a.offset(i), columns + a.offset(i + offset_t{1}), j);
}

// Calls f(i, d, k) for each entry k of row i, on diagonal number d.
template <class F>
void for_entries(const csr& a, const std::vector<index_t>& offsets, offset_t begin, offset_t end, F&& f) {
    for (auto i = static_cast<index_t>(begin); i < end; ++i) {
        std::size_t d = 0;
        for (offset_t k = a.offset(i); k < a.offset(i + offset_t{1}); ++k) {
            const index_t offset = a.index_data()[k] - i;
            if (k > a.offset(i)) ++d;  // of a full band, the next
            if (offsets[d] != offset)
                d = static_cast<std::size_t>(std::ranges::lower_bound(offsets, offset) - offsets.begin());
            f(i, d, k);
        }
    }
}

void find_rows(const context& ctx, const csr& a, dia& out) {
    const std::size_t diagonals = out.offsets.size();
    std::vector<std::vector<run_of_rows>> pieces(static_cast<std::size_t>(ctx.threads()));
    parallel::run(ctx.threads(), [&](int t, int count) {
        auto& mine = pieces[static_cast<std::size_t>(t)];
        mine.resize(diagonals);
        const auto [begin, end] = parallel::piece(a.rows, t, count);
        for_entries(a, out.offsets, begin, end, [&](index_t i, std::size_t d, offset_t) {
            if (mine[d].first < 0) mine[d].first = i;
            mine[d].last = i + 1;
            ++mine[d].count;
        });
    });
    for (std::size_t d = 0; d < diagonals; ++d) {
        run_of_rows all;
        for (const auto& piece : pieces) {
            if (piece.empty() || piece[d].count == 0) continue;
            if (all.first < 0) all.first = piece[d].first;
            all.last = piece[d].last;
            all.count += piece[d].count;
        }
        index_t gap = all.first;
        while (all.count != all.last - all.first && has_entry(a, gap, gap + out.offsets[d])) ++gap;
        require<not_supported>(
            all.count == all.last - all.first,
            "diagonal {} has entries in rows {} to {}, but none in row {}, where it would have one by diagonals: keep the CSR, or make "
            "its gaps entries",
            out.offsets[d], all.first, all.last - 1, gap);
        out.first.push_back(all.first);
        out.last.push_back(all.last);
    }
}

}  // namespace

offset_t dia::nnz() const {
    offset_t n = 0;
    for (std::size_t d = 0; d < offsets.size(); ++d) n += last[d] - first[d];
    return n;
}

std::pair<index_t, index_t> rows_inside(index_t rows, index_t columns, index_t offset) {
    return {static_cast<index_t>(std::max<offset_t>(0, -offset_t{offset})),
            static_cast<index_t>(std::min<offset_t>(rows, offset_t{columns} - offset))};
}

dia to_dia(const context& ctx, const csr& a, std::size_t most_growth) {
    dia out{a.rows, a.columns, dia_stride(a.rows), a.type, find_diagonals(ctx, a)};
    const std::size_t values = out.offsets.size() * static_cast<std::size_t>(out.stride) * a.value_bytes();
    const std::size_t needed = values + out.bytes();
    require<not_supported>(
        needed <= always_allowed || needed / most_growth <= a.bytes(),
        "{} diagonals would take {} bytes, more than {} times the {} bytes of the CSR: keep the CSR",
        out.offsets.size(), needed, most_growth, a.bytes());
    find_rows(ctx, a, out);
    out.values = buffer(ctx.memory(), values);
    if (values) std::memset(out.values.data(), 0, values);
    parallel::for_pieces(ctx.threads(), a.rows, [&](offset_t begin, offset_t end) {
        for_entries(a, out.offsets, begin, end, [&](index_t i, std::size_t d, offset_t k) {
            store(out.values.data(), a.type, static_cast<offset_t>(d) * out.stride + i, a.value(k));
        });
    });
    return out;
}

csr to_csr(const context& ctx, const dia& a) {
    array<index_t> lengths(ctx, static_cast<std::size_t>(a.rows));
    lengths.fill(0);
    const std::size_t diagonals = a.offsets.size();
    const auto for_rows = [&](auto&& f) {
        parallel::for_pieces(ctx.threads(), a.rows, [&](offset_t begin, offset_t end) {
            for (auto i = static_cast<index_t>(begin); i < end; ++i)
                for (std::size_t d = 0; d < diagonals; ++d)
                    if (a.first[d] <= i && i < a.last[d]) f(i, d);
        });
    };
    for_rows([&](index_t i, std::size_t) { ++lengths[static_cast<std::size_t>(i)]; });
    csr out =
        allocate_csr(ctx, a.type, value_kind::full, a.rows, a.columns, {lengths.data(), lengths.size()});
    lengths.fill(0);
    for_rows([&](index_t i, std::size_t d) {
        const offset_t at = out.offset(i) + lengths[static_cast<std::size_t>(i)]++;
        out.indices.as<index_t>()[at] = i + a.offsets[d];
        store(out.values.data(), a.type, at, a.value(static_cast<offset_t>(d), i));
    });
    return out;
}

void validate(const dia& a, const char* what) {
    const std::size_t diagonals = a.offsets.size();
    require<invalid_format>(a.first.size() == diagonals && a.last.size() == diagonals,
                            "{}: {} diagonals with {} first and {} last rows", what, diagonals,
                            a.first.size(), a.last.size());
    require<invalid_format>(a.stride >= a.rows, "{}: a stride of {} for diagonals of {} rows", what, a.stride,
                            a.rows);
    for (std::size_t d = 0; d < diagonals; ++d) {
        const index_t offset = a.offsets[d];
        require<invalid_format>(offset > -offset_t{a.rows} && offset < a.columns,
                                "{}: diagonal {} lies outside a {} x {} matrix", what, offset, a.rows,
                                a.columns);
        require<invalid_format>(d == 0 || a.offsets[d - 1] < offset,
                                "{}: diagonal {} is out of order or repeated", what, offset);
        const auto [first, last] = rows_inside(a.rows, a.columns, offset);
        require<invalid_format>(
            first <= a.first[d] && a.first[d] < a.last[d] && a.last[d] <= last,
            "{}: diagonal {} has rows {} to {}, but lies inside the matrix in rows {} to {}", what, offset,
            a.first[d], a.last[d] - offset_t{1}, first, last - 1);
    }
    if (diagonals == 0) return;
    // Divided, not multiplied: a caller's stride may be any number.
    const std::size_t given = a.values.bytes() / size_of(a.type), rows = static_cast<std::size_t>(a.rows),
                      stride = static_cast<std::size_t>(a.stride);
    require<invalid_format>(
        given >= rows && (given - rows) / stride >= diagonals - 1,
        "{}: {} values are fewer than {} diagonals of {} rows, {} from one to the next, need", what, given,
        diagonals, a.rows, a.stride);
}

}  // namespace nz::storage
