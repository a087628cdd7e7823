// ewise/balanced_path on a CPU against the reference, entry by entry, where its ways through rows differ: the same places on
// both sides, sides that are empty or apart, windows of every two lengths, repeats within and across windows, columns too
// large for windows, results that go past the caches.
#include "instantiate/ewise_cells.hpp"
#include "kernels/cpu/ewise/balanced_path.hpp"
#include "support/battery.hpp"
#include "support/guarded.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>

namespace nz::test {
namespace {

constexpr unsigned patterns_seed = 20261124;

using row_places = std::vector<std::vector<index_t>>;

template <class T>
matrix of_rows(const context& ctx, const row_places& rows, index_t columns, bool valued = true) {
    std::vector<std::int32_t> offsets = {0};
    std::vector<index_t> places;
    std::vector<T> values;
    for (const auto& row : rows) {
        places.insert(places.end(), row.begin(), row.end());
        offsets.push_back(static_cast<std::int32_t>(places.size()));
    }
    std::mt19937 random(static_cast<unsigned>(places.size()) + patterns_seed);
    for (std::size_t k = 0; valued && k < places.size(); ++k)
        values.push_back(static_cast<T>(random() % 120));
    return matrix::from_csr<T, std::int32_t>(
        ctx, {static_cast<index_t>(rows.size()), columns, offsets, places, values});
}

template <class T>
void expect_same(const matrix& found, const matrix& expected, const std::string& what) {
    const auto x = found.csr<T>(), y = expected.csr<T>();
    EXPECT_TRUE(std::ranges::equal(x.offsets, y.offsets)) << what << ": offsets";
    EXPECT_TRUE(std::ranges::equal(x.columns, y.columns)) << what << ": columns";
    EXPECT_TRUE(std::ranges::equal(x.values, y.values)) << what << ": values";
}

// All four operations, by both kernels.
template <class T>
void check_operations(const context& ctx, const matrix& a, const matrix& b, const std::string& what) {
    using operation = std::function<void(matrix&, const matrix_options&)>;
    const std::pair<const char*, operation> all[] = {
        {"union", [&](matrix& c, const matrix_options& o) { ewise_add(ctx, c, binary_id::minus, a, b, o); }},
        {"intersection",
         [&](matrix& c, const matrix_options& o) { ewise_mult(ctx, c, binary_id::minus, a, b, o); }},
        {"first", [&](matrix& c, const matrix_options& o) { ewise_mult(ctx, c, binary_id::first, a, b, o); }},
        {"second",
         [&](matrix& c, const matrix_options& o) { ewise_add(ctx, c, binary_id::second, a, b, o); }},
        {"difference", [&](matrix& c, const matrix_options& o) { ewise_difference(ctx, c, a, b, o); }},
        {"symmetric difference",
         [&](matrix& c, const matrix_options& o) { ewise_symmetric_difference(ctx, c, a, b, o); }}};
    for (const auto& [name, run] : all) {
        matrix found(ctx, dtype_of<T>, a.rows(), a.columns()),
            expected(ctx, dtype_of<T>, a.rows(), a.columns());
        run(found, {.kernel = "balanced_path"});
        run(expected, {.kernel = "reference"});
        expect_same<T>(found, expected, what + ", " + name + ", " + std::to_string(ctx.threads()));
    }
}

template <class T>
void check_rows(const row_places& a, const row_places& b, index_t columns, const std::string& what) {
    for (const int threads : {1, 2, 5}) {
        const context ctx({.backend = backend::cpu, .threads = threads});
        check_operations<T>(ctx, of_rows<T>(ctx, a, columns), of_rows<T>(ctx, b, columns), what);
    }
}

// `length` different places of [first, last), ascending; or with repeats.
std::vector<index_t> draw(std::mt19937& random, std::size_t length, index_t first, index_t last,
                          bool repeats) {
    std::vector<index_t> row;
    while (row.size() < length) {
        row.push_back(first + static_cast<index_t>(random() % static_cast<unsigned>(last - first)));
        if (row.size() < length && !repeats) continue;
        std::ranges::sort(row);
        if (!repeats) row.erase(std::ranges::unique(row).begin(), row.end());
    }
    return row;
}

TEST(BalancedPathPatterns, JoinsRowsOfTheSamePlaces) {
    std::mt19937 random(patterns_seed);
    row_places a(2000);
    for (auto& row : a) row = draw(random, random() % 40, 0, 300, false);
    check_rows<double>(a, a, 300, "all the same");
    // One place in so many rows is another, in a block's first, last or middle row.
    for (const std::size_t period : {64U, 130U, 999U}) {
        row_places b = a;
        for (std::size_t r = period - 1; r < b.size(); r += period)
            b[r] = draw(random, b[r].size(), 300, 900, false);
        check_rows<double>(a, b, 900, "other places every " + std::to_string(period));
        for (std::size_t r = period - 1; r < b.size(); r += period) b[r].push_back(899);
        check_rows<float>(b, a, 900, "one more every " + std::to_string(period));
    }
    const context ctx({.backend = backend::cpu, .threads = 3});
    const matrix same = of_rows<double>(ctx, a, 300), pattern = of_rows<double>(ctx, a, 300, false),
                 other = of_rows<double>(ctx, row_places(a.rbegin(), a.rend()), 300);
    check_operations<double>(ctx, same, pattern, "values on one side");
    check_operations<double>(ctx, other, pattern, "values on one side, other places");
}

TEST(BalancedPathPatterns, JoinsSidesThatAreEmptyOrApart) {
    std::mt19937 random(patterns_seed + 1);
    row_places a(700), b(700);
    for (std::size_t r = 0; r < a.size(); ++r) {
        const auto length = random() % (r % 9 == 0 ? 3000 : 12);
        switch (r % 4) {
            case 0:
                a[r] = draw(random, length, 0, 5000, false);
                break;
            case 1:
                b[r] = draw(random, length, 0, 5000, false);
                break;
            case 2:
                a[r] = draw(random, length, 0, 4000, false);
                b[r] = draw(random, length, 4000, 9000, false);
                break;
            default:
                a[r] = draw(random, length, 4000, 9000, false);
                b[r] = draw(random, random() % 9, 0, 4000, false);
        }
    }
    check_rows<double>(a, b, 9000, "empty or apart");
    check_rows<std::int32_t>(b, a, 9000, "empty or apart, exchanged");
    check_rows<double>(a, row_places(700), 9000, "nothing in B");
    check_rows<double>(row_places(700), a, 9000, "nothing in A");
}

template <class T>
void check_windows(std::mt19937& random) {
    // Every two lengths about one window and two; columns dense, so that many are common, and sparse.
    for (const index_t columns : {30, 100, 20000}) {
        row_places a, b;
        for (std::size_t m = 0; m <= 20; ++m)
            for (std::size_t n = 0; n <= 20; ++n) {
                a.push_back(draw(random, m, 0, columns, false));
                b.push_back(draw(random, n, 0, columns, false));
            }
        check_rows<T>(a, b, columns, "windows");
    }
}

TEST(BalancedPathPatterns, JoinsWindowsOfEveryTwoLengthsAndType) {
    std::mt19937 random(patterns_seed + 2);
    check_windows<double>(random);
    check_windows<float>(random);
    check_windows<std::int64_t>(random);
    check_windows<std::int32_t>(random);
}

// Matrices combine repeats, so the kernel is called on arrays.
struct plain_rows {
    std::vector<std::int64_t> offsets = {0};
    std::vector<index_t> columns;
    std::vector<std::int32_t> values;

    plain_rows() = default;
    plain_rows(const row_places& rows, std::int32_t first_value) {
        for (const auto& row : rows) {
            for (const index_t place : row)
                add(place, first_value + static_cast<std::int32_t>(columns.size()));
            end_row();
        }
    }
    void add(index_t column, std::int32_t value) {
        columns.push_back(column);
        values.push_back(value);
    }
    void end_row() { offsets.push_back(static_cast<std::int64_t>(columns.size())); }
    kernels::ewise_side side() const { return {{offsets.data(), true}, columns.data(), values.data(), 1}; }
    bool operator==(const plain_rows&) const = default;
};

// The k-th of A at a place with the k-th of B there, an entry at a time.
plain_rows joined_by_rank(const plain_rows& a, const plain_rows& b, kernels::set_operation operation) {
    using enum kernels::set_operation;
    plain_rows c;
    for (std::size_t r = 0; r + 1 < a.offsets.size(); ++r) {
        auto i = static_cast<std::size_t>(a.offsets[r]), j = static_cast<std::size_t>(b.offsets[r]);
        const auto a_end = static_cast<std::size_t>(a.offsets[r + 1]),
                   b_end = static_cast<std::size_t>(b.offsets[r + 1]);
        while (i < a_end || j < b_end) {
            const bool in_a = i < a_end && (j == b_end || a.columns[i] <= b.columns[j]),
                       in_b = j < b_end && (i == a_end || b.columns[j] <= a.columns[i]);
            if (in_a && in_b) {
                if (operation == unite || operation == intersect)
                    c.add(a.columns[i], a.values[i] - b.values[j]);
            } else if (in_a && operation != intersect) {
                c.add(a.columns[i], a.values[i]);
            } else if (in_b && (operation == unite || operation == exclude)) {
                c.add(b.columns[j], b.values[j]);
            }
            i += in_a;
            j += in_b;
        }
        c.end_row();
    }
    return c;
}

kernels::ewise_arguments join_of(const kernels::ewise_side& a, const kernels::ewise_side& b, std::size_t rows,
                                 index_t width, kernels::set_operation operation, int threads) {
    kernels::ewise_arguments k;
    k.a = a;
    k.b = b;
    k.rows = static_cast<index_t>(rows);
    k.width = width;
    k.operation = operation;
    k.threads = threads;
    return k;
}

void check_repeats(const row_places& a_rows, const row_places& b_rows, const std::string& what) {
    using enum kernels::set_operation;
    const plain_rows a(a_rows, 1000), b(b_rows, 100000);
    for (const auto operation : {unite, intersect, subtract, exclude})
        for (const int threads : {1, 2, 5}) {
            kernels::ewise_arguments k = join_of(a.side(), b.side(), a_rows.size(), 100, operation, threads);
            std::vector<std::byte> workspace(plan::ewise_path_workspace(
                k.rows, static_cast<offset_t>(a.columns.size() + b.columns.size()), threads));
            k.workspace = workspace.data();
            const plain_rows expected = joined_by_rank(a, b, operation);
            ASSERT_EQ(kernels::cpu::balanced_path_count(k), static_cast<offset_t>(expected.columns.size()))
                << what << ", " << threads;
            plain_rows found = expected;
            std::ranges::fill(found.columns, -1);
            std::ranges::fill(found.values, -1);
            std::ranges::fill(found.offsets, -1);
            k.offsets = found.offsets.data();
            k.wide = true;
            k.columns = found.columns.data();
            k.values = found.values.data();
            instantiate::find_ewise_fill(binary_id::minus, dtype::int32)(k);
            EXPECT_TRUE(found == expected) << what << ", " << threads << ", " << static_cast<int>(operation);
        }
}

TEST(BalancedPathPatterns, MatchesRepeatsByRankWithinAndAcrossWindows) {
    std::mt19937 random(patterns_seed + 3);
    row_places a, b;
    for (std::size_t m = 0; m <= 30; ++m)
        for (std::size_t n = 0; n <= 30; ++n) {
            a.push_back(draw(random, m, 0, 30, m % 3 != 0));
            b.push_back(draw(random, n, 0, 30, n % 2 != 0));
        }
    check_repeats(a, b, "repeats");
    check_repeats(a, a, "the same repeats");
    // Runs that a window's end parts, on one side or both.
    a.clear();
    b.clear();
    for (std::size_t before = 0; before <= 9; ++before)
        for (std::size_t of_a = 0; of_a <= 10; ++of_a)
            for (std::size_t of_b = 0; of_b <= 10; ++of_b) {
                auto &x = a.emplace_back(draw(random, before, 0, 50, false)),
                     &y = b.emplace_back(draw(random, before / 2, 0, 50, false));
                x.insert(x.end(), of_a, 50);
                y.insert(y.end(), of_b, 50);
                const auto rest = draw(random, 9, 51, 80, false);
                x.insert(x.end(), rest.begin(), rest.end());
                y.insert(y.end(), rest.begin() + 4, rest.end());
            }
    check_repeats(a, b, "runs across windows");
}

// Every two ascending rows of up to four of four places, repeats among them, and in every tenth row more.
TEST(BalancedPathPatterns, JoinsShortRowsOfEveryInterleaving) {
    row_places rows = {{}};
    for (std::size_t n = 0; n < rows.size(); ++n)
        for (index_t next = rows[n].empty() ? 0 : rows[n].back(); next < 4 && rows[n].size() < 4; ++next) {
            rows.push_back(rows[n]);
            rows.back().push_back(next);
        }
    ASSERT_EQ(rows.size(), 70u);
    std::mt19937 random(patterns_seed + 8);
    row_places a, b;
    for (const auto& x : rows)
        for (const auto& y : rows) {
            a.push_back(x);
            b.push_back(y);
            if (random() % 10) continue;
            a.push_back(draw(random, random() % 40, 0, 90, random() % 4 == 0));
            b.push_back(draw(random, random() % 40, 0, 90, random() % 4 == 0));
        }
    check_repeats(a, b, "short rows");
    std::ranges::shuffle(a, random);
    check_repeats(a, b, "short rows, shuffled");
}

// Of lengths in no order, so that many rows are open at a time, and some so long that they are walked to their end.
TEST(BalancedPathPatterns, JoinsLongRowsAndManyOpenOnes) {
    std::mt19937 random(patterns_seed + 6);
    for (const index_t columns : {2500, 100000}) {
        row_places a(400), b(400);
        for (auto* side : {&a, &b})
            for (auto& row : *side) {
                const auto kind = random() % 8;
                row = draw(random, kind == 0 ? 0 : random() % (kind == 1 ? 1500 : 60), 0, columns, false);
            }
        check_rows<double>(a, b, columns, "open rows");
        check_rows<float>(b, a, columns, "open rows, exchanged");
    }
    row_places a(1), b(1);
    a[0] = draw(random, 60000, 0, 300000, false);
    b[0] = draw(random, 50000, 0, 300000, false);
    check_rows<std::int64_t>(a, b, 300000, "one row");
}

// Blocks of rows that are the same on both sides, few or no entries in them, between others: bits of two runs share a byte.
TEST(BalancedPathPatterns, JoinsBlocksBetweenOthersBitForBit) {
    std::mt19937 random(patterns_seed + 7);
    row_places a(64 * 200), b(a.size());
    for (std::size_t r = 0; r < a.size(); ++r) {
        const bool same = r / 64 % 2 == 0;
        if (same && r % 64 == r / 128 % 64 && r % 3 != 0) a[r] = b[r] = {static_cast<index_t>(random() % 50)};
        if (!same && random() % 16 == 0) {
            a[r] = draw(random, random() % 4, 0, 50, false);
            b[r] = draw(random, random() % 4, 0, 50, false);
        }
    }
    check_rows<double>(a, b, 50, "sparse blocks");
}

template <class V>
struct guarded_side {
    guarded<std::int32_t> offsets;
    guarded<index_t> columns;
    guarded<V> values;

    guarded_side(const row_places& rows, std::size_t entries)
        : offsets(rows.size() + 1), columns(entries), values(entries) {
        std::size_t k = 0;
        offsets.data()[0] = 0;
        for (std::size_t r = 0; r < rows.size(); ++r) {
            for (const index_t place : rows[r]) {
                columns.data()[k] = place;
                values.data()[k] = static_cast<V>(k % 100);
                ++k;
            }
            offsets.data()[r + 1] = static_cast<std::int32_t>(k);
        }
    }
    kernels::ewise_side side() const { return {{offsets.data(), false}, columns.data(), values.data(), 1}; }
};

// What it reads and writes lies at the end of memory.
template <class V>
void check_guarded(const row_places& a_rows, const row_places& b_rows) {
    const auto entries = [](const row_places& rows) {
        std::size_t n = 0;
        for (const auto& row : rows) n += row.size();
        return n;
    };
    const guarded_side<V> a(a_rows, entries(a_rows)), b(b_rows, entries(b_rows));
    using enum kernels::set_operation;
    for (const auto operation : {unite, intersect, subtract, exclude})
        for (const int threads : {1, 3}) {
            kernels::ewise_arguments k = join_of(a.side(), b.side(), a_rows.size(), 1000, operation, threads);
            const guarded<std::byte> workspace(plan::ewise_path_workspace(
                k.rows, static_cast<offset_t>(entries(a_rows) + entries(b_rows)), threads));
            k.workspace = workspace.data();
            const auto results = static_cast<std::size_t>(kernels::cpu::balanced_path_count(k));
            const guarded<std::int32_t> offsets(a_rows.size() + 1);
            const guarded<index_t> columns(results);
            const guarded<V> values(results);
            k.offsets = offsets.data();
            k.columns = columns.data();
            k.values = values.data();
            instantiate::find_ewise_fill(binary_id::first, dtype_of<V>)(k);
            EXPECT_EQ(offsets.data()[a_rows.size()], static_cast<std::int32_t>(results));
        }
}

TEST(BalancedPathPatterns, ReadsAndWritesNothingBeyondTheArrays) {
    std::mt19937 random(patterns_seed + 8);
    for (std::size_t last = 0; last <= 20; ++last)
        for (const std::size_t other : {0U, 1U, 7U, 8U, 9U, 17U}) {
            row_places a(70), b(70);
            for (std::size_t r = 0; r + 1 < a.size(); ++r) {
                a[r] = draw(random, random() % 12, 0, 1000, false);
                b[r] = draw(random, random() % 12, 0, 1000, false);
            }
            a.back() = draw(random, last, 0, 1000, false);
            b.back() = draw(random, other, 0, 1000, false);
            check_guarded<std::uint8_t>(a, b);
            check_guarded<std::uint16_t>(b, a);
            check_guarded<float>(a, b);
            check_guarded<double>(b, a);
        }
}

TEST(BalancedPathPatterns, TakesItsWorkspaceWithinTheLimitOfMemory) {
    const context roomy({.backend = backend::cpu, .threads = 1});
    std::mt19937 random(patterns_seed + 9);
    row_places rows(1000);
    for (auto& row : rows) row = draw(random, 20, 0, 1000, false);
    const matrix a = of_rows<double>(roomy, rows, 1000),
                 b = of_rows<double>(roomy, row_places(rows.rbegin(), rows.rend()), 1000);
    const auto workspace = plan::ewise_path_workspace(1000, a.nnz() + b.nnz(), 1);
    EXPECT_LT(workspace, std::size_t{4 * 1000 + 40000 / 4 + 1000});
    const context tight({.backend = backend::cpu, .threads = 1, .memory_limit = workspace - 1});
    matrix c(tight, dtype::float64, 1000, 1000);
    EXPECT_THROW(ewise_difference(tight, c, a, a, {.kernel = "balanced_path"}), out_of_memory);
    const context enough({.backend = backend::cpu, .threads = 1, .memory_limit = workspace + 20000});
    matrix d(enough, dtype::float64, 1000, 1000);
    ewise_difference(enough, d, a, a, {.kernel = "balanced_path"});
    EXPECT_EQ(d.nnz(), 0);
}

TEST(BalancedPathPatterns, JoinsSmallTypesAndColumnsTooLargeForWindows) {
    std::mt19937 random(patterns_seed + 4);
    row_places a(300), b(300);
    for (auto* side : {&a, &b})
        for (auto& row : *side) row = draw(random, random() % 30, 0, 60, false);
    for (const int threads : {1, 3}) {
        const context ctx({.backend = backend::cpu, .threads = threads});
        const auto check = [&]<class T>(std::type_identity<T>) {
            const matrix x = of_rows<T>(ctx, a, 60), y = of_rows<T>(ctx, b, 60);
            for (const bool symmetric : {false, true}) {
                matrix found(ctx, dtype_of<T>, 300, 60), expected(ctx, dtype_of<T>, 300, 60);
                const auto run = [&](matrix& c, const char* kernel) {
                    if (symmetric)
                        ewise_symmetric_difference(ctx, c, x, y, {.kernel = kernel});
                    else
                        ewise_difference(ctx, c, x, y, {.kernel = kernel});
                };
                run(found, "balanced_path");
                run(expected, "reference");
                expect_same<T>(found, expected, std::string(name_of(dtype_of<T>)));
            }
        };
        check(std::type_identity<std::int8_t>());
        check(std::type_identity<std::uint16_t>());
        check(std::type_identity<std::uint32_t>());
    }
    constexpr index_t far = std::numeric_limits<index_t>::max() - 1;
    for (const index_t columns : {(index_t{1} << 28) - 1, index_t{1} << 28, far}) {
        row_places far_a = a, far_b = b;
        for (auto* side : {&far_a, &far_b})
            for (auto& row : *side)
                for (auto& place : row) place += columns - 60;
        check_rows<double>(far_a, far_b, columns, "columns below " + std::to_string(columns));
    }
}

TEST(BalancedPathPatterns, WritesResultsThatGoPastTheCaches) {
    std::mt19937 random(patterns_seed + 5);
    row_places a(60000), b(60000);
    for (std::size_t r = 0; r < a.size(); ++r) {
        a[r] = draw(random, 15, 0, 60000, false);
        b[r] = r % 1000 < 500 ? a[r] : draw(random, 17, 0, 60000, false);
    }
    const context ctx({.backend = backend::cpu, .threads = 2});
    check_operations<double>(ctx, of_rows<double>(ctx, a, 60000), of_rows<double>(ctx, b, 60000), "large");
}

}  // namespace
}  // namespace nz::test
