// Inputs and requests that cannot be served: one line, the right status, nothing half-written.
#include "run_nz.hpp"

namespace nz::test {
namespace {

class bad_input : public command_line {};

constexpr std::string_view outside =
    "%%MatrixMarket matrix coordinate real general\n% comment\n2 2 2\n1 1 1\n3 1 1\n";

TEST_F(bad_input, a_missing_file_is_named) {
    for (const auto* verb : {"info", "bfs", "spmv", "spmspv"})
        expect_refused({verb, "nowhere.mtx"}, 2, {"nowhere.mtx"});
    expect_refused({"bfs", "nowhere.mtx", "--json"}, 2, {"nowhere.mtx"});
}

TEST_F(bad_input, a_folder_is_no_input) { expect_refused({"info", "."}, 2, {"folder"}); }

TEST_F(bad_input, a_malformed_file_is_refused_with_file_and_line) {
    write("outside.mtx", outside);
    expect_refused({"info", "outside.mtx"}, 2, {"outside.mtx:5: "});
    expect_refused({"bfs", "outside.mtx", "--json"}, 2, {"outside.mtx:5: "});
    write("word.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 two 3.5\n");
    expect_refused({"info", "word.mtx"}, 2, {"word.mtx:3: "});
    write("short.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 3.5\n");
    expect_refused({"info", "short.mtx"}, 2, {"short.mtx"});
}

TEST_F(bad_input, an_unreadable_format_is_refused) {
    write("picture.mtx", std::string_view("\x89PNG\r\n\x1a\n\0\0\0", 11));
    expect_refused({"info", "picture.mtx"}, 2, {"picture.mtx"});
    write("empty.mtx", "");
    expect_refused({"info", "empty.mtx"}, 2, {"empty.mtx"});
}

TEST_F(bad_input, complex_values_are_refused_unless_their_modulus_is_asked_for) {
    write("z.mtx", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 3 4\n");
    expect_refused({"info", "z.mtx"}, 2, {"z.mtx", "complex"});
    EXPECT_EQ(nz({"info", "z.mtx", "--complex-modulus"}).status, 0);
}

TEST_F(bad_input, absurd_sizes_are_refused_without_allocating_them) {
    write("huge.mtx", "%%MatrixMarket matrix coordinate real general\n10 10 1000000000000\n1 1 1\n");
    const outcome run = nz({"info", "huge.mtx", "--memory-limit", "64M"});
    EXPECT_TRUE(run.status == 1 || run.status == 2) << run.status << run.err;
    EXPECT_TRUE(run.err.starts_with("nz: ")) << run.err;
}

TEST_F(bad_input, a_generator_with_wrong_arguments_is_wrong_usage) {
    expect_refused({"info", "rmat:"}, 2, {"rmat"});
    expect_refused({"info", "grid2d:many"}, 2, {"grid2d"});
    expect_refused({"info", "random:10"}, 2, {"PER_ROW"});
}

TEST_F(bad_input, a_source_outside_the_graph_is_wrong_usage) {
    for (const auto* source : {"9", "-1", "5000000000"})
        expect_refused({"bfs", "grid2d:3", "--source", source}, 2, {source, "the graph has 9 vertices"});
    expect_refused({"bfs", "grid2d:3", "--source", "0", "--source", "9"}, 2, {"9"});
    expect_refused({"bfs", "grid2d:3", "--source", "one"}, 2, {"--source"});
}

TEST_F(bad_input, an_id_that_no_vertex_has_is_wrong_usage) {
    write("graph.txt", "# from to\n1000 2000\n2000 3000\n");
    expect_refused({"bfs", "graph.txt", "--source", "0"}, 2, {"source 0 is not a vertex"});
}

TEST_F(bad_input, a_graph_needs_a_square_matrix_with_vertices) {
    expect_refused({"bfs", "dense:2,3"}, 2, {"2 x 3", "square"});
    expect_refused({"info", "dense:2,3", "--symmetrize"}, 2, {"2 x 3", "square"});
    write("empty.mtx", "%%MatrixMarket matrix coordinate pattern general\n0 0 0\n");
    expect_refused({"bfs", "empty.mtx"}, 2, {"no vertices"});
}

TEST_F(bad_input, an_unknown_kernel_is_answered_with_the_known_ones) {
    expect_refused({"bfs", "grid2d:3", "--kernel", "frob"}, 2,
                   {"'frob'", "push_pull_fused", "push_pull_loop"});
    expect_refused({"spmv", "grid2d:3", "--kernel", "frob"}, 2, {"'frob'", "csr_merge"});
    expect_refused({"spmspv", "grid2d:3", "--kernel", "frob"}, 2, {"'frob'", "csc_gather_radix"});
}

TEST_F(bad_input, unknown_words_are_answered_with_the_known_ones) {
    expect_refused({"spmv", "grid2d:3", "--semiring", "frob"}, 2, {"'frob'", "plus_times"});
    expect_refused({"spmv", "grid2d:3", "--dtype", "frob"}, 2, {"frob"});
    expect_refused({"bfs", "grid2d:3", "--switches", "frob"}, 2, {"'frob'", "early_exit"});
    expect_refused({"bfs", "grid2d:3", "--backend", "frob"}, 2, {"frob"});
}

TEST_F(bad_input, a_pinned_kernel_that_cannot_serve_fails_and_says_why) {
    expect_refused({"spmv", "grid2d:3", "--kernel", "csr_row", "--semiring", "times_rminus"}, 1,
                   {"csr_row", "times_rminus"});
    expect_refused({"bfs", "grid2d:3", "--kernel", "push_pull_loop", "--hub-first"}, 1, {"push_pull_loop"});
}

TEST_F(bad_input, a_product_for_cpu_and_gpu_needs_both_and_a_share_needs_it) {
    expect_refused({"spgemm", "grid2d:20", "--hybrid", "--backend", "cpu"}, 1,
                   {"between a CPU and a GPU", "has none"});
    expect_refused({"spgemm", "grid2d:20", "--cpu-share", "0.5"}, 2, {"--hybrid"});
    expect_refused({"spgemm", "grid2d:20", "--hybrid", "--cpu-share", "2"}, 2, {"--cpu-share"});
}

TEST_F(bad_input, a_memory_limit_too_small_fails_with_the_bytes) {
    expect_refused({"bfs", "rmat:10", "--memory-limit", "1K"}, 1, {"1024"});
    expect_refused({"spmv", "laplace2d:100", "--memory-limit", "300K"}, 1, {"307200"});
    expect_refused({"convert", "laplace2d:100", "--memory-limit", "1K", "-o", "out.mtx"}, 1, {"1024"});
    EXPECT_EQ(file_count(), 0u);
}

TEST_F(bad_input, an_output_in_a_missing_folder_is_refused_before_the_work) {
    for (const auto* verb : {"convert", "generate", "bfs", "spmv"})
        expect_refused({verb, "grid2d:3", "-o", "missing/out.mtx"}, 2, {"missing"});
    expect_refused({"spy", "grid2d:3", "-o", "missing/out.png"}, 2, {"missing"});
    expect_refused({"convert", "grid2d:3", "-o", "."}, 2, {"folder"});
    EXPECT_EQ(file_count(), 0u);
}

TEST_F(bad_input, numbers_that_are_none_are_refused) {
    expect_refused({"bfs", "rmat:6", "--seed", "-1"}, 2, {"-1"});
    expect_refused({"bfs", "rmat:6", "--seed", "99999999999999999999"}, 2, {"99999999999999999999"});
    expect_refused({"spmspv", "rmat:6", "--density", "nan"}, 2, {"nan"});
    expect_refused({"spmspv", "rmat:6", "--density", "0"}, 2, {"above 0"});
    expect_refused({"bfs", "rmat:6", "-o", ""}, 2, {"no name"});
}

TEST_F(bad_input, an_output_of_unknown_format_is_refused) {
    const outcome run = nz({"convert", "grid2d:3", "-o", "out.xyz"});
    EXPECT_NE(run.status, 0);
    EXPECT_TRUE(run.err.starts_with("nz: ")) << run.err;
    expect_refused({"spy", "grid2d:3", "-o", "out.jpg"}, 2, {"out.jpg", ".png"});
    EXPECT_EQ(file_count(), 0u);
}

TEST_F(bad_input, an_output_of_columns_is_text_or_for_numpy) {
    for (const std::string verb : {"bfs", "sssp", "spmv", "pagerank", "cc", "matching"}) {
        for (const std::string name : {"x.txt.gz", "x.mtx", "x.nzb", "x.bsp.h5", "X.MTX"})
            expect_refused({verb, "grid2d:3", "-o", name}, 2, {name, ".npz"});
        EXPECT_EQ(file_count(), 0u);
        EXPECT_EQ(nz({verb, "grid2d:3", "-o", "X.NPZ"}).status, 0);
        EXPECT_TRUE(read("X.NPZ").starts_with("PK")) << verb;
        std::filesystem::remove(path("X.NPZ"));
    }
    expect_refused({"bfs", "grid2d:3", "--sources", "1,2", "-o", "x.mtx"}, 2, {"x.mtx"});
    for (const std::string name : {"o.npz", "o.mtx"})
        expect_refused({"convert", "grid2d:3", "-o", "a.mtx", "--reorder", "rcm", "--order-file", name}, 2,
                       {name});
}

TEST_F(bad_input, a_failed_conversion_leaves_the_old_output_alone) {
    write("outside.mtx", outside);
    write("out.mtx", "precious");
    expect_refused({"convert", "outside.mtx", "-o", "out.mtx"}, 2, {"outside.mtx:5: "});
    EXPECT_EQ(read("out.mtx"), "precious");
    EXPECT_EQ(file_count(), 2u);
}

TEST_F(bad_input, bench_without_its_program_fails_and_says_how_to_build_it) {
    const auto beside = std::filesystem::path(std::getenv("NZ_BINARY")).parent_path() / "nz-bench";
    if (std::filesystem::exists(beside)) GTEST_SKIP() << "nz-bench is built here";
    expect_refused({"bench", "matvec", "--help"}, 1, {"nz-bench", "./nz bench"});
}

}  // namespace
}  // namespace nz::test
