// The generic product: row by row in a hash table, for semirings and types that are not compiled.
//
// Computes: row i of T is the sum of the rows k of B for the entries A(i,k), scaled by them.
// Who owns what: threads take consecutive rows with about the same number of products each; a row belongs to
//   one thread. Each thread sums a row in a hash table of (column, sum), sized for the largest row that it
//   may meet, sorts its columns, and appends it to a buffer of its own; the buffers are joined at the end.
// Mask: the columns that a row's mask lists are in the table first: others have no sum then, or, complemented, these have none.
// Determinism: the products of one entry are added in the order of k, whatever the number of threads.
// Cost: O(products) operations through function pointers, and O(n log n) for sorting a row of n entries.
// Memory:
//   the result twice while the buffers are joined, and the tables.
// Why not the reference: it runs on one thread and allocates a tree node for every entry of the result.
#include "kernels/cpu/mxm/common_generic.hpp"

#include "algebra/bound.hpp"
#include "core/parallel.hpp"
#include "storage/csr_builder.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

namespace nz::kernels::cpu {
namespace {

using storage::csr;

constexpr index_t empty = -1;
// Products below which a second thread costs more than it brings.
constexpr offset_t parallel_products = 8192;

// Open addressing with linear probing, at most half full.
class row_table {
public:
    row_table(const context& ctx, offset_t most_entries)
        : keys_(ctx, std::bit_ceil(static_cast<std::size_t>(2 * most_entries + 2))),
          sums_(ctx, keys_.size()),
          states_(ctx, keys_.size()),
          used_(ctx) {
        keys_.fill(empty);
    }

    // Before any product: of column j there may be a sum, where only listed ones may have one, or there may be none.
    void list(index_t j) { mark(j, state::awaited); }
    void bar(index_t j) { mark(j, state::barred); }

    // The sum of column j, and whether this is its first product; null where it may have none.
    std::pair<element*, bool> find(index_t j, bool listed_alone) {
        const std::size_t slot = slot_of(j);
        if (keys_[slot] == empty) {
            if (listed_alone) return {nullptr, false};
            add(slot, j, state::awaited);
        }
        if (states_[slot] == state::barred) return {nullptr, false};
        return {&sums_[slot], std::exchange(states_[slot], state::summed) == state::awaited};
    }
    // Calls f(j, sum) in the order of columns and empties the table.
    template <class F>
    void drain(F&& f) {
        std::sort(used_.begin(), used_.end(), [](const use& x, const use& y) { return x.column < y.column; });
        for (const auto& [column, slot] : used_) {
            if (states_[slot] == state::summed) f(column, sums_[slot]);
            keys_[slot] = empty;
        }
        used_.clear();
    }

private:
    enum class state : std::uint8_t { awaited, summed, barred };
    struct use {
        index_t column;
        std::size_t slot;
    };
    std::size_t slot_of(index_t j) const {
        const std::size_t last = keys_.size() - 1;
        std::size_t slot = (static_cast<std::uint64_t>(j) * 0x9E3779B97F4A7C15u >> 32) & last;
        while (keys_[slot] != empty && keys_[slot] != j) slot = (slot + 1) & last;
        return slot;
    }
    void mark(index_t j, state how) {
        const std::size_t slot = slot_of(j);
        if (keys_[slot] == empty) add(slot, j, how);
    }
    void add(std::size_t slot, index_t j, state how) {
        keys_[slot] = j;
        states_[slot] = how;
        used_.push({j, slot});
    }

    array<index_t> keys_;
    array<element> sums_;
    array<state> states_;
    storage::growing<use> used_;
};

// One thread's share of the result.
struct share {
    explicit share(const context& ctx) : columns(ctx), values(ctx) {}
    index_t first_row = 0, end_row = 0;
    storage::growing<index_t> columns;
    storage::growing<element> values;
};

// Running number of products before each row.
array<offset_t> count_products(const context& ctx, const csr& a, const csr& b) {
    array<offset_t> before(ctx, static_cast<std::size_t>(a.rows) + 1);
    before[0] = 0;
    for (index_t i = 0; i < a.rows; ++i) {
        offset_t products = 0;
        for (offset_t p = a.offset(i); p < a.offset(i + 1); ++p) {
            const index_t k = a.index_data()[p];
            products += b.offset(k + 1) - b.offset(k);
        }
        before[static_cast<std::size_t>(i) + 1] = before[i] + products;
    }
    return before;
}

void multiply_rows(const context& ctx, const algebra::bound_semiring& ring, const csr& a, const csr& b,
                   const generic_mask& mask, const array<offset_t>& before, const array<offset_t>& counts,
                   share& mine) {
    const bool listed_alone = mask.places && !mask.complement;
    const auto listed = [&](index_t i) {
        return mask.places ? mask.places->offset(i + offset_t{1}) - mask.places->offset(i) : 0;
    };
    offset_t most = 0;
    for (index_t i = mine.first_row; i < mine.end_row; ++i) {
        const offset_t products = std::min<offset_t>(before[i + std::size_t{1}] - before[i], b.columns);
        most = std::max(most, listed_alone ? listed(i) : products + listed(i));
    }
    row_table table(ctx, std::min<offset_t>(most, b.columns));
    for (index_t i = mine.first_row; i < mine.end_row; ++i) {
        counts[i] = 0;
        if (before[i + std::size_t{1}] == before[i] || (listed_alone && listed(i) == 0)) continue;
        for (offset_t l = 0; l < listed(i); ++l) {
            const index_t j = mask.places->index_data()[mask.places->offset(i) + l];
            mask.complement ? table.bar(j) : table.list(j);
        }
        for (offset_t p = a.offset(i); p < a.offset(i + 1); ++p) {
            const index_t k = a.index_data()[p];
            const element x = a.value(p);
            for (offset_t q = b.offset(k); q < b.offset(k + 1); ++q) {
                const index_t j = b.index_data()[q];
                const auto [sum, first] = table.find(j, listed_alone);
                if (!sum) continue;
                const element product = ring.product(x, b.value(q), {i, k, k, j});
                *sum = first ? product : ring.sum(*sum, product);
            }
        }
        const std::size_t begin = mine.columns.size();
        table.drain([&](index_t j, element sum) {
            mine.columns.push(j);
            mine.values.push(sum);
        });
        counts[i] = static_cast<offset_t>(mine.columns.size() - begin);
    }
}

}  // namespace

csr mxm_generic(const context& ctx, const semiring& s, const csr& a, const csr& b, const generic_mask& mask) {
    const algebra::bound_semiring ring(s, a.type, b.type);
    const array<offset_t> before = count_products(ctx, a, b);
    const offset_t products = before[a.rows];
    const int threads = products < parallel_products ? 1 : ctx.threads();
    std::vector<share> shares;
    for (int t = 0; t < threads; ++t) {
        share& mine = shares.emplace_back(ctx);
        mine.first_row = t == 0 ? 0 : shares[t - 1].end_row;
        const offset_t* end = std::lower_bound(before.begin(), before.end(), products * (t + 1) / threads);
        mine.end_row =
            t + 1 == threads
                ? a.rows
                : std::max(mine.first_row, std::min(a.rows, static_cast<index_t>(end - before.begin())));
    }
    // Within a caller's own parallel loop there may be fewer threads than shares.
    const auto each_share = [&](auto f) {
        parallel::run(threads, [&](int t, int running) {
            for (int k = t; k < threads; k += running) f(shares[k]);
        });
    };
    array<offset_t> counts(ctx, static_cast<std::size_t>(a.rows));
    each_share([&](share& mine) { multiply_rows(ctx, ring, a, b, mask, before, counts, mine); });
    csr out = storage::allocate_rows(ctx, ring.type(), a.rows, b.columns, counts);
    each_share([&](const share& mine) {
        const offset_t begin = out.offset(mine.first_row);
        std::copy_n(mine.columns.data(), mine.columns.size(), out.indices.as<index_t>() + begin);
        for (std::size_t k = 0; k < mine.values.size(); ++k)
            storage::store(out.values.data(), out.type, begin + static_cast<offset_t>(k), mine.values[k]);
    });
    return out;
}

}  // namespace nz::kernels::cpu
