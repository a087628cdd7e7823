// Joins of matrices on a GPU: every operation, operator and type of the manifest against the reference; repeats against
// a plain merge; and results that stay there. Skips where there is no GPU.
#include "core/device.hpp"
#include "instantiate/ewise_cells.hpp"
#include "kernels/cuda_table.hpp"
#include "plan/ewise.hpp"
#include "storage/matrix_body.hpp"
#include "support/battery.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace nz::test {
namespace {

constexpr unsigned ewise_device_seed = 91;

class EwiseOnDevice : public ::testing::Test {
protected:
    void SetUp() override {
        if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
    }
    std::mt19937 random{ewise_device_seed};
};

using kernels::set_operation;
constexpr set_operation operations[] = {set_operation::unite, set_operation::intersect,
                                        set_operation::subtract, set_operation::exclude};

operation_plan join(const context& ctx, set_operation operation, matrix& c, const binary_op& op,
                    const matrix& a, const matrix& b, const matrix_options& options = {}) {
    using enum set_operation;
    return operation == unite       ? ewise_add(ctx, c, op, a, b, options)
           : operation == intersect ? ewise_mult(ctx, c, op, a, b, options)
           : operation == subtract  ? ewise_difference(ctx, c, a, b, options)
                                    : ewise_symmetric_difference(ctx, c, a, b, options);
}

// Rows of 0 to 20,000 entries, so that tiles hold many rows and rows run over many tiles.
dictionary uneven(index_t columns, dtype type, std::mt19937& random) {
    dictionary d{40, columns, type, {}};
    const offset_t lengths[] = {0,    1,    5,    0, 0,    30, 31,    32, 33, 700,
                                1983, 1984, 2048, 0, 5000, 3,  20000, 1,  0,  64};
    for (index_t row = 0; row < d.rows; ++row)
        for (offset_t k = lengths[random() % std::size(lengths)]; k > 0; --k)
            d.entries[{row, static_cast<index_t>(random() % static_cast<unsigned>(columns))}] =
                random_value(type, random);
    return d;
}

/// Every operation on two matrices of one type and shape, as the reference has it.
void expect_as_the_reference(const context& ctx, binary_op op, const matrix& a, const matrix& b) {
    for (const auto operation : operations) {
        matrix c(ctx, a.type(), a.rows(), a.columns()), expected = c;
        join(ctx, operation, c, op, a, b);
        join(ctx, operation, expected, op, a, b, {.kernel = "reference"});
        ASSERT_TRUE(same(read(expected), c)) << static_cast<int>(operation);
    }
}

TEST_F(EwiseOnDevice, AgreesWithTheReferenceOnEveryOperationOperatorAndType) {
    const context ctx({.backend = backend::cuda});
    int served = 0;
    for (const dtype type : all_types)
        for (auto& [name, a] : larger_matrices(type, random)) {
            const matrix left = make_matrix(ctx, a, true),
                         right =
                             make_matrix(ctx, random_dictionary(a.rows, a.columns, 0.1, type, random), true);
            for (const auto operation : operations)
                for (int id = 0; id <= static_cast<int>(binary_id::lxnor); ++id) {
                    const binary_op op(static_cast<binary_id>(id));
                    matrix c(ctx, type, a.rows, a.columns), expected(ctx, type, a.rows, a.columns);
                    try {
                        if (!join(ctx, operation, c, op, left, right, {.kernel = "balanced_path"}).on_device)
                            FAIL() << op.name() << " of " << name_of(type) << " ran elsewhere";
                    } catch (const not_supported&) {
                        continue;  // not in the manifest
                    } catch (const domain_error&) {
                        continue;  // not defined on the type
                    }
                    join(ctx, operation, expected, op, left, right, {.kernel = "reference"});
                    ASSERT_TRUE(same(read(expected), c))
                        << name << ", " << op.name() << " of " << name_of(type);
                    ++served;
                }
        }
    EXPECT_GT(served, 200);
}

TEST_F(EwiseOnDevice, BatteriesAndTransposesJoinAsOnTheCpu) {
    const context ctx({.backend = backend::cuda}), cpu({.backend = backend::cpu});
    for (const dtype type : {dtype::float64, dtype::int32, dtype::boolean})
        for (const auto& [name, a] : matrix_battery(type, random)) {
            const dictionary b = random_dictionary(a.columns, a.rows, 0.4, type, random);
            const matrix left = make_matrix(ctx, a, true), right = make_matrix(ctx, b, true);
            for (const auto operation : operations) {
                matrix c(ctx, type, a.rows, a.columns), expected(cpu, type, a.rows, a.columns);
                join(ctx, operation, c, binary_id::plus, left, right, {.transpose_b = true});
                join(cpu, operation, expected, binary_id::plus, left, right, {.transpose_b = true});
                ASSERT_TRUE(same(read(expected), c)) << name << ", " << static_cast<int>(operation);
            }
        }
}

TEST_F(EwiseOnDevice, LongRowsAndEmptyOnesAreSharedOut) {
    const context ctx({.backend = backend::cuda});
    for (int round = 0; round < 4; ++round) {
        const matrix a = make_matrix(ctx, uneven(60000, dtype::int64, random)),
                     b = make_matrix(ctx, uneven(60000, dtype::int64, random));
        expect_as_the_reference(ctx, binary_id::minus, a, b);
    }
    // Half a million empty rows around one entry.
    matrix lone(ctx, dtype::int64, 500000, 5), sum(ctx, dtype::int64, 500000, 5);
    lone.set(250001, 3, std::int64_t{7});
    join(ctx, set_operation::unite, sum, binary_id::plus, lone, lone);
    sum.validate();
    EXPECT_EQ(sum.nnz(), 1);
    EXPECT_EQ(sum.get(250001, 3)->get<std::int64_t>(), 14);
}

// Matrices without entries, some of which have no memory for values, against one that has entries.
TEST_F(EwiseOnDevice, SidesWithoutEntriesAreJoined) {
    const context ctx({.backend = backend::cuda});
    for (const auto type : {dtype::float64, dtype::int16, dtype::boolean}) {
        const matrix full = make_matrix(ctx, random_dictionary(70, 70, 0.1, type, random));
        matrix there(ctx, type, 70, 70), selected = there;
        apply(ctx, there, unary_id::identity, full);
        select(ctx, selected, index_unary_id::triu, there, scalar(std::int64_t{70}));
        const matrix empty[] = {diag(ctx, vector(ctx, type, 70)), matrix(ctx, type, 70, 70), selected};
        for (const matrix& none : empty) {
            ASSERT_EQ(none.nnz(), 0);
            for (const auto op : {binary_id::first, binary_id::plus, binary_id::div, binary_id::eq}) {
                expect_as_the_reference(ctx, op, none, full);
                expect_as_the_reference(ctx, op, there, none);
                expect_as_the_reference(ctx, op, none, none);
            }
            matrix c(ctx, dtype::boolean, 70, 70), expected = c;
            ewise_add(ctx, c, binary_id::lt, none, there);
            ewise_add(ctx, expected, binary_id::lt, none, there, {.kernel = "reference"});
            ASSERT_TRUE(same(read(expected), c));
        }
    }
}

// Tiles of empty rows alone lie between others, and entries do not begin where sixteen bytes do.
TEST_F(EwiseOnDevice, StretchesOfEmptyRowsLieBetweenOthers) {
    const context ctx({.backend = backend::cuda});
    for (const auto type : {dtype::float64, dtype::boolean}) {
        dictionary a{60000, 700, type, {}}, b = a;
        for (const index_t begin : {0, 9001, 30000, 52345})
            for (index_t row = begin; row < begin + 900; ++row)
                for (auto k = random() % 6; k > 0; --k) {
                    const auto column = static_cast<index_t>(random() % 700);
                    if (random() % 3) a.entries[{row, column}] = random_value(type, random);
                    if (random() % 3) b.entries[{row, column}] = random_value(type, random);
                }
        expect_as_the_reference(ctx, binary_id::first, make_matrix(ctx, a), make_matrix(ctx, b));
    }
}

// Tiles whose rows have the same columns on both sides are not merged: in some all have them, in others one is missing or
// comes later, in rows of up to 30 entries and, last of all, in one that may fill a tile.
TEST_F(EwiseOnDevice, NearlyTheSamePatternsAreJoined) {
    const context ctx({.backend = backend::cuda});
    for (const index_t length : {300, 480, 481, 959, 960, 961, 970, 990, 991, 992}) {
        dictionary a{1, 6000, dtype::int64, {}}, b = a;
        for (index_t k = 0; k < length; ++k) {
            a.entries[{0, k}] = random_value(dtype::int64, random);
            b.entries[{0, k + 1 < length ? k : 5000}] = random_value(dtype::int64, random);
        }
        SCOPED_TRACE(length);
        expect_as_the_reference(ctx, binary_id::minus, make_matrix(ctx, a), make_matrix(ctx, b));
    }
    for (const unsigned one_in : {1u << 30, 5000u, 300u, 40u}) {
        dictionary a{4001, 6000, dtype::int64, {}}, b = a;
        for (index_t row = 0; row < a.rows; ++row)
            for (auto [k, column] = std::pair(random() % 31, row); k > 0; --k) {
                column += 1 + static_cast<index_t>(random() % 3);
                if (random() % one_in) a.entries[{row, column}] = random_value(dtype::int64, random);
                const index_t moved = random() % one_in ? column : column + 1;
                if (random() % one_in) b.entries[{row, moved}] = random_value(dtype::int64, random);
            }
        SCOPED_TRACE(one_in);
        expect_as_the_reference(ctx, binary_id::minus, make_matrix(ctx, a), make_matrix(ctx, b));
    }
}

// One side with any number of repeats of a place, and its arrays on the GPU.
struct repeating {
    std::vector<std::int32_t> offsets{0};
    std::vector<index_t> columns;
    std::vector<std::int64_t> values;
    buffer on_device[3];

    repeating(const context& gpu, std::mt19937& random, unsigned most_repeats) {
        for (const std::size_t length : {0, 3, 40000, 0, 0, 700, 40000, 1, 0, 6000}) {
            std::vector<index_t> row;
            while (row.size() < length) {
                const auto column = static_cast<index_t>(random() % 3000);
                for (unsigned k = random() % most_repeats + 1; k > 0 && row.size() < length; --k)
                    row.push_back(column);
            }
            std::ranges::sort(row);
            columns.insert(columns.end(), row.begin(), row.end());
            offsets.push_back(static_cast<std::int32_t>(columns.size()));
        }
        for (std::size_t k = 0; k < columns.size(); ++k)
            values.push_back(static_cast<std::int64_t>(random() % 1000));
        const auto upload = [&](buffer& to, const auto& from) {
            const std::size_t bytes = from.size() * sizeof from[0];
            to = buffer(gpu.device_memory(), bytes + storage::index_padding);
            gpu.gpu()->upload(to.data(), from.data(), bytes);
        };
        upload(on_device[0], offsets);
        upload(on_device[1], columns);
        upload(on_device[2], values);
        gpu.gpu()->wait();
    }
    kernels::ewise_side side() const {
        return {{on_device[0].data(), false}, on_device[1].as<index_t>(), on_device[2].data(), 1};
    }
};

struct listed {
    std::vector<std::int32_t> offsets{0};
    std::vector<index_t> columns;
    std::vector<std::int64_t> values;
    friend bool operator==(const listed&, const listed&) = default;
};

// The k-th entry of A at a place is matched with the k-th of B.
listed merged(set_operation operation, const repeating& a, const repeating& b) {
    using enum set_operation;
    listed c;
    const auto put = [&](bool wanted, index_t column, std::int64_t value) {
        if (!wanted) return;
        c.columns.push_back(column);
        c.values.push_back(value);
    };
    for (std::size_t row = 0; row + 1 < a.offsets.size(); ++row) {
        auto i = static_cast<std::size_t>(a.offsets[row]), j = static_cast<std::size_t>(b.offsets[row]);
        const auto a_end = static_cast<std::size_t>(a.offsets[row + 1]),
                   b_end = static_cast<std::size_t>(b.offsets[row + 1]);
        while (i < a_end || j < b_end) {
            const bool of_a = i < a_end && (j == b_end || a.columns[i] <= b.columns[j]),
                       of_b = j < b_end && (i == a_end || b.columns[j] <= a.columns[i]);
            if (of_a && of_b)
                put(operation == unite || operation == intersect, a.columns[i], a.values[i] - b.values[j]);
            else if (of_a)
                put(operation != intersect, a.columns[i], a.values[i]);
            else
                put(operation == unite || operation == exclude, b.columns[j], b.values[j]);
            i += of_a;
            j += of_b;
        }
        c.offsets.push_back(static_cast<std::int32_t>(c.columns.size()));
    }
    return c;
}

listed joined_on_device(const context& gpu, set_operation operation, const repeating& a, const repeating& b) {
    kernels::device_ewise_arguments k;
    k.a = a.side();
    k.b = b.side();
    k.a_entries = static_cast<offset_t>(a.columns.size());
    k.b_entries = static_cast<offset_t>(b.columns.size());
    k.rows = static_cast<index_t>(a.offsets.size()) - 1;
    k.operation = operation;
    const offset_t tiles = plan::ewise_tiles(k.rows, k.a_entries, k.b_entries);
    const auto& memory = gpu.device_memory();
    const buffer workspace(memory, plan::ewise_workspace(tiles));
    k.workspace = workspace.data();
    kernels::on_cuda().balanced_path_count(k, gpu.gpu()->stream());
    std::vector<offset_t> results(static_cast<std::size_t>(plan::ewise_groups(tiles)));
    gpu.gpu()->download(results.data(), plan::ewise_parts(k.workspace, tiles).group_results,
                        results.size() * sizeof(offset_t));
    const offset_t found = std::reduce(results.begin(), results.end());
    const auto n = static_cast<std::size_t>(found);
    listed c{std::vector<std::int32_t>(a.offsets.size()), std::vector<index_t>(n),
             std::vector<std::int64_t>(n)};
    const buffer offsets(memory, c.offsets.size() * 4), columns(memory, n * 4 + 4), values(memory, n * 8 + 8);
    k.offsets = offsets.data();
    k.columns = columns.as<index_t>();
    k.values = values.data();
    instantiate::find_ewise_device_fill(binary_id::minus, dtype::int64)(k, gpu.gpu()->stream());
    gpu.gpu()->download(c.offsets.data(), k.offsets, c.offsets.size() * 4);
    gpu.gpu()->download(c.columns.data(), k.columns, n * 4);
    gpu.gpu()->download(c.values.data(), k.values, n * 8);
    return c;
}

TEST_F(EwiseOnDevice, RepeatsOfAPlaceAreMatchedByRank) {
    const context gpu({.backend = backend::cuda});
    for (const unsigned most : {1u, 2u, 60u, 5000u}) {
        const repeating a(gpu, random, most), b(gpu, random, most), rare(gpu, random, 1);
        for (const auto operation : operations) {
            EXPECT_EQ(merged(operation, a, b), joined_on_device(gpu, operation, a, b)) << most;
            EXPECT_EQ(merged(operation, a, rare), joined_on_device(gpu, operation, a, rare)) << most;
            EXPECT_EQ(merged(operation, rare, b), joined_on_device(gpu, operation, rare, b)) << most;
        }
    }
}

TEST_F(EwiseOnDevice, ResultsStayThereAndComeHomeWhenLookedAt) {
    const context ctx({.backend = backend::cuda}), cpu({.backend = backend::cpu}),
        other({.backend = backend::cuda});
    const dictionary a = random_dictionary(90, 90, 0.1, dtype::float64, random),
                     b = random_dictionary(90, 90, 0.1, dtype::float64, random);
    const matrix left = make_matrix(ctx, a), right = make_matrix(ctx, b);
    matrix once(ctx, dtype::float64, 90, 90), twice = once, expected = once, elsewhere = once;
    ewise_add(ctx, once, binary_id::plus, left, right);
    const std::size_t host = ctx.bytes_in_use();
    EXPECT_GT(once.nnz(), 0);
    EXPECT_EQ(once.values_held(), value_kind::full);
    ewise_add(ctx, twice, binary_id::plus, once, once);
    EXPECT_EQ(ctx.bytes_in_use(), host) << "a result was fetched that nobody looked at";
    matrix changed = twice;  // shares what is on the GPU
    changed.set(3, 4, 1000.0);
    ewise_add(other, elsewhere, binary_id::plus, once, once);  // by way of the host
    ewise_add(cpu, expected, binary_id::plus, left, right);
    ewise_add(cpu, expected, binary_id::plus, expected, expected);
    EXPECT_TRUE(same(read(expected), twice));
    EXPECT_TRUE(same(read(expected), elsewhere));
    EXPECT_EQ(changed.get(3, 4)->get<double>(), 1000.0);
    twice.validate();
    // A matvec with a result, whose structure the GPU has and the host has not.
    ewise_add(ctx, once, binary_id::plus, left, right);
    const vector x = vector::full(ctx, 90, scalar(1.0));
    vector y(ctx, dtype::float64, 90), z(cpu, dtype::float64, 90);
    mxv(ctx, y, semiring("plus_times"), once, x);
    ewise_add(cpu, expected, binary_id::plus, left, right);
    mxv(cpu, z, semiring("plus_times"), expected, x);
    EXPECT_EQ(read(z).entries.size(), read(y).entries.size());
}

TEST_F(EwiseOnDevice, AMemoryLimitIsKeptAndTheOutputStaysAsItWas) {
    const context roomy({.backend = backend::cuda}), ctx({.backend = backend::cuda, .memory_limit = 6 << 20});
    const matrix a = load(roomy, "random:100000,8").matrix, b = load(roomy, "random:100000,8").matrix;
    matrix c(ctx, dtype::float64, 100000, 100000);
    c.set(1, 2, 3.0);
    EXPECT_THROW(ewise_add(ctx, c, binary_id::plus, a, b), out_of_memory);
    EXPECT_EQ(c.nnz(), 1);
    EXPECT_EQ(c.get(1, 2)->get<double>(), 3.0);
}

}  // namespace
}  // namespace nz::test
