// Products over tiles of values by plain loops and by AVX-512: both give the bits of sums in the entries' order, and write and read
// nothing else.
#include "core/wide_tiles.hpp"

#include "kernels/cpu/mxv/common_tile_wide.hpp"
#include "ops/mxv_product.hpp"
#include "storage/matrix_body.hpp"
#include "support/guarded.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace nz::kernels::cpu {
namespace {

template <class V, bool Times>
struct operators {
    using value = V;
    using cell = algebra::cell<binary_id::plus, Times ? binary_id::times : binary_id::second, V>;
    static constexpr bool times = Times;
};

template <class Operators>
class WideTiles : public ::testing::Test {};
using operator_types = ::testing::Types<operators<double, true>, operators<double, false>,
                                        operators<float, true>, operators<float, false>>;
TYPED_TEST_SUITE(WideTiles, operator_types);

/// Any sign, size and place of the last bit; zeros of both signs, and now and then an infinity.
template <class V>
V any_value(std::mt19937& random) {
    const auto pick = random() % 512;
    if (pick == 0) return std::numeric_limits<V>::infinity();
    if (pick < 40) return pick % 2 ? V(0) : -V(0);
    const V x = std::ldexp(V(random()) / V(4294967296.0) + V(0.1), static_cast<int>(random() % 20) - 10);
    return random() % 2 ? x : -x;
}

/// A matrix whose tiles differ in how full they are, `fill` at most, with rows and rows of tiles that have nothing.
template <class V>
matrix some_matrix(const context& ctx, index_t rows, index_t columns, double fill, std::mt19937& random) {
    std::vector<index_t> i, j;
    std::vector<V> values;
    std::vector<double> of_tile(static_cast<std::size_t>((rows + 15) / 16 * ((columns + 15) / 16)));
    for (double& f : of_tile) f = random() % 3 == 0 ? 0 : fill * static_cast<double>(random() % 1000) / 1000;
    if (fill >= 1) of_tile.front() = of_tile.back() = 1;
    for (index_t r = 0; r < rows; ++r)
        for (index_t c = 0; c < columns; ++c)
            if (r % 11 != 5 && r / 64 != 1 &&
                static_cast<double>(random() % 1000) <
                    1000 * of_tile[static_cast<std::size_t>(r / 16 * ((columns + 15) / 16) + c / 16)]) {
                i.push_back(r);
                j.push_back(c);
                values.push_back(any_value<V>(random));
            }
    return matrix::build<V>(ctx, {rows, columns, i, j, values});
}

std::vector<bits::word> some_bits(index_t size, double density, std::mt19937& random) {
    std::vector<bits::word> set(bits::words_for(size), 0);
    for (index_t j = 0; j < size; ++j)
        if (static_cast<double>(random() % 1000) < 1000 * density) bits::set(set.data(), j);
    return set;
}

/// A vector, NaN where it has no entry.
template <class V>
struct some_vector {
    test::guarded<V> values;
    std::vector<bits::word> present;

    some_vector(index_t size, double density, std::mt19937& random)
        : values(static_cast<std::size_t>(size)), present(some_bits(size, density, random)) {
        for (index_t j = 0; j < size; ++j)
            values.data()[j] =
                bits::test(present.data(), j) ? any_value<V>(random) : std::numeric_limits<V>::quiet_NaN();
    }
};

template <class V>
struct outcome {
    std::vector<V> values;
    std::vector<bits::word> present;
};

/// Row by row, products first, so that none is fused into a sum.
template <class Operators, class V>
outcome<V> one_by_one(const storage::value_tiles& t, const mxv_arguments& a, V untouched) {
    const auto n = static_cast<std::size_t>(a.output_size);
    std::vector<std::vector<V>> products(n);
    const auto* u = static_cast<const V*>(a.u_values);
    const auto* values = static_cast<const V*>(a.values);
    const auto meet = [&](offset_t i, offset_t j, offset_t e) {
        if (a.u_present && !bits::test(a.u_present, j)) return;
        products[static_cast<std::size_t>(i)].push_back(Operators::times ? values[a.constant ? 0 : e] * u[j]
                                                                         : u[j]);
    };
    for (index_t i = 0; i < t.tile_rows(); ++i) {
        const storage::tile_range tiles = a.tiles.tile_ranges[i], outside = a.tiles.extracted_ranges[i];
        for (std::uint32_t k = tiles.begin; k < tiles.end; ++k)
            for (offset_t e = a.tiles.entry_starts[k]; e < a.tiles.entry_starts[k + 1]; ++e) {
                const int local =
                    t.cut.size == 16 ? t.locals.as<std::uint8_t>()[e] : t.locals.as<std::uint16_t>()[e];
                meet(offset_t{i} * t.cut.size + (local >> storage::column_bits(t.cut.size)),
                     offset_t{a.tiles.tile_columns[k]} * t.cut.size + (local & (t.cut.size - 1)), e);
            }
        for (std::uint32_t e = outside.begin; e < outside.end; ++e)
            meet(offset_t{i} * t.cut.size + a.tiles.extracted_rows[e], a.tiles.extracted_columns[e],
                 a.tiles.outside_values + e);
    }
    outcome<V> w{std::vector<V>(n, untouched), std::vector<bits::word>(bits::words_for(a.output_size), 0)};
    for (std::size_t i = 0; i < n; ++i) {
        const auto row = static_cast<offset_t>(i);
        if (products[i].empty() || (a.mask && bits::test(a.mask, row) == a.complement)) continue;
        V sum = products[i][0];
        for (std::size_t k = 1; k < products[i].size(); ++k) sum = sum + products[i][k];
        w.values[i] = sum;
        bits::set(w.present.data(), row);
    }
    return w;
}

template <class Operators, class V>
outcome<V> by_reader(mxv_arguments a, bool wide, V untouched) {
    outcome<V> w{std::vector<V>(static_cast<std::size_t>(a.output_size), untouched),
                 std::vector<bits::word>(bits::words_for(a.output_size), ~bits::word{0})};
    a.out_values = w.values.data();
    a.out_present = w.present.data();
    with_tile_reader<typename Operators::cell>(a, wide, [&](const auto& reader) {
        for (std::size_t k = 0; k < w.present.size(); ++k)
            write_tile_rows(reader, a, k, [](index_t) { return true; });
    });
    return w;
}

/// Bit for bit, but that one NaN is as good as another.
template <class V>
void expect_same(const outcome<V>& expected, const outcome<V>& w, const std::string& what) {
    ASSERT_EQ(expected.present, w.present) << what;
    for (std::size_t i = 0; i < w.values.size(); ++i) {
        if (std::isnan(expected.values[i]) && std::isnan(w.values[i])) continue;
        ASSERT_EQ(std::memcmp(&expected.values[i], &w.values[i], sizeof(V)), 0)
            << what << ", row " << i << ": " << w.values[i] << ", not " << expected.values[i];
    }
}

/// Every density of u, with and without masks, by both readers.
template <class Operators>
void try_products(const storage::value_tiles& t, bool constant, const std::string& name,
                  std::mt19937& random) {
    using V = typename Operators::value;
    const V untouched = V(12345), one_for_all = V(1) / V(3);
    mxv_arguments a;
    a.tiles = ops::tile_pointers(t, nullptr);
    a.values = constant ? &one_for_all : t.values.data();
    a.constant = constant;
    a.output_size = static_cast<index_t>(t.source->rows);
    a.u_size = static_cast<index_t>(t.source->columns);
    const std::vector<bits::word> mask = some_bits(a.output_size, 0.5, random);
    for (const double density : {2.0, 1.0, 0.5, 0.1, 0.02, 0.0}) {
        const some_vector<V> u(a.u_size, density, random);
        a.u_values = u.values.data();
        a.u_present = density > 1 ? nullptr : u.present.data();
        for (int masked = 0; masked < 3; ++masked) {
            a.mask = masked ? mask.data() : nullptr;
            a.complement = masked == 2;
            const auto expected = one_by_one<Operators>(t, a, untouched);
            for (const bool wide : {false, true}) {
                if (wide && !has_wide_tiles()) continue;
                expect_same(expected, by_reader<Operators>(a, wide, untouched),
                            name + ", density " + std::to_string(density) + ", mask " +
                                std::to_string(masked) + (wide ? ", wide" : ", plain"));
                if (::testing::Test::HasFatalFailure()) return;
            }
        }
    }
}

TYPED_TEST(WideTiles, AreSummedInTheEntriesOrder) {
    using V = typename TypeParam::value;
    std::mt19937 random(20261125);
    const context ctx({.backend = backend::cpu, .threads = 1});
    struct shape {
        index_t rows, columns;
        double fill;
    };
    for (const shape of : {shape{1, 1, 1},
                           {16, 16, 1},
                           {17, 300, 1},
                           {200, 15, 1},
                           {129, 130, 1},
                           {321, 97, 0.3},
                           {150, 1200, 0.15},
                           {256, 2000, 0.03},
                           {70, 40, 0}})
        for (const bool constant : {false, true}) {
            matrix a = some_matrix<V>(ctx, of.rows, of.columns, of.fill, random);
            if (constant) {
                std::vector<index_t> i, j;
                std::vector<V> values;
                a.extract_tuples(i, j, values);
                a = matrix::build<bool>(ctx, {of.rows, of.columns, i, j, {}});
            }
            for (const int size : {16, 32, 64})
                for (const int least : {1, storage::least_value_entries(size), 1 << 20}) {
                    const auto t =
                        storage::make_value_tiles(ctx, a.body().rows(), {size, least}, dtype_of<V>);
                    try_products<TypeParam>(t, constant,
                                            std::to_string(of.rows) + " x " + std::to_string(of.columns) +
                                                ", tiles of " + std::to_string(size) + ", least " +
                                                std::to_string(least) + (constant ? ", constant" : ""),
                                            random);
                    if (this->HasFatalFailure()) return;
                }
        }
}

// Every number of entries that a tile of 16 can have, in rows from the first on and spread out; the last tile of the arrays too, behind
// which nothing may be read.
TYPED_TEST(WideTiles, OfEveryFill) {
    using V = typename TypeParam::value;
    std::mt19937 random(20261126);
    const context ctx({.backend = backend::cpu, .threads = 1});
    for (int entries = 1; entries <= 256; entries += entries < 70 ? 1 : 31)
        for (const bool spread : {false, true}) {
            std::vector<index_t> i, j;
            std::vector<V> values;
            for (int tile = 0; tile < 3; ++tile) {
                std::vector<int> place(256);
                for (int k = 0; k < 256; ++k) place[static_cast<std::size_t>(k)] = k;
                if (spread) std::shuffle(place.begin(), place.end(), random);
                for (int k = 0; k < entries; ++k) {
                    i.push_back(place[static_cast<std::size_t>(k)] / 16);
                    j.push_back(16 * tile + place[static_cast<std::size_t>(k)] % 16);
                    values.push_back(any_value<V>(random));
                }
            }
            const matrix a = matrix::build<V>(ctx, {16, 48, i, j, values});
            const auto t = storage::make_value_tiles(ctx, a.body().rows(), {16, 1}, dtype_of<V>);
            try_products<TypeParam>(t, false, std::to_string(entries) + (spread ? " spread" : " first"),
                                    random);
            if (this->HasFatalFailure()) return;
        }
}

}  // namespace
}  // namespace nz::kernels::cpu
