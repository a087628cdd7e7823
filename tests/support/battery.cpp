#include "support/battery.hpp"

#include <cmath>

namespace nz::test {
namespace {

dictionary where(index_t rows, index_t columns, dtype type, std::mt19937& random,
                 const std::function<bool(index_t, index_t)>& present) {
    dictionary d{rows, columns, type, {}};
    for (index_t i = 0; i < rows; ++i)
        for (index_t j = 0; j < columns; ++j)
            if (present(i, j)) d.entries[{i, j}] = random_value(type, random);
    return d;
}

// Row i has about rows / (i + 1) entries: a few hubs, many leaves.
dictionary power_law(index_t n, dtype type, std::mt19937& random) {
    std::uniform_real_distribution<double> chance;
    return where(n, n, type, random, [&](index_t i, index_t) { return chance(random) < 1.0 / (i + 1); });
}

}  // namespace

std::vector<named_dictionary> matrix_battery(dtype type, std::mt19937& random) {
    const auto everything = [](index_t, index_t) { return true; };
    dictionary ones = random_dictionary(7, 7, 0.3, type, random);
    for (auto& [at, x] : ones.entries) x = cast(to_element(true), dtype::boolean, type);
    return {
        {"0 x 0", {0, 0, type, {}}},
        {"0 x 5", {0, 5, type, {}}},
        {"5 x 0", {5, 0, type, {}}},
        {"no entries", {6, 6, type, {}}},
        {"1 x 1", where(1, 1, type, random, everything)},
        {"one entry", where(8, 8, type, random, [](index_t i, index_t j) { return i == 5 && j == 2; })},
        {"diagonal", where(9, 9, type, random, [](index_t i, index_t j) { return i == j; })},
        {"dense", where(6, 6, type, random, everything)},
        {"empty rows and columns",
         where(12, 12, type, random, [](index_t i, index_t j) { return i % 3 == 1 && j % 4 != 2; })},
        {"wide", random_dictionary(4, 19, 0.4, type, random)},
        {"tall", random_dictionary(19, 4, 0.4, type, random)},
        {"long row", where(10, 70, type, random, [](index_t i, index_t j) { return i == 4 || j == 64; })},
        {"long column", where(70, 10, type, random, [](index_t i, index_t j) { return j == 4 || i == 63; })},
        {"random", random_dictionary(13, 13, 0.25, type, random)},
        {"power law", power_law(16, type, random)},
        {"pattern", ones},
    };
}

std::vector<named_dictionary> larger_matrices(dtype type, std::mt19937& random) {
    return {{"random 150 x 150", random_dictionary(150, 150, 0.03, type, random)},
            {"random 90 x 200", random_dictionary(90, 200, 0.05, type, random)}};
}

dictionary uneven_rows(index_t rows, index_t columns, dtype type, std::mt19937& random) {
    dictionary d{rows, columns, type, {}};
    const int lengths[] = {0, 1, 5, 0, 31, 32, 33, 1023, 1024, 1025, 2500, 0, 64};
    for (index_t row = 0; row < rows; ++row)
        for (int k = lengths[random() % std::size(lengths)]; k > 0; --k)
            d.entries[{row, static_cast<index_t>(random() % static_cast<unsigned>(columns))}] =
                random_value(type, random);
    return d;
}

}  // namespace nz::test
