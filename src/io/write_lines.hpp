// Entries as lines of text, formatted by all threads and written in order.
#pragma once

#include "core/parallel.hpp"
#include "storage/csr.hpp"

#include <charconv>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace nz::io {

/// Appends a number: integers plainly, floats with the fewest digits that read back as the same value.
template <class T>
char* append_number(char* out, T x) {
    if constexpr (std::is_same_v<T, bool>) {
        *out = x ? '1' : '0';
        return out + 1;
    } else {
        return std::to_chars(out, out + 32, x).ptr;
    }
}

/// Writes "i j" or "i j value" for every entry, row by row, indices from `base`.
inline void write_entries(const context& ctx, const storage::csr& a, index_t base, bool values,
                          const std::function<void(std::string_view)>& write) {
    constexpr offset_t piece_entries = 1 << 15;
    constexpr std::size_t line_most = 2 * 11 + 32 + 1;  // two indices, a value, '\n'
    // Pieces of entries, not of rows: one row may hold them all. A piece finds its first row by bisection.
    const offset_t pieces = (a.nnz + piece_entries - 1) / piece_entries;
    const int threads = static_cast<int>(std::min<offset_t>(pieces, ctx.threads()));
    std::vector<std::string> texts(static_cast<std::size_t>(std::max(threads, 1)));
    const auto format = [&](offset_t piece, std::string& text) {
        const offset_t first = piece * piece_entries, last = std::min(a.nnz, first + piece_entries);
        text.resize(static_cast<std::size_t>(last - first) * line_most);
        char* out = text.data();
        storage::with_offsets(a, [&](const auto* offsets) {
            index_t i =
                static_cast<index_t>(std::upper_bound(offsets, offsets + a.rows + 1, first) - offsets) - 1;
            dispatch(a.type, [&]<class T>(std::type_identity<T>) {
                for (offset_t k = first; k < last; ++k) {
                    while (k >= offsets[i + 1]) ++i;
                    out = append_number(out, i + base);
                    *out++ = ' ';
                    out = append_number(out, a.index_data()[k] + base);
                    if (values) {
                        *out++ = ' ';
                        out = append_number(out, from_element<T>(a.value(k)));
                    }
                    *out++ = '\n';
                }
            });
        });
        text.resize(static_cast<std::size_t>(out - text.data()));
    };
    for (offset_t round = 0; round < pieces; round += threads) {
        const int now = static_cast<int>(std::min<offset_t>(threads, pieces - round));
        parallel::run(now, [&](int t, int) { format(round + t, texts[t]); });
        for (int t = 0; t < now; ++t) write(texts[t]);
    }
}

}  // namespace nz::io
