// Slices that all have as many diagonals: products by them are bit for bit those of the same rows in slices that begin where starts say.
#include "storage/matrix_body.hpp"
#include "support/compare.hpp"
#include "support/contexts.hpp"
#include "support/model.hpp"

#include <gtest/gtest.h>

namespace nz::test {
namespace {

using distances = std::vector<index_t>;

// Rows with entries at these distances from the diagonal; below them, where wanted, rows of too many entries for a pitch.
template <class T>
matrix band(const context& ctx, index_t rows, index_t columns, const distances& far, bool iso,
            bool with_long_rows) {
    constexpr index_t long_rows = 70, of_each = 41;
    std::vector<index_t> i, j;
    std::vector<T> x;
    const auto add = [&](index_t row, index_t column) {
        i.push_back(row);
        j.push_back(column);
        if (!iso || x.empty()) x.push_back(static_cast<T>((row * 31 + column * 17) % 2003 - 1001) / T(7));
    };
    for (index_t row = 0; row < rows; ++row)
        for (const index_t d : far)
            if (row + d >= 0 && row + d < columns) add(row, row + d);
    const index_t all = with_long_rows ? rows + long_rows : rows;
    for (index_t row = rows; row < all; ++row)
        for (index_t k = 0; k < of_each; ++k) add(row, k);
    return matrix::build<T>(ctx, {all, columns, i, j, x});
}

int pitch_of(const matrix& a) {
    const context cpu({.backend = backend::cpu});
    return storage::make_dia_slices(cpu, a.body().rows(), a.type()).pitch;
}

// Both products, and whether the second one's first rows are the first one.
template <class T>
void expect_same(const context& ctx, const char* ring, const matrix& a, const matrix& longer, const vector& u,
                 const std::string& what) {
    const auto product = [&](const matrix& m) {
        vector w(ctx, u.type(), m.rows());
        mxv(ctx, w, semiring(ring), m, u, {.kernel = "dia_slice"});
        return read(w);
    };
    const dictionary w = product(a);
    dictionary expected = product(longer);
    expected.rows = static_cast<index_t>(a.rows());
    std::erase_if(expected.entries, [&](const auto& e) { return e.first.first >= expected.rows; });
    EXPECT_TRUE(w.entries == expected.entries) << what << ", " << ring << ", " << w.entries.size() << " of "
                                               << expected.entries.size() << " entries";
}

template <class T>
void try_all(const context& ctx, const std::vector<const char*>& rings) {
    constexpr index_t many = 4001;
    std::mt19937 random(20261125);
    for (const distances& far : {distances{0},
                                 {-3, 0},
                                 {-1, 0, 2},
                                 {-40, -1, 1, 40},
                                 {-40, -1, 0, 1, 40},
                                 {-50, -40, -1, 0, 1, 40},
                                 {-50, -40, -1, 0, 1, 40, 50},
                                 {-4, -3, -2, -1, 0, 1, 2, 3, 4}})
        for (const index_t rows : {1, 33, 64, 95, many})
            for (const bool iso : {false, true}) {
                const index_t columns = rows + 100;
                const std::string what = std::to_string(rows) + " rows, " + std::to_string(far.size()) +
                                         " diagonals" + (iso ? ", iso" : "");
                const matrix a = band<T>(ctx, rows, columns, far, iso, false),
                             longer = band<T>(ctx, rows, columns, far, iso, true);
                if (rows == many) {
                    EXPECT_EQ(pitch_of(a), static_cast<int>(far.size())) << what;
                    EXPECT_EQ(pitch_of(longer), 0) << what;
                }
                const vector dense =
                    make_vector(ctx, full_dictionary(columns, 1, dtype_of<T>, random), vector_form::dense);
                const vector gaps = make_vector(ctx, random_dictionary(columns, 1, 0.6, dtype_of<T>, random),
                                                vector_form::bitmap);
                for (const char* ring : rings) {
                    expect_same<T>(ctx, ring, a, longer, dense, what);
                    expect_same<T>(ctx, ring, a, longer, gaps, what + ", gaps in u");
                }
            }
}

TEST(PitchedSlices, GiveBitForBitWhatOthersGive) {
    for (const context& ctx : contexts()) {
        try_all<double>(ctx, {"plus_times", "min_plus", "any_second"});
        try_all<float>(ctx, {"plus_times", "min_plus"});
        try_all<std::int64_t>(ctx, {"plus_times", "min_second"});
    }
}

}  // namespace
}  // namespace nz::test
