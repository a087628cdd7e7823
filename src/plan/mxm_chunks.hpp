// Which rows mxm computes together where the workspace of all of them at once does not fit the memory limit.
#pragma once

#include "plan/mxm.hpp"

#include <cstddef>
#include <span>

namespace nz::plan {

/// Consecutive rows with about as many products as the other pieces, and the largest row among them.
struct mxm_piece {
    index_t first = 0, last = 0;
    offset_t most_products = 0, most_entries = 0;
};
/// Rows that are counted and filled together, by so many threads.
struct mxm_chunk {
    index_t first = 0, last = 0;
    int threads = 1;
    std::size_t workspace_bytes = 0;
};

/// Pieces that the rows are cut into: few enough that each is worth a workspace of its own, many enough that the rows
/// beside a long one are not held to its one thread.
inline constexpr int mxm_pieces = 64;

/// Bytes of workspace that one thread of `kernel` needs for rows as large as these facts'; saturates.
std::size_t mxm_thread_workspace(std::string_view kernel, const mxm_facts& facts) noexcept;

inline mxm_facts facts_of_piece(mxm_facts f, const mxm_piece& piece) noexcept {
    f.most_products = piece.most_products;
    f.most_entries = piece.most_entries;
    return f;
}

/// The least workspace that computes all pieces: one thread, the largest row.
inline std::size_t mxm_least_workspace(std::string_view kernel, const mxm_facts& f,
                                       std::span<const mxm_piece> pieces) noexcept {
    std::size_t least = 0;
    for (const mxm_piece& piece : pieces)
        least = std::max(least, mxm_thread_workspace(kernel, facts_of_piece(f, piece)));
    return least;
}

/// Neighbouring pieces that as many threads can share within `bytes` become a chunk; returns how many there are, 0 where
/// the largest row does not fit with one thread. `chunks` has room for as many as pieces.
inline std::size_t mxm_chunks(std::string_view kernel, const mxm_facts& f, std::span<const mxm_piece> pieces,
                              std::size_t bytes, std::span<mxm_chunk> chunks) noexcept {
    std::size_t count = 0;
    for (const mxm_piece& piece : pieces) {
        const std::size_t one = mxm_thread_workspace(kernel, facts_of_piece(f, piece));
        if (one > bytes) return 0;
        const auto fitting = one ? bytes / one : static_cast<std::size_t>(f.threads);
        const int threads = static_cast<int>(std::min(fitting, static_cast<std::size_t>(f.threads)));
        const std::size_t needed = one * static_cast<std::size_t>(threads);
        mxm_chunk* last = count ? &chunks[count - 1] : nullptr;
        if (last && last->threads == threads) {
            last->last = piece.last;
            last->workspace_bytes = std::max(last->workspace_bytes, needed);
        } else {
            chunks[count++] = {piece.first, piece.last, threads, needed};
        }
    }
    return count;
}

}  // namespace nz::plan
