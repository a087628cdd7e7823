// Transposes made on a GPU, array by array against the host's, over the ways that entries are dealt: straight to columns, by
// buckets that one block holds and that several share, in windows of rows, in three steps, and sorted where columns are too many; rows long,
// empty and strewn, offsets of both widths, values of every width and none. Skips where there is no GPU.
#include "core/device.hpp"
#include "storage/device_convert.hpp"
#include "storage/matrix_body.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

namespace nz::test {
namespace {

class TransposeOnDevice : public ::testing::Test {
protected:
    void SetUp() override {
        if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
    }
};

/// Row i holds what `columns_of` adds for it, ascending.
struct dealt_rows {
    index_t rows, columns;
    std::vector<std::int64_t> offsets{0};
    std::vector<index_t> indices;

    dealt_rows(index_t rows_, index_t columns_,
               const std::function<void(index_t, std::vector<index_t>&)>& columns_of)
        : rows(rows_), columns(columns_) {
        for (index_t i = 0; i < rows; ++i) {
            columns_of(i, indices);
            offsets.push_back(static_cast<std::int64_t>(indices.size()));
        }
    }
};

buffer put_there(const context& gpu, const void* from, std::size_t bytes) {
    buffer to(gpu.device_memory(), bytes + 1);
    gpu.gpu()->upload(to.data(), from, bytes);
    return to;
}
template <class T>
std::vector<T> brought_home(const context& gpu, const buffer& there, std::size_t count) {
    std::vector<T> here(count);
    gpu.gpu()->download(here.data(), there.data(), count * sizeof(T));
    return here;
}

/// Values are the entries' numbers in as many bits as they have; with `bytes` 0 there are none.
template <class Offset, class Value>
void expect_transposed(const context& gpu, const dealt_rows& a, std::size_t bytes = sizeof(Value),
                       bool mirrored = false) {
    const std::size_t nnz = a.indices.size();
    const std::vector<Offset> offsets(a.offsets.begin(), a.offsets.end());
    std::vector<Value> values(nnz);
    for (std::size_t k = 0; k < nnz; ++k) values[k] = static_cast<Value>(k * 2654435761u >> 3);
    const buffer o = put_there(gpu, offsets.data(), offsets.size() * sizeof(Offset)),
                 j = put_there(gpu, a.indices.data(), nnz * sizeof(index_t)),
                 x = put_there(gpu, values.data(), nnz * sizeof(Value));
    const storage::device_transpose t = storage::transpose_on_device(
        gpu,
        {a.rows, a.columns, static_cast<offset_t>(nnz), o.data(), sizeof(Offset) == 8, j.as<const index_t>()},
        x.data(), bytes);

    EXPECT_EQ(t.mirrored, mirrored);
    const auto columns = static_cast<std::size_t>(a.columns);
    std::vector<Offset> starts(columns + 1, 0);
    for (const index_t column : a.indices) ++starts[static_cast<std::size_t>(column) + 1];
    for (std::size_t c = 0; c < columns; ++c) starts[c + 1] += starts[c];
    EXPECT_EQ(brought_home<Offset>(gpu, t.offsets, columns + 1), starts);
    std::vector<index_t> rows(nnz);
    std::vector<Value> moved(nnz);
    for (index_t i = 0; i < a.rows; ++i)
        for (auto k = static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(i)]);
             k < static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(i) + 1]); ++k) {
            const auto to = static_cast<std::size_t>(starts[static_cast<std::size_t>(a.indices[k])]++);
            rows[to] = i;
            moved[to] = values[k];
        }
    EXPECT_EQ(brought_home<index_t>(gpu, t.indices, nnz), rows);
    if (bytes) {
        EXPECT_EQ(brought_home<Value>(gpu, t.values, nnz), moved);
    }
}

void expect_transposed_in_every_width(const context& gpu, const dealt_rows& a, bool mirrored = false) {
    expect_transposed<std::int32_t, std::uint64_t>(gpu, a, 8, mirrored);
    expect_transposed<std::int64_t, std::uint32_t>(gpu, a, 4, mirrored);
    expect_transposed<std::int32_t, std::uint16_t>(gpu, a, 2, mirrored);
    expect_transposed<std::int64_t, std::uint8_t>(gpu, a, 1, mirrored);
    expect_transposed<std::int32_t, std::uint8_t>(gpu, a, 0, mirrored);
}

/// `per_row` columns in ascending order, scattered over all.
std::function<void(index_t, std::vector<index_t>&)> scattered_columns(index_t columns, index_t per_row) {
    return [=](index_t i, std::vector<index_t>& out) {
        const index_t each = columns / per_row;
        for (index_t k = 0; k < per_row; ++k)
            out.push_back(k * each + static_cast<index_t>((static_cast<std::uint32_t>(i) * 2654435761u +
                                                           static_cast<std::uint32_t>(k) * 40503u) %
                                                          static_cast<std::uint32_t>(each)));
    };
}

TEST_F(TransposeOnDevice, FewColumnsAreDealtToOnce) {
    const context gpu({.backend = backend::cuda});
    for (const index_t columns : {1, 4, 1000, 2048, 2049, 2500}) {
        SCOPED_TRACE(columns);
        expect_transposed_in_every_width(
            gpu, dealt_rows(20000, columns, scattered_columns(columns, std::min<index_t>(columns, 3))));
    }
}

TEST_F(TransposeOnDevice, MoreColumnsAreDealtToByBuckets) {
    const context gpu({.backend = backend::cuda});
    for (const index_t columns : {2561, 4284, 30000, 1000000, 6000000}) {
        SCOPED_TRACE(columns);
        expect_transposed_in_every_width(gpu, dealt_rows(20000, columns, scattered_columns(columns, 9)));
    }
    expect_transposed_in_every_width(gpu, dealt_rows(30000, 30020, [](index_t i, auto& out) {
                                         for (index_t k = 0; k < 21; ++k) out.push_back(i + k);
                                     }));
}

TEST_F(TransposeOnDevice, ColumnsOfVeryManyRowsAreSharedOut) {
    const context gpu({.backend = backend::cuda});
    const auto spread = scattered_columns(20000, 1);
    expect_transposed_in_every_width(gpu, dealt_rows(100000, 20000, [&](index_t i, auto& out) {
                                         i % 7 ? out.push_back(4242) : spread(i, out);
                                     }));
    expect_transposed_in_every_width(
        gpu, dealt_rows(100000, 70000, [](index_t, auto& out) { out.push_back(69999); }));
}

TEST_F(TransposeOnDevice, RowsMayBeLongOrEmptyByThousands) {
    const context gpu({.backend = backend::cuda});
    const auto long_row = scattered_columns(1000000, 15000), row = scattered_columns(9000, 700),
               one = scattered_columns(9000, 1);
    expect_transposed_in_every_width(gpu, dealt_rows(5, 1000000, [&](index_t i, auto& out) {
                                         if (i % 2) long_row(i, out);
                                     }));
    expect_transposed_in_every_width(gpu, dealt_rows(300000, 9000, [&](index_t i, auto& out) {
                                         if (i % 5000 == 4999) row(i, out);
                                     }));
    expect_transposed_in_every_width(gpu, dealt_rows(600000, 9000, [&](index_t i, auto& out) {
                                         if (i % 100 == 7) one(i, out);
                                     }));
    expect_transposed_in_every_width(gpu, dealt_rows(3000000, 1, [](index_t i, auto& out) {
                                         if (i == 2999999) out.push_back(0);
                                     }));
}

TEST_F(TransposeOnDevice, RowsAndColumnsTogetherMayNeedMoreThan32Bits) {
    const context gpu({.backend = backend::cuda});
    const auto one = scattered_columns(9000000, 1);
    const dealt_rows wide(6500000, 9000000, [&](index_t i, auto& out) {
        if (i % 128 == 5) one(i, out);
    });
    expect_transposed<std::int32_t, std::uint64_t>(gpu, wide);
    const dealt_rows gaps(9000000, 16000000, [](index_t i, auto& out) {
        if (i % 200 == 5 && (i >> 20) % 3) out.push_back(15999990 + i % 9);
    });
    expect_transposed<std::int64_t, std::uint32_t>(gpu, gaps);
}

TEST_F(TransposeOnDevice, ManyScatteredEntriesGoInThreeSteps) {
    const context gpu({.backend = backend::cuda});
    for (const index_t columns : {4096, 9000000, 1 << 24}) {
        SCOPED_TRACE(columns);
        expect_transposed<std::int32_t, std::uint64_t>(
            gpu, dealt_rows(650003, columns, scattered_columns(columns, 8)));
    }
    expect_transposed_in_every_width(gpu, dealt_rows(650003, 700001, scattered_columns(700001, 8)));
    expect_transposed_in_every_width(gpu, dealt_rows(300, 1000000, scattered_columns(1000000, 15000)));
}

TEST_F(TransposeOnDevice, ThreeStepsShareOutColumnsOfVeryManyRowsAndSkipEmptyRows) {
    const context gpu({.backend = backend::cuda});
    const auto spread = scattered_columns(20000, 2), over = scattered_columns(3000000, 3);
    expect_transposed_in_every_width(gpu, dealt_rows(1500000, 20000, [&](index_t i, auto& out) {
                                         spread(i, out);
                                         for (int k = 0; k < 3; ++k) out.push_back(i % 3 ? 4242 : 19999);
                                     }));
    expect_transposed_in_every_width(gpu, dealt_rows(2000000, 3000000, [&](index_t i, auto& out) {
                                         if (i < 1000000 || i > 1400000) over(i, out);
                                         if (i % 4 == 0) out.push_back(2999999);
                                     }));
}

/// (i,j) with |i - j| up to `reach`, of which `keep` says which, the same for (j,i).
std::function<void(index_t, std::vector<index_t>&)> mirrored_columns(
    index_t rows, index_t reach, const std::function<bool(index_t, index_t)>& keep) {
    return [=](index_t i, std::vector<index_t>& out) {
        for (index_t j = std::max<index_t>(0, i - reach); j <= std::min(rows - 1, i + reach); ++j)
            if (keep(std::min(i, j), std::max(i, j))) out.push_back(j);
    };
}

TEST_F(TransposeOnDevice, BandsAreReadFromTheOtherSide) {
    const context gpu({.backend = backend::cuda});
    const dealt_rows band(250007, 250007,
                          mirrored_columns(250007, 10, [](index_t, index_t) { return true; }));
    expect_transposed<std::int32_t, std::uint64_t>(gpu, band, 8, true);
    expect_transposed<std::int64_t, std::uint8_t>(gpu, band, 0, true);
}

TEST_F(TransposeOnDevice, MirroredPatternsAreReadFromTheOtherSide) {
    const context gpu({.backend = backend::cuda});
    const auto all = [](index_t, index_t) { return true; };
    // rows of any length, thousands of them empty
    const auto some = [](index_t i, index_t j) {
        return i / 7000 % 3 && j / 7000 % 3 && (i * 31u + j * 17u) % 5 < 3;
    };
    expect_transposed_in_every_width(gpu, dealt_rows(700001, 700001, mirrored_columns(700001, 12, some)),
                                     true);
    // millions of them, over which one tile reaches
    const auto first = mirrored_columns(130000, 10, all);
    expect_transposed<std::int64_t, std::uint32_t>(
        gpu,
        dealt_rows(15000000, 15000000,
                   [&](index_t i, auto& out) {
                       const std::size_t before = out.size();
                       const index_t from = i < 130000 ? 0 : 15000000 - 130000;
                       if (i < 130000 || i >= from) first(i - from, out);
                       for (std::size_t k = before; k < out.size(); ++k) out[k] += from;
                   }),
        4, true);
    // 3,000 rows of 3,000 entries
    expect_transposed_in_every_width(
        gpu,
        dealt_rows(200000, 200000,
                   [](index_t i, auto& out) {
                       const bool in_block = i >= 9000 && i < 12000;
                       const index_t first_column = std::max<index_t>(0, i - 2),
                                     last = std::min<index_t>(199999, i + 2);
                       for (index_t j = in_block ? std::min<index_t>(first_column, 9000) : first_column;
                            j <= (in_block ? std::max<index_t>(last, 11999) : last); ++j)
                           out.push_back(j);
                   }),
        true);
}

TEST_F(TransposeOnDevice, PatternsThatAreNearlyMirroredAreFoundOut) {
    const context gpu({.backend = backend::cuda});
    const index_t n = 250007;
    const auto band = mirrored_columns(n, 10, [](index_t, index_t) { return true; });
    // Where no look falls: an entry less, one more, one in another's place.
    const std::function<void(std::vector<index_t>&)> changes[] = {
        [](auto& out) { out.erase(out.end() - 3); }, [](auto& out) { out.push_back(out.back() + 2); },
        [](auto& out) { ++out.back(); }};
    for (const auto& change : changes)
        for (const index_t odd : {100, 123456, n - 20}) {
            SCOPED_TRACE(odd);
            const dealt_rows a(n, n, [&](index_t i, auto& out) {
                band(i, out);
                if (i == odd) change(out);
            });
            expect_transposed<std::int32_t, std::uint64_t>(gpu, a);
            expect_transposed<std::int64_t, std::uint8_t>(gpu, a, 0);
        }
    // As many entries in each column as in the row, and yet others: the look meets them.
    expect_transposed_in_every_width(gpu, dealt_rows(n, n, [&](index_t i, auto& out) {
                                         for (index_t k = 0; k < 20; ++k)
                                             if (const index_t j = i + k - (i % 2 ? 3 : 4); j >= 0 && j < n)
                                                 out.push_back(j);
                                     }));
}

TEST_F(TransposeOnDevice, ColumnsBeyondTwoDealsAreSorted) {
    const context gpu({.backend = backend::cuda});
    for (const index_t columns : {1 << 24, (1 << 24) + 1}) {
        SCOPED_TRACE(columns);
        const dealt_rows a(40, columns, scattered_columns(columns, 900));
        expect_transposed<std::int32_t, std::uint64_t>(gpu, a);
        expect_transposed<std::int64_t, std::uint16_t>(gpu, a);
    }
}

}  // namespace
}  // namespace nz::test
