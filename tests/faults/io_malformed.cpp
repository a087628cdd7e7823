// Malformed files: each is refused with the file, the line and the reason.
#include "io/edge_list.hpp"
#include "io/matrix_market.hpp"
#include "io/npz.hpp"
#include "io/nzb.hpp"
#include "support/files.hpp"

#include <gtest/gtest.h>

namespace nz::test {
namespace {

struct malformed {
    std::string_view text, message;  // the message's begin, behind the file's name
};

std::string refusal_of(std::string_view text, int threads = 2) {
    const context ctx({.threads = threads, .memory_limit = std::size_t{64} << 20});
    return refusal([&] { io::matrix_market::read(ctx, bytes_of(text), "a.mtx", {}); });
}

#define BANNER "%%MatrixMarket matrix coordinate real general\n"

TEST(MalformedMatrixMarket, names_the_line_and_the_reason_in_the_header) {
    const malformed cases[] = {
        {"", "1: the file is empty"},
        {"\n\n", "2: the file is empty"},
        {"1 1 1\n", "1: a Matrix Market file begins with '%%MatrixMarket matrix ...', this one with '1 1 1'"},
        {"%%MatrixMarketing matrix coordinate real general\n", "1: a Matrix Market file begins with"},
        {"%%MatrixMarket matrix coordinate real\n", "1: the banner has 4 words"},
        {"%%MatrixMarket tensor coordinate real general\n",
         "1: the banner's object is 'tensor'; known are matrix, vector"},
        {"%%MatrixMarket matrix sparse real general\n", "1: the banner's format is 'sparse'"},
        {"%%MatrixMarket matrix coordinate quaternion general\n", "1: the banner's field is 'quaternion'"},
        {"%%MatrixMarket matrix coordinate real odd\n", "1: the banner's symmetry is 'odd'"},
        {"%%MatrixMarket matrix array pattern general\n", "1: an array has values, it cannot be 'pattern'"},
        {"%%MatrixMarket vector array real symmetric\n", "1: a vector cannot be 'symmetric'"},
        {"%%MatrixMarket matrix coordinate pattern skew-symmetric\n", "1: a pattern has no values"},
        {"%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n",
         "1: the values are complex numbers"},
        {BANNER "%%GraphBLAS type quad\n", "2: GraphBLAS type 'quad' is none"},
        {BANNER "% c\n", "2: the file ends before the line of sizes"},
        {BANNER "2 2\n", "2: the line of sizes must give rows, columns and entries (3), it has 2 words"},
        {BANNER "2 2 1 1\n", "2: the line of sizes must give"},
        {BANNER "2 two 1\n", "2: the number of columns is 'two', which is no integer"},
        {BANNER "-2 2 1\n", "2: the number of rows is -2, it cannot be negative"},
        {BANNER "2 2 -1\n", "2: the number of entries is -1, it cannot be negative"},
        {BANNER "2147483648 2 1\n",
         "2: the number of rows is 2147483648, the largest possible is 2147483647"},
        {BANNER "2 99999999999999999999 1\n",
         "2: the number of columns is 99999999999999999999, the largest possible is 2147483647"},
        {"%%MatrixMarket matrix coordinate real symmetric\n% c\n2 3 1\n",
         "3: a matrix of 2 rows and 3 columns is not square"},
    };
    for (const auto& [text, message] : cases)
        EXPECT_EQ(refusal_of(text).substr(0, 6 + message.size()), "a.mtx:" + std::string(message)) << text;
}

TEST(MalformedMatrixMarket, names_the_line_and_the_reason_among_the_entries) {
    const malformed cases[] = {
        {BANNER "2 2 1\n3 1 1\n", "3: row 3 is outside 1..2"},
        {BANNER "2 2 1\n0 1 1\n", "3: row 0 is outside 1..2"},
        {BANNER "2 2 1\n1 -1 1\n", "3: column -1 is outside 1..2"},
        {BANNER "2 2 1\n1 99999999999999999999999 1\n", "3: column 99999999999999999999999 is outside 1..2"},
        {BANNER "2 2 2\n1 1 1\n% c\n\n1 4294967297 1\n", "6: column 4294967297 is outside 1..2"},
        {BANNER "0 0 1\n1 1 1\n", "3: row 1 is outside the matrix, which has none"},
        {BANNER "2 2 1\n1\n", "3: the column is missing"},
        {BANNER "2 2 1\n1 1\n", "3: the value is missing"},
        {BANNER "2 2 1\n1 1 1 1\n", "3: '1' stands behind the entry"},
        {BANNER "2 2 1\n1 1 x\n", "3: the value 'x' is no number"},
        {BANNER "2 2 1\n1 1 1.5.2\n", "3: the value '1.5.2' is no number"},
        {BANNER "2 2 1\n1 1 0x10\n", "3: the value '0x10' is no number"},
        {BANNER "2 2 1\n1 1 1e\n", "3: the value '1e' is no number"},
        {BANNER "2 2 1\n1 1 --1\n", "3: the value '--1' is no number"},
        {BANNER "2 2 1\n1 1 1e400\n", "3: the value '1e400' does not fit float64"},
        {BANNER "2 2 1\n1.0 1 1\n", "3: the row '1.0' is no integer"},
        {BANNER "2 2 2\n1 1 1\n", "3: the file ends after 1 entries, line 2 declares 2"},
        {BANNER "2 2 1\n", "2: the file ends after 0 entries, line 2 declares 1"},
        {BANNER "2 2 1\n1 1 1\n% c\n2 2 2\n1 2 1\n", "5: one entry more than the 1 that line 2 declares"},
        {BANNER "2 2 0\n\n1 1 1\n", "4: one entry more than the 0 that line 2 declares"},
        {"%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 9223372036854775808\n",
         "3: the value '9223372036854775808' does not fit int64"},
        {"%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 -9223372036854775809\n",
         "3: the value '-9223372036854775809' does not fit int64"},
        {"%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1.5\n",
         "3: the value '1.5' is no integer"},
        {"%%MatrixMarket matrix coordinate integer general\n%%GraphBLAS type uint8_t\n1 1 1\n1 1 256\n",
         "4: the value '256' does not fit uint8"},
        {"%%MatrixMarket matrix coordinate integer general\n%%GraphBLAS type uint8_t\n1 1 1\n1 1 -1\n",
         "4: the value '-1' does not fit uint8"},
        {"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 1 1\n",
         "3: '1' stands behind the entry"},
        {"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 2 3\n",
         "3: entry (2, 2) of a skew-symmetric matrix must be 0"},
        {"%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n",
         "5: the file ends after 3 entries, line 2 declares 4"},
        {"%%MatrixMarket matrix array real general\n1 2\n1\n2\n3\n",
         "5: one entry more than the 2 that line 2 declares"},
        {"%%MatrixMarket matrix array real general\n1 2\n1 2\n", "3: '2' stands behind the entry"},
        {"%%MatrixMarket vector coordinate real general\n2 1\n3 1\n", "3: row 3 is outside 1..2"},
    };
    for (const auto& [text, message] : cases) {
        EXPECT_EQ(refusal_of(text), "a.mtx:" + std::string(message)) << text;
        EXPECT_EQ(refusal_of(gzipped(text)), "a.mtx:" + std::string(message)) << "gzip: " << text;
    }
}

TEST(MalformedMatrixMarket, shows_no_control_characters_of_the_file) {
    EXPECT_EQ(refusal_of(BANNER "2 2 1\n1 1 \x1b[31m\n"), "a.mtx:3: the value '?[31m' is no number");
}

TEST(MalformedMatrixMarket, names_the_first_fault_of_a_large_file_whatever_the_threads) {
    std::string text = BANNER "50000 50000 100000\n";
    for (int i = 0; i < 100000; ++i)
        text += i == 61234 || i == 61300 || i == 99000
                    ? "7 x 1\n"
                    : std::to_string(i / 2 + 1) + (i % 100 ? " 1 0.5\n" : " 2 0.5\n%\n");
    for (const int threads : {1, 2, 5}) {
        EXPECT_EQ(refusal_of(text, threads), "a.mtx:61850: the column 'x' is no integer");
        EXPECT_EQ(refusal_of(gzipped(text), threads), "a.mtx:61850: the column 'x' is no integer");
    }
}

TEST(MalformedMatrixMarket, allocates_nothing_for_sizes_that_the_data_does_not_prove) {
    const context ctx({.threads = 2, .memory_limit = std::size_t{4} << 20});
    const auto refused = [&](std::string_view text) {
        return refusal([&] { io::matrix_market::read(ctx, bytes_of(text), "a.mtx", {}); });
    };
    EXPECT_EQ(refused(BANNER "1000000000 1000000000 1000000000000000\n1 1 1\n"),
              "a.mtx:3: the file ends after 1 entries, line 2 declares 1000000000000000");
    EXPECT_EQ(refused("%%MatrixMarket matrix array real general\n2000000000 2000000000\n1\n"),
              "a.mtx:3: the file ends after 1 entries, line 2 declares 4000000000000000000");
    // Proved by nothing, but true to the format: the limit speaks.
    EXPECT_NE(refusal<out_of_memory>(
                  [&] { io::matrix_market::read(ctx, bytes_of(BANNER "2000000000 5 0\n"), "a.mtx", {}); }),
              "");
    EXPECT_EQ(ctx.bytes_in_use(), 0u);
}

TEST(MalformedGzip, says_where_the_data_ends_or_breaks) {
    std::string text = BANNER "20000 1 20000\n";
    for (int i = 1; i <= 20000; ++i)
        text += std::to_string(i) + " 1 0." + std::to_string(i * 7919 % 100003) + "\n";
    const std::string whole = gzipped(text);
    ASSERT_EQ(refusal_of(whole), "");
    EXPECT_NE(refusal_of(whole.substr(0, whole.size() / 2)).find("the gzip data is cut off"),
              std::string::npos);
    EXPECT_NE(refusal_of(whole.substr(0, whole.size() - 1)).find("the gzip data is cut off"),
              std::string::npos);
    EXPECT_NE(refusal_of(whole.substr(0, 5)).find("a.mtx:1: the gzip data is cut off"), std::string::npos);
    EXPECT_NE(refusal_of(whole + "tail").find("4 bytes that are no gzip data follow the stream"),
              std::string::npos);
    std::string damaged = whole;
    damaged[damaged.size() / 2] ^= 0x55;
    EXPECT_NE(refusal_of(damaged), "");
    damaged = whole;
    damaged[damaged.size() - 6] ^= 1;  // the checksum alone
    EXPECT_NE(refusal_of(damaged).find("the gzip data is damaged near byte"), std::string::npos);
    EXPECT_NE(
        refusal_of(gzipped(BANNER + std::string(3 << 20, ' '))).find("a.mtx:2: a line longer than a MiB"),
        std::string::npos);
}

TEST(MalformedEdgeList, names_the_line_and_the_reason) {
    using io::edge_list::ids;
    struct edge_case {
        std::string_view text;
        ids meaning;
        std::string_view message;
    };
    const edge_case cases[] = {
        {"# c\n", ids::names,
         "1: there are no edges in the file, so nothing says how many vertices it means"},
        {"1 2\n3\n", ids::names, "2: an edge is 'source target' or 'source target weight', this line is '3'"},
        {"1 2 3 4\n", ids::names,
         "1: an edge is 'source target' or 'source target weight', this line is '1 2 3 4'"},
        {"1,,2\n", ids::names, "1: the target '' is no integer"},
        {"1 2\n# c\n3 4 5\n", ids::names, "3: this line has 3 numbers, those before it have 2"},
        {"1 2 1\n3 4\n", ids::names, "2: this line has 2 numbers, those before it have 3"},
        {"a b\n", ids::names, "1: the source 'a' is no integer"},
        {"1 2.0\n", ids::names, "1: the target '2.0' is no integer"},
        {"1 99999999999999999999\n", ids::names, "1: the target 99999999999999999999 does not fit 64 bits"},
        {"1 2 heavy\n", ids::names, "1: the weight 'heavy' is no number"},
        {"1 2 1e999\n", ids::names, "1: the weight '1e999' does not fit float64"},
        {"0 1\n1 -2\n", ids::rows, "2: vertex -2 is outside 0..2147483646"},
        {"0 1\n\n1 2147483647\n", ids::rows, "3: vertex 2147483647 is outside 0..2147483646"},
        {"# nonzero vertices 2\n0 1\n2 0\n", ids::rows, "3: vertex 2 is outside 0..1"},
        {"# nonzero vertices 0\n0 1\n", ids::rows, "2: an edge, where the file is said to have no vertices"},
        {"# nonzero vertices many\n", ids::rows, "1: 'many' is no number of vertices"},
    };
    const context ctx({.threads = 2, .memory_limit = std::size_t{64} << 20});
    for (const auto& [text, meaning, message] : cases)
        EXPECT_EQ(refusal([&, text = text, meaning = meaning] {
                      io::edge_list::read(ctx, bytes_of(text), "e.txt", meaning, {});
                  }),
                  "e.txt:" + std::string(message))
            << text;
}

TEST(MalformedFiles, are_refused_by_name_and_content) {
    const context ctx;
    const temporary_folder folder;
    const auto refused = [&](const std::string& path) { return refusal([&] { load(ctx, path); }); };
    EXPECT_NE(refused(folder.path("none.mtx")).find("none.mtx: cannot be opened: No such file"),
              std::string::npos);
    EXPECT_NE(refused(folder.path("")).find("is a folder"), std::string::npos);
    EXPECT_NE(refused(folder.put("empty.mtx", "")).find("empty.mtx:1: the file is empty"), std::string::npos);
    EXPECT_NE(refused(folder.put("plain.mtx.gz", "%%MatrixMarket")).find("its content is no gzip data"),
              std::string::npos);
    EXPECT_NE(refused(folder.put("a.rb", "title\n")).find("Rutherford-Boeing files are not read"),
              std::string::npos);
    EXPECT_NE(refused(folder.put("a.xyz", "1 2\n")).find("the suffix '.xyz' names no format that is read"),
              std::string::npos);
    EXPECT_NE(refused(folder.put("numbers", "1 2\n")).find("a path without suffix names no format"),
              std::string::npos);
    EXPECT_NE(refused(folder.put("a.npz", "PK\x03\x04")).find("is no zip archive"), std::string::npos);
    EXPECT_NE(refused(folder.put("a.nzb", "none")).find("is no .nzb file"), std::string::npos);
}

TEST(MalformedFiles, nothing_half_written_stays) {
    const context ctx;
    const temporary_folder folder;
    const matrix wide(ctx, dtype::int8, 2, 3);
    EXPECT_NE(refusal<dimension_mismatch>([&] {
                  save(ctx, wide, folder.path("a.el"));
              }).find("2 rows and 3 columns"),
              std::string::npos);
    EXPECT_NE(refusal<domain_error>([&] {
                  save(ctx, wide, folder.path("a.xyz"));
              }).find("names no format that is written"),
              std::string::npos);
    EXPECT_NE(refusal<error>([&] { save(ctx, wide, folder.path("no/such/folder/a.mtx")); }), "");
    EXPECT_TRUE(folder.names().empty());
}

TEST(MalformedCache, every_damaged_byte_is_noticed) {
    const context ctx({.threads = 2, .memory_limit = std::size_t{16} << 20});
    const temporary_folder folder;
    const std::string text =
        "%%MatrixMarket matrix coordinate integer general\n4 5 6\n1 1 1\n2 5 2\n2 1 3\n4 4 4\n3 2 5\n1 3 6\n";
    save(ctx, io::matrix_market::read(ctx, bytes_of(text), "a", {}).matrix, folder.path("a.nzb"));
    const std::string whole = folder.content("a.nzb");
    const auto read = [&](std::string_view bytes) { io::nzb::read(ctx, bytes_of(bytes), "a.nzb", {}); };
    EXPECT_EQ(refusal([&] { read(whole); }), "");
    for (std::size_t k = 0; k < whole.size(); ++k)
        EXPECT_NE(refusal([&] { read(std::string_view(whole).substr(0, k)); }), "") << k;
    const auto accepted = entries_of(io::nzb::read(ctx, bytes_of(whole), "a.nzb", {}).matrix);
    for (std::size_t k = 0; k < whole.size(); ++k)
        for (int bit = 0; bit < 8; ++bit) {
            std::string damaged = whole;
            damaged[k] = static_cast<char>(damaged[k] ^ (1 << bit));
            // What pads the arrays is no content: such a file may be read, as the same matrix.
            try {
                EXPECT_EQ(entries_of(io::nzb::read(ctx, bytes_of(damaged), "a.nzb", {}).matrix), accepted)
                    << k;
            } catch (const invalid_format& e) {
                EXPECT_NE(std::string(e.what()).find("a.nzb"), std::string::npos);
            }
        }
    EXPECT_EQ(ctx.bytes_in_use(), 0u);
}

// A few thousand files with some bytes changed, cut out or doubled: a matrix that keeps its rules, or an error.
template <class Read>
void mutate(const std::string& seed, std::uint64_t random, Read&& read) {
    const auto next = [&](std::size_t below) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        return static_cast<std::size_t>(random >> 33) % std::max<std::size_t>(below, 1);
    };
    constexpr std::string_view alphabet = "0123456789 \t\r\n%#.,-+eEdDxNIinfa\xff";
    int refused = 0;
    for (int round = 0; round < 1500; ++round) {
        std::string text = seed;
        for (std::size_t change = 0; change <= next(4); ++change) {
            const std::size_t at = next(text.size());
            switch (next(5)) {
                case 0:
                    text[at] = static_cast<char>(text[at] ^ (1 << next(8)));
                    break;
                case 1:
                    text[at] = alphabet[next(alphabet.size())];
                    break;
                case 2:
                    text.erase(at, next(12));
                    break;
                case 3:
                    text.insert(at, text.substr(next(text.size()), next(12)));
                    break;
                default:
                    text.insert(at, 1, alphabet[next(alphabet.size())]);
                    break;
            }
            if (text.empty()) text = " ";
        }
        try {
            read(text);
        } catch (const error& e) {
            ++refused;
            EXPECT_FALSE(std::string(e.what()).empty());
        }
    }
    EXPECT_GT(refused, 0);
}

TEST(MutatedFiles, never_crash_a_reader_nor_make_an_invalid_matrix) {
    const context ctx({.threads = 2, .memory_limit = std::size_t{64} << 20});
    const temporary_folder folder;
    const read_options options{.complex_modulus = true};
    const auto market = [&](const std::string& text) {
        io::matrix_market::read(ctx, bytes_of(text), "a.mtx", options).matrix.validate();
    };
    mutate(BANNER "3 4 5\n1 1 1.5\n3 4 -2e-3\n% c\n2 2 1.0D+02\n1 1 nan\n3 1 12345678901234567890\n", 1,
           market);
    mutate(
        "%%MatrixMarket matrix coordinate integer symmetric\n%%GraphBLAS type int32_t\n4 4 3\n1 1 7\n3 2 -44\n4 1 123456789\n",
        2, market);
    mutate("%%MatrixMarket matrix array complex skew-symmetric\r\n3 3\r\n1 2\r\n3 4\r\n5 6\r\n", 3, market);
    mutate(gzipped(BANNER "3 3 2\n1 1 1\n2 2 2\n"), 4, market);
    const auto edges = [&](const std::string& text) {
        io::edge_list::read(ctx, bytes_of(text), "e.txt", io::edge_list::ids::names, {}).matrix.validate();
        io::edge_list::read(ctx, bytes_of(text), "e.el", io::edge_list::ids::rows, {.symmetrize = true})
            .matrix.validate();
    };
    mutate("# c\n1\t2\t0.5\n7 3 4\n100,5,6\n% c\n3 3 -1\n", 5, edges);
    const matrix a =
        io::matrix_market::read(ctx, bytes_of(BANNER "3 4 4\n1 1 1\n2 2 2\n3 4 3\n1 2 9\n"), "a", {}).matrix;
    save(ctx, a, folder.path("a.npz"));
    save(ctx, a, folder.path("a.nzb"));
    mutate(folder.content("a.npz"), 6, [&](const std::string& bytes) {
        io::npz::read(ctx, bytes_of(bytes), "a.npz", options).matrix.validate();
    });
    mutate(folder.content("a.nzb"), 7, [&](const std::string& bytes) {
        io::nzb::read(ctx, bytes_of(bytes), "a.nzb", options).matrix.validate();
    });
}

}  // namespace
}  // namespace nz::test
