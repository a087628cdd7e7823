// Where mxm/dia_dia keeps rows of B from tile to tile: those that a tile reads lie whole where they are said to, however the room has
// been parted before.
#include "kernels/cpu/mxm/dia_dia.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace nz::test {
namespace {

using kernels::cpu::dia_dia_detail::cluster, kernels::cpu::dia_dia_detail::turned_rows;

constexpr offset_t room = plan::dia_b_values;

// Some rows of B, of one length each time that they are named.
cluster rows_of_number(offset_t number) {
    return {0, static_cast<index_t>(16 + number * 37 % 180), number * 1000,
            static_cast<index_t>(1 + number * 11 % 64)};
}

TEST(TurnedRows, LieWholeWhereTheyAreSaidToWhileATileReadsThem) {
    std::mt19937 random(20261201);
    turned_rows kept;
    std::vector<offset_t> there(room, -1);  // whose values
    int found = 0, again = 0;
    for (int tile = 0; tile < 2000; ++tile) {
        std::vector<offset_t> numbers;
        for (offset_t values = 0, number = random() % 60; numbers.size() < 1 + random() % 12;
             number += 1 + random() % 5) {
            values += rows_of_number(number).values();
            if (values > room) break;
            numbers.push_back(number);
        }
        std::vector<offset_t> at(numbers.size());
        const auto place = [&] {
            kept.begin();
            for (std::size_t n = 0; n < numbers.size(); ++n) at[n] = kept.find(rows_of_number(numbers[n]));
            for (std::size_t n = 0; n < numbers.size(); ++n) {
                const cluster c = rows_of_number(numbers[n]);
                if (at[n] >= 0) {
                    ++found;
                    continue;
                }
                at[n] = kept.make_room(c);
                if (at[n] < 0) return false;
                std::fill_n(there.begin() + at[n], c.values(), numbers[n]);
            }
            return true;
        };
        if (!place()) {
            ++again;
            kept.clear();
            ASSERT_TRUE(place()) << "they fit one behind another";
        }
        for (std::size_t n = 0; n < numbers.size(); ++n) {
            const offset_t values = rows_of_number(numbers[n]).values();
            ASSERT_LE(at[n] + values, room);
            ASSERT_EQ(std::count(there.begin() + at[n], there.begin() + at[n] + values, numbers[n]), values)
                << tile;
        }
    }
    EXPECT_GT(found, 100);
    EXPECT_GT(again, 20);
}

}  // namespace
}  // namespace nz::test
