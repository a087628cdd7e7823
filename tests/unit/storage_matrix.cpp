// Matrices: building, borrowing, pending changes, facts, and each rule of CSR broken once.
#include "storage/matrix_body.hpp"
#include "support/battery.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <thread>

namespace nz::test {
namespace {

using storage::csr;

// 1 . 2
// . . .
// 3 4 .
struct sample_arrays {
    std::vector<std::int32_t> offsets{0, 2, 2, 4};
    std::vector<index_t> columns{0, 2, 0, 1};
    std::vector<double> values{1, 2, 3, 4};
    csr_view<double> view() const { return {3, 3, offsets, columns, values}; }
};

template <class F>
std::string message_of(F&& f) {
    try {
        f();
    } catch (const error& e) {
        return e.what();
    }
    return "nothing was thrown";
}

TEST(Csr, ThatBreaksARuleIsNamed) {
    const context ctx;
    const sample_arrays s;
    const auto broken = [&](auto change) {
        csr a = storage::copy(ctx, matrix::from_csr(ctx, s.view()).body().rows());
        change(a);
        return message_of([&] { storage::validate(a, "probe"); });
    };
    EXPECT_EQ(broken([](csr&) {}), "nothing was thrown");
    EXPECT_EQ(broken([](csr& a) { a.offsets.as<std::int32_t>()[0] = 1; }),
              "probe: the first offset is 1, not 0");
    EXPECT_EQ(broken([](csr& a) { a.offsets.as<std::int32_t>()[1] = 3; }),
              "probe: row 1 runs from 3 to 2, outside 0..4");
    EXPECT_EQ(broken([](csr& a) { a.offsets.as<std::int32_t>()[3] = 3; }),
              "probe: the last offset is 3, the entries are 4");
    EXPECT_EQ(broken([](csr& a) { a.indices.as<index_t>()[1] = 3; }),
              "probe: row 0 has column 3, outside 0..2");
    EXPECT_EQ(broken([](csr& a) { a.indices.as<index_t>()[2] = -1; }),
              "probe: row 2 has column -1, outside 0..2");
    EXPECT_EQ(broken([](csr& a) { a.indices.as<index_t>()[2] = 1; }),
              "probe: row 2 is not sorted or repeats column 1");
    EXPECT_EQ(broken([](csr& a) { std::swap(a.indices.as<index_t>()[2], a.indices.as<index_t>()[3]); }),
              "probe: row 2 is not sorted or repeats column 0");
    EXPECT_EQ(broken([](csr& a) { a.nnz = 5; }), "probe: arrays are shorter than 3 rows and 5 entries need");
    EXPECT_EQ(broken([](csr& a) { a.rows = 9; }), "probe: arrays are shorter than 9 rows and 4 entries need");
}

TEST(FromCsr, RefusesArraysThatDoNotFit) {
    const context ctx;
    const auto refused = [&](auto change) {
        sample_arrays s;
        change(s);
        return message_of([&] { matrix::from_csr(ctx, s.view()); });
    };
    EXPECT_EQ(refused([](sample_arrays& s) { s.offsets[3] = 3; }),
              "offsets run from 0 to 3; 4 columns were given");
    EXPECT_EQ(refused([](sample_arrays& s) { s.offsets[1] = 5; }), "row 0 runs from 0 to 5, outside 0..4");
    EXPECT_EQ(refused([](sample_arrays& s) { s.columns[3] = 3; }), "row 2 has column 3, outside 0..2");
    EXPECT_EQ(refused([](sample_arrays& s) { s.values.pop_back(); }),
              "3 values were given for 4 entries: give one for each, one for all, or none");
    EXPECT_EQ(refused([](sample_arrays& s) { s.offsets.pop_back(); }),
              "a CSR matrix of 3 rows needs 4 offsets, 3 were given");
    EXPECT_THROW(matrix(ctx, dtype::int8, -1, 3), domain_error);
    EXPECT_THROW(matrix(ctx, dtype::int8, 1, max_dimension + 1), not_supported);
}

TEST(FromCsr, SortsRowsAndAddsUpRepeats) {
    const context ctx;
    const sample_arrays s{{0, 3, 3, 5}, {2, 0, 2, 1, 0}, {1, 2, 3, 4, 5}};
    const matrix a = matrix::from_csr(ctx, s.view());
    a.validate();
    EXPECT_EQ(a.nnz(), 4);
    EXPECT_EQ(a.get(0, 2), scalar(4.0));
    EXPECT_EQ(a.get(2, 0), scalar(5.0));
}

TEST(FromCsr, KeepsIsoAndPatternMatricesCompact) {
    const context ctx;
    const sample_arrays s;
    const std::vector<double> seven{7};
    const matrix iso = matrix::from_csr(ctx, csr_view<double>{3, 3, s.offsets, s.columns, seven});
    const matrix pattern = matrix::from_csr(ctx, csr_view<double>{3, 3, s.offsets, s.columns, {}});
    EXPECT_EQ(iso.values_held(), value_kind::iso);
    EXPECT_EQ(pattern.values_held(), value_kind::pattern);
    EXPECT_EQ(iso.get(2, 1), scalar(7.0));
    EXPECT_EQ(pattern.get(2, 1), scalar(1.0));
    EXPECT_EQ(iso.csr<double>().values.size(), 1u);
    EXPECT_TRUE(pattern.csr<double>().values.empty());
    EXPECT_THROW(iso.csr<float>(), domain_error);
    EXPECT_THROW((iso.csr<double, std::int64_t>()), domain_error);
}

TEST(BorrowCsr, UsesTheCallersArraysWithoutACopy) {
    const context ctx;
    sample_arrays s;
    matrix a = matrix::borrow_csr(ctx, s.view());
    EXPECT_EQ(a.csr<double>().values.data(), s.values.data());
    EXPECT_EQ(a.csr<double>().columns.data(), s.columns.data());
    EXPECT_EQ(a.csr<double>().offsets.data(), s.offsets.data());
    EXPECT_EQ(ctx.bytes_in_use(), 0u);
    EXPECT_EQ(a.body().columns().value(0), to_element(1.0));
    s.values[0] = 10;
    a.invalidate();
    EXPECT_EQ(a.get(0, 0), scalar(10.0));
    EXPECT_EQ(a.body().columns().value(0), to_element(10.0));
}

TEST(BorrowCsr, IsCopiedBeforeItChanges) {
    const context ctx;
    const sample_arrays s;
    matrix a = matrix::borrow_csr(ctx, s.view());
    a.set(0, 0, 9.0);
    EXPECT_EQ(a.get(0, 0), scalar(9.0));
    EXPECT_EQ(s.values[0], 1.0);
}

TEST(FromCsr, AddsUpRepeatsOfOneValueForAll) {
    const context ctx;
    const std::vector<std::int32_t> offsets{0, 3, 5};
    const std::vector<index_t> columns{2, 1, 1, 1, 0}, once{2, 0, 1, 1, 0};
    const std::vector<double> two{2}, none;
    for (const auto& [values, x] : {std::pair{two, 2.0}, {none, 1.0}}) {
        const auto a = matrix::from_csr(ctx, csr_view<double>{2, 3, offsets, columns, values});
        EXPECT_EQ(a.nnz(), 4);
        EXPECT_EQ(a.get(0, 1)->get<double>(), 2 * x);
        EXPECT_EQ(a.get(0, 2)->get<double>(), x);
        a.validate();
        const auto b = matrix::from_csr(ctx, csr_view<double>{2, 3, offsets, once, values});
        EXPECT_EQ(b.nnz(), 5);
        EXPECT_NE(b.values_held(), value_kind::full);
        EXPECT_EQ(b.get(1, 0)->get<double>(), x);
        b.validate();
    }
}

TEST(BorrowCsr, ServesUnsortedRowsAndRefusesRepeats) {
    const context ctx;
    const sample_arrays unsorted{{0, 2, 2, 4}, {2, 0, 1, 0}, {2, 1, 4, 3}},
        repeated{{0, 2, 2, 4}, {2, 2, 1, 0}, {2, 1, 4, 3}};
    const matrix a = matrix::borrow_csr(ctx, unsorted.view());
    EXPECT_FALSE(a.facts().sorted);
    EXPECT_EQ(a.body().rows_as_given().index_data(), unsorted.columns.data());
    EXPECT_TRUE(same(read(matrix::from_csr(ctx, sample_arrays{}.view())), a));
    EXPECT_EQ(
        message_of([&] { matrix::borrow_csr(ctx, repeated.view()); }),
        "some (row, column) is given more than once: use build (from_coo in Python), which combines repeats");
}

TEST(BorrowCsr, RefusesOffsetsOfAnotherWidthThanTheLibrarys) {
    const context ctx;
    const sample_arrays s;
    const std::vector<std::int64_t> wide(s.offsets.begin(), s.offsets.end());
    const csr_view<double, std::int64_t> view{3, 3, wide, s.columns, s.values};
    EXPECT_THROW(matrix::borrow_csr(ctx, view), not_supported);
    EXPECT_TRUE(same(read(matrix::from_csr(ctx, s.view())), matrix::from_csr(ctx, view)))
        << "a copy narrows them";
}

TEST(Build, KeepsOneValueForAllWhereRepeatsLeaveIt) {
    const context ctx;
    const std::vector<index_t> rows{2, 0, 2}, columns{1, 0, 0}, again{1, 0, 1};
    const std::vector<float> seven{7};
    const auto built = [&](const std::vector<index_t>& at, std::span<const float> values,
                           binary_id duplicates) {
        return matrix::build<float>(ctx, {3, 2, rows, at, values}, duplicates);
    };
    for (const binary_id op : {binary_id::plus, binary_id::first, binary_id::max}) {
        EXPECT_EQ(built(columns, seven, op).values_held(), value_kind::iso);
        EXPECT_EQ(built(columns, seven, op).get(2, 0), scalar(7.0F));
        EXPECT_EQ(built(columns, {}, op).values_held(), value_kind::pattern);
        EXPECT_EQ(built(columns, {}, op).get(2, 0), scalar(1.0F));
        const bool summed = op == binary_id::plus;
        EXPECT_EQ(built(again, seven, op).values_held(), summed ? value_kind::full : value_kind::iso);
        EXPECT_EQ(built(again, seven, op).get(2, 1), scalar(summed ? 14.0F : 7.0F));
        EXPECT_EQ(built(again, {}, op).values_held(), summed ? value_kind::full : value_kind::pattern);
    }
    EXPECT_EQ(matrix::build<float>(ctx, {3, 2, std::span(rows).first(1), std::span(columns).first(1), seven})
                  .values_held(),
              value_kind::full)
        << "a value for each";
}

TEST(Build, CombinesRepeatsInInputOrder) {
    const context ctx;
    const std::vector<index_t> rows{2, 0, 2, 2}, columns{1, 0, 1, 1};
    const std::vector<std::int32_t> values{10, 5, 3, 2};
    const coo_view<std::int32_t> view{3, 2, rows, columns, values};
    EXPECT_EQ(matrix::build(ctx, view).get(2, 1), scalar(15));
    EXPECT_EQ(matrix::build(ctx, view, binary_id::minus).get(2, 1), scalar(5));
    EXPECT_EQ(matrix::build(ctx, view, binary_id::first).get(2, 1), scalar(10));
    EXPECT_EQ(matrix::build(ctx, view, binary_id::second).get(2, 1), scalar(2));
    const std::vector<std::int32_t> one{4};
    EXPECT_EQ(matrix::build<std::int32_t>(ctx, {3, 2, rows, columns, one}).get(2, 1), scalar(12))
        << "one value for all is spread first";
    EXPECT_EQ(matrix::build<std::int32_t>(ctx, {3, 2, rows, columns, {}}).get(2, 1), scalar(3))
        << "a pattern counts";
    const std::vector<index_t> outside{0, 0, 2, 0};
    EXPECT_EQ(message_of([&] { matrix::build<std::int32_t>(ctx, {3, 2, rows, outside, values}); }),
              "entry 2 is (2, 2), outside the 3 x 2 matrix");
    const std::vector<index_t> fewer{0};
    EXPECT_THROW(matrix::build<std::int32_t>(ctx, {3, 2, rows, fewer, values}), dimension_mismatch);
}

TEST(PendingChanges, AreMergedWhenTheMatrixIsRead) {
    const context ctx;
    matrix a = matrix::from_csr(ctx, sample_arrays{}.view());
    a.set(1, 1, 7.0);
    a.set(0, 0, 8.0);
    a.set(1, 1, 9.0);
    a.remove(2, 1);
    a.remove(1, 2);
    EXPECT_EQ(a.nnz(), 4);
    EXPECT_EQ(a.get(1, 1), scalar(9.0));
    EXPECT_EQ(a.get(0, 0), scalar(8.0));
    EXPECT_EQ(a.get(2, 1), std::nullopt);
    a.set(2, 1, 1.0);
    a.remove(2, 1);
    a.set(2, 2, 5.0);
    a.validate();
    EXPECT_EQ(a.nnz(), 5);
    EXPECT_FALSE(a.contains(2, 1));
    EXPECT_THROW(a.set(3, 0, 1.0), index_out_of_bounds);
    EXPECT_THROW(a.remove(0, -1), index_out_of_bounds);
    EXPECT_THROW(a.get(0, 3), index_out_of_bounds);
    a.clear();
    EXPECT_EQ(a.nnz(), 0);
}

TEST(PendingChanges, RandomOnesAgreeWithADictionary) {
    const unsigned seed = 3;
    std::mt19937 random(seed);
    const context ctx;
    dictionary d = random_dictionary(9, 11, 0.3, dtype::int16, random);
    matrix a = make_matrix(ctx, d, true);
    for (int step = 0; step < 2000; ++step) {
        const place at{static_cast<index_t>(random() % 9), static_cast<index_t>(random() % 11)};
        const element x = random_value(dtype::int16, random);
        if (random() % 3 == 0) {
            a.remove(at.first, at.second);
            d.entries.erase(at);
        } else {
            a.set(at.first, at.second, scalar(dtype::int16, x));
            d.entries[at] = x;
        }
        if (random() % 4 == 0) {  // without a merge, while the changes are few
            const place seen{static_cast<index_t>(random() % 9), static_cast<index_t>(random() % 11)};
            const auto in = d.entries.find(seen);
            const auto found = a.get(seen.first, seen.second);
            ASSERT_EQ(found.has_value(), in != d.entries.end()) << "step " << step;
            if (found) {
                ASSERT_EQ(found->bits(), in->second) << "step " << step;
            }
        }
        if (random() % 150 == 0) {
            ASSERT_TRUE(same(d, a)) << "step " << step << ", seed " << seed;
        }
    }
    EXPECT_TRUE(same(d, a));
}

// Rows of a large one are copied in runs by several threads; of one value for all, its values are written out.
TEST(PendingChanges, OfALargeMatrixAreMergedWhereTheyBelong) {
    std::mt19937 random(20261130);
    for (const int threads : {1, 3})
        for (const dtype type : {dtype::boolean, dtype::float32, dtype::int64}) {
            const context ctx({.backend = backend::cpu, .threads = threads});
            dictionary d = random_dictionary(300, 400, 0.3, type, random);
            matrix a = make_matrix(ctx, d, true);
            for (const int changes : {1, 30, 5000}) {
                const auto change = [&](index_t i, index_t j) {
                    const element x = random_value(type, random);
                    if (random() % 2) {
                        a.remove(i, j);
                        d.entries.erase({i, j});
                    } else {
                        a.set(i, j, scalar(type, x));
                        d.entries[{i, j}] = x;
                    }
                };
                for (int k = 0; k < changes; ++k)
                    change(static_cast<index_t>(random() % 300), static_cast<index_t>(random() % 400));
                for (index_t j = 0; j < 400; ++j) change(299, j), change(7, j);
                a.validate();
                ASSERT_TRUE(same(d, a)) << threads << " threads, " << name_of(type) << ", " << changes;
            }
            for (index_t i = 0; i < 300; ++i)
                for (index_t j = 0; j < 400; ++j) a.remove(i, j);
            EXPECT_EQ(a.nnz(), 0);
            a.set(299, 399, scalar(type, to_element(true)));
            EXPECT_EQ(a.nnz(), 1);
        }
}

TEST(PendingChanges, OfEntriesThatAreThereAreWrittenWhereTheyLie) {
    const context ctx;
    std::mt19937 random(12);
    dictionary content = random_dictionary(40, 40, 0.2, dtype::float64, random);
    for (const auto& at : {place{0, 1}, place{3, 4}}) content.entries[at] = to_element(1.0);
    content.entries.erase({0, 2});
    matrix a = make_matrix(ctx, content);
    const auto values = [&] { return a.body().rows().values.data(); };
    const void* const before = values();
    (void)a.body().columns();
    a.set(0, 1, scalar(5.0));
    a.set(3, 4, scalar(6.0));
    a.set(0, 1, scalar(7.0));
    EXPECT_EQ(values(), before);
    EXPECT_EQ(a.get(0, 1), scalar(7.0));
    EXPECT_EQ(a.get(3, 4), scalar(6.0));
    EXPECT_EQ(storage::make_matrix(ctx, storage::copy(ctx, a.body().columns())).get(1, 0), scalar(7.0))
        << "columns are made anew";
    const matrix copied = a;
    a.set(0, 1, scalar(8.0));
    EXPECT_NE(values(), before) << "another matrix has them";
    EXPECT_EQ(copied.get(0, 1), scalar(7.0));
    const void* const now = values();
    a.set(0, 2, scalar(1.0));  // was no entry
    a.set(0, 1, scalar(9.0));
    EXPECT_NE(values(), now);
    EXPECT_EQ(a.get(0, 1), scalar(9.0));
    EXPECT_EQ(a.get(0, 2), scalar(1.0));
}

TEST(PendingChanges, OfRowsInNoOrderFindTheirPlaces) {
    const context ctx;
    const std::vector<std::int32_t> offsets{0, 3, 4};
    const std::vector<index_t> columns{2, 0, 1, 1};
    const std::vector<double> values{1, 2, 3, 4};
    matrix a = matrix::borrow_csr(ctx, csr_view<double>{2, 3, offsets, columns, values});
    a.set(0, 1, scalar(7.0));
    a.remove(0, 0);
    a.set(1, 2, scalar(5.0));
    a.validate();
    EXPECT_TRUE(same({2,
                      3,
                      dtype::float64,
                      {{{0, 1}, to_element(7.0)},
                       {{0, 2}, to_element(1.0)},
                       {{1, 1}, to_element(4.0)},
                       {{1, 2}, to_element(5.0)}}},
                     a));
}

TEST(PendingChanges, ThatWouldNotFitTheMemoryLimitAreRefusedAtOnce) {
    const context ctx({.backend = backend::cpu, .memory_limit = 22000});
    std::vector<std::int32_t> offsets(1001);
    std::vector<index_t> columns(1000);
    std::iota(offsets.begin(), offsets.end(), 0);
    std::iota(columns.begin(), columns.end(), 0);
    const std::vector<double> values(1000, 1.0);
    matrix a = matrix::from_csr(ctx, csr_view<double>{1000, 1000, offsets, columns, values});
    EXPECT_THROW(a.set(0, 1, scalar(5.0)), out_of_memory);
    EXPECT_THROW(a.remove(3, 3), out_of_memory);
    EXPECT_EQ(a.get(3, 3), scalar(1.0));
    EXPECT_EQ(a.nnz(), 1000);
    a.clear();
    a.set(0, 1, scalar(5.0));
    EXPECT_EQ(a.nnz(), 1);
    // Rows in no order are sorted first, into a copy that stays.
    for (index_t i = 0; i < 1000; i += 2) offsets[static_cast<std::size_t>(i) + 1] = i;
    for (index_t i = 1; i < 1000; i += 2) columns[static_cast<std::size_t>(i) - 1] = i;
    for (index_t i = 1; i < 1000; i += 2) columns[static_cast<std::size_t>(i)] = i - 1;
    for (const std::size_t limit : {15000, 25000, 30000, 40000}) {
        const context tight({.backend = backend::cpu, .memory_limit = limit});
        std::optional<matrix> b;
        try {
            b = matrix::borrow_csr(tight, csr_view<double>{1000, 1000, offsets, columns, values});
            b->set(0, 1, scalar(5.0));
        } catch (const out_of_memory&) {
            continue;
        }
        EXPECT_NO_THROW(b->nnz()) << limit;
    }
}

// Of two readers one may merge what the other looks past.
TEST(PendingChanges, MayBeLookedThroughWhileAnotherReaderMergesThem) {
    const context ctx({.backend = backend::cpu, .threads = 1});
    matrix a = load(ctx, "random:2000,8").matrix;
    const index_t column = a.csr<double>().columns[8 * 1000];
    for (int round = 0; round < 200; ++round) {
        a.set(round, 5, scalar(static_cast<double>(round)));
        const matrix& seen = a;
        std::thread other([&] { EXPECT_GE(seen.nnz(), 16000); });
        for (int k = 0; k < 50; ++k) {
            EXPECT_TRUE(seen.get(1000, column));
            EXPECT_EQ(seen.get(round, 5), scalar(static_cast<double>(round)));
        }
        other.join();
    }
}

TEST(PendingChanges, EndASymmetryThatWasDeclared) {
    const context ctx;
    csr rows = storage::copy(
        ctx, make_matrix(ctx, {2, 2, dtype::int8, {{{0, 1}, {5}}, {{1, 0}, {5}}}}).body().rows());
    auto body = std::make_shared<storage::matrix_body>(ctx, std::move(rows));
    body->declare_symmetric();
    matrix a(body);
    body.reset();
    EXPECT_EQ(&a.body().rows(), &a.body().columns()) << "one representation serves as both";
    a.set(0, 1, std::int8_t{7});
    EXPECT_EQ(storage::make_matrix(ctx, storage::copy(ctx, a.body().columns())).get(1, 0),
              scalar(std::int8_t{7}));
}

TEST(Copies, ShareStorageUntilOneChanges) {
    const context ctx;
    matrix a = matrix::from_csr(ctx, sample_arrays{}.view());
    const std::size_t bytes = ctx.bytes_in_use();
    matrix b = a;
    EXPECT_EQ(ctx.bytes_in_use(), bytes);
    EXPECT_EQ(a.csr<double>().values.data(), b.csr<double>().values.data());
    b.set(0, 0, 100.0);
    EXPECT_EQ(a.get(0, 0), scalar(1.0));
    EXPECT_EQ(b.get(0, 0), scalar(100.0));
    a.clear();
    EXPECT_EQ(b.nnz(), 4);
}

TEST(Resize, DropsWhatLiesOutsideAndKeepsTheRest) {
    std::mt19937 random(8);
    const context ctx;
    for (const auto& [name, d] : matrix_battery(dtype::uint16, random))
        for (const auto& [rows, columns] : {std::pair{0, 0}, {3, 20}, {20, 3}, {5, 5}, {80, 80}}) {
            matrix a = make_matrix(ctx, d, true);
            a.resize(rows, columns);
            dictionary expected{rows, columns, d.type, {}};
            for (const auto& [at, x] : d.entries)
                if (at.first < rows && at.second < columns) expected.entries[at] = x;
            EXPECT_TRUE(same(expected, a)) << name << " to " << rows << " x " << columns;
        }
}

TEST(Transposes, OfTheBatteryAreTheDictionarysForEveryType) {
    std::mt19937 random(9);
    const context ctx;
    for (const dtype type : all_types)
        for (const auto& [name, d] : matrix_battery(type, random)) {
            const matrix a = make_matrix(ctx, d, true);
            EXPECT_TRUE(
                same(transposed(d), storage::make_matrix(ctx, storage::transpose(ctx, a.body().rows()))))
                << name;
            EXPECT_FALSE(a.body().has_columns());
            const csr& built = a.body().columns();
            EXPECT_TRUE(a.body().has_columns());
            EXPECT_EQ(&built, &a.body().columns()) << "built once";
        }
}

TEST(Transposes, AreKeptUntilTheEntriesChange) {
    const context ctx;
    sample_arrays s;
    matrix a = matrix::borrow_csr(ctx, s.view());
    const matrix first = transposed(ctx, a);
    EXPECT_EQ(&transposed(ctx, a).body(), &first.body());
    EXPECT_EQ(first.get(2, 0), scalar(2.0));

    matrix mine = transposed(ctx, a);
    mine.set(2, 0, scalar(5.0));
    EXPECT_EQ(transposed(ctx, a).get(2, 0), scalar(2.0));
    EXPECT_EQ(a.get(0, 2), scalar(2.0));

    s.values[1] = 7;
    a.invalidate();
    EXPECT_EQ(transposed(ctx, a).get(2, 0), scalar(7.0));
    a.set(1, 0, scalar(6.0));
    EXPECT_EQ(transposed(ctx, a).get(0, 1), scalar(6.0));
    EXPECT_EQ(first.get(2, 0), scalar(2.0));
    EXPECT_EQ(first.nnz(), 4);

    matrix copy = a;
    copy.remove(1, 0);
    EXPECT_EQ(transposed(ctx, copy).nnz(), 4);
    EXPECT_EQ(transposed(ctx, a).nnz(), 5);
}

TEST(Diagonals, GoIntoMatricesAndComeOut) {
    const context ctx;
    std::mt19937 random(5);
    for (const dtype type : all_types)
        for (const offset_t k : {0, 1, 4, -3, -9}) {
            const dictionary of = random_dictionary(7, 1, 0.5, type, random);
            dictionary expected{
                static_cast<index_t>(7 + std::abs(k)), static_cast<index_t>(7 + std::abs(k)), type, {}};
            for (const auto& [at, x] : of.entries)
                expected.entries[{static_cast<index_t>(at.first + std::max<offset_t>(0, -k)),
                                  static_cast<index_t>(at.first + std::max<offset_t>(0, k))}] = x;
            const matrix d = diag(ctx, make_vector(ctx, of, vector_form::bitmap), k);
            EXPECT_TRUE(same(expected, d)) << k;
            EXPECT_TRUE(same(of, diagonal(ctx, d, k))) << k;
            EXPECT_EQ(diagonal(ctx, d, k + 8).count() + diagonal(ctx, d, -40).size(), 0);
        }
    constexpr index_t most = std::numeric_limits<index_t>::max();
    EXPECT_THROW(diag(ctx, vector(ctx, dtype::int8, 5), most - 4), domain_error);
    EXPECT_THROW(diag(ctx, vector(ctx, dtype::int8, 5), -offset_t{1} - most), domain_error);
    EXPECT_EQ(diag(ctx, vector(ctx, dtype::int8, 0), 3).rows(), 3);
}

TEST(Facts, OfASmallMatrixAreWhatOneCountsByHand) {
    const context ctx;
    const matrix a = matrix::from_csr(ctx, sample_arrays{}.view());
    const matrix_facts f = a.facts();
    EXPECT_EQ(f.rows, 3);
    EXPECT_EQ(f.nnz, 4);
    EXPECT_DOUBLE_EQ(f.degree_mean, 4.0 / 3);
    EXPECT_EQ(f.degree_max, 2);
    EXPECT_EQ(f.empty_rows, 1);
    EXPECT_EQ(f.bandwidth_lower, 2);
    EXPECT_EQ(f.bandwidth_upper, 2);
    EXPECT_FALSE(f.symmetric_pattern);
    EXPECT_TRUE(f.sorted);
    EXPECT_FALSE(f.duplicates);
    matrix b = a;
    b.remove(2, 1);
    EXPECT_TRUE(b.facts().symmetric_pattern) << "(0,0), (0,2) and (2,0)";
    EXPECT_FALSE(a.facts().symmetric_pattern);
    EXPECT_EQ(matrix(ctx, dtype::int8, 0, 0).facts().degree_mean, 0);
    EXPECT_TRUE(matrix(ctx, dtype::int8, 4, 4).facts().symmetric_pattern);
    EXPECT_FALSE(matrix(ctx, dtype::int8, 4, 5).facts().symmetric_pattern);
    EXPECT_EQ(matrix(ctx, dtype::int8, 4, 5).facts().empty_rows, 4);
}

}  // namespace
}  // namespace nz::test
