// plan::pagerank: whether a step is a product and an operation on vectors, or one kernel.
#pragma once

#include "nonzero/types.hpp"

#include <cstdint>
#include <limits>
#include <string_view>

namespace nz::plan {

/// Rows that pagerank/short_rows has room for, at most so many entries.
inline constexpr offset_t pagerank_short_row = 16;

struct pagerank_facts {
    bool on_device = false;
    bool adaptive = false;     ///< some rows are left out
    bool weighted = false;     ///< values are read
    offset_t longest_row = 0;  ///< of the transpose, entries
    offset_t entries = 0;
    std::string_view pinned{};
};

struct pagerank_plan {
    std::string_view kernel;
    std::string_view reason;

    friend bool operator==(const pagerank_plan&, const pagerank_plan&) = default;
};

constexpr bool pagerank_rows_fit(const pagerank_facts& f) noexcept {
    constexpr offset_t most = std::numeric_limits<std::int32_t>::max();  // of 32-bit offsets
    const bool looks_beyond = f.entries <= most && f.entries > most - pagerank_short_row;
    return f.on_device && !f.adaptive && !f.weighted && f.longest_row <= pagerank_short_row && !looks_beyond;
}

constexpr pagerank_plan pagerank(const pagerank_facts& f) noexcept {
    if (!f.pinned.empty()) return {f.pinned, "pinned"};
    if (pagerank_rows_fit(f)) return {"short_rows", "rows are short: a whole step is one kernel"};
    if (!f.on_device) return {"step", "the product and what it does to vectors, one after the other"};
    if (f.weighted) return {"step", "values are read"};
    return {"step",
            f.adaptive ? "rows are left out of the product" : "a row has more entries than a thread sums"};
}

}  // namespace nz::plan
