// The verbs on vertices and edges of graphs: their text, their objects, their files, and what they refuse.
#include "run_nz.hpp"

namespace nz::test {
namespace {

class graph_verbs : public command_line {};

TEST_F(graph_verbs, cc_counts_components_and_names_the_largest) {
    write("parts.txt", "7000000010 7000000020\n7000000030 7000000020\n7000000040 7000000050\n");
    const auto r = expect_json({"cc", path("parts.txt"), "--validate", "--explain", "--repeat", "2"});
    EXPECT_EQ(r["command"], "cc");
    EXPECT_EQ(r["kernel"], "afforest");
    EXPECT_EQ(r["components"], 2);
    EXPECT_EQ(r["largest"][0]["vertex"], 7000000010);
    EXPECT_EQ(r["largest"][0]["size"], 3);
    EXPECT_EQ(r["valid"], true);
    const outcome run = nz({"cc", "grid2d:9", "--validate", "--explain"});
    EXPECT_EQ(run.status, 0) << run.err;
    for (const auto* word : {"1 component in", "81 vertices", "valid", "passed over"})
        EXPECT_NE(run.out.find(word), std::string::npos) << word << "\n" << run.out;
}

TEST_F(graph_verbs, cc_gives_the_same_file_with_every_kernel) {
    std::string first;
    for (const auto* kernel : {"afforest", "label_loop", "reference"}) {
        EXPECT_EQ(nz({"cc", "rmat:8,1", "--kernel", kernel, "-o", path("cc.txt")}).status, 0);
        if (first.empty()) first = read("cc.txt");
        EXPECT_EQ(read("cc.txt"), first) << kernel;
    }
    EXPECT_TRUE(first.starts_with("# vertex component\n0 "));
    expect_refused({"cc", "grid2d:5", "--kernel", "bfs"}, 2, {"afforest, label_loop, reference"});
}

TEST_F(graph_verbs, scc_follows_directions) {
    write("ring.el", "0 1\n1 2\n2 0\n2 3\n3 4\n4 3\n");
    const auto r = expect_json({"scc", path("ring.el"), "--validate", "--explain", "-o", path("scc.txt")});
    EXPECT_EQ(r["components"], 2);
    EXPECT_EQ(r["largest"][0]["vertex"], 0);
    EXPECT_EQ(r["largest"][0]["size"], 3);
    EXPECT_EQ(r["valid"], true);
    EXPECT_EQ(read("scc.txt"), "# vertex component\n0 0\n1 0\n2 0\n3 3\n4 3\n");
    const outcome run = nz({"scc", "rmat_directed:10,4", "--validate", "--explain", "--top", "1"});
    EXPECT_EQ(run.status, 0) << run.err;
    for (const auto* word : {"strong components in", "settled by trimming", "valid: Tarjan"})
        EXPECT_NE(run.out.find(word), std::string::npos) << word << "\n" << run.out;
    expect_refused({"scc", "random:5,2", "--kernel", "trim"}, 2, {"--kernel"});
}

TEST_F(graph_verbs, labels_are_vertices_by_the_ids_of_the_file) {
    write("two.txt", "100 200\n200 100\n5000 7000\n7000 5000\n");
    const std::string labels = "100 100\n200 100\n5000 5000\n7000 5000\n";
    for (const auto* verb : {"cc", "scc", "mcl"}) {
        EXPECT_EQ(nz({verb, path("two.txt"), "-o", path("labels.txt")}).status, 0) << verb;
        EXPECT_TRUE(read("labels.txt").ends_with("\n" + labels)) << verb << "\n" << read("labels.txt");
    }
    EXPECT_EQ(nz({"cdlp", path("two.txt"), "--max-iterations", "0", "-o", path("labels.txt")}).status, 0);
    EXPECT_EQ(read("labels.txt"), "# vertex label\n100 100\n200 200\n5000 5000\n7000 7000\n");
}

TEST_F(graph_verbs, bc_validates_what_it_divided) {
    for (const auto* kernel : {"queue", "batched", "sweep_loop"})
        EXPECT_EQ(expect_json(
                      {"bc", "rmat:6,8", "--normalise", "--all", "--kernel", kernel, "--validate"})["valid"],
                  true)
            << kernel;
}

TEST_F(graph_verbs, changed_patterns_stay_patterns) {
    write("path.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 3\n1 2\n2 3\n3 3\n");
    for (const auto* change : {"--symmetrize", "--drop-loops", "--largest-component"})
        EXPECT_EQ(expect_json({"info", path("path.mtx"), change})["values"], "pattern") << change;
    EXPECT_EQ(nz({"info", "random:20000,20", "--memory-limit", "20M"}).status, 0);
    expect_refused({"info", "random:20000,20", "--symmetrize", "--memory-limit", "20M"}, 1, {"memory limit"});
}

TEST_F(graph_verbs, tc_counts_triangles_in_all_and_of_each_vertex) {
    const auto all = expect_json({"tc", "dense:8,8", "--validate"});
    EXPECT_EQ(all["triangles"], 56);
    EXPECT_EQ(all["valid"], true);
    const auto each = expect_json({"tc", "rmat:8,8", "--per-vertex", "--validate", "--top", "3"});
    EXPECT_EQ(each["top"].size(), 3u);
    EXPECT_GE(each["top"][0]["triangles"], each["top"][1]["triangles"]);
    EXPECT_EQ(nz({"tc", "dense:4,4", "-o", path("tc.txt")}).status, 0);
    EXPECT_EQ(read("tc.txt"), "# vertex triangles clustering\n0 3 1\n1 3 1\n2 3 1\n3 3 1\n");
    expect_refused({"tc", "rmat_directed:8,4"}, 2, {"one direction"});
    EXPECT_EQ(expect_json({"tc", "rmat_directed:8,4", "--symmetrize", "--validate"})["valid"], true);
}

TEST_F(graph_verbs, bc_ranks_vertices_between_others) {
    write("path.el", "0 1\n1 2\n2 3\n");
    const auto r = expect_json({"bc", path("path.el"), "--symmetrize", "--all", "--validate"});
    EXPECT_EQ(r["top"][0]["vertex"], 1);
    EXPECT_EQ(r["top"][0]["centrality"], 4);
    EXPECT_EQ(r["valid"], true);
    const auto some = expect_json({"bc", "rmat:8,8", "--source", "3", "--source", "9", "--validate"});
    EXPECT_EQ(some["sources"].size(), 2u);
    const auto again =
        expect_json({"bc", "rmat:8,8", "--source", "3", "--source", "9", "--source", "3", "--validate"});
    EXPECT_EQ(again["sources"], some["sources"]);
    EXPECT_EQ(again["top"], some["top"]);
    EXPECT_EQ(again["valid"], true);
    EXPECT_EQ(expect_json({"bc", "rmat:8,8", "--validate", "--normalise"})["valid"], true);
    EXPECT_EQ(nz({"bc", path("path.el"), "--source", "0", "-o", path("bc.txt")}).status, 0);
    EXPECT_EQ(read("bc.txt"), "# vertex centrality\n0 0\n1 2\n2 1\n3 0\n");
    expect_refused({"bc", "grid2d:5", "--source", "25"}, 2, {"25"});
}

TEST_F(graph_verbs, kcore_numbers_every_vertex) {
    const auto r = expect_json({"kcore", "dense:6,6", "--validate"});
    EXPECT_EQ(r["greatest"], 5);
    EXPECT_EQ(r["deepest_core"], 6);
    EXPECT_EQ(r["valid"], true);
    write("lollipop.el", "0 1\n1 2\n2 0\n2 3\n");
    EXPECT_EQ(nz({"kcore", path("lollipop.el"), "--symmetrize", "-o", path("cores.txt")}).status, 0);
    EXPECT_EQ(read("cores.txt"), "# vertex core\n0 2\n1 2\n2 2\n3 1\n");
    expect_refused({"kcore", "rmat_directed:8,4"}, 2, {"one direction"});
}

TEST_F(graph_verbs, mis_takes_a_maximal_set) {
    write("star.el", "0 1\n0 2\n0 3\n");
    const auto r = expect_json({"mis", path("star.el"), "--symmetrize", "--order", "small", "--validate",
                                "--explain", "--top", "2", "-o", path("mis.txt")});
    EXPECT_EQ(r["members"], 3);
    EXPECT_EQ(r["order"], "small");
    EXPECT_EQ(r["top"][1]["vertex"], 2);
    EXPECT_EQ(r["valid"], true);
    EXPECT_EQ(read("mis.txt"), "# vertex member\n0 0\n1 1\n2 1\n3 1\n");
    const outcome run = nz({"mis", "rmat:9,4", "--seed", "5", "--validate"});
    EXPECT_EQ(run.status, 0) << run.err;
    for (const auto* word : {"members in", "rounds", "valid"})
        EXPECT_NE(run.out.find(word), std::string::npos) << word << "\n" << run.out;
    expect_refused({"mis", "rmat:8,4", "--order", "degree"}, 2, {"--order"});
    expect_refused({"mis", "rmat_directed:8,4"}, 2, {"one direction"});
}

TEST_F(graph_verbs, color_joins_no_equal_colours) {
    const auto r = expect_json({"color", "grid2d:9", "--validate", "--explain"});
    EXPECT_EQ(r["valid"], true);
    EXPECT_LE(r["colours"], 5);
    EXPECT_EQ(expect_json({"color", "dense:6,6", "--validate"})["colours"], 6);
    write("pair.el", "0 1\n2 2\n");
    EXPECT_EQ(nz({"color", path("pair.el"), "--symmetrize", "--order", "hashed", "-o", path("c.txt")}).status,
              0);
    EXPECT_TRUE(read("c.txt") == "# vertex colour\n0 0\n1 1\n2 0\n" ||
                read("c.txt") == "# vertex colour\n0 1\n1 0\n2 0\n");
    expect_refused({"color", "rmat_directed:8,4"}, 2, {"one direction"});
}

TEST_F(graph_verbs, cdlp_names_communities_by_label) {
    write("two.el", "0 1\n1 2\n2 0\n3 4\n4 5\n5 3\n");
    const auto r = expect_json({"cdlp", path("two.el"), "--symmetrize", "--validate", "-o", path("l.txt")});
    EXPECT_EQ(r["communities"], 2);
    EXPECT_EQ(r["converged"], true);
    EXPECT_EQ(r["largest"][0]["size"], 3);
    EXPECT_EQ(r["valid"], true);
    EXPECT_EQ(read("l.txt"), "# vertex label\n0 0\n1 0\n2 0\n3 3\n4 3\n5 3\n");
    EXPECT_EQ(expect_json({"cdlp", "rmat_directed:8,4", "--max-iterations", "3", "--validate"})["iterations"],
              3);
    expect_refused({"cdlp", "grid2d:5", "--max-iterations", "-1"}, 2, {"--max-iterations"});
}

TEST_F(graph_verbs, ktruss_keeps_edges_in_triangles) {
    write("kite.el", "0 1\n0 2\n0 3\n1 2\n1 3\n2 3\n3 4\n4 5\n5 3\n");
    const auto r = expect_json({"ktruss", path("kite.el"), "--symmetrize", "--validate", "--explain", "-o",
                                path("degrees.txt"), "--edges", path("truss.el")});
    EXPECT_EQ(r["k"], 4);
    EXPECT_EQ(r["edges"], 6);
    EXPECT_EQ(r["vertices"], 4);
    EXPECT_EQ(r["valid"], true);
    EXPECT_EQ(read("degrees.txt"), "# vertex edges\n0 3\n1 3\n2 3\n3 3\n4 0\n5 0\n");
    EXPECT_TRUE(exists("truss.el"));
    EXPECT_EQ(expect_json({"ktruss", path("kite.el"), "--symmetrize", "-k", "3", "--validate"})["edges"], 9);
    EXPECT_EQ(expect_json({"ktruss", path("kite.el"), "--symmetrize", "-k", "5", "--validate"})["edges"], 0);
    const outcome run = nz({"ktruss", "rmat:9,8", "--validate"});
    EXPECT_EQ(run.status, 0) << run.err;
    for (const auto* word : {"-truss is the deepest", "rounds in", "valid"})
        EXPECT_NE(run.out.find(word), std::string::npos) << word << "\n" << run.out;
    expect_refused({"ktruss", "rmat:8,4", "-k", "1"}, 2, {"--k"});
    expect_refused({"ktruss", "rmat_directed:8,4"}, 2, {"one direction"});
}

TEST_F(graph_verbs, every_kernel_of_a_masked_product_that_help_lists_is_taken) {
    for (const std::string verb : {"tc", "ktruss"}) {
        const std::string help = nz({verb, "--help"}).out;
        for (const std::string kernel :
             {"hash", "dense_row", "row_row", "column_row", "column_column", "two_level_sort", "masked_dot",
              "masked_row", "dia_dia", "reference"}) {
            EXPECT_NE(help.find(" " + kernel), std::string::npos) << verb << " " << kernel;
            const auto r =
                expect_json({verb, "rmat:6,8", "--kernel", kernel, "--validate", "--backend", "cpu"});
            EXPECT_EQ(r["kernel"], kernel) << verb;
            EXPECT_EQ(r["valid"], true) << verb << " " << kernel;
        }
    }
}

TEST_F(graph_verbs, json_names_the_kernel_of_the_plan) {
    for (const std::string verb : {"tc", "ktruss", "closure", "mcl", "cdlp", "matching", "pagerank", "bc"}) {
        const auto r = expect_json({verb, "rmat:6,8"});
        ASSERT_TRUE(r["kernel"].is_string()) << verb;
        const std::string kernel = r["kernel"], plan = r["plan"];
        EXPECT_FALSE(kernel.empty()) << verb;
        EXPECT_LT(plan.find(kernel), plan.find_first_of(" :")) << verb << ": " << plan;
    }
}

TEST_F(graph_verbs, closeness_of_a_sample_or_of_all) {
    write("path.el", "0 1\n1 2\n2 3\n");
    const auto r =
        expect_json({"closeness", path("path.el"), "--symmetrize", "--all", "--validate", "--explain"});
    EXPECT_EQ(r["sources"], 4);
    EXPECT_EQ(r["diameter"], 3);
    EXPECT_EQ(r["top"][0]["vertex"], 1);
    EXPECT_EQ(r["top"][0]["closeness"], 0.75);
    EXPECT_EQ(r["top"][0]["eccentricity"], 2);
    EXPECT_EQ(r["valid"], true);
    EXPECT_EQ(nz({"closeness", path("path.el"), "--source", "0", "-o", path("c.txt")}).status, 0);
    EXPECT_EQ(
        read("c.txt"),
        "# vertex closeness eccentricity reached distances\n0 0 0 0 0\n1 1 1 1 1\n2 0.5 2 1 2\n3 0.3333333333333333 3 1 3\n");
    for (const char* direction : {"--outward", "--fast"})
        EXPECT_EQ(nz({"closeness", "rmat_directed:9,4", direction, "--validate"}).status,
                  direction == std::string("--outward") ? 0 : 2);
    expect_refused({"closeness", "grid2d:5", "--source", "25"}, 2, {"25"});
}

TEST_F(graph_verbs, matching_pairs_rows_and_columns) {
    const auto r = expect_json({"matching", "dense:7,4", "--validate", "--explain"});
    EXPECT_EQ(r["matched"], 4);
    EXPECT_EQ(r["valid"], true);
    EXPECT_EQ(nz({"matching", "banded:3,1", "-o", path("m.txt")}).status, 0);
    EXPECT_EQ(read("m.txt"), "# row column\n0 0\n1 1\n2 2\n");
    write("ids.txt", "100 200\n200 300\n");  // rows and columns by the input's names
    EXPECT_EQ(nz({"matching", path("ids.txt"), "-o", path("m.txt")}).status, 0);
    EXPECT_EQ(read("m.txt"), "# row column\n100 200\n200 300\n300 -1\n");
    const outcome run = nz({"matching", "lp:60,90,300", "--seed", "4", "--validate", "--explain"});
    EXPECT_EQ(run.status, 0) << run.err;
    for (const auto* word : {"columns matched in", "proposes", "valid"})
        EXPECT_NE(run.out.find(word), std::string::npos) << word << "\n" << run.out;
}

TEST_F(graph_verbs, closure_has_every_pair) {
    write("path.el", "0 1\n1 2\n2 3\n");
    const auto r = expect_json({"closure", path("path.el"), "--validate", "-o", path("reach.el")});
    EXPECT_EQ(r["pairs"], 6);
    EXPECT_EQ(r["complete"], true);
    EXPECT_EQ(r["valid"], true);
    EXPECT_TRUE(exists("reach.el"));
    EXPECT_EQ(expect_json({"closure", path("path.el"), "--reflexive", "--validate"})["pairs"], 10);
    EXPECT_EQ(expect_json({"closure", path("path.el"), "--max-steps", "1"})["complete"], false);
    expect_refused({"closure", path("path.el"), "--max-steps", "1", "--validate"}, 2,
                   {"leave out --max-steps"});
    const outcome run = nz({"closure", "rmat_directed:7,1", "--validate", "--explain"});
    EXPECT_EQ(run.status, 0) << run.err;
    for (const auto* word : {"pairs", "complete after", "valid"})
        EXPECT_NE(run.out.find(word), std::string::npos) << word << "\n" << run.out;
}

TEST_F(graph_verbs, mcl_finds_clusters) {
    write("two.el", "0 1\n1 2\n2 0\n3 4\n4 5\n5 3\n2 3\n");
    const auto r =
        expect_json({"mcl", path("two.el"), "--symmetrize", "--validate", "--explain", "-o", path("m.txt")});
    EXPECT_EQ(r["clusters"], 2);
    EXPECT_EQ(r["converged"], true);
    EXPECT_EQ(r["largest"][0]["size"], 3);
    EXPECT_EQ(r["valid"], true);
    EXPECT_EQ(read("m.txt"), "# vertex cluster\n0 0\n1 0\n2 0\n3 3\n4 3\n5 3\n");
    const outcome run = nz({"mcl", "grid2d:12,0.3", "--inflation", "1.6", "--validate"});
    EXPECT_EQ(run.status, 0) << run.err;
    for (const auto* word : {"clusters after", "steps in", "valid"})
        EXPECT_NE(run.out.find(word), std::string::npos) << word << "\n" << run.out;
    expect_refused({"mcl", "grid2d:5", "--inflation", "1"}, 2, {"inflation"});
    expect_refused({"mcl", "rmat_directed:8,4"}, 2, {"one direction"});
}

}  // namespace
}  // namespace nz::test
