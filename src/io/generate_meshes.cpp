// Matrices of regular structure: finite-difference stencils, bands, dense rectangles.
#include "io/generators.hpp"

#include <algorithm>
#include <numeric>

namespace nz::io {
namespace {

void add_stencil_values(const context& ctx, storage::csr& a, double diagonal) {
    add_values(ctx, a, [=](offset_t i, index_t j, offset_t) { return i == j ? diagonal : -1.0; });
}

}  // namespace

storage::csr laplace2d(const generator_request& r) {
    const auto side = r.argument<index_t>(0);
    storage::csr a = by_walk(r.ctx, side * side, side * side, [=](index_t i, auto&& neighbour) {
        const index_t x = i % side, y = i / side;
        if (y > 0) neighbour(i - side);
        if (x > 0) neighbour(i - 1);
        neighbour(i);
        if (x < side - 1) neighbour(i + 1);
        if (y < side - 1) neighbour(i + side);
    });
    add_stencil_values(r.ctx, a, 4);
    return a;
}

storage::csr laplace3d(const generator_request& r) {
    const auto side = r.argument<index_t>(0);
    const index_t n = side * side * side;
    const auto low = [](index_t x) { return std::max(x - 1, 0); };
    const auto high = [=](index_t x) { return std::min(x + 1, side - 1); };
    const auto width = [=](index_t x) { return high(x) - low(x) + 1; };
    storage::csr m = by_rows(
        r.ctx, n, n,
        [=](index_t i) { return width(i % side) * width(i / side % side) * width(i / side / side); },
        [=](index_t i, std::span<index_t> columns) {
            const index_t x = i % side, y = i / side % side, z = i / side / side;
            std::size_t place = 0;
            for (index_t c = low(z); c <= high(z); ++c)
                for (index_t b = low(y); b <= high(y); ++b)
                    for (index_t a = low(x); a <= high(x); ++a) columns[place++] = (c * side + b) * side + a;
        });
    add_stencil_values(r.ctx, m, 26);
    return m;
}

storage::csr banded(const generator_request& r) {
    const auto rows = r.argument<index_t>(0), diagonals = r.argument<index_t>(1);
    const offset_t below = diagonals / 2, above = diagonals - 1 - below;
    const auto first = [=](index_t i) { return static_cast<index_t>(std::max<offset_t>(0, i - below)); };
    const auto last = [=](index_t i) {
        return static_cast<index_t>(std::min<offset_t>(rows - 1, i + above));
    };
    storage::csr a = by_rows(
        r.ctx, rows, rows, [=](index_t i) { return last(i) - first(i) + 1; },
        [=](index_t i, std::span<index_t> columns) { std::iota(columns.begin(), columns.end(), first(i)); });
    add_random_values(r.ctx, a, r.seed);
    return a;
}

storage::csr dense(const generator_request& r) {
    const auto rows = r.argument<index_t>(0), columns = r.argument<index_t>(1);
    storage::csr a = by_rows(
        r.ctx, rows, columns, [=](index_t) { return columns; },
        [](index_t, std::span<index_t> row) { std::iota(row.begin(), row.end(), 0); });
    add_random_values(r.ctx, a, r.seed);
    return a;
}

}  // namespace nz::io
