// Every variant of Matrix Market, by hand.
#include "io/matrix_market.hpp"
#include "support/files.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <thread>

namespace nz::test {
namespace {

input read_text(std::string_view text, const read_options& options = {}, int threads = 2) {
    const context ctx({.threads = threads});
    input in = io::matrix_market::read(ctx, bytes_of(text), "a.mtx", options);
    in.matrix.validate();
    return in;
}

struct shape {
    offset_t rows, columns, nnz;
    friend bool operator==(const shape&, const shape&) = default;
};
shape shape_of(const matrix& a) { return {a.rows(), a.columns(), a.nnz()}; }

const std::string coordinate_real = "%%MatrixMarket matrix coordinate real general\n";

TEST(MatrixMarket, reads_real_coordinates_in_any_order) {
    const input in = read_text(coordinate_real + "% a comment\n3 4 4\n3 1 -2.5\n1 4 1e3\n1 1 .5\n2 2 7.\n");
    EXPECT_EQ(shape_of(in.matrix), (shape{3, 4, 4}));
    EXPECT_EQ(in.matrix.type(), dtype::float64);
    EXPECT_EQ(in.format, "matrix market");
    EXPECT_FALSE(in.declared_symmetric);
    EXPECT_EQ(entries_of(in.matrix), (entry_map{{{0, 0}, .5}, {{0, 3}, 1000}, {{1, 1}, 7}, {{2, 0}, -2.5}}));
}

TEST(MatrixMarket, reads_integers_as_int64) {
    const input in = read_text(
        "%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 -9223372036854775808\n2 2 9223372036854775807\n");
    EXPECT_EQ(in.matrix.type(), dtype::int64);
    EXPECT_EQ(in.matrix.get(0, 0)->get<std::int64_t>(), std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(in.matrix.get(1, 1)->get<std::int64_t>(), std::numeric_limits<std::int64_t>::max());
}

TEST(MatrixMarket, reads_unsigned_integers_as_uint64) {
    const input in = read_text(
        "%%MatrixMarket matrix coordinate unsigned-integer general\n1 1 1\n1 1 18446744073709551615\n");
    EXPECT_EQ(in.matrix.type(), dtype::uint64);
    EXPECT_EQ(in.matrix.get(0, 0)->get<std::uint64_t>(), std::numeric_limits<std::uint64_t>::max());
}

TEST(MatrixMarket, reads_a_pattern_without_values) {
    const input in = read_text("%%MatrixMarket matrix coordinate pattern general\n2 3 3\n1 3\n2 1\n1 3\n");
    EXPECT_EQ(in.matrix.type(), dtype::boolean);
    EXPECT_EQ(in.matrix.values_held(), value_kind::pattern);
    EXPECT_EQ(entries_of(in.matrix), (entry_map{{{0, 2}, 1}, {{1, 0}, 1}}));
}

TEST(MatrixMarket, sums_repeated_entries) {
    const input in = read_text(coordinate_real + "2 2 4\n1 1 1\n2 1 5\n1 1 2.5\n1 1 -1\n");
    EXPECT_EQ(entries_of(in.matrix), (entry_map{{{0, 0}, 2.5}, {{1, 0}, 5}}));
}

TEST(MatrixMarket, keeps_explicit_zeros) {
    EXPECT_EQ(entries_of(read_text(coordinate_real + "1 2 1\n1 2 0\n").matrix), (entry_map{{{0, 1}, 0}}));
}

TEST(MatrixMarket, expands_symmetric_files_and_declares_them) {
    const input in =
        read_text("%%MatrixMarket matrix coordinate integer symmetric\n3 3 4\n1 1 1\n2 1 2\n3 1 3\n3 2 4\n");
    EXPECT_TRUE(in.declared_symmetric);
    EXPECT_EQ(
        entries_of(in.matrix),
        (entry_map{
            {{0, 0}, 1}, {{0, 1}, 2}, {{0, 2}, 3}, {{1, 0}, 2}, {{1, 2}, 4}, {{2, 0}, 3}, {{2, 1}, 4}}));
}

TEST(MatrixMarket, mirrors_entries_of_either_triangle) {
    const input in = read_text("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n1 2\n3 1\n");
    EXPECT_EQ(entries_of(in.matrix), (entry_map{{{0, 1}, 1}, {{1, 0}, 1}, {{0, 2}, 1}, {{2, 0}, 1}}));
}

TEST(MatrixMarket, gives_the_lines_memory_back_before_the_matrix_takes_its_own) {
    std::string text = "%%MatrixMarket matrix coordinate integer symmetric\n100000 100000 600000\n";
    for (int k = 0; k < 600000; ++k) {  // no pair twice, in no order
        const int i = static_cast<int>(k * std::int64_t{7919} % 100000),
                  j = (i + 1 + k / 100000 * 1000) % 100000;
        text += std::to_string(std::max(i, j) + 1) + " " + std::to_string(std::min(i, j) + 1) + " 3\n";
    }
    const context ctx({.backend = backend::cpu, .threads = 2});
    const input in = io::matrix_market::read(ctx, bytes_of(text), "a.mtx", {});
    EXPECT_EQ(in.matrix.nnz(), 1200000);
    // 16 bytes an entry that is dealt beside the lines in slabs (2.9 times the matrix, 2.3 for large files); with the matrix beside them it is more than 3.5.
    EXPECT_LT(static_cast<double>(ctx.peak_bytes()) / static_cast<double>(ctx.bytes_in_use()), 3.2);
}

TEST(MatrixMarket, negates_the_mirror_of_skew_symmetric_files) {
    const input in =
        read_text("%%MatrixMarket matrix coordinate integer skew-symmetric\n3 3 3\n2 1 5\n3 2 -7\n2 2 0\n");
    EXPECT_FALSE(in.declared_symmetric);
    EXPECT_EQ(entries_of(in.matrix),
              (entry_map{{{0, 1}, -5}, {{1, 0}, 5}, {{1, 1}, 0}, {{1, 2}, 7}, {{2, 1}, -7}}));
}

TEST(MatrixMarket, reads_a_real_hermitian_file_as_symmetric) {
    const input in = read_text("%%MatrixMarket matrix coordinate real hermitian\n2 2 1\n2 1 5\n");
    EXPECT_TRUE(in.declared_symmetric);
    EXPECT_EQ(entries_of(in.matrix), (entry_map{{{0, 1}, 5}, {{1, 0}, 5}}));
}

TEST(MatrixMarket, reads_the_modulus_of_complex_values_on_request) {
    const std::string text =
        "%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 -2 0\n2 1 3 -4\n";
    const input in = read_text(text, {.complex_modulus = true});
    EXPECT_EQ(entries_of(in.matrix), (entry_map{{{0, 0}, 2}, {{0, 1}, 5}, {{1, 0}, 5}}));
    EXPECT_EQ(in.matrix.type(), dtype::float64);
}

TEST(MatrixMarket, reads_arrays_by_columns_with_their_zeros) {
    const input in = read_text("%%MatrixMarket matrix array real general\n2 3\n1\n2\n0\n4\n5\n6\n");
    EXPECT_EQ(entries_of(in.matrix),
              (entry_map{{{0, 0}, 1}, {{1, 0}, 2}, {{0, 1}, 0}, {{1, 1}, 4}, {{0, 2}, 5}, {{1, 2}, 6}}));
}

TEST(MatrixMarket, reads_the_lower_triangle_of_symmetric_arrays) {
    const input in = read_text("%%MatrixMarket matrix array integer symmetric\n3 3\n1\n2\n3\n4\n5\n6\n");
    EXPECT_EQ(entries_of(in.matrix), (entry_map{{{0, 0}, 1},
                                                {{1, 0}, 2},
                                                {{2, 0}, 3},
                                                {{0, 1}, 2},
                                                {{1, 1}, 4},
                                                {{2, 1}, 5},
                                                {{0, 2}, 3},
                                                {{1, 2}, 5},
                                                {{2, 2}, 6}}));
}

TEST(MatrixMarket, reads_skew_symmetric_arrays_without_the_diagonal) {
    const input in = read_text("%%MatrixMarket matrix array integer skew-symmetric\n3 3\n2\n3\n5\n");
    EXPECT_EQ(entries_of(in.matrix),
              (entry_map{{{1, 0}, 2}, {{2, 0}, 3}, {{2, 1}, 5}, {{0, 1}, -2}, {{0, 2}, -3}, {{1, 2}, -5}}));
}

TEST(MatrixMarket, reads_vectors_as_one_column) {
    const input sparse = read_text("%%MatrixMarket vector coordinate real general\n4 2\n2 1.5\n4 -3\n");
    EXPECT_EQ(shape_of(sparse.matrix), (shape{4, 1, 2}));
    EXPECT_EQ(entries_of(sparse.matrix), (entry_map{{{1, 0}, 1.5}, {{3, 0}, -3}}));
    EXPECT_EQ(entries_of(read_text("%%MatrixMarket vector array integer general\n2\n7\n8\n").matrix),
              (entry_map{{{0, 0}, 7}, {{1, 0}, 8}}));
}

TEST(MatrixMarket, forgives_blanks_comments_line_ends_and_case) {
    const entry_map expected{{{0, 0}, 1}, {{1, 1}, 2}};
    const std::string_view spellings[] = {
        "%%matrixmarket MATRIX Coordinate REAL General\n2 2 2\n1 1 1\n2 2 2\n",
        "%%MatrixMarket matrix coordinate real general\r\n% c\r\n2 2 2\r\n1 1 1\r\n2 2 2\r\n",
        "%%MatrixMarket matrix coordinate real general\n\n%c\n  \n2 2 2\n\n1 1 1\n\n\n2 2 2\n\n\n",
        "%%MatrixMarket matrix coordinate real general\n\t2  2\t2 \n 1\t1  1 \n\t2 2 2\t\n",
        "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 2",
        "%%MatrixMarket matrix coordinate real general\r\n2 2 2\r\n1 1 1\r\n2 2 2\r",
        "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n% between\n2 2 2\n% behind",
        "%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 2\n",
        "   %%MatrixMarket matrix coordinate double general\n2 2 2\n1 1 1\n2 2 2\n",
        "\xef\xbb\xbf%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 2\n",
        "%%MatrixMarket matrix coordinate real general\n2 2 2\n+1 +1 +1\n2 2 +2.0\n"};
    for (const std::string_view text : spellings)
        for (const std::string& bytes : {std::string(text), gzipped(text)})
            EXPECT_EQ(entries_of(read_text(bytes).matrix), expected) << text;
}

TEST(MatrixMarket, reads_every_spelling_of_a_real) {
    const std::pair<const char*, double> spellings[] = {
        {"1.0D+00", 1},
        {"2.5d1", 25},
        {"-1.5E-3", -1.5e-3},
        {"+3.25", 3.25},
        {"0.1", 0.1},
        {"123456789012345678901234567890", 123456789012345678901234567890.0},
        {"0.30000000000000004", 0.30000000000000004},
        {"2.2250738585072014e-308", 2.2250738585072014e-308},
        {"4.9406564584124654e-324", 4.9406564584124654e-324},
        {"1e-400", 0},
        {"-1e-999999999999", 0},
        {"0.01e-9223372036854775807", 0},
        {"0e9223372036854775807", 0},
        {"1.7976931348623157e308", 1.7976931348623157e308},
        {"9007199254740993", 9007199254740992},
        {"1e23", 1e23},
        {"8.41e22", 8.41e22},
        {"inf", std::numeric_limits<double>::infinity()},
        {"-Infinity", -std::numeric_limits<double>::infinity()}};
    for (const auto& [text, value] : spellings)
        EXPECT_EQ(read_text(coordinate_real + "1 1 1\n1 1 " + text + "\n").matrix.get(0, 0)->get<double>(),
                  value)
            << text;
    EXPECT_TRUE(std::isnan(read_text(coordinate_real + "1 1 1\n1 1 NaN\n").matrix.get(0, 0)->get<double>()));
}

TEST(MatrixMarket, refuses_reals_beyond_float64_whatever_their_exponent) {
    for (const std::string text : {"1e400", "10e9223372036854775807", "-10e9223372036854775807",
                                   "1e99999999999999999999", "10d+9223372036854775807"})
        EXPECT_EQ(refusal([&] { read_text(coordinate_real + "1 1 1\n1 1 " + text + "\n"); }),
                  "a.mtx:3: the value '" + text + "' does not fit float64");
}

TEST(MatrixMarket, refuses_smallest_integers_whose_mirror_would_not_fit) {
    const std::string_view type = "%%GraphBLAS type int8_t\n";
    const auto text = [&](std::string_view format, std::string_view symmetry, std::string_view entries) {
        return "%%MatrixMarket matrix " + std::string(format) + " integer " + std::string(symmetry) + "\n" +
               std::string(type) + std::string(entries);
    };
    EXPECT_EQ(refusal([&] { read_text(text("coordinate", "skew-symmetric", "2 2 1\n2 1 -128\n")); }),
              "a.mtx:4: the value -128 has a mirror that does not fit int8");
    EXPECT_EQ(refusal([&] { read_text(text("array", "skew-symmetric", "2 2\n-128\n")); }),
              "a.mtx:4: the value -128 has a mirror that does not fit int8");
    EXPECT_EQ(entries_of(read_text(text("coordinate", "skew-symmetric", "2 2 1\n2 1 -127\n")).matrix),
              (entry_map{{{1, 0}, -127}, {{0, 1}, 127}}));
    EXPECT_EQ(entries_of(read_text(text("coordinate", "symmetric", "2 2 1\n2 1 -128\n")).matrix),
              (entry_map{{{1, 0}, -128}, {{0, 1}, -128}}));
}

TEST(MatrixMarket, skew_symmetric_complex_files_have_no_diagonal_either) {
    const std::string text = "%%MatrixMarket matrix coordinate complex skew-symmetric\n2 2 2\n2 1 3 4\n";
    EXPECT_EQ(refusal([&] { read_text(text + "2 2 0 1\n", {.complex_modulus = true}); }),
              "a.mtx:4: entry (2, 2) of a skew-symmetric matrix must be 0");
    EXPECT_EQ(entries_of(read_text(text + "2 2 0 0\n", {.complex_modulus = true}).matrix),
              (entry_map{{{1, 0}, 5}, {{0, 1}, 5}, {{1, 1}, 0}}));
}

TEST(MatrixMarket, names_the_first_of_several_faults) {
    for (const int threads : {1, 4}) {
        const auto refused = [&](const std::string& text) {
            return refusal([&] { read_text(text, {}, threads); });
        };
        EXPECT_EQ(refused(coordinate_real + "2 2 1\n1 1 1\n1 2 1\n1 x 1\n"),
                  "a.mtx:4: one entry more than the 1 that line 2 declares");
        EXPECT_EQ(refused(coordinate_real + "2 2 1\n1 1 1\n1 x 1\n1 2 1\n"),
                  "a.mtx:4: the column 'x' is no integer");
        std::string many = coordinate_real + "9 9 99999\n";
        for (int k = 0; k < 200000; ++k) many += k == 150000 ? "1 10 1\n" : "1 1 1\n";
        EXPECT_EQ(refused(many), "a.mtx:100002: one entry more than the 99999 that line 2 declares");
    }
}

TEST(MatrixMarket, takes_the_type_from_a_graphblas_comment) {
    const auto type_of = [](std::string_view field, std::string_view type, std::string_view value) {
        return read_text("%%MatrixMarket matrix coordinate " + std::string(field) +
                         " general\n%%GraphBLAS type " + std::string(type) + "\n1 1 1\n1 1 " +
                         std::string(value) + "\n")
            .matrix.type();
    };
    EXPECT_EQ(type_of("integer", "int8_t", "-128"), dtype::int8);
    EXPECT_EQ(type_of("integer", "uint64_t", "18446744073709551615"), dtype::uint64);
    EXPECT_EQ(type_of("integer", "bool", "1"), dtype::boolean);
    EXPECT_EQ(type_of("real", "float", "1.5"), dtype::float32);
    EXPECT_EQ(type_of("integer", "double", "3"), dtype::float64);
    EXPECT_EQ(type_of("pattern", "int32_t", ""), dtype::int32);
}

TEST(MatrixMarket, rounds_to_float32_once) {
    // Halfway between two floats by less than a double can tell: through double it would round down.
    const input in = read_text(
        "%%MatrixMarket matrix coordinate real general\n%%GraphBLAS type float\n1 1 1\n1 1 1.00000017881393432617187499\n");
    EXPECT_EQ(in.matrix.get(0, 0)->get<float>(), 1.00000017881393432617187499f);
}

TEST(MatrixMarket, reads_matrices_without_entries_rows_or_columns) {
    EXPECT_EQ(shape_of(read_text(coordinate_real + "3 4 0\n").matrix), (shape{3, 4, 0}));
    EXPECT_EQ(shape_of(read_text(coordinate_real + "0 4 0").matrix), (shape{0, 4, 0}));
    EXPECT_EQ(shape_of(read_text("%%MatrixMarket matrix array real general\n0 0\n").matrix),
              (shape{0, 0, 0}));
    EXPECT_EQ(shape_of(read_text("%%MatrixMarket matrix array integer skew-symmetric\n1 1\n").matrix),
              (shape{1, 1, 0}));
}

// A file of many blocks, as each number of threads reads it.
std::string large_file(index_t n) {
    std::string text = "%%MatrixMarket matrix coordinate integer symmetric\n% comment\n" + std::to_string(n) +
                       " " + std::to_string(n) + " " + std::to_string(2 * n - 1) + "\n";
    std::uint64_t random = 1;
    for (index_t i = 1; i <= n; ++i) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        if (i > 1)
            text += std::to_string(i) + " " + std::to_string(random % static_cast<std::uint64_t>(i - 1) + 1) +
                    " " + std::to_string(random >> 50) + "\n";
        text += std::to_string(i) + "  " + std::to_string(i) + "\t-1\r\n";
    }
    return text;
}

TEST(MatrixMarket, gives_the_same_matrix_for_every_number_of_threads_and_through_gzip) {
    const std::string text = large_file(60000);
    const input one = read_text(text, {}, 1), four = read_text(text, {}, 4);
    EXPECT_EQ(one.matrix.nnz(), 60000 + 2 * 59999);
    EXPECT_EQ(entries_of(one.matrix), entries_of(four.matrix));
    EXPECT_EQ(entries_of(one.matrix), entries_of(read_text(gzipped(text), {}, 4).matrix));
    // Several streams in one file, as parallel compressors write them, and padding.
    const std::string members =
        gzipped(text.substr(0, 700001)) + gzipped("") + gzipped(text.substr(700001)) + std::string(512, '\0');
    EXPECT_EQ(entries_of(one.matrix), entries_of(read_text(members, {}, 2).matrix));
}

TEST(MatrixMarket, reports_progress_from_the_calling_thread) {
    const std::string text = large_file(60000);
    std::vector<double> seen;
    const auto caller = std::this_thread::get_id();
    bool elsewhere = false;
    read_text(text, {.progress = [&](double share) {
                  seen.push_back(share);
                  elsewhere |= std::this_thread::get_id() != caller;
              }});
    ASSERT_FALSE(seen.empty());
    EXPECT_FALSE(elsewhere);
    for (const double share : seen) EXPECT_TRUE(share >= 0 && share <= 1) << share;
    EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
}

}  // namespace
}  // namespace nz::test
