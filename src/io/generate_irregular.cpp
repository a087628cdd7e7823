// Matrices with random rows: of equal length, of log-normal length, and of a web's power law.
#include "core/checks.hpp"
#include "io/generators.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace nz::io {
namespace {

// Fills `row` with different numbers below n, every set of that size as likely, ascending. Draws, drops
// repeats and draws what is missing; expects to draw no more than twice the row.
void draw_few(random_stream& random, std::span<index_t> row, index_t n) {
    auto end = row.begin();
    while (end != row.end()) {
        std::generate(end, row.end(), [&] { return static_cast<index_t>(random.below(n)); });
        std::sort(row.begin(), row.end());
        end = std::unique(row.begin(), row.end());
    }
}

void draw_distinct(random_stream random, std::span<index_t> row, index_t n) {
    const auto size = static_cast<index_t>(row.size());
    if (size <= n / 2) return draw_few(random, row, n);
    // More than half: draw those that are left out.
    std::vector<index_t> left_out(n - size);
    draw_few(random, left_out, n);
    auto skip = left_out.begin();
    auto place = row.begin();
    for (index_t j = 0; j < n; ++j) {
        if (skip != left_out.end() && *skip == j)
            ++skip;
        else
            *place++ = j;
    }
}

// Lengths that follow a log-normal law with this deviation and add up to `total`, none above `longest`.
constexpr double length_deviation = 0.9;

std::vector<index_t> log_normal_lengths(std::uint64_t seed, index_t rows, index_t longest, offset_t total) {
    std::vector<double> up_to(rows);  // running sums of the weights
    double sum = 0;
    for (index_t i = 0; i < rows; ++i) {
        random_stream random(key_of(seed, purpose::lengths), i);
        const double radius = std::sqrt(-2 * std::log(1 - random.real()));
        up_to[i] = sum +=
            std::exp(length_deviation * radius * std::cos(2 * std::numbers::pi * random.real()));
    }
    std::vector<index_t> lengths(rows);
    offset_t given = 0, left = total;
    for (index_t i = 0; i < rows; ++i) {
        const auto until = static_cast<offset_t>(std::llround(up_to[i] / sum * static_cast<double>(total)));
        lengths[i] = static_cast<index_t>(std::clamp<offset_t>(until - given, 0, longest));
        given = std::max(given, until);
        left -= lengths[i];
    }
    // What did not fit into the longest rows goes to the first ones with room.
    for (index_t i = 0; i < rows && left > 0; ++i) {
        const auto more = static_cast<index_t>(std::min<offset_t>(left, longest - lengths[i]));
        lengths[i] += more;
        left -= more;
    }
    return lengths;
}

// A row's place in the power law: u in (0, 1), small for hubs. 33 bits, so that u and the row fit in one key.
struct hubness {
    std::uint64_t key;
    std::uint64_t bits(index_t i) const {
        return random_stream(key, static_cast<std::uint64_t>(i)).bits() >> 31;
    }
    static double u(std::uint64_t bits) { return (static_cast<double>(bits) + 0.5) * 0x1p-33; }
};

// All rows, smallest u first.
array<index_t> hubs_first(const context& ctx, const hubness& h, index_t rows) {
    array<std::uint64_t> keys(ctx, rows);
    const int threads = rows < 65536 ? 1 : ctx.threads();
    parallel::run(threads, [&](int t, int parts) {
        const auto [begin, end] = parallel::piece(rows, t, parts);
        for (offset_t i = begin; i < end; ++i)
            keys[i] = h.bits(static_cast<index_t>(i)) << 31 | static_cast<std::uint64_t>(i);
        std::sort(keys.data() + begin, keys.data() + end);
    });
    for (int t = 1; t < threads; ++t)
        std::inplace_merge(keys.data(), keys.data() + parallel::piece(rows, t, threads).first,
                           keys.data() + parallel::piece(rows, t, threads).second);
    array<index_t> order(ctx, rows);
    for (index_t k = 0; k < rows; ++k) order[k] = static_cast<index_t>(keys[k] & max_dimension);
    return order;
}

}  // namespace

storage::csr random_rows(const generator_request& r) {
    const auto rows = r.argument<index_t>(0), per_row = r.argument<index_t>(1);
    require<domain_error>(per_row <= rows,
                          "random:ROWS,PER_ROW: a row of {} columns cannot have {} different ones", rows,
                          per_row);
    const std::uint64_t key = key_of(r.seed, purpose::columns);
    storage::csr a = by_rows(
        r.ctx, rows, rows, [=](index_t) { return per_row; },
        [=](index_t i, std::span<index_t> row) { draw_distinct(random_stream(key, i), row, rows); });
    add_random_values(r.ctx, a, r.seed);
    return a;
}

storage::csr linear_program(const generator_request& r) {
    const auto rows = r.argument<index_t>(0), columns = r.argument<index_t>(1);
    const auto nnz = r.argument<offset_t>(2);
    require<domain_error>(nnz <= static_cast<offset_t>(rows) * columns,
                          "lp:ROWS,COLUMNS,NNZ: a {} x {} matrix has no room for {} entries", rows, columns,
                          nnz);
    const std::vector<index_t> lengths = log_normal_lengths(r.seed, rows, columns, nnz);
    const std::uint64_t key = key_of(r.seed, purpose::columns);
    storage::csr a = by_rows(
        r.ctx, rows, columns, [&](index_t i) { return lengths[i]; },
        [=](index_t i, std::span<index_t> row) { draw_distinct(random_stream(key, i), row, columns); });
    add_random_values(r.ctx, a, r.seed);
    return a;
}

storage::csr powerlaw(const generator_request& r) {
    const auto rows = r.argument<index_t>(0);
    const hubness h{key_of(r.seed, purpose::vertices)};
    const array<index_t> hubs = hubs_first(r.ctx, h, rows);
    const auto length = [&](index_t i) {
        const double v = random_stream(key_of(r.seed, purpose::lengths), i).real();
        return static_cast<index_t>(
            std::clamp(std::floor(1.25 * std::pow(hubness::u(h.bits(i)), -0.6) + v), 1.0, 4700.0));
    };
    const std::uint64_t key = key_of(r.seed, purpose::columns);
    storage::csr a = by_rows(r.ctx, rows, rows, length, [&](index_t i, std::span<index_t> row) {
        random_stream random(key, i);
        const offset_t window = std::max<offset_t>(100, 3 * static_cast<offset_t>(row.size()));
        for (index_t& j : row) {
            if (random.real() < 0.72) {  // near the row; the window goes round at the ends
                const offset_t near = i - window / 2 + static_cast<offset_t>(random.below(window));
                j = static_cast<index_t>((near % rows + rows) % rows);
            } else {
                const double t = random.real();
                j = hubs[std::min<offset_t>(rows - 1, static_cast<offset_t>(std::pow(t, 2.6) * rows))];
            }
        }
    });
    storage::sort_rows(r.ctx, a, binary_id::second);
    add_random_values(r.ctx, a, r.seed);
    return a;
}

}  // namespace nz::io
