// Sums of short runs of products, whatever the width of a register: each against the same sum lane by lane.
#include "algebra/cell.hpp"
#include "kernels/cpu/mxv/common_lanes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

namespace nz::kernels::cpu {
namespace {

constexpr int most = 40;

// Lane j holds entries j, j + Lanes, ...; then the upper half of the lanes is added to the lower one until one is left.
template <class Cell, int Lanes>
typename Cell::value lane_by_lane(const typename Cell::value* p, int length) {
    typename Cell::value lanes[Lanes];
    for (auto& lane : lanes) lane = algebra::before_first<Cell>();
    for (int k = 0; k < (length + Lanes - 1) / Lanes * Lanes; ++k) {
        const auto next = k < length ? p[k] : algebra::before_first<Cell>();
        lanes[k % Lanes] = k < Lanes ? next : Cell::add(lanes[k % Lanes], next);
    }
    for (int half = Lanes / 2; half; half /= 2)
        for (int j = 0; j < half; ++j) lanes[j] = Cell::add(lanes[j], lanes[j + half]);
    return lanes[0];
}

template <class V>
std::vector<V> some_values() {
    std::mt19937_64 random(5);
    std::vector<V> values(most + 8);
    for (V& v : values)
        if constexpr (std::is_floating_point_v<V>)
            v = static_cast<V>(
                std::ldexp(static_cast<double>(random() >> 11), static_cast<int>(random() % 40) - 60) *
                (random() & 1 ? 1 : -1));
        else
            v = static_cast<V>(random());  // sums and products wrap
    if constexpr (std::is_floating_point_v<V>) {
        values[3] = std::numeric_limits<V>::quiet_NaN();
        values[4] = -V(0);
        values[20] = std::numeric_limits<V>::infinity();
    }
    return values;
}

template <class V>
bool same_bits(V x, V y) {
    return std::memcmp(&x, &y, sizeof(V)) == 0 || (x != x && y != y);
}

template <binary_id Add, class V, int Lanes>
void expect_same() {
    using cell = algebra::cell<Add, binary_id::first, V>;
    const std::vector<V> values = some_values<V>();
    for (int begin = 0; begin < 8; ++begin)
        for (int length = 1; begin + length <= most; ++length) {
            const V* p = values.data() + begin;
            EXPECT_TRUE(
                same_bits((lane_sum<cell, Lanes>::of(p, length)), (lane_by_lane<cell, Lanes>(p, length))))
                << "operator " << static_cast<int>(Add) << ", " << sizeof(V) << " bytes, " << Lanes
                << " lanes, entries " << begin << " to " << begin + length;
        }
}

template <class V>
void expect_same_for_monoids() {
    const auto of = [&]<binary_id Add>() {
        expect_same<Add, V, 4>();
        expect_same<Add, V, 8>();
    };
    of.template operator()<binary_id::plus>();
    of.template operator()<binary_id::times>();
    of.template operator()<binary_id::min>();
    of.template operator()<binary_id::max>();
}

TEST(LaneSums, OfEveryTypeAndMonoid) {
    expect_same_for_monoids<double>();
    expect_same_for_monoids<float>();
    expect_same_for_monoids<std::int8_t>();
    expect_same_for_monoids<std::uint8_t>();
    expect_same_for_monoids<std::int16_t>();
    expect_same_for_monoids<std::int32_t>();
    expect_same_for_monoids<std::uint32_t>();
    expect_same_for_monoids<std::int64_t>();
    expect_same_for_monoids<std::uint64_t>();
}

TEST(LaneSums, MinusZeroAloneStays) {
    using cell = algebra::cell<binary_id::plus, binary_id::times, double>;
    const double zeros[8] = {-0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    EXPECT_TRUE(std::signbit(lane_sum<cell, 8>::of(zeros, 1)));
    EXPECT_FALSE(std::signbit(lane_sum<cell, 8>::of(zeros, 2)));
    using lanes = lane_sum<cell, 4>;
    EXPECT_EQ(lanes::total(lanes::padded(lanes::from(1.0, 2.0, 4.0, 8.0), 3)), 7.0);
}

}  // namespace
}  // namespace nz::kernels::cpu
