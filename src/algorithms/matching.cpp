// A maximal matching of a bipartite graph, rows on one side and columns on the other, by proposals (randomised as in Luby 1986 and
// Israeli, Itai 1986).
//
// W holds for each entry (i,j) of A a hash of both, and j below it; z is 0 at every column without a mate. A round is
//     p<open rows> = W z over (min, plus):     the entry of least hash that leads each open row to a column without a mate;
// every row proposes to that column, and a column takes the proposal of least hash, of the smallest row among equals. A row
// without an entry in p has no such column, and will have none. So each round matches every column that is proposed to, and
// hashes spread proposals: few rounds are to be expected (about log n). The result depends on the seed alone.
// A round costs the rows of those still open; W takes 12 bytes an edge. The matching is maximal, and so at least half as
// large as the largest; augmenting paths, which make it the largest, are not looked for.
#include "core/checks.hpp"
#include "io/random_stream.hpp"
#include "nonzero/algorithms.hpp"
#include "nonzero/operations.hpp"
#include "storage/vector_body.hpp"

#include <span>

namespace nz {
namespace {

constexpr int index_bits = 31;
constexpr std::int64_t index_mask = (std::int64_t{1} << index_bits) - 1;

class proposals {
public:
    proposals(const context& ctx, const matrix& a, std::uint64_t seed)
        : ctx_(ctx),
          m_(a.rows()),
          n_(a.columns()),
          weights_(ctx, dtype::int64, m_, n_),
          of_rows_(ctx, static_cast<std::size_t>(m_)),
          of_columns_(ctx, static_cast<std::size_t>(n_)) {
        of_rows_.fill(-1);
        of_columns_.fill(-1);
        const std::uint64_t key = io::mix(seed + 1);
        const auto weight = index_unary_op::make<std::int64_t, std::int64_t>(
            "weight", [key](std::int64_t, offset_t i, offset_t j, std::int64_t) {
                const auto place = static_cast<std::uint64_t>(i) << 32 | static_cast<std::uint64_t>(j);
                return static_cast<std::int64_t>(io::mix(key ^ io::mix(place + 1)) >> 33 << index_bits) | j;
            });
        apply(ctx, weights_, weight, a, scalar(std::int64_t{0}));
    }

    matching_result run() {
        matching_result r{vector(ctx_, dtype::int32, 0), vector(ctx_, dtype::int32, 0), 0, 0, {}};
        vector open = vector::full(ctx_, m_, scalar(std::int64_t{1})),
               free = vector::full(ctx_, n_, scalar(std::int64_t{0}));
        while (open.count() > 0 && free.count() > 0) {
            vector proposed(ctx_, dtype::int64, m_);
            r.plan = to_string(
                mxv(ctx_, proposed, ring_, weights_, free, {.mask = &open, .mask_structure = true}));
            if (proposed.count() == 0) break;
            r.count += accept(proposed, open, free);
            ++r.rounds;
        }
        r.of_rows = vector::dense<std::int32_t>(ctx_, all_of(of_rows_));
        r.of_columns = vector::dense<std::int32_t>(ctx_, all_of(of_columns_));
        return r;
    }

private:
    // Matches the best proposal to each column; those refused stay open. Returns how many.
    offset_t accept(const vector& proposed, vector& open, vector& free) {
        const auto proposals = static_cast<std::size_t>(proposed.count());
        const array<index_t> rows(ctx_, proposals), columns(ctx_, proposals);
        const array<std::int64_t> keys(ctx_, proposals);
        std::size_t at = 0;
        for_each(proposed, [&](index_t row, std::int64_t key) {
            rows[at] = row;
            columns[at] = static_cast<index_t>(key & index_mask);
            keys[at++] = (key & ~index_mask) | row;
        });
        const vector best =
            vector::build<std::int64_t>(ctx_, n_, all_of(columns), all_of(keys), binary_id::min);
        for_each(best, [&](index_t column, std::int64_t key) {
            const auto row = static_cast<index_t>(key & index_mask);
            of_rows_[static_cast<std::size_t>(row)] = column;
            of_columns_[static_cast<std::size_t>(column)] = row;
        });
        std::size_t refused = 0;
        for (const index_t row : rows)
            if (of_rows_[static_cast<std::size_t>(row)] < 0) rows[refused++] = row;
        keys.fill(1);
        open =
            vector::build<std::int64_t>(ctx_, m_, all_of(rows).first(refused), all_of(keys).first(refused));
        vector others(ctx_, dtype::int64, n_);
        apply(ctx_, others, unary_id::identity, free,
              {.mask = &best, .mask_structure = true, .mask_complement = true});
        free = std::move(others);
        return best.count();
    }
    template <class F>
    static void for_each(const vector& v, F&& f) {
        const storage::vector_body& entries = v.body();
        const auto* const values = entries.values.as<std::int64_t>();
        storage::for_each_entry(entries, [&](index_t i, offset_t k) { f(i, values[k]); });
    }
    template <class T>
    static std::span<const T> all_of(const array<T>& a) {
        return {a.data(), a.size()};
    }

    const context& ctx_;
    const offset_t m_, n_;
    matrix weights_;
    const array<std::int32_t> of_rows_, of_columns_;
    const semiring ring_{binary_id::min, binary_id::plus, dtype::int64};
};

}  // namespace

matching_result matching(const context& ctx, const matrix& a, const matching_options& options) {
    return proposals(ctx, a, options.seed).run();
}

}  // namespace nz
