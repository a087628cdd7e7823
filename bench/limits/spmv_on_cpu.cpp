#include "limits/spmv_on_cpu.hpp"

#include "limits/cpu.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace nz::bench {
namespace {

constexpr std::size_t first_level = std::size_t{32} << 10, second_level = std::size_t{1} << 20,
                      line_bytes = 64;
constexpr double entry_bytes = sizeof(index_t) + sizeof(double);

// The lines of a cache that replaces the one not asked for the longest.
class cache {
    static constexpr std::size_t ways = 8;

public:
    explicit cache(std::size_t bytes) : sets_(bytes / line_bytes / ways) {
        for (auto& s : sets_) s.fill(-1);
    }
    /// Whether it held the line; it does afterwards.
    bool take(index_t line) {
        auto& set = sets_[static_cast<std::size_t>(line) % sets_.size()];
        const auto at = std::ranges::find(set, line);
        const bool held = at != set.end();
        std::rotate(set.begin(), held ? at : set.end() - 1, held ? at + 1 : set.end());
        set.front() = line;
        return held;
    }

private:
    std::vector<std::array<index_t, ways>> sets_;
};

// Lines behind one that was missed lately: hardware fetches these ahead.
class streams {
    static constexpr std::size_t followed = 32;

public:
    streams() { next_.fill(-1); }
    bool follows(index_t line) {
        const auto at = std::ranges::find(next_, line);
        const bool known = at != next_.end();
        index_t& place = known ? *at : next_[oldest_++ % followed];
        place = line + 1;
        return known;
    }

private:
    std::array<index_t, followed> next_;
    std::size_t oldest_ = 0;
};

}  // namespace

double spmv_bytes(const matrix& a) {
    const auto nnz = static_cast<double>(a.nnz()), rows = static_cast<double>(a.rows()),
               columns = static_cast<double>(a.columns());
    return nnz * entry_bytes + rows * sizeof(std::int32_t) + (rows + columns) * sizeof(double);
}

spmv_floor::spmv_floor(const matrix& a)
    : bytes_(spmv_bytes(a)),
      second_level_(0),
      beyond_(0),
      x_bytes_(static_cast<double>(a.columns()) * sizeof(double)) {
    gather(a.csr<double>().columns);
}

void spmv_floor::rank(const storage::ranked_columns& ranked) {
    second_level_ = beyond_ = 0;
    gather({ranked.ranks.as<index_t>(), static_cast<std::size_t>(ranked.source->nnz)});
    order(ranked.columns, ranked.held);
}

void spmv_floor::slices(const storage::ell_slices& ell) {
    const storage::csr& a = *ell.source;
    second_level_ = beyond_ = 0;
    gather({ell.places.as<index_t>(), static_cast<std::size_t>(a.nnz)});
    bytes_ = static_cast<double>(ell.bytes() - ell.columns.bytes()) +
             (static_cast<double>(a.rows) + static_cast<double>(a.columns)) * sizeof(double);
    if (ell.ranked) order(ell.columns, ell.held);
}

void spmv_floor::order(const buffer& columns, index_t held) {
    gather({columns.as<index_t>(), static_cast<std::size_t>(held)});
    bytes_ += static_cast<double>(held) * (sizeof(index_t) + 2 * sizeof(double));
}

void spmv_floor::gather(std::span<const index_t> places) {
    cache first(first_level), second(second_level);
    streams ahead;
    for (const index_t j : places) {
        const auto line = j / static_cast<index_t>(line_bytes / sizeof(double));
        if (first.take(line)) continue;
        const bool held = second.take(line);
        if (ahead.follows(line)) continue;
        (held ? second_level_ : beyond_) += 1;
    }
}

void spmv_floor::measure(int threads) {
    bandwidth_ = std::max(bandwidth_, read_bandwidth(threads));
    reread_ = std::max(reread_, reread_bandwidth(threads, static_cast<std::size_t>(bytes_)));
    const auto bytes = static_cast<std::size_t>(x_bytes_);
    second_level_rate_ =
        std::max(second_level_rate_, product_rate(threads, std::min(bytes, second_level / 2)));
    beyond_rate_ = std::max(beyond_rate_, product_rate(threads, bytes));
}

double spmv_floor::ms() const {
    const double streamed = (bytes_ - (second_level_ + beyond_) * entry_bytes) / reread_;
    return (streamed + second_level_ / second_level_rate_ + beyond_ / beyond_rate_) * 1e3;
}

}  // namespace nz::bench
