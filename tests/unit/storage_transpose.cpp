// Transposes and matrices from coordinates, large enough to be dealt into buckets and shared out to threads, against
// plain models; the same bits for every number of threads; and no more memory than the entries need.
#include "io/random_stream.hpp"
#include "nonzero/nonzero.hpp"
#include "storage/assemble.hpp"
#include "storage/coo.hpp"
#include "storage/deal.hpp"
#include "storage/matrix_body.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

namespace nz::storage {
namespace {

context with_threads(int threads) { return context({.backend = backend::cpu, .threads = threads}); }

template <class T>
bool equal(const T* x, const T* y, std::size_t n) {
    return n == 0 || std::memcmp(x, y, n * sizeof(T)) == 0;
}
bool same_bits(const csr& x, const csr& y) {
    return x.rows == y.rows && x.columns == y.columns && x.nnz == y.nnz && x.kind == y.kind &&
           x.offset_bytes == y.offset_bytes && x.values.bytes() == y.values.bytes() &&
           equal(x.offsets.as<char>(), y.offsets.as<char>(), x.offsets.bytes()) &&
           equal(x.indices.as<char>(), y.indices.as<char>(), x.indices.bytes()) &&
           equal(x.values.as<char>(), y.values.as<char>(), x.values.bytes());
}

enum class shape { random, band, hub };

// Every fifth row empty; entry k has the value k, as far as the type holds it.
csr make(const context& ctx, shape s, dtype type, value_kind kind, index_t rows, index_t columns) {
    io::random_stream random(1, 2);
    std::vector<std::vector<index_t>> lists(static_cast<std::size_t>(rows));
    for (index_t i = 0; i < rows; ++i) {
        if (i % 5 == 3) continue;
        for (int n = 0; n < 9; ++n)
            lists[i].push_back(s == shape::band ? std::min(columns - 1, i + n)
                                                : static_cast<index_t>(random.below(columns)));
        if (s == shape::hub) lists[i].push_back(77);
        std::ranges::sort(lists[i]);
        lists[i].erase(std::ranges::unique(lists[i]).begin(), lists[i].end());
    }
    std::vector<index_t> lengths;
    for (const auto& list : lists) lengths.push_back(static_cast<index_t>(list.size()));
    csr a = allocate_csr(ctx, type, kind, rows, columns, std::span<const index_t>(lengths));
    offset_t k = 0;
    for (const auto& list : lists)
        for (const index_t j : list) a.indices.as<index_t>()[k++] = j;
    const offset_t values = kind == value_kind::full ? a.nnz : kind == value_kind::iso ? 1 : 0;
    for (offset_t v = 0; v < values; ++v)
        store(a.values.data(), type, v,
              cast(to_element(static_cast<std::int64_t>(v % 251)), dtype::int64, type));
    return a;
}

void expect_transposed(const csr& a, const csr& t) {
    validate(t, "t");
    ASSERT_EQ(std::tie(t.rows, t.columns, t.nnz), std::tie(a.columns, a.rows, a.nnz));
    std::vector<offset_t> next(static_cast<std::size_t>(t.rows));
    for (index_t c = 0; c < t.rows; ++c) next[c] = t.offset(c);
    for (index_t i = 0; i < a.rows; ++i)
        for (offset_t k = a.offset(i); k < a.offset(i + 1); ++k) {
            const offset_t at = next[a.index_data()[k]]++;
            ASSERT_EQ(t.index_data()[at], i);
            ASSERT_EQ(t.value(at), a.value(k));
        }
}

TEST(Transpose, IsTheSameForEveryNumberOfThreadsWidthAndKind) {
    for (const shape s : {shape::random, shape::band, shape::hub})
        for (const auto& [type, kind] : {std::pair{dtype::uint8, value_kind::full},
                                         {dtype::int16, value_kind::full},
                                         {dtype::float32, value_kind::full},
                                         {dtype::float64, value_kind::full},
                                         {dtype::float64, value_kind::iso},
                                         {dtype::boolean, value_kind::pattern}}) {
            const csr a = make(with_threads(1), s, type, kind, 20000, 30000);
            const csr one = transpose(with_threads(1), a);
            expect_transposed(a, one);
            for (const int threads : {2, 4}) EXPECT_TRUE(same_bits(one, transpose(with_threads(threads), a)));
        }
}

TEST(Transpose, KeepsWideOffsets) {
    const context ctx = with_threads(3);
    csr a = make(ctx, shape::random, dtype::float64, value_kind::full, 20000, 30000);
    const csr narrow = transpose(ctx, a);
    buffer wide(ctx.memory(), (static_cast<std::size_t>(a.rows) + 1) * 8);
    for (index_t i = 0; i <= a.rows; ++i) wide.as<std::int64_t>()[i] = a.offset(i);
    a.offsets = std::move(wide);
    a.offset_bytes = 8;
    const csr t = transpose(ctx, a);
    ASSERT_EQ(t.offset_bytes, 8);
    expect_transposed(a, t);
    EXPECT_TRUE(equal(t.index_data(), narrow.index_data(), static_cast<std::size_t>(t.nnz)));
}

// A long column is a bucket of its own, which no thread's arrays hold.
TEST(Transpose, OfAColumnLongerThanAnyThreadsArrays) {
    const csr a = make(with_threads(1), shape::hub, dtype::float64, value_kind::full, 400000, 300000);
    expect_transposed(a, transpose(with_threads(2), a));
}

TEST(Transpose, OfFewEntriesInAHugeShapeTakesTheOffsetsAndLittleMore) {
    constexpr index_t columns = 20'000'000;
    constexpr std::size_t entries = 100000;
    for (const bool near : {true, false}) {
        const context ctx = with_threads(4);
        const std::vector<index_t> lengths(entries, 1);
        csr a = allocate_csr(ctx, dtype::float64, value_kind::full, entries, columns,
                             std::span<const index_t>(lengths));
        for (std::size_t i = 0; i < entries; ++i) {
            a.indices.as<index_t>()[i] =
                static_cast<index_t>(near ? i : i * 7919 % entries * (columns / entries));
            a.values.as<double>()[i] = static_cast<double>(i);
        }
        context counted = ctx;
        const std::size_t before = ctx.bytes_in_use();
        counted.reset_peak();
        const csr t = transpose(ctx, a);
        EXPECT_LT(ctx.peak_bytes() - before, t.bytes() + 16 * entries + (std::size_t{8} << 20)) << near;
        expect_transposed(a, t);
    }
}

struct tuples {
    std::vector<index_t> rows, columns;
    std::vector<double> values;
    tuple_chunk chunk(std::size_t begin, std::size_t end) const {
        return {rows.data() + begin, columns.data() + begin, values.data() + begin,
                static_cast<offset_t>(end - begin)};
    }
};
// In random order; about every other place comes more than once.
tuples random_tuples(std::size_t n, index_t rows, index_t columns) {
    io::random_stream random(3, 4);
    tuples t;
    for (std::size_t k = 0; k < n; ++k) {
        const bool again = k > 0 && k % 2 == 0;
        const std::size_t other = again ? static_cast<std::size_t>(random.below(static_cast<index_t>(k))) : 0;
        t.rows.push_back(again ? t.rows[other] : static_cast<index_t>(random.below(rows)));
        t.columns.push_back(again ? t.columns[other] : static_cast<index_t>(random.below(columns)));
        t.values.push_back(static_cast<double>(k % 1021) / 7);
    }
    return t;
}

using model = std::map<std::pair<index_t, index_t>, double>;
void add(model& m, index_t i, index_t j, double v) {
    const auto [at, made] = m.try_emplace({i, j}, v);
    if (!made) at->second = at->second - v;  // minus: the order of repeats shows
}
void expect_entries(const model& m, const csr& a) {
    validate(a, "a");
    ASSERT_EQ(a.nnz, static_cast<offset_t>(m.size()));
    auto next = m.begin();
    for (index_t i = 0; i < a.rows; ++i)
        for (offset_t k = a.offset(i); k < a.offset(i + 1); ++k, ++next) {
            ASSERT_EQ(next->first, std::pair(i, a.index_data()[k]));
            if (a.kind == value_kind::full) {
                ASSERT_EQ(a.value(k), to_element(next->second));
            }
        }
}

TEST(Assembly, OfTuplesInRandomOrderCombinesRepeatsInTheirOrderWhateverTheThreads) {
    constexpr std::size_t n = 150000;
    for (const mirror expand : {mirror::none, mirror::symmetric, mirror::skew_symmetric}) {
        const tuples t = random_tuples(n, 30000, 30000);
        model expected;
        for (std::size_t k = 0; k < n; ++k) {
            add(expected, t.rows[k], t.columns[k], t.values[k]);
            if (expand != mirror::none && t.rows[k] != t.columns[k])
                add(expected, t.columns[k], t.rows[k],
                    expand == mirror::symmetric ? t.values[k] : -t.values[k]);
        }
        const tuple_chunk chunks[] = {t.chunk(0, 3), t.chunk(3, 70000), t.chunk(70000, 70000),
                                      t.chunk(70000, n)};
        for (const int threads : {1, 2, 4})
            expect_entries(expected, assemble(with_threads(threads), dtype::float64, value_kind::full, 30000,
                                              30000, chunks, expand, binary_id::minus));
    }
}

TEST(Assembly, OfAPatternAndOfRowsOfEveryLength) {
    tuples t = random_tuples(100000, 20000, 9000);
    for (index_t j = 0; j < 60000; ++j)
        t.rows.push_back(5), t.columns.push_back(j * 31 % 9000), t.values.push_back(j);
    for (index_t j = 0; j < 40; ++j) t.rows.push_back(7), t.columns.push_back(39 - j), t.values.push_back(j);
    model expected;
    for (std::size_t k = 0; k < t.rows.size(); ++k) add(expected, t.rows[k], t.columns[k], t.values[k]);
    const tuple_chunk all = t.chunk(0, t.rows.size());
    for (const int threads : {1, 3}) {
        const context ctx = with_threads(threads);
        expect_entries(expected, assemble(ctx, dtype::float64, value_kind::full, 20000, 9000, {&all, 1},
                                          mirror::none, binary_id::minus));
        expect_entries(expected, assemble(ctx, dtype::boolean, value_kind::pattern, 20000, 9000, {&all, 1},
                                          mirror::none, binary_id::minus));
    }
}

TEST(Assembly, OfFewTuplesInAHugeShapeTakesTheOffsetsAndLittleMore) {
    constexpr index_t rows = 20'000'000;
    const tuples t = random_tuples(100000, rows, rows);
    model expected;
    for (std::size_t k = 0; k < t.rows.size(); ++k) add(expected, t.rows[k], t.columns[k], t.values[k]);
    const tuple_chunk all = t.chunk(0, t.rows.size());
    context ctx = with_threads(4);
    ctx.reset_peak();
    const csr a = assemble(ctx, dtype::float64, value_kind::full, rows, rows, {&all, 1}, mirror::none,
                           binary_id::minus);
    // Repeats take the offsets a second time while the gaps are closed.
    EXPECT_LT(ctx.peak_bytes(), 2 * a.bytes() + 16 * t.rows.size() + (std::size_t{8} << 20));
    expect_entries(expected, a);
}

TEST(Assembly, NamesTheFirstTupleOutsideWhateverTheThreads) {
    tuples t = random_tuples(100000, 1000, 1000);
    t.columns[80000] = 1000;
    t.rows[99999] = -1;
    for (const int threads : {1, 4}) {
        try {
            matrix::build<double>(with_threads(threads), {1000, 1000, t.rows, t.columns, t.values});
            FAIL() << "not refused";
        } catch (const index_out_of_bounds& e) {
            EXPECT_NE(std::string(e.what()).find("entry 80000 is"), std::string::npos) << e.what();
        }
    }
}

TEST(Coordinates, BecomeRowsWithEmptyOnesBeforeBetweenAndAfter) {
    const csr a = make(with_threads(1), shape::random, dtype::float64, value_kind::full, 20000, 30000);
    for (const int threads : {1, 2, 4}) {
        const context ctx = with_threads(threads);
        coo c = to_coo(ctx, a);
        c.rows = 20100;
        for (offset_t k = 0; k < c.nnz; ++k) c.row_indices.as<index_t>()[k] += 50;
        const csr back = to_csr(ctx, c);
        validate(back, "back");
        for (index_t i = 0; i <= 20100; ++i)
            ASSERT_EQ(back.offset(i), a.offset(std::clamp(i - 50, 0, 20000))) << i;
    }
}

TEST(KeysThatStayNear, AreThoseOfBandsNotOfRandomRows) {
    const auto near = [](const csr& a) {
        return keys_stay_near(a.nnz, [&](offset_t k) {
            return std::span<const index_t>(a.index_data() + k, static_cast<std::size_t>(a.nnz - k));
        });
    };
    const context ctx = with_threads(1);
    EXPECT_TRUE(near(make(ctx, shape::band, dtype::float64, value_kind::pattern, 20000, 30000)));
    EXPECT_FALSE(near(make(ctx, shape::random, dtype::float64, value_kind::pattern, 20000, 30000)));
}

}  // namespace
}  // namespace nz::storage
