// Binsparse files: what is written reads back, and files as others make them.
#include "support/files.hpp"
#include "support/hdf5_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

namespace nz::test {
namespace {

constexpr dtype stored_types[] = {dtype::boolean, dtype::int8,    dtype::int16,  dtype::int32,
                                  dtype::int64,   dtype::uint8,   dtype::uint16, dtype::uint32,
                                  dtype::uint64,  dtype::float32, dtype::float64};
constexpr file_layout all_layouts[] = {file_layout::csr, file_layout::csc, file_layout::coo};

// 6 x 4, an empty row and column, the type's extremes among the values.
matrix sample(const context& ctx, dtype type, value_kind kind) {
    return dispatch(type, [&]<class T>(std::type_identity<T>) {
        const std::int32_t offsets[] = {0, 2, 2, 3, 4, 6, 7};
        const index_t columns[] = {0, 3, 1, 0, 1, 3, 0};
        const T values[] = {convert<T>(3),
                            std::numeric_limits<T>::max(),
                            std::numeric_limits<T>::lowest(),
                            convert<T>(0),
                            convert<T>(-1.5),
                            convert<T>(1),
                            convert<T>(77)};
        csr_view<T> view{6, 4, offsets, columns, {}};
        if (kind == value_kind::full) view.values = values;
        if (kind == value_kind::iso) view.values = std::span(values).subspan(6, 1);
        return matrix::from_csr(ctx, view);
    });
}

// The same places and, compared in the matrix's own type, the same values.
void expect_same_entries(const matrix& expected, const matrix& found, const std::string& what) {
    ASSERT_EQ(expected.rows(), found.rows()) << what;
    ASSERT_EQ(expected.columns(), found.columns()) << what;
    ASSERT_EQ(expected.nnz(), found.nnz()) << what;
    ASSERT_EQ(expected.type(), found.type()) << what;
    for (offset_t i = 0; i < expected.rows(); ++i)
        for (offset_t j = 0; j < expected.columns(); ++j)
            EXPECT_EQ(expected.get(i, j), found.get(i, j)) << what << " at " << i << ", " << j;
}

TEST(Binsparse, every_type_layout_and_kind_reads_back) {
    const context ctx({.threads = 2});
    const temporary_folder folder;
    for (const dtype type : stored_types)
        for (const file_layout layout : all_layouts)
            for (const value_kind kind : {value_kind::full, value_kind::iso, value_kind::pattern}) {
                const std::string what = std::string(name_of(type)) + " " + std::string(name_of(layout)) +
                                         " kind " + std::to_string(static_cast<int>(kind));
                const matrix a = sample(ctx, type, kind);
                save(ctx, a, folder.path("a.bsp.h5"), {.layout = layout});
                const input in = load(ctx, folder.path("a.bsp.h5"));
                in.matrix.validate();
                EXPECT_EQ(in.format, "binsparse");
                EXPECT_FALSE(in.declared_symmetric);
                // One true for all is a pattern.
                const bool is_pattern = kind == value_kind::iso && type == dtype::boolean;
                EXPECT_EQ(in.matrix.values_held(), is_pattern ? value_kind::pattern : kind) << what;
                expect_same_entries(a, in.matrix, what);
            }
    EXPECT_EQ(folder.names(), std::vector<std::string>{"a.bsp.h5"});
    EXPECT_EQ(ctx.bytes_in_use(), 0u);
}

TEST(Binsparse, empty_matrices_read_back) {
    const context ctx;
    const temporary_folder folder;
    for (const file_layout layout : all_layouts)
        for (const auto& [rows, columns] : {std::pair{0, 0}, {0, 5}, {5, 0}, {3, 4}}) {
            save(ctx, matrix(ctx, dtype::int32, rows, columns), folder.path("a.h5"), {.layout = layout});
            const input in = load(ctx, folder.path("a.h5"));
            EXPECT_EQ(in.matrix.rows(), rows);
            EXPECT_EQ(in.matrix.columns(), columns);
            EXPECT_EQ(in.matrix.nnz(), 0);
            EXPECT_EQ(in.matrix.type(), dtype::int32);
        }
}

TEST(Binsparse, a_large_matrix_reads_back_and_makes_the_same_file_each_time) {
    const context ctx({.threads = 3});
    const temporary_folder folder;
    const matrix a = load(ctx, "random:3000,20").matrix;
    for (const file_layout layout : all_layouts) {
        save(ctx, a, folder.path("a.hdf5"), {.layout = layout});
        save(ctx, a, folder.path("b.hdf5"), {.layout = layout});
        EXPECT_EQ(folder.content("a.hdf5"), folder.content("b.hdf5"));
        EXPECT_EQ(entries_of(a), entries_of(load(ctx, folder.path("a.hdf5")).matrix));
    }
}

TEST(Binsparse, vectors_keep_their_type_and_form) {
    const context ctx({.threads = 2});
    const temporary_folder folder;
    for (const dtype type : stored_types)
        dispatch(type, [&]<class T>(std::type_identity<T>) {
            const T values[] = {convert<T>(1), std::numeric_limits<T>::max(), convert<T>(0)};
            const index_t places[] = {1, 4, 7};
            const vector dense = vector::dense<T>(ctx, values);
            vector bitmap = vector::build<T>(ctx, 9, places, values);
            const vector sparse = bitmap;
            bitmap.convert_to(vector_form::bitmap);
            for (const vector& v : {dense, sparse, bitmap})
                for (const char* const name : {"v.bsp.h5", "v.mtx", "v.npz", "v.nzb"}) {
                    save(ctx, v, folder.path(name));
                    const vector found = load_vector(ctx, folder.path(name));
                    found.validate();
                    EXPECT_EQ(found.type(), type) << name;
                    EXPECT_EQ(found.size(), v.size()) << name;
                    EXPECT_EQ(found.form(), v.count() == v.size() ? vector_form::dense : vector_form::sparse);
                    for (offset_t i = 0; i < v.size(); ++i) EXPECT_EQ(found.get(i), v.get(i)) << name << i;
                }
        });
    const vector none(ctx, dtype::float32, 5);
    save(ctx, none, folder.path("v.h5"));
    EXPECT_EQ(load_vector(ctx, folder.path("v.h5")).size(), 5);
    EXPECT_EQ(load(ctx, folder.path("v.h5")).matrix.columns(), 1) << "a matrix of one column to load";
    save(ctx, matrix(ctx, dtype::int8, 2, 3), folder.path("a.h5"));
    EXPECT_NE(refusal<dimension_mismatch>([&] { load_vector(ctx, folder.path("a.h5")); }).find("2 x 3"),
              std::string::npos);
}

TEST(Binsparse, other_formats_know_no_layouts) {
    const context ctx;
    const temporary_folder folder;
    const matrix a(ctx, dtype::int8, 2, 3);
    EXPECT_NE(refusal<domain_error>([&] {
                  save(ctx, a, folder.path("a.npz"), {.layout = file_layout::csc});
              }).find("only Binsparse files (.bsp.h5) are laid out as csc"),
              std::string::npos);
    EXPECT_EQ(parse_file_layout("coo"), file_layout::coo);
    EXPECT_NE(refusal<domain_error>([] { parse_file_layout("dia"); }), "");
    EXPECT_TRUE(folder.names().empty());
}

const entry_map expected{{{0, 1}, 5}, {{0, 3}, 6}, {{2, 0}, 7}};  // of 3 x 4

// A file of `format` with these arrays, read.
class hand_made : public ::testing::Test {
protected:
    template <class Index, class Pointer = std::int64_t>
    void expect_sparse(const std::string& format, const std::vector<Index>& outer,
                       const std::vector<Pointer>& pointers, const std::vector<Index>& inner,
                       std::string_view index, std::string_view pointer) {
        {
            hdf5_file file(path_);
            std::string types = R"("values": "int16", "indices_1": ")" + std::string(index) + "\"";
            if (!outer.empty()) {
                types += R"(, "indices_0": ")" + std::string(index) + "\"";
                file.array("indices_0", outer);
            }
            if (!pointers.empty()) {
                types += R"(, "pointers_to_1": ")" + std::string(pointer) + "\"";
                file.array("pointers_to_1", pointers);
            }
            file.array("indices_1", inner);
            const bool by_columns = format.ends_with('C');
            file.array("values",
                       by_columns ? std::vector<std::int16_t>{7, 5, 6} : std::vector<std::int16_t>{5, 6, 7});
            file.descriptor(descriptor_of(format, "3, 4", 3, types), format == "CSR");
        }
        const input in = load(ctx_, path_);
        in.matrix.validate();
        EXPECT_EQ(in.matrix.rows(), 3);
        EXPECT_EQ(in.matrix.columns(), 4);
        EXPECT_EQ(in.matrix.type(), dtype::int16);
        EXPECT_EQ(entries_of(in.matrix), expected) << format << " " << index;
    }
    template <class Index>
    void expect_all(std::string_view index) {
        expect_sparse<Index>("CSR", {}, {0, 2, 2, 3}, {1, 3, 0}, index, "int64");
        expect_sparse<Index, std::uint32_t>("CSC", {}, {0, 1, 2, 2, 3}, {2, 0, 0}, index, "uint32");
        expect_sparse<Index, std::int32_t>("DCSR", {0, 2}, {0, 2, 3}, {1, 3, 0}, index, "int32");
        expect_sparse<Index, std::uint64_t>("DCSC", {0, 1, 3}, {0, 1, 2, 3}, {2, 0, 0}, index, "uint64");
        expect_sparse<Index>("COO", {0, 0, 2}, {}, {1, 3, 0}, index, "");
        expect_sparse<Index>("COOR", {0, 0, 2}, {}, {1, 3, 0}, index, "");
        expect_sparse<Index>("COOC", {0, 1, 3}, {}, {2, 0, 0}, index, "");
    }

    const context ctx_{context_options{.threads = 2}};
    const temporary_folder folder_;
    const std::string path_ = folder_.path("made.h5");
};

TEST_F(hand_made, every_format_is_read_with_indices_of_every_width) {
    expect_all<std::uint8_t>("uint8");
    expect_all<std::int8_t>("int8");
    expect_all<std::uint16_t>("uint16");
    expect_all<std::int16_t>("int16");
    expect_all<std::uint32_t>("uint32");
    expect_all<std::int32_t>("int32");
    expect_all<std::uint64_t>("uint64");
    expect_all<std::int64_t>("int64");
}

TEST_F(hand_made, order_within_a_row_does_not_matter) {
    {
        hdf5_file file(path_);
        file.array<std::uint8_t>("pointers_to_1", {0, 2, 2, 3});
        file.array<std::uint8_t>("indices_1", {3, 1, 0});
        file.array<double>("values", {6, 5, 7});
        file.descriptor(descriptor_of(
            "CSR", "3, 4.0", 3, R"("pointers_to_1": "uint8", "indices_1": "uint8", "values": "float64")"));
    }
    EXPECT_EQ(entries_of(load(ctx_, path_).matrix), expected);
}

TEST_F(hand_made, dense_arrays_and_vectors_are_entries) {
    const auto made = [&](const char* format, const char* shape, const std::vector<float>& values) {
        hdf5_file file(path_);
        file.array("values", values);
        file.descriptor(
            descriptor_of(format, shape, static_cast<int>(values.size()), R"("values": "float32")"));
    };
    const entry_map all{{{0, 0}, 1}, {{0, 1}, 0}, {{0, 2}, 3}, {{1, 0}, 4}, {{1, 1}, 5}, {{1, 2}, 6}};
    made("DMATR", "2, 3", {1, 0, 3, 4, 5, 6});
    EXPECT_EQ(entries_of(load(ctx_, path_).matrix), all);
    made("DMAT", "2, 3", {1, 0, 3, 4, 5, 6});
    EXPECT_EQ(entries_of(load(ctx_, path_).matrix), all);
    made("DMATC", "2, 3", {1, 4, 0, 5, 3, 6});
    EXPECT_EQ(entries_of(load(ctx_, path_).matrix), all);
    made("DVEC", "3", {4, 0, 6});
    EXPECT_EQ(entries_of(load(ctx_, path_).matrix), (entry_map{{{0, 0}, 4}, {{1, 0}, 0}, {{2, 0}, 6}}));
    EXPECT_EQ(load_vector(ctx_, path_).form(), vector_form::dense);
}

TEST_F(hand_made, values_may_be_swapped_compressed_enumerated_or_all_the_same) {
    const std::string types = R"("indices_0": "int32", "indices_1": "int32", "values": )";
    const auto made = [&](const std::string& type, auto&& add) {
        hdf5_file file(path_);
        file.array<std::int32_t>("indices_0", {0, 0, 2}, H5T_STD_I32BE);
        file.array<std::int32_t>("indices_1", {1, 3, 0});
        add(file);
        file.descriptor(descriptor_of("COO", "3, 4", 3, types + '"' + type + '"'));
        return file.id();
    };
    const auto entries = [&] { return entries_of(load(ctx_, path_).matrix); };
    made("float64", [](hdf5_file& f) { f.array<double>("values", {5, 6, 7}, H5T_IEEE_F64BE); });
    EXPECT_EQ(entries(), expected);
    made("float32", [](hdf5_file& f) {
        const hid_t packed = H5Pcreate(H5P_DATASET_CREATE);
        const hsize_t chunk = 2;
        H5Pset_chunk(packed, 1, &chunk);
        H5Pset_shuffle(packed);
        H5Pset_deflate(packed, 6);
        H5Pset_fletcher32(packed);
        f.array<float>("values", {5, 6, 7}, 0, packed);
        H5Pclose(packed);
    });
    EXPECT_EQ(entries(), expected);
    made("bint8", [](hdf5_file& f) {
        const hid_t truth = H5Tenum_create(H5T_STD_I8LE);
        const std::int8_t no = 0, yes = 1;
        H5Tenum_insert(truth, "FALSE", &no);
        H5Tenum_insert(truth, "TRUE", &yes);
        const hsize_t count = 3;
        const hid_t space = H5Screate_simple(1, &count, nullptr);
        const hid_t set = H5Dcreate2(f.id(), "values", truth, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        const std::int8_t values[] = {1, 0, 1};
        H5Dwrite(set, truth, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
        H5Dclose(set);
        H5Sclose(space);
        H5Tclose(truth);
    });
    EXPECT_EQ(load(ctx_, path_).matrix.type(), dtype::boolean);
    EXPECT_EQ(entries(), (entry_map{{{0, 1}, 1}, {{0, 3}, 0}, {{2, 0}, 1}}));
    made("bint8", [](hdf5_file& f) { f.array<std::uint8_t>("values", {2, 0, 255}); });
    EXPECT_EQ(entries(), (entry_map{{{0, 1}, 1}, {{0, 3}, 0}, {{2, 0}, 1}})) << "what is not 0 is true";
    made("iso[int8]", [](hdf5_file& f) { f.array<std::int8_t>("values", {-7}); });
    EXPECT_EQ(load(ctx_, path_).matrix.values_held(), value_kind::iso);
    EXPECT_EQ(entries(), (entry_map{{{0, 1}, -7}, {{0, 3}, -7}, {{2, 0}, -7}}));
    made("iso[float32]", [](hdf5_file& f) { f.array<float>("values", {1}); });
    EXPECT_EQ(load(ctx_, path_).matrix.values_held(), value_kind::pattern);
}

TEST_F(hand_made, complex_values_are_refused_or_read_as_their_modulus) {
    const auto made = [&](const char* type, const std::vector<double>& values, std::string_view more = "") {
        hdf5_file file(path_);
        file.array<std::uint16_t>("indices_0", {1, 2});
        file.array<std::uint16_t>("indices_1", {0, 2});
        file.array("values", values);
        file.descriptor(descriptor_of(
            "COO", "3, 3", 2,
            R"("indices_0": "uint16", "indices_1": "uint16", "values": ")" + std::string(type) + '"', more));
    };
    const auto entries = [&] { return entries_of(load(ctx_, path_, {.complex_modulus = true}).matrix); };
    made("complex[float64]", {3, 4, 0, -2});
    EXPECT_EQ(entries(), (entry_map{{{1, 0}, 5}, {{2, 2}, 2}}));
    EXPECT_NE(refusal([&] { load(ctx_, path_); }).find("complex_modulus"), std::string::npos);
    made("iso[complex[float64]]", {3, 4});
    EXPECT_EQ(entries(), (entry_map{{{1, 0}, 5}, {{2, 2}, 5}}));
    const std::string hermitian = R"(, "structure": "hermitian_lower")",
                      skew = R"(, "structure": "skew_symmetric_lower")";
    for (const double diagonal : {-2.0, 0.0}) {
        made("complex[float64]", {3, 4, 0, diagonal}, diagonal != 0 ? hermitian : skew);
        EXPECT_EQ(entries(), (entry_map{{{1, 0}, 5}, {{0, 1}, 5}, {{2, 2}, std::abs(diagonal)}}));
        EXPECT_TRUE(load(ctx_, path_, {.complex_modulus = true}).declared_symmetric);
    }
    for (const char* const type : {"complex[float64]", "iso[complex[float64]]"}) {
        made(type, type[0] == 'i' ? std::vector<double>{0, 1} : std::vector<double>{3, 4, 0, -2}, skew);
        EXPECT_NE(refusal(entries).find("entry (2, 2) of a skew-symmetric matrix must be 0"),
                  std::string::npos);
    }
}

TEST_F(hand_made, a_value_without_a_negation_is_not_mirrored) {
    const auto made = [&](std::int8_t value, const char* structure) {
        hdf5_file file(path_);
        file.array<std::uint16_t>("indices_0", {1});
        file.array<std::uint16_t>("indices_1", {0});
        file.array<std::int8_t>("values", {value});
        file.descriptor(descriptor_of("COO", "3, 3", 1,
                                      R"("indices_0": "uint16", "indices_1": "uint16", "values": "int8")",
                                      R"(, "structure": ")" + std::string(structure) + '"'));
    };
    made(-128, "symmetric_lower");
    EXPECT_EQ(entries_of(load(ctx_, path_).matrix), (entry_map{{{1, 0}, -128}, {{0, 1}, -128}}));
    made(-127, "skew_symmetric_lower");
    EXPECT_EQ(entries_of(load(ctx_, path_).matrix), (entry_map{{{1, 0}, -127}, {{0, 1}, 127}}));
    made(-128, "skew_symmetric_lower");
    EXPECT_NE(
        refusal([&] { load(ctx_, path_); }).find("entry (1, 0) is -128, whose mirror does not fit int8"),
        std::string::npos);
}

TEST_F(hand_made, what_is_nested_deeply_is_refused_as_anything_else) {
    const std::string deep = std::string(100000, '[') + std::string(100000, ']');
    for (const char* const key : {"version", "format", "shape", "number_of_stored_values", "structure",
                                  "data_types", "index_base", "fill"}) {
        std::string members;
        for (const auto& [name, value] : std::map<std::string, std::string>{{"version", "\"0.1\""},
                                                                            {"format", "\"COO\""},
                                                                            {"shape", "[2, 2]"},
                                                                            {"number_of_stored_values", "0"},
                                                                            {"structure", "\"general\""},
                                                                            {"data_types", "{}"},
                                                                            {"index_base", "0"},
                                                                            {"fill", "false"}})
            members += (members.empty() ? "\"" : ", \"") + name + "\": " + (name == key ? deep : value);
        {
            hdf5_file file(path_);
            file.descriptor("{\"binsparse\": {" + members + "}}", true);
        }
        const bool ignored = key == std::string_view("fill");
        EXPECT_EQ(refusal([&] { load(ctx_, path_); }).find("[...]") == std::string::npos, ignored) << key;
    }
}

TEST_F(hand_made, structures_are_expanded) {
    const auto made = [&](const std::string& format, const std::string& structure, bool upper,
                          const char* type, const std::vector<double>& values) {
        hdf5_file file(path_);
        // (1, 0), (1, 1), (2, 1) or the mirror of these: by rows for the lower triangle, by columns for the upper one.
        file.array<std::int32_t>("pointers_to_1", {0, 0, 2, 3});
        file.array<std::int32_t>("indices_1", {0, 1, 1});
        file.array("values", values);
        file.descriptor(descriptor_of(
            format, "3, 3", 3,
            R"("pointers_to_1": "int32", "indices_1": "int32", "values": ")" + std::string(type) + '"',
            R"(, "structure": ")" + structure + (upper ? "_upper\"" : "_lower\"")));
    };
    for (const bool upper : {false, true}) {
        const char* const format = upper ? "CSC" : "CSR";
        made(format, "symmetric", upper, "float64", {1, 2, 3});
        const input in = load(ctx_, path_);
        EXPECT_TRUE(in.declared_symmetric);
        EXPECT_EQ(entries_of(in.matrix),
                  (entry_map{{{1, 0}, 1}, {{0, 1}, 1}, {{1, 1}, 2}, {{2, 1}, 3}, {{1, 2}, 3}}));
        made(format, "symmetric", upper, "iso[float64]", {4});
        EXPECT_EQ(entries_of(load(ctx_, path_).matrix),
                  (entry_map{{{1, 0}, 4}, {{0, 1}, 4}, {{1, 1}, 4}, {{2, 1}, 4}, {{1, 2}, 4}}));
        made(format, "skew_symmetric", upper, "float64", {1, 0, 3});
        EXPECT_FALSE(load(ctx_, path_).declared_symmetric);
        const double sign = upper ? -1 : 1;
        EXPECT_EQ(
            entries_of(load(ctx_, path_).matrix),
            (entry_map{
                {{1, 0}, sign}, {{0, 1}, -sign}, {{1, 1}, 0}, {{2, 1}, 3 * sign}, {{1, 2}, -3 * sign}}));
    }
}

TEST_F(hand_made, a_fill_value_of_0_and_arrays_that_are_not_there_for_no_entries_do_not_matter) {
    {
        hdf5_file file(path_);
        file.array<std::int32_t>("pointers_to_1", {0, 0, 0});
        file.array<float>("fill_value", {0});
        file.descriptor(descriptor_of("CSR", "2, 7", 0, R"("pointers_to_1": "int32", "values": "float32")",
                                      R"(, "fill": true, "index_base": 0)"));
    }
    const matrix a = load(ctx_, path_).matrix;
    EXPECT_EQ(a.nnz(), 0);
    EXPECT_EQ(a.columns(), 7);
    EXPECT_EQ(a.type(), dtype::float32);
}

TEST_F(hand_made, content_decides_where_the_suffix_does_not) {
    save(ctx_, matrix(ctx_, dtype::int8, 2, 2), folder_.path("m.bsp.h5"));
    std::filesystem::rename(folder_.path("m.bsp.h5"), folder_.path("m.bin"));
    EXPECT_EQ(load(ctx_, folder_.path("m.bin")).format, "binsparse");
}

}  // namespace
}  // namespace nz::test
