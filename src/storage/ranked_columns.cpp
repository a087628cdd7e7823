#include "storage/ranked_columns.hpp"

#include "core/checks.hpp"
#include "core/parallel.hpp"
#include "nonzero/errors.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <vector>

namespace nz::storage {
namespace {

// Columns by the bits that their number of entries takes: more bits come first, none last.
constexpr int classes = 33;
int class_of(index_t entries) {
    return classes - 1 - static_cast<int>(std::bit_width(static_cast<std::uint32_t>(entries)));
}

std::vector<index_t> entries_of_columns(const context& ctx, const csr& a) {
    std::vector<index_t> counts(static_cast<std::size_t>(a.columns), 0);
    const index_t* columns = a.index_data();
    parallel::for_pieces(ctx.threads(), a.nnz, [&](offset_t begin, offset_t end) {
        for (offset_t k = begin; k < end; ++k)
            std::atomic_ref<index_t>(counts[static_cast<std::size_t>(columns[k])])
                .fetch_add(1, std::memory_order_relaxed);
    });
    return counts;
}

}  // namespace

ranked_columns make_ranked_columns(const context& ctx, const csr& a) {
    ranked_columns t{&a, ctx.memory(), 0, {}, {}};
    t.columns = buffer(ctx.memory(), static_cast<std::size_t>(a.columns) * sizeof(index_t));
    t.ranks = buffer(ctx.memory(), static_cast<std::size_t>(a.nnz) * sizeof(index_t));
    std::vector<index_t> places = entries_of_columns(ctx, a);  // first the entries of each column
    std::array<index_t, classes + 1> starts{};
    for (const index_t entries : places) ++starts[static_cast<std::size_t>(class_of(entries)) + 1];
    for (std::size_t c = 1; c < starts.size(); ++c) starts[c] += starts[c - 1];
    t.held = starts[classes - 1];
    auto* order = t.columns.as<index_t>();
    for (index_t j = 0; j < a.columns; ++j) {
        index_t& of = places[static_cast<std::size_t>(j)];
        of = starts[static_cast<std::size_t>(class_of(of))]++;
        order[of] = j;
    }
    auto* ranks = t.ranks.as<index_t>();
    const index_t* columns = a.index_data();
    parallel::for_pieces(ctx.threads(), a.nnz, [&](offset_t begin, offset_t end) {
        for (offset_t k = begin; k < end; ++k) ranks[k] = places[static_cast<std::size_t>(columns[k])];
    });
    return t;
}

void validate(const ranked_columns& t, const char* what) {
    const csr& a = *t.source;
    std::vector<index_t> entries(static_cast<std::size_t>(a.columns), 0);
    for (offset_t k = 0; k < a.nnz; ++k) ++entries[static_cast<std::size_t>(a.index_data()[k])];
    std::vector<char> seen(entries.size(), 0);
    const auto* order = t.columns.as<index_t>();
    for (index_t r = 0; r < a.columns; ++r) {
        const index_t j = order[r];
        require<invalid_format>(j >= 0 && j < a.columns && !seen[static_cast<std::size_t>(j)],
                                "{}: place {} holds column {}, which is none or came before", what, r, j);
        seen[static_cast<std::size_t>(j)] = 1;
        if (r == 0) continue;
        const int before = class_of(entries[static_cast<std::size_t>(order[r - 1])]),
                  here = class_of(entries[static_cast<std::size_t>(j)]);
        require<invalid_format>(before < here || (before == here && order[r - 1] < j),
                                "{}: column {} stands behind column {}", what, j, order[r - 1]);
    }
    const auto held = static_cast<index_t>(entries.size() - std::count(entries.begin(), entries.end(), 0));
    require<invalid_format>(t.held == held, "{}: {} columns have entries, it says {}", what, held, t.held);
    for (offset_t k = 0; k < a.nnz; ++k) {
        const index_t r = t.ranks.as<index_t>()[k];
        require<invalid_format>(r >= 0 && r < a.columns && order[r] == a.index_data()[k],
                                "{}: entry {} has rank {}, which is not its column's", what, k, r);
    }
}

double sample_hot_columns(const csr& a) {
    constexpr offset_t samples = 65536;
    constexpr std::size_t often = 4;
    const offset_t count = std::min(samples, a.nnz);
    if (count == 0) return 0;
    std::vector<index_t> met(static_cast<std::size_t>(count));
    for (offset_t s = 0; s < count; ++s) met[static_cast<std::size_t>(s)] = a.index_data()[s * a.nnz / count];
    std::sort(met.begin(), met.end());
    std::size_t hot = 0;
    for (std::size_t k = 0; k < met.size();) {
        const std::size_t first = k;
        while (k < met.size() && met[k] == met[first]) ++k;
        if (k - first >= often) hot += k - first;
    }
    return static_cast<double>(hot) / static_cast<double>(count);
}

}  // namespace nz::storage
