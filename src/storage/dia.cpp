#include "storage/dia.hpp"

#include "core/checks.hpp"
#include "storage/csr_builder.hpp"

#include <algorithm>

namespace nz::storage {
namespace {

constexpr std::size_t always_allowed = 4096;

// The offsets j - i of all diagonals with an entry, ascending.
array<index_t> find_diagonals(const context& ctx, const csr& a) {
    const offset_t shift = a.rows;  // j - i + rows is positive
    array<bits::word> seen(ctx, bits::words_for(offset_t{a.rows} + a.columns));
    seen.fill(0);
    for (index_t i = 0; i < a.rows; ++i)
        for (offset_t k = a.offset(i); k < a.offset(i + 1); ++k)
            bits::set(seen.data(), a.index_data()[k] - i + shift);
    array<index_t> offsets(ctx,
                           static_cast<std::size_t>(bits::count(seen.data(), offset_t{a.rows} + a.columns)));
    std::size_t d = 0;
    for (std::size_t w = 0; w < seen.size(); ++w)
        bits::for_each(seen[w], static_cast<offset_t>(w) * bits::per_word,
                       [&](offset_t place) { offsets[d++] = static_cast<index_t>(place - shift); });
    return offsets;
}

std::size_t dia_bytes(const csr& a, std::size_t diagonals) {
    return diagonals * (sizeof(index_t) + static_cast<std::size_t>(a.rows) * a.value_bytes() +
                        bits::words_for(a.rows) * sizeof(bits::word));
}

}  // namespace

dia to_dia(const context& ctx, const csr& a) {
    array<index_t> offsets = find_diagonals(ctx, a);
    const std::size_t diagonals = offsets.size(), needed = dia_bytes(a, diagonals);
    require<not_supported>(
        needed <= std::max(always_allowed, most_dia_growth * a.bytes()),
        "{} diagonals would take {} bytes, more than {} times the {} bytes of the CSR: keep the CSR",
        diagonals, needed, most_dia_growth, a.bytes());
    dia out{a.rows,
            a.columns,
            a.nnz,
            a.type,
            {},
            buffer(ctx.memory(), diagonals * a.rows * a.value_bytes()),
            buffer(ctx.memory(), diagonals * bits::words_for(a.rows) * sizeof(bits::word))};
    if (out.values.bytes()) std::memset(out.values.data(), 0, out.values.bytes());
    if (out.present.bytes()) std::memset(out.present.data(), 0, out.present.bytes());
    for (index_t i = 0; i < a.rows; ++i)
        for (offset_t k = a.offset(i); k < a.offset(i + 1); ++k) {
            const auto d =
                std::lower_bound(offsets.begin(), offsets.end(), a.index_data()[k] - i) - offsets.begin();
            store(out.values.data(), a.type, d * a.rows + i, a.value(k));
            bits::set(out.present.as<bits::word>() + d * bits::words_for(a.rows), i);
        }
    out.offsets = std::move(offsets).release();
    return out;
}

csr to_csr(const context& ctx, const dia& a) {
    csr_builder out(ctx, a.type, a.rows, a.columns);
    for (index_t i = 0; i < a.rows; ++i)
        for (offset_t d = 0; d < a.diagonals(); ++d)
            if (bits::test(a.words(d), i)) out.add(i, i + a.offset_span()[d], a.value(d, i));
    return std::move(out).finish();
}

void validate(const dia& a, const char* what) {
    const auto diagonals = static_cast<std::size_t>(a.diagonals());
    require<invalid_format>(a.values.bytes() >= diagonals * a.rows * size_of(a.type) &&
                                a.present.bytes() >= diagonals * bits::words_for(a.rows) * sizeof(bits::word),
                            "{}: arrays are shorter than {} diagonals of {} rows need", what, diagonals,
                            a.rows);
    offset_t count = 0;
    for (std::size_t d = 0; d < diagonals; ++d) {
        const index_t offset = a.offset_span()[d];
        require<invalid_format>(offset > -a.rows && offset < a.columns,
                                "{}: diagonal {} lies outside a {} x {} matrix", what, offset, a.rows,
                                a.columns);
        require<invalid_format>(d == 0 || a.offset_span()[d - 1] < offset,
                                "{}: diagonal {} is out of order or repeated", what, offset);
        const bits::word* words = a.words(static_cast<offset_t>(d));
        for (std::size_t w = 0; w < bits::words_for(a.rows); ++w)
            require<invalid_format>((words[w] & ~bits::valid(a.rows, w)) == 0,
                                    "{}: diagonal {} has entries beyond row {}", what, offset, a.rows - 1);
        for (index_t i = 0; i < a.rows; ++i) {
            const bool inside = offset_t{i} + offset >= 0 && offset_t{i} + offset < a.columns;
            require<invalid_format>(inside || !bits::test(words, i),
                                    "{}: diagonal {} has an entry in row {}, outside the matrix", what,
                                    offset, i);
            count += bits::test(words, i);
        }
    }
    require<invalid_format>(count == a.nnz, "{}: {} entries are present, the count is {}", what, count,
                            a.nnz);
}

}  // namespace nz::storage
