// A matrix with columns that a large share of the entries lie in, and a vector for it that no core's cache holds.
#pragma once

#include "nonzero/matrix.hpp"
#include "nonzero/vector.hpp"

#include <random>
#include <set>
#include <vector>

namespace nz::test {

inline constexpr index_t hot_matrix_columns = 600000;

/// Row i has length(i) entries, half of them in 1,024 of the columns. Values are small whole numbers: sums of their products are exact in any order.
template <class Length>
matrix of_hot_columns(const context& ctx, index_t rows, Length&& length) {
    std::vector<std::int32_t> offsets{0};
    std::vector<index_t> columns;
    std::vector<double> values;
    std::mt19937 random(3);
    for (index_t i = 0; i < rows; ++i) {
        const auto entries = static_cast<std::size_t>(length(i));
        std::set<index_t> row;
        while (row.size() < entries / 2) row.insert(static_cast<index_t>(random() % 1024) * 500);
        while (row.size() < entries) row.insert(static_cast<index_t>(random() % hot_matrix_columns));
        for (const index_t j : row) {
            columns.push_back(j);
            values.push_back(static_cast<double>(random() % 100) - 50);
        }
        offsets.push_back(static_cast<std::int32_t>(columns.size()));
    }
    return matrix::from_csr(
        ctx, csr_view<double, std::int32_t>{rows, hot_matrix_columns, offsets, columns, values});
}

/// Small whole numbers.
inline vector whole_numbers(const context& ctx, index_t size) {
    std::vector<double> x(static_cast<std::size_t>(size));
    std::mt19937 random(5);
    for (double& v : x) v = static_cast<double>(random() % 1000);
    return vector::dense<double>(ctx, x);
}

}  // namespace nz::test
