// Edge lists of both kinds, by hand.
#include "io/edge_list.hpp"
#include "support/files.hpp"

#include <gtest/gtest.h>

namespace nz::test {
namespace {

using io::edge_list::ids;

input read_text(std::string_view text, ids meaning, const read_options& options = {}) {
    const context ctx({.threads = 2});
    input in = io::edge_list::read(ctx, bytes_of(text), "a.txt", meaning, options);
    in.matrix.validate();
    return in;
}

TEST(EdgeList, numbers_rows_from_0_up_to_the_largest) {
    const input in = read_text("0 1\n4 2\n0 1\n", ids::rows);
    EXPECT_EQ(in.matrix.rows(), 5);
    EXPECT_EQ(in.matrix.columns(), 5);
    EXPECT_EQ(in.format, "edge list");
    EXPECT_TRUE(in.original_ids.empty());
    EXPECT_EQ(in.matrix.values_held(), value_kind::pattern);
    EXPECT_EQ(entries_of(in.matrix), (entry_map{{{0, 1}, 1}, {{4, 2}, 1}}));
}

TEST(EdgeList, has_as_many_rows_as_its_comment_says) {
    for (const index_t n : {0, 3}) {
        const input in = read_text("# nonzero vertices " + std::to_string(n) + "\n", ids::rows);
        EXPECT_EQ(in.matrix.rows(), n);
        EXPECT_EQ(in.matrix.nnz(), 0);
    }
}

TEST(EdgeList, keeps_the_first_weight_of_a_repeated_edge) {
    const input in = read_text("0 1 7\n1 0 3\n0 1 9\n", ids::rows);
    EXPECT_EQ(in.matrix.type(), dtype::int64);
    EXPECT_EQ(entries_of(in.matrix), (entry_map{{{0, 1}, 7}, {{1, 0}, 3}}));
}

TEST(EdgeList, makes_all_weights_real_when_one_is) {
    const input in = read_text("0 1 7\n1 0 0.5\n1 1 3\n", ids::rows);
    EXPECT_EQ(in.matrix.type(), dtype::float64);
    EXPECT_EQ(entries_of(in.matrix), (entry_map{{{0, 1}, 7}, {{1, 0}, .5}, {{1, 1}, 3}}));
}

TEST(EdgeList, stores_both_directions_on_request) {
    for (const std::string_view text :
         {"0 1 7\n2 1 5\n2 2 1\n", "2 1 5\n1 0 7\n0 1 7\n0 1 9\n2 2 1\n2 2 4\n"}) {
        const input in = read_text(text, ids::rows, {.symmetrize = true});
        EXPECT_TRUE(in.declared_symmetric);
        EXPECT_EQ(entries_of(in.matrix),
                  (entry_map{{{0, 1}, 7}, {{1, 0}, 7}, {{1, 2}, 5}, {{2, 1}, 5}, {{2, 2}, 1}}));
    }
    const input pattern = read_text("0 1\n1 0\n2 1\n2 2\n", ids::rows, {.symmetrize = true});
    EXPECT_TRUE(pattern.declared_symmetric);
    EXPECT_EQ(entries_of(pattern.matrix),
              (entry_map{{{0, 1}, 1}, {{1, 0}, 1}, {{1, 2}, 1}, {{2, 1}, 1}, {{2, 2}, 1}}));
}

TEST(EdgeList, a_direction_that_is_there_keeps_its_weight_whatever_the_order_of_lines) {
    for (const std::string_view text : {"0 1 7\n1 0 3\n2 1 5\n", "1 0 3\n2 1 5\n0 1 7\n"}) {
        const input in = read_text(text, ids::rows, {.symmetrize = true});
        EXPECT_FALSE(in.declared_symmetric);
        EXPECT_EQ(entries_of(in.matrix), (entry_map{{{0, 1}, 7}, {{1, 0}, 3}, {{1, 2}, 5}, {{2, 1}, 5}}));
    }
    std::string large;
    entry_map expected;
    for (int k = 0; k < 60000; ++k) {
        const int i = k * 7 % 60000, j = (k * 11 + 5) % 60000;
        large += std::to_string(i) + ' ' + std::to_string(j) + ' ' + std::to_string(k) + '\n';
        expected.insert({{i, j}, static_cast<double>(k)});
    }
    for (const auto& [at, weight] : entry_map(expected)) expected.insert({{at.second, at.first}, weight});
    EXPECT_EQ(entries_of(read_text(large, ids::rows, {.symmetrize = true}).matrix), expected);
}

TEST(EdgeList, names_the_first_of_several_faults) {
    const auto refused = [](const std::string& text) { return refusal([&] { read_text(text, ids::rows); }); };
    EXPECT_EQ(refused("0 1\n1 -2\n1 -3\n"), "a.txt:2: vertex -2 is outside 0..2147483646");
    EXPECT_EQ(refused("0 1\n1 2147483647\n1 x\n"), "a.txt:2: vertex 2147483647 is outside 0..2147483646");
    std::string many;
    for (int k = 0; k < 100000; ++k) many += k >= 40000 ? "0 1 5\n" : "0 1\n";
    const std::string expected = "a.txt:40001: this line has 3 numbers, those before it have 2";
    EXPECT_EQ(refused(many), expected);
    EXPECT_EQ(refused(many + "0 x 5\n"), expected);
}

TEST(EdgeList, takes_comments_blanks_tabs_commas_and_every_line_end) {
    const entry_map expected{{{0, 1}, 1}, {{2, 3}, 1}};
    for (const std::string_view text : {"# c\n0\t1\n2\t3\n", "% c\n\n0 1\n  \n 2  3 \n", "0,1\r\n2,3\r\n",
                                        "0 , 1\n2, 3", "# a\n0 1\n# b\n2 3\n#"})
        EXPECT_EQ(entries_of(read_text(text, ids::names).matrix), expected) << text;
}

TEST(EdgeList, leaves_dense_names_alone) {
    const input in = read_text("1 2\n2 3\n3 1\n", ids::names);
    EXPECT_EQ(in.matrix.rows(), 4);
    EXPECT_TRUE(in.original_ids.empty());
}

TEST(EdgeList, numbers_scattered_names_in_ascending_order) {
    const input in = read_text("1000 5\n5 70\n", ids::names);
    EXPECT_EQ(in.original_ids, (std::vector<std::int64_t>{5, 70, 1000}));
    EXPECT_EQ(entries_of(in.matrix), (entry_map{{{2, 0}, 1}, {{0, 1}, 1}}));
}

TEST(EdgeList, numbers_negative_and_enormous_names) {
    const input in = read_text("-9223372036854775808 9223372036854775807 2\n0 -7 1\n", ids::names);
    EXPECT_EQ(in.original_ids, (std::vector<std::int64_t>{INT64_MIN, -7, 0, INT64_MAX}));
    EXPECT_EQ(entries_of(in.matrix), (entry_map{{{0, 3}, 2}, {{2, 1}, 1}}));
    const input near = read_text("-3 -1\n-1 -2\n", ids::names);
    EXPECT_EQ(near.original_ids, (std::vector<std::int64_t>{-3, -2, -1}));
    EXPECT_EQ(entries_of(near.matrix), (entry_map{{{0, 2}, 1}, {{2, 1}, 1}}));
}

TEST(EdgeList, agrees_on_weights_between_blocks) {
    std::string text;
    for (int i = 0; i < 40000; ++i)
        text += std::to_string(i) + " " + std::to_string((i * 7) % 40000) + " " +
                (i == 39000 ? "0.25" : "2") + "\n";
    const input in = read_text(text, ids::names);
    EXPECT_EQ(in.matrix.type(), dtype::float64);
    EXPECT_EQ(in.matrix.nnz(), 40000);
    EXPECT_EQ(in.matrix.get(0, 0)->get<double>(), 2);
    EXPECT_EQ(in.matrix.get(39000, 39000 * 7 % 40000)->get<double>(), 0.25);
    EXPECT_EQ(entries_of(in.matrix), entries_of(read_text(gzipped(text), ids::rows).matrix));
}

}  // namespace
}  // namespace nz::test
