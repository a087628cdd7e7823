// Matrices and vectors whose arrays lie in a GPU's memory: borrowed and copied from the caller's, checked there, handed out,
// transposed and shared out there, and used by operations without a look of the host. Skips where there is no GPU.
#include "core/device.hpp"
#include "storage/device_convert.hpp"
#include "storage/matrix_body.hpp"
#include "support/battery.hpp"
#include "support/compare.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace nz::test {
namespace {

constexpr unsigned matrix_device_seed = 20261123;

class MatrixOnDevice : public ::testing::Test {
protected:
    void SetUp() override {
        if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
    }
    std::mt19937 random{matrix_device_seed};
};

/// The caller's arrays, on the GPU.
template <class T, class Offset = std::int32_t>
struct lent {
    index_t rows, columns;
    buffer offsets, indices, values;
    std::size_t nnz, value_count;

    lent(const context& gpu, index_t rows_, index_t columns_, const std::vector<Offset>& o,
         const std::vector<index_t>& j, std::span<const T> x)
        : rows(rows_), columns(columns_), nnz(j.size()), value_count(x.size()) {
        offsets = put(gpu, o.data(), o.size() * sizeof(Offset));
        indices = put(gpu, j.data(), j.size() * sizeof(index_t));
        values = put(gpu, x.data(), x.size_bytes());
        gpu.wait();
    }
    /// As `a` has them on the host.
    lent(const context& gpu, const matrix& a)
        : lent(gpu, static_cast<index_t>(a.rows()), static_cast<index_t>(a.columns()),
               wide(a.csr<T>().offsets), {a.csr<T>().columns.begin(), a.csr<T>().columns.end()},
               a.csr<T>().values) {}
    static std::vector<Offset> wide(std::span<const std::int32_t> o) { return {o.begin(), o.end()}; }
    // As every allocation of CUDA's does, it ends with whole groups of 32 bytes, which kernels read.
    static buffer put(const context& gpu, const void* from, std::size_t bytes) {
        const std::size_t whole = (bytes + storage::index_padding - 1) / storage::index_padding;
        buffer to(gpu.device_memory(), whole * storage::index_padding);
        gpu.gpu()->fill(to.data(), 0, to.bytes());
        gpu.gpu()->upload(to.data(), from, bytes);
        return to;
    }
    csr_view<T, Offset> view() const {
        return {rows,
                columns,
                {offsets.as<const Offset>(), static_cast<std::size_t>(rows) + 1},
                {indices.as<const index_t>(), nnz},
                {values.as<const T>(), value_count}};
    }
};

template <class T>
std::vector<T> home(const context& gpu, std::span<const T> there) {
    std::vector<T> here(there.size());
    gpu.gpu()->download(here.data(), there.data(), there.size_bytes());
    return here;
}

TEST_F(MatrixOnDevice, ArraysOfTheGpuAreUsedWhereTheyAreAndGivenBack) {
    const context ctx({.backend = backend::cuda});
    for (const auto& [name, d] : matrix_battery(dtype::float64, random)) {
        SCOPED_TRACE(name);
        const matrix a = make_matrix(ctx, d, true);
        const lent<double> arrays(ctx, a);
        const matrix borrowed = matrix::borrow_csr(ctx, arrays.view());
        EXPECT_EQ(borrowed.values_held(), a.values_held());
        EXPECT_TRUE(borrowed.on_device());
        const auto out = borrowed.csr_on<double>(ctx);
        EXPECT_EQ(out.offsets.data(), arrays.view().offsets.data());
        EXPECT_EQ(out.columns.data(), arrays.view().columns.data());
        if (a.values_held() != value_kind::pattern) {
            EXPECT_EQ(out.values.data(), arrays.view().values.data());
        }
        EXPECT_EQ(borrowed.nnz(), a.nnz());
        EXPECT_TRUE(borrowed.on_device());
        EXPECT_TRUE(same(d, borrowed));
        EXPECT_FALSE(borrowed.on_device());
    }
}

TEST_F(MatrixOnDevice, CopiesMayComeWithWideOffsetsOrColumnsInAnyOrder) {
    const context ctx({.backend = backend::cuda});
    for (const auto& [name, d] : matrix_battery(dtype::float32, random)) {
        SCOPED_TRACE(name);
        const matrix a = make_matrix(ctx, d, true);
        const lent<float, std::int64_t> arrays(ctx, a);
        const matrix copied = matrix::from_csr(ctx, arrays.view());
        EXPECT_TRUE(copied.on_device());
        EXPECT_TRUE(same(d, copied));
        EXPECT_THROW(matrix::borrow_csr(ctx, arrays.view()), not_supported);
    }
    const lent<std::int32_t> mixed(ctx, 2, 5, {0, 4, 5}, {4, 1, 3, 1, 0}, std::vector{1, 2, 4, 8, 16});
    const matrix sorted = matrix::from_csr(ctx, mixed.view());
    EXPECT_EQ(sorted.nnz(), 4);  // the two at (0, 1) are added up
    EXPECT_EQ(sorted.get(0, 1)->get<int>(), 10);
    EXPECT_EQ(sorted.get(0, 4)->get<int>(), 1);
    EXPECT_THROW(matrix::borrow_csr(ctx, mixed.view()), not_supported);
}

template <class F>
std::string message(F&& f) {
    try {
        f();
    } catch (const error& e) {
        return e.what();
    }
    return "no error";
}

TEST_F(MatrixOnDevice, WhatIsWrongWithTheArraysIsSaidInTheWordsOfTheHost) {
    const context ctx({.backend = backend::cuda});
    const std::vector<double> x{1, 2, 3};
    const auto said = [&](std::vector<std::int32_t> offsets, std::vector<index_t> columns) {
        const lent<double> there(ctx, 2, 4, offsets, columns, x);
        const csr_view<double> here{2, 4, offsets, columns, x};
        const std::string expected = message([&] { matrix::from_csr(ctx, here); });
        EXPECT_NE(expected, "no error");
        EXPECT_EQ(message([&] { matrix::from_csr(ctx, there.view()); }), expected);
        EXPECT_EQ(message([&] { matrix::borrow_csr(ctx, there.view()); }), expected);
    };
    said({0, 2, 3}, {0, 4, 1});
    said({0, 2, 3}, {0, -1, 1});
    said({0, 4, 3}, {0, 1, 1});
    said({1, 2, 3}, {0, 1, 1});
    said({0, 2, 2}, {0, 1, 1});
    const lent<double> there(ctx, 2, 4, {0, 2, 3}, {0, 1, 1}, x);
    csr_view<double> both = there.view();
    both.values = x;
    EXPECT_THROW(matrix::from_csr(ctx, both), domain_error);
    csr_view<double> short_one = there.view();
    short_one.offsets = short_one.offsets.first(2);
    EXPECT_THROW(matrix::from_csr(ctx, short_one), dimension_mismatch);
    const lent<double> shifted(ctx, 1, 4, {0, 2}, {9, 0, 1}, std::vector{1.0, 2.0});
    csr_view<double> unaligned = shifted.view();
    unaligned.columns = unaligned.columns.subspan(1);
    EXPECT_THROW(matrix::borrow_csr(ctx, unaligned), not_supported);
    EXPECT_EQ(matrix::from_csr(ctx, unaligned).get(0, 1)->get<double>(), 2);
}

TEST_F(MatrixOnDevice, ATransposeMadeThereIsTheHosts) {
    const context ctx({.backend = backend::cuda});
    for (const dtype type : all_types) {
        SCOPED_TRACE(name_of(type));
        auto cases = matrix_battery(type, random);
        for (auto& larger : larger_matrices(type, random)) cases.push_back(std::move(larger));
        for (const auto& [name, d] : cases) {
            SCOPED_TRACE(name);
            const matrix a = make_matrix(ctx, d, true);
            matrix t(ctx, type, d.columns, d.rows);
            const operation_plan plan = transpose(ctx, t, a);
            EXPECT_TRUE(plan.on_device);
            EXPECT_TRUE(t.on_device());
            EXPECT_EQ(t.values_held(), a.values_held());
            matrix back(ctx, type, d.rows, d.columns);
            transpose(ctx, back, t);
            EXPECT_TRUE(t.on_device());
            EXPECT_TRUE(same(transposed(d), t));
            EXPECT_TRUE(same(d, back));
        }
    }
    const matrix large = load(ctx, "rmat_directed:14,8").matrix;
    matrix t(ctx, large.type(), large.columns(), large.rows());
    transpose(ctx, t, large);
    const storage::csr &found = t.body().rows(), &expected = large.body().columns();
    storage::validate(found, "csr");
    ASSERT_EQ(found.nnz, expected.nnz);
    EXPECT_TRUE(std::equal(found.index_data(), found.index_data() + found.nnz, expected.index_data()));
}

TEST_F(MatrixOnDevice, RowsAreSharedOutByWhatTheyHold) {
    const context ctx({.backend = backend::cuda});
    // Lengths around a chunk and around a long row, and rows without entries.
    std::vector<std::int32_t> offsets{0};
    std::vector<index_t> columns;
    for (const int length : {0, 1, 1023, 0, 1024, 1025, 4096, 4097, 0, 9000, 3, 0})
        for (int k = 0; k < 3; ++k) {
            for (int j = 0; j < length; ++j) columns.push_back(j);
            offsets.push_back(static_cast<std::int32_t>(columns.size()));
        }
    const auto rows = static_cast<index_t>(offsets.size() - 1);
    const matrix a = matrix::from_csr(ctx, csr_view<double>{rows, 9000, offsets, columns, {}});
    const storage::matrix_body& body = a.body();
    const auto b = body.balance_on(ctx, body.rows());
    std::vector<index_t> held, long_rows;
    std::vector<std::int32_t> held_offsets;
    for (index_t i = 0; i < rows; ++i) {
        const auto length = offsets[static_cast<std::size_t>(i) + 1] - offsets[static_cast<std::size_t>(i)];
        if (length == 0) continue;
        held.push_back(i);
        held_offsets.push_back(offsets[static_cast<std::size_t>(i)]);
        if (length > storage::long_row_entries) long_rows.push_back(i);
    }
    held_offsets.push_back(offsets.back());
    std::vector<index_t> chunk_rows;
    for (offset_t entry = 0; entry < a.nnz(); entry += storage::merge_chunk_entries)
        chunk_rows.push_back(
            static_cast<index_t>(std::ranges::upper_bound(held_offsets, entry) - held_offsets.begin() - 1));
    chunk_rows.push_back(static_cast<index_t>(held.size()));
    EXPECT_EQ(b->held_rows, static_cast<index_t>(held.size()));
    EXPECT_EQ(b->long_row_count, static_cast<index_t>(long_rows.size()));
    EXPECT_EQ(home<index_t>(ctx, b->row_numbers.span<const index_t>()), held);
    EXPECT_EQ(home<index_t>(ctx, b->long_rows.span<const index_t>()), long_rows);
    EXPECT_EQ(home<std::int32_t>(ctx, b->held_offsets.span<const std::int32_t>()), held_offsets);
    EXPECT_EQ(home<index_t>(ctx, b->chunk_rows.span<const index_t>()), chunk_rows);
    const auto marked = home<std::uint32_t>(ctx, body.rows_on(ctx)->empty_rows.span<const std::uint32_t>());
    for (index_t i = 0; i < rows; ++i)
        EXPECT_EQ((marked[static_cast<std::size_t>(i / 32)] >> (i % 32)) & 1u,
                  !std::ranges::binary_search(held, i));
    const lent<double> arrays(
        ctx, matrix::from_csr(ctx, csr_view<double>{rows, 9000, offsets, columns, std::vector<double>{1}}));
    const matrix there = matrix::borrow_csr(ctx, arrays.view());
    EXPECT_EQ(there.body().longest_row(), 9000);
    const storage::row_sample sampled = there.body().sampled_rows(),
                              expected = storage::sample_rows(body.rows());
    EXPECT_EQ(sampled.deviation, expected.deviation);
    EXPECT_EQ(sampled.scattered, expected.scattered);
    EXPECT_EQ(sampled.distance, expected.distance);
    EXPECT_EQ(sampled.runs, expected.runs);
    EXPECT_TRUE(there.on_device());
}

/// A square matrix of doubles that the host has not, and its entries.
struct resident {
    dictionary d;
    lent<double> arrays;
    matrix a;
    resident(const context& ctx, index_t n, std::mt19937& random)
        : d(random_dictionary(n, n, 0.05, dtype::float64, random)),
          arrays(ctx, make_matrix(ctx, d)),
          a(matrix::borrow_csr(ctx, arrays.view())) {}
};

TEST_F(MatrixOnDevice, ProductsWithVectorsTakeAndLeaveEverythingThere) {
    const context ctx({.backend = backend::cuda});
    const resident r(ctx, 300, random);
    const semiring s("plus_times_fp64");
    std::vector<double> x(300);
    for (double& v : x) v = static_cast<double>(random() % 10);
    const buffer x_there = lent<double>::put(ctx, x.data(), x.size() * sizeof(double));
    ctx.wait();
    const vector u = vector::dense<double>(ctx, {x_there.as<const double>(), x.size()});
    EXPECT_TRUE(u.on_device());
    dictionary in{300, 1, dtype::float64, {}};
    for (index_t i = 0; i < 300; ++i) in.entries[{i, 0}] = scalar(x[static_cast<std::size_t>(i)]).bits();
    for (const bool transposed_too : {false, true}) {
        SCOPED_TRACE(transposed_too);
        vector w(ctx, dtype::float64, 300);
        vector_options options;
        options.transpose_a = transposed_too;
        mxv(ctx, w, s, r.a, u, options);
        EXPECT_TRUE(r.a.on_device());
        EXPECT_TRUE(w.on_device());
        const dictionary expected = model_mxm(s, transposed_too ? transposed(r.d) : r.d, in);
        dictionary found{300, 1, dtype::float64, {}};
        if (w.form() == vector_form::dense) {
            const auto values = home<double>(ctx, w.values_on<double>(ctx));
            for (index_t i = 0; i < 300; ++i)
                found.entries[{i, 0}] = scalar(values[static_cast<std::size_t>(i)]).bits();
            EXPECT_TRUE(w.on_device());
        }
        EXPECT_TRUE(same(expected, w));
    }
    for (const double density : {0.01, 0.3}) {
        const dictionary sparse = random_dictionary(300, 1, density, dtype::float64, random);
        vector w(ctx, dtype::float64, 300);
        mxv(ctx, w, s, r.a, make_vector(ctx, sparse, vector_form::sparse));
        EXPECT_TRUE(same(model_mxm(s, r.d, sparse), w)) << density;
        EXPECT_TRUE(r.a.on_device()) << density;
    }
}

TEST_F(MatrixOnDevice, ProductsJoinsAndSearchesTakeItWhereItIs) {
    const context ctx({.backend = backend::cuda});
    const resident r(ctx, 300, random);
    const semiring s("plus_times_fp64");
    matrix square(ctx, dtype::float64, 300, 300), both(ctx, dtype::float64, 300, 300);
    mxm(ctx, square, s, r.a, r.a);
    ewise_add(ctx, both, binary_id::plus, r.a, r.a, {.transpose_b = true});
    std::vector<double> b(300 * 8), c(300 * 8);
    for (double& v : b) v = static_cast<double>(random() % 10);
    mxd(ctx, dense_view<double>{300, 8, c}, s, r.a, dense_view<double>{300, 8, b});
    const components_result found = components(ctx, r.a);
    traverse_options search;
    search.parents = true;
    const traverse_result levels = bfs(ctx, r.a, 7, search);
    traverse_many_options many;
    many.levels = true;
    const std::vector<offset_t> sources{7, 1, 2};
    const traverse_many_result searches = bfs_many(ctx, r.a, sources, many);
    EXPECT_TRUE(r.a.on_device());
    EXPECT_TRUE(square.on_device());
    EXPECT_TRUE(both.on_device());
    EXPECT_EQ(levels.backend, backend::cuda);

    const context cpu({.backend = backend::cpu});
    const matrix a = make_matrix(cpu, r.d);
    EXPECT_TRUE(same(model_mxm(s, r.d, r.d), square));
    EXPECT_TRUE(same(model_ewise(binary_id::plus, r.d, transposed(r.d), false), both));
    EXPECT_EQ(validate_bfs(cpu, a, 7, levels.levels, levels.parents), "");
    EXPECT_EQ(validate_bfs(cpu, a, 7, searches.levels[0], levels.parents), "");
    EXPECT_EQ(validate_components(cpu, a, found.labels), "");
    std::vector<double> expected(300 * 8);
    mxd(cpu, dense_view<double>{300, 8, expected}, s, a, dense_view<double>{300, 8, b});
    EXPECT_EQ(c, expected);  // small whole numbers: exact in any order
}

// What the host has comes once, and plans and results say how much.
TEST_F(MatrixOnDevice, PlansSayWhatCameFromTheHost) {
    const context ctx({.backend = backend::cuda}), cpu({.backend = backend::cpu});
    const matrix a = load(ctx, "rmat:9,8").matrix;
    const auto n = static_cast<std::size_t>(a.rows()), entries = static_cast<std::size_t>(a.nnz());
    const std::size_t places = 4 * (n + 1 + entries), values = sizeof(double);  // one for all
    const semiring s("plus_times_fp64");
    const std::vector<double> ones(n, 1);
    const vector u = vector::dense<double>(ctx, ones);
    vector w(ctx, dtype::float64, a.rows());
    EXPECT_GE(mxv(ctx, w, s, a, u).moved_bytes, places + values + 8 * n);
    EXPECT_EQ(mxv(ctx, w, s, a, u).moved_bytes, 0u);
    EXPECT_EQ(mxv(cpu, w, s, a, u).moved_bytes, 0u);

    const auto anew = [&] { return load(ctx, "rmat:9,8").matrix; };
    const matrix b = anew();
    matrix c(ctx, dtype::float64, a.rows(), a.columns());
    const std::size_t first = mxm(ctx, c, s, b, a).moved_bytes;
    EXPECT_GE(first, places + values) << "b";
    EXPECT_LT(first, 2 * places) << "a is there";
    EXPECT_EQ(mxm(ctx, c, s, b, a).moved_bytes, 0u);
    const matrix d = anew();
    EXPECT_GE(ewise_add(ctx, c, binary_id::plus, d, a).moved_bytes, places + values);
    EXPECT_EQ(ewise_add(ctx, c, binary_id::plus, d, a).moved_bytes, 0u);
    std::vector<double> x(n * 8, 1), y(n * 8);
    const auto size = static_cast<index_t>(n);
    const dense_view<double> right{size, 8, x}, left{size, 8, y};
    for (int call = 0; call < 2; ++call)
        EXPECT_GE(mxd(ctx, left, s, a, right).moved_bytes, n * 64) << "the dense operand comes every time";
    matrix sampled(ctx, dtype::float64, a.rows(), a.columns());
    EXPECT_GE(sddmm(ctx, sampled, s, right, left, a, {.transpose_b = true}).moved_bytes, 2 * n * 64);

    const matrix e = load(ctx, "rmat_directed:9,8").matrix;
    matrix turned(ctx, dtype::float64, e.columns(), e.rows());
    EXPECT_EQ(transpose(cpu, turned, e).moved_bytes, 0u);
    const matrix f = load(ctx, "rmat_directed:9,8").matrix;
    EXPECT_GE(transpose(ctx, turned, f).moved_bytes, 4 * (n + 1 + static_cast<std::size_t>(f.nnz())));
    EXPECT_EQ(transpose(ctx, turned, f).moved_bytes, 0u);
    mxv(ctx, w, s, a, u);
    const vector v = vector::dense<double>(ctx, ones);
    vector z(ctx, dtype::float64, a.rows());
    const operation_plan joined = ewise_add(ctx, z, binary_id::plus, w, v);
    EXPECT_TRUE(joined.on_device);
    EXPECT_GE(joined.moved_bytes, 8 * n) << "w is there, v is not";
    const vector mask = vector::dense<double>(ctx, ones);
    EXPECT_EQ(apply(ctx, z, unary_id::abs, w).moved_bytes, 0u);
    EXPECT_GE(apply(ctx, z, unary_id::abs, w, {.mask = &mask}).moved_bytes, n / 8);
    const dia_matrix band = dia_matrix::from_matrix(cpu, load(cpu, "banded:500,3").matrix);
    dia_matrix squared(ctx, dtype::float64, 500, 500);
    EXPECT_GE(mxm(ctx, squared, s, band, band).moved_bytes, 3u * 500 * 8);

    const matrix g = anew();
    EXPECT_GE(bfs(ctx, g, 1).moved_bytes, places);
    EXPECT_EQ(bfs(ctx, g, 1).moved_bytes, 0u);
    EXPECT_EQ(bfs(cpu, g, 1).moved_bytes, 0u);
    const matrix h = anew();
    const std::vector<offset_t> sources{1, 2, 3};
    EXPECT_GE(bfs_many(ctx, h, sources).moved_bytes, places);
    EXPECT_EQ(bfs_many(ctx, h, sources).moved_bytes, 0u);
    EXPECT_GE(sssp(ctx, h, 1).moved_bytes, entries * 8) << "neighbours with lengths";
    EXPECT_EQ(sssp(ctx, h, 1).moved_bytes, 0u);
}

TEST_F(MatrixOnDevice, InvalidateSeesWhatTheCallerWroteThere) {
    const context ctx({.backend = backend::cuda});
    const std::vector<double> x{1, 2, 3}, other{4, 5, 6};
    const lent<double> arrays(ctx, 2, 4, {0, 2, 3}, {0, 1, 1}, x);
    matrix a = matrix::borrow_csr(ctx, arrays.view());
    EXPECT_EQ(a.get(0, 1)->get<double>(), 2);
    ctx.gpu()->upload(arrays.values.data(), other.data(), sizeof(double) * 3);
    ctx.wait();
    a.invalidate();
    EXPECT_TRUE(a.on_device());
    EXPECT_EQ(a.get(0, 1)->get<double>(), 5);
    a.set(1, 3, scalar(9.0));
    EXPECT_EQ(a.nnz(), 4);
    EXPECT_EQ(a.get(1, 1)->get<double>(), 6);
    EXPECT_EQ(home<double>(ctx, a.csr_on<double>(ctx).values), (std::vector<double>{4, 5, 6, 9}));
}

// A result outlives the arrays that were borrowed for an operand, on the GPU or on the host, and does not change with them.
TEST_F(MatrixOnDevice, ResultsShareNoBorrowedArrays) {
    const context ctx({.backend = backend::cuda});
    const matrix given = make_matrix(ctx, random_dictionary(40, 40, 0.2, dtype::float64, random));
    const lent<double> arrays(ctx, given);
    const index_list all = index_list::all();
    const auto host = given.csr<double>();
    for (const bool there : {true, false}) {
        matrix a = matrix::borrow_csr(
            ctx, there ? arrays.view() : csr_view<double>{40, 40, host.offsets, host.columns, host.values});
        if (there) a.invalidate();  // the same arrays under another name
        matrix applied(ctx, dtype::float64, 40, 40), named = applied, assigned = applied, moved = applied,
                                                     floats(ctx, dtype::float32, 40, 40);
        apply(ctx, applied, unary_id::abs, a);
        assign(ctx, named, scalar(3.0), all, all, {.mask = &a, .mask_structure = true});
        assign(ctx, assigned, a, all, all);
        extract(ctx, moved, a, all, all);
        extract(ctx, floats, a, all, all);
        for (const matrix* c : {&applied, &named, &assigned, &moved}) {
            EXPECT_EQ(c->nnz(), given.nnz());
            EXPECT_NE(&c->body(), &a.body());
            if (there)
                EXPECT_NE(c->csr_on<double>(ctx).columns.data(), arrays.indices.data());
            else
                EXPECT_NE(c->csr<double>().columns.data(), host.columns.data());
        }
        if (there) {
            EXPECT_NE(floats.csr_on<float>(ctx).columns.data(), arrays.indices.data());
        }
        EXPECT_TRUE(same(read(given), moved));
        EXPECT_TRUE(same(read(given), assigned));
    }
}

TEST_F(MatrixOnDevice, ResultsShareNoBorrowedArraysThatWereSorted) {
    const context ctx({.backend = backend::cuda});
    std::vector<std::int32_t> offsets{0, 2, 3};
    std::vector<index_t> columns{1, 0, 1};
    std::vector<double> values{1, 2, 3};
    const matrix a = matrix::borrow_csr(ctx, csr_view<double>{2, 2, offsets, columns, values});
    matrix c(ctx, dtype::float64, 2, 2), d = c;
    extract(ctx, c, a, index_list::all(), index_list::all());
    assign(ctx, d, a, index_list::all(), index_list::all());
    columns = {0, 1, 0}, values = {7, 8, 9};
    for (matrix* of : {&c, &d}) {
        EXPECT_NE(&of->body(), &a.body());
        of->set(1, 0, scalar(4.0));
        EXPECT_EQ(of->get(0, 0), scalar(2.0));
        EXPECT_EQ(of->get(0, 1), scalar(1.0));
        EXPECT_EQ(of->nnz(), 4);
    }
}

TEST_F(MatrixOnDevice, KeptTransposesStayThere) {
    const context ctx({.backend = backend::cuda});
    const matrix given = make_matrix(ctx, random_dictionary(60, 40, 0.2, dtype::float64, random));
    const matrix turned = transposed(ctx, given);
    EXPECT_TRUE(turned.on_device());
    EXPECT_EQ(&transposed(ctx, given).body(), &turned.body());
    vector w(ctx, dtype::float64, 40), expected = w;
    const vector u =
        make_vector(ctx, random_dictionary(60, 1, 1.0, dtype::float64, random), vector_form::dense);
    mxv(ctx, w, semiring("plus_times"), turned, u);
    EXPECT_EQ(mxv(ctx, w, semiring("plus_times"), transposed(ctx, given), u).moved_bytes, 0u);
    mxv(ctx, expected, semiring("plus_times"), given, u, {.transpose_a = true});
    EXPECT_EQ(read(w).entries.size(), read(expected).entries.size());
    matrix back(ctx, dtype::float64, 60, 40);
    transpose(ctx, back, turned);
    EXPECT_TRUE(same(read(given), back));
}

TEST_F(MatrixOnDevice, FactsAreFoundWhereItLies) {
    const context ctx({.backend = backend::cuda}), cpu({.backend = backend::cpu});
    const auto expect_as_on_the_host = [&](const matrix& on_host) {
        matrix a(ctx, on_host.type(), on_host.rows(), on_host.columns());
        select(ctx, a, index_unary_id::rowle, on_host, scalar(std::int64_t{1} << 40));
        const bool away = a.on_device();
        const matrix_facts &found = a.facts(), &expected = on_host.facts();
        EXPECT_EQ(a.on_device(), away);
        EXPECT_EQ(found.rows, expected.rows);
        EXPECT_EQ(found.columns, expected.columns);
        EXPECT_EQ(found.nnz, expected.nnz);
        EXPECT_EQ(found.degree_mean, expected.degree_mean);
        EXPECT_EQ(found.degree_max, expected.degree_max);
        EXPECT_EQ(found.empty_rows, expected.empty_rows);
        EXPECT_EQ(found.bandwidth_lower, expected.bandwidth_lower);
        EXPECT_EQ(found.bandwidth_upper, expected.bandwidth_upper);
        EXPECT_EQ(found.symmetric_pattern, expected.symmetric_pattern);
        EXPECT_EQ(found.sorted, expected.sorted);
        EXPECT_EQ(found.duplicates, expected.duplicates);
    };
    for (const auto& [name, d] : matrix_battery(dtype::float64, random)) {
        SCOPED_TRACE(name);
        expect_as_on_the_host(make_matrix(cpu, d));
    }
    for (const char* graph :
         {"rmat:10,8", "rmat_directed:10,8", "grid2d:40,0.3", "banded:3000,7", "dense:70,90"}) {
        SCOPED_TRACE(graph);
        expect_as_on_the_host(load(cpu, graph).matrix);
    }
    // Its pattern is symmetric but for one entry, and nobody said so.
    dictionary d = random_dictionary(300, 300, 0.05, dtype::float64, random);
    for (const auto& [at, x] : dictionary(d).entries) d.entries[{at.second, at.first}] = x;
    expect_as_on_the_host(make_matrix(cpu, d));
    d.entries.erase({d.entries.rbegin()->first.first, d.entries.rbegin()->first.second});
    expect_as_on_the_host(make_matrix(cpu, d));
}

TEST_F(MatrixOnDevice, APermutationStaysThere) {
    const context ctx({.backend = backend::cuda}), cpu({.backend = backend::cpu});
    for (const char* graph : {"rmat:9,8", "rmat_directed:9,8"}) {
        const matrix on_host = load(cpu, graph).matrix;
        std::vector<index_t> numbers(static_cast<std::size_t>(on_host.rows()));
        std::iota(numbers.begin(), numbers.end(), 0);
        std::ranges::shuffle(numbers, random);
        const vector order = vector::dense<index_t>(ctx, numbers);
        const matrix found = permute(ctx, load(ctx, graph).matrix, order);
        EXPECT_TRUE(found.on_device());
        EXPECT_EQ(found.body().known_symmetric(), on_host.body().known_symmetric());
        EXPECT_TRUE(same(read(permute(cpu, on_host, order)), found)) << graph;
    }
}

TEST_F(MatrixOnDevice, InvalidatingAgainAndAgainKeepsNothing) {
    const context ctx({.backend = backend::cuda});
    const std::vector<double> x(100, 1.0);
    std::vector<std::int32_t> offsets(101);
    std::vector<index_t> columns(100);
    for (index_t i = 0; i < 100; ++i) offsets[i + 1] = i + 1, columns[i] = i;
    const lent<double> arrays(ctx, 100, 100, offsets, columns, x);
    matrix a = matrix::borrow_csr(ctx, arrays.view());
    std::size_t after_first = 0;
    for (int k = 0; k < 50; ++k) {
        EXPECT_EQ(a.get(7, 7)->get<double>(), 1);  // a copy on the host
        a.invalidate();
        if (k == 0) after_first = ctx.bytes_in_use();
    }
    EXPECT_EQ(ctx.bytes_in_use(), after_first);
}

TEST_F(MatrixOnDevice, WhatWasHandedOutStaysWhenCopiesAreGivenUp) {
    const context ctx({.backend = backend::cuda});
    const matrix a = load(context({.backend = backend::cpu}), "random:1000,8").matrix;
    const auto csr = a.csr<double>();
    const auto there = a.csr_on<double>(ctx);
    a.body().leave(ctx);
    // Memory that was given up would be taken again.
    std::vector<buffer> others;
    for (const std::size_t bytes :
         {there.offsets.size_bytes(), there.columns.size_bytes() + storage::index_padding,
          there.values.size_bytes()}) {
        others.emplace_back(ctx.device_memory(), bytes);
        ctx.gpu()->fill(others.back().data(), 0xee, bytes);
    }
    EXPECT_EQ(home<std::int32_t>(ctx, there.offsets), std::vector(csr.offsets.begin(), csr.offsets.end()));
    EXPECT_EQ(home<index_t>(ctx, there.columns), std::vector(csr.columns.begin(), csr.columns.end()));
    EXPECT_EQ(home<double>(ctx, there.values), std::vector(csr.values.begin(), csr.values.end()));
}

TEST_F(MatrixOnDevice, WorkIsOrderedOnTheCallersStream) {
    const context one({.backend = backend::cuda});
    context_options options{.backend = backend::cuda};
    options.stream = one.gpu()->stream();
    const context ctx(options);
    EXPECT_EQ(ctx.gpu()->stream(), one.gpu()->stream());
    const resident r(ctx, 100, random);
    vector w(ctx, dtype::float64, 100);
    mxv(ctx, w, semiring("plus_times_fp64"), r.a, vector::full(ctx, 100, scalar(1.0)));
    dictionary ones{100, 1, dtype::float64, {}};
    for (index_t i = 0; i < 100; ++i) ones.entries[{i, 0}] = scalar(1.0).bits();
    EXPECT_TRUE(same(model_mxm(semiring("plus_times_fp64"), r.d, ones), w));
}

TEST_F(MatrixOnDevice, AContextOfTheCpuSaysThatItHasNoGpu) {
    const context cpu({.backend = backend::cpu});
    const matrix a(cpu, dtype::float64, 2, 2);
    const vector u = vector::full(cpu, 3, scalar(1.0));
    EXPECT_THROW(a.csr_on<double>(cpu), not_supported);
    EXPECT_THROW(u.values_on<double>(cpu), not_supported);
    EXPECT_FALSE(a.on_device());
}

}  // namespace
}  // namespace nz::test
