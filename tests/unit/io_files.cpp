// load and save: which reader a file goes to, and that what is written reads back.
#include "io/edge_list.hpp"
#include "io/npy.hpp"
#include "io/npz.hpp"
#include "io/zip.hpp"
#include "support/files.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace nz::test {
namespace {

constexpr dtype all_types[] = {dtype::boolean, dtype::int8,    dtype::int16,  dtype::int32,
                               dtype::int64,   dtype::uint8,   dtype::uint16, dtype::uint32,
                               dtype::uint64,  dtype::float32, dtype::float64};

// Extremes of the type among the values; an empty row and column; wide enough for a second word of anything.
template <class T>
matrix sample(const context& ctx, value_kind kind, index_t rows, index_t columns) {
    std::vector<std::int32_t> offsets{0};
    std::vector<index_t> indices;
    std::vector<T> values;
    for (index_t i = 0; i < rows; ++i) {
        if (i != 2)
            for (index_t j = i % 3; j < columns - 1; j += 3) {
                indices.push_back(j);
                const std::size_t k = values.size();
                values.push_back(k == 0 ? std::numeric_limits<T>::max()
                                 : k == 1
                                     ? std::numeric_limits<T>::lowest()
                                     : convert<T>(1.0 / static_cast<double>(k) + static_cast<double>(k % 5)));
            }
        offsets.push_back(static_cast<std::int32_t>(indices.size()));
    }
    csr_view<T> view{rows, columns, offsets, indices, {}};
    // A span over vector<bool> does not exist; the values go through plain memory.
    const auto plain = std::make_unique<T[]>(values.size() + 1);
    std::copy(values.begin(), values.end(), plain.get());
    if (kind == value_kind::full) view.values = {plain.get(), values.size()};
    if (kind == value_kind::iso) view.values = {plain.get() + 2, 1};
    return matrix::from_csr(ctx, view);
}

matrix sample(const context& ctx, dtype type, value_kind kind, index_t rows, index_t columns) {
    return dispatch(type,
                    [&]<class T>(std::type_identity<T>) { return sample<T>(ctx, kind, rows, columns); });
}

// Exactly the same entries, compared in the matrix's own type.
void expect_same(const matrix& expected, const matrix& found, const std::string& what) {
    ASSERT_EQ(expected.rows(), found.rows()) << what;
    ASSERT_EQ(expected.columns(), found.columns()) << what;
    ASSERT_EQ(expected.nnz(), found.nnz()) << what;
    dispatch(expected.type(), [&]<class T>(std::type_identity<T>) {
        std::vector<index_t> rows[2], columns[2];
        std::vector<T> values[2];
        expected.extract_tuples(rows[0], columns[0], values[0]);
        found.extract_tuples(rows[1], columns[1], values[1]);
        EXPECT_EQ(rows[0], rows[1]) << what;
        EXPECT_EQ(columns[0], columns[1]) << what;
        EXPECT_EQ(values[0], values[1]) << what;
    });
}

TEST(Files, everything_written_reads_back_in_every_type_and_kind) {
    const context ctx({.threads = 2});
    const temporary_folder folder;
    for (const char* const name : {"a.mtx", "a.mtx.gz", "a.npz", "a.nzb"})
        for (const dtype type : all_types)
            for (const value_kind kind : {value_kind::full, value_kind::iso, value_kind::pattern})
                for (const index_t columns : {9, 70}) {
                    const matrix a = sample(ctx, type, kind, 9, columns);
                    const std::string what = std::string(name) + " " + std::string(name_of(type)) + " kind " +
                                             std::to_string(static_cast<int>(kind));
                    save(ctx, a, folder.path(name));
                    const input in = load(ctx, folder.path(name));
                    in.matrix.validate();
                    EXPECT_EQ(in.matrix.type(), type) << what;
                    expect_same(a, in.matrix, what);
                }
    std::vector<std::string> names = folder.names();
    std::sort(names.begin(), names.end());
    EXPECT_EQ(names, (std::vector<std::string>{"a.mtx", "a.mtx.gz", "a.npz", "a.nzb"}));
}

TEST(Files, matrix_market_names_the_field_of_the_type) {
    const context ctx;
    const temporary_folder folder;
    for (const dtype type : all_types) {
        save(ctx, sample(ctx, type, value_kind::full, 4, 4), folder.path("a.mtx"));
        const std::string field = is_floating(type)           ? "real"
                                  : is_unsigned_integer(type) ? "unsigned-integer"
                                                              : "integer";
        EXPECT_TRUE(
            folder.content("a.mtx").starts_with("%%MatrixMarket matrix coordinate " + field + " general\n"))
            << name_of(type);
    }
}

TEST(Files, edge_lists_keep_the_structure_the_weights_and_the_size) {
    const context ctx({.threads = 2});
    const temporary_folder folder;
    for (const dtype type : {dtype::int64, dtype::float64})
        for (const std::string suffix : {".wel", ".wel.gz"}) {
            const matrix a = sample(ctx, type, value_kind::full, 9, 9);
            save(ctx, a, folder.path("a" + suffix));
            const input in = load(ctx, folder.path("a" + suffix));
            EXPECT_EQ(in.matrix.type(), type);
            expect_same(a, in.matrix, suffix);
        }
    const matrix a = sample(ctx, dtype::float32, value_kind::full, 9, 9);
    save(ctx, a, folder.path("a.el"));
    const input in = load(ctx, folder.path("a.el"));
    EXPECT_EQ(in.matrix.values_held(), value_kind::pattern);
    EXPECT_EQ(in.matrix.nnz(), a.nnz());
    EXPECT_EQ(in.matrix.rows(), 9);
    const matrix empty(ctx, dtype::boolean, 4, 4);
    save(ctx, empty, folder.path("empty.el"));
    EXPECT_EQ(load(ctx, folder.path("empty.el")).matrix.rows(), 4);
}

TEST(Files, empty_matrices_read_back) {
    const context ctx;
    const temporary_folder folder;
    for (const char* const name : {"a.mtx", "a.npz", "a.nzb"})
        for (const auto& [rows, columns] : {std::pair{0, 0}, {0, 5}, {5, 0}, {3, 4}}) {
            save(ctx, matrix(ctx, dtype::int32, rows, columns), folder.path(name));
            const input in = load(ctx, folder.path(name));
            EXPECT_EQ(in.matrix.rows(), rows) << name;
            EXPECT_EQ(in.matrix.columns(), columns) << name;
            EXPECT_EQ(in.matrix.nnz(), 0) << name;
        }
}

TEST(Files, a_large_matrix_is_formatted_by_all_threads_in_order) {
    const context ctx({.threads = 3});
    const temporary_folder folder;
    const matrix a = sample(ctx, dtype::float64, value_kind::full, 500, 900);
    for (const char* const name : {"a.mtx", "a.nzb", "a.npz"}) {
        save(ctx, a, folder.path(name));
        expect_same(a, load(ctx, folder.path(name)).matrix, name);
    }
}

TEST(Files, the_cache_keeps_a_promise_of_symmetry) {
    const context ctx;
    const temporary_folder folder;
    const std::string path =
        folder.put("s.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 1\n3 1\n");
    const input in = load(ctx, path);
    ASSERT_TRUE(in.declared_symmetric);
    save(ctx, in.matrix, folder.path("s.nzb"));
    EXPECT_TRUE(load(ctx, folder.path("s.nzb")).declared_symmetric);
    EXPECT_EQ(load(ctx, folder.path("s.nzb")).format, "cache");
}

TEST(Files, content_decides_where_the_suffix_does_not) {
    const context ctx;
    const temporary_folder folder;
    const std::string text = "%%MatrixMarket matrix coordinate pattern general\n3 3 1\n3 1\n";
    EXPECT_EQ(load(ctx, folder.put("noname", text)).format, "matrix market");
    EXPECT_EQ(load(ctx, folder.put("zipped", gzipped(text))).format, "matrix market");
    EXPECT_EQ(load(ctx, folder.put("unzipped.mtx", gzipped(text))).format, "matrix market");
    EXPECT_EQ(load(ctx, folder.put("misnamed.txt", text)).format, "matrix market");
    EXPECT_EQ(load(ctx, folder.put("EDGES.TSV", "1\t2\n")).format, "edge list");
    EXPECT_EQ(load(ctx, folder.put("e.txt.gz", gzipped("1 2\n"))).format, "edge list");
    save(ctx, matrix(ctx, dtype::int8, 2, 2), folder.path("m.nzb"));
    std::filesystem::rename(folder.path("m.nzb"), folder.path("m.bin"));
    EXPECT_EQ(load(ctx, folder.path("m.bin")).format, "cache");
    save(ctx, matrix(ctx, dtype::int8, 2, 2), folder.path("m.npz"));
    std::filesystem::rename(folder.path("m.npz"), folder.path("m2.bin"));
    EXPECT_EQ(load(ctx, folder.path("m2.bin")).format, "npz");
}

// A .npz with members as given, each already with its header.
std::string npz_of(const temporary_folder& folder,
                   const std::vector<std::pair<std::string, std::string>>& members) {
    io::zip_writer zip(folder.path("made.npz"), "made.npz");
    for (const auto& [name, bytes] : members) {
        zip.begin(name + ".npy");
        zip.write(bytes.data(), bytes.size());
    }
    zip.finish();
    return folder.path("made.npz");
}
template <class T>
std::string npy(std::string_view descr, std::string_view shape, const std::vector<T>& values) {
    return io::npy_header(descr, shape) +
           std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}
std::string format_member(std::string_view name) { return io::npy_header("|S3", "()") + std::string(name); }

TEST(Npz, reads_each_of_scipys_layouts) {
    const context ctx({.threads = 2});
    const temporary_folder folder;
    const std::string shape = npy<std::int64_t>("<i8", "(2,)", {2, 4});
    const auto entries = [&](const std::vector<std::pair<std::string, std::string>>& members) {
        const input in = load(ctx, npz_of(folder, members));
        in.matrix.validate();
        EXPECT_EQ(in.matrix.rows(), 2);
        EXPECT_EQ(in.matrix.columns(), 4);
        return entries_of(in.matrix);
    };
    const entry_map expected{{{0, 1}, 5}, {{0, 3}, 6}, {{1, 0}, 7}};
    // Rows unsorted, and an entry twice.
    EXPECT_EQ(entries({{"format", format_member("csr")},
                       {"shape", shape},
                       {"indptr", npy<std::int32_t>("<i4", "(3,)", {0, 3, 4})},
                       {"indices", npy<std::int32_t>("<i4", "(4,)", {3, 1, 3, 0})},
                       {"data", npy<double>("<f8", "(4,)", {2, 5, 4, 7})}}),
              expected);
    EXPECT_EQ(entries({{"format", format_member("csc")},
                       {"shape", shape},
                       {"indptr", npy<std::int64_t>("<i8", "(5,)", {0, 1, 2, 2, 3})},
                       {"indices", npy<std::int64_t>("<i8", "(3,)", {1, 0, 0})},
                       {"data", npy<std::int16_t>("<i2", "(3,)", {7, 5, 6})}}),
              expected);
    EXPECT_EQ(entries({{"format", io::npy_header("<U3", "()") + std::string("c\0\0\0o\0\0\0o\0\0\0", 12)},
                       {"shape", shape},
                       {"row", npy<std::uint8_t>("|u1", "(4,)", {1, 0, 0, 0})},
                       {"col", npy<std::int32_t>("<i4", "(4,)", {0, 3, 1, 3})},
                       {"data", npy<float>("<f4", "(4,)", {7, 1, 5, 5})}}),
              expected);
    // data[d][j] stands in column j; what lies outside the matrix is padding.
    EXPECT_EQ(entries({{"format", format_member("dia")},
                       {"shape", shape},
                       {"offsets", npy<std::int32_t>("<i4", "(3,)", {1, -1, 3})},
                       {"data", npy<double>("<f8", "(3, 4)", {9, 5, 0, 9, 7, 9, 9, 9, 9, 9, 9, 6})}}),
              (entry_map{{{0, 1}, 5}, {{0, 3}, 6}, {{1, 0}, 7}}));
    EXPECT_EQ(entries({{"format", format_member("bsr")},
                       {"shape", shape},
                       {"indptr", npy<std::int32_t>("<i4", "(2,)", {0, 2})},
                       {"indices", npy<std::int32_t>("<i4", "(2,)", {1, 0})},
                       {"data", npy<double>("<f8", "(2, 2, 2)", {0, 6, 0, 0, 0, 5, 7, 0})}}),
              (entry_map{{{0, 0}, 0},
                         {{0, 1}, 5},
                         {{1, 0}, 7},
                         {{1, 1}, 0},
                         {{0, 2}, 0},
                         {{0, 3}, 6},
                         {{1, 2}, 0},
                         {{1, 3}, 0}}));
}

TEST(Npz, reads_big_endian_and_complex_arrays) {
    const context ctx;
    const temporary_folder folder;
    const std::string path = npz_of(folder, {{"format", format_member("coo")},
                                             {"shape", npy<std::int64_t>("<i8", "(2,)", {2, 2})},
                                             {"row", npy<std::uint32_t>(">i4", "(1,)", {0x01000000})},
                                             {"col", npy<std::int32_t>("<i4", "(1,)", {0})},
                                             {"data", npy<double>("<c16", "(1,)", {3, 4})}});
    EXPECT_EQ(entries_of(load(ctx, path, {.complex_modulus = true}).matrix), (entry_map{{{1, 0}, 5}}));
    EXPECT_NE(refusal([&] { load(ctx, path); }).find("complex_modulus"), std::string::npos);
}

}  // namespace
}  // namespace nz::test
