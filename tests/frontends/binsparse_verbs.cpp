// Binsparse files through the command line.
#include "run_nz.hpp"

namespace nz::test {
namespace {

class binsparse_verbs : public command_line {};

TEST_F(binsparse_verbs, convert_writes_every_layout_and_reads_it_back) {
    EXPECT_EQ(nz({"generate", "banded:50,5", "-o", "a.mtx"}).status, 0);
    const std::string original = read("a.mtx");
    for (const std::string layout : {"csr", "csc", "coo"}) {
        const outcome run = nz({"convert", "a.mtx", "-o", "b.bsp.h5", "--layout", layout});
        EXPECT_EQ(run.status, 0) << run.err;
        EXPECT_EQ(run.err, "");
        EXPECT_EQ(nz({"convert", "b.bsp.h5", "-o", "c.mtx"}).status, 0);
        EXPECT_EQ(read("c.mtx"), original) << layout;
    }
    const auto r = expect_json({"info", "b.bsp.h5"});
    EXPECT_EQ(r["input"]["nonzeros"], expect_json({"info", "a.mtx"})["input"]["nonzeros"]);
    EXPECT_NE(nz({"info", "b.bsp.h5"}).out.find("binsparse"), std::string::npos);
    const auto search = expect_json({"bfs", "b.bsp.h5", "--backend", "cpu", "--validate"});
    EXPECT_EQ(search["reached"], 50);
    EXPECT_EQ(search["valid"], true);
}

TEST_F(binsparse_verbs, generate_writes_one) {
    EXPECT_EQ(nz({"generate", "grid2d:7", "-o", "g.h5"}).status, 0);
    EXPECT_EQ(expect_json({"info", "g.h5"})["input"]["rows"], 49);
}

TEST_F(binsparse_verbs, damaged_files_and_wrong_layouts_end_with_one_line) {
    write("bad.bsp.h5", "no HDF5");
    expect_refused({"info", "bad.bsp.h5"}, 2, {"bad.bsp.h5: is no HDF5 file"});
    write("a.el", "0 1\n");
    expect_refused({"convert", "a.el", "-o", "b.npz", "--layout", "csc"}, 2,
                   {"b.npz: only Binsparse files (.bsp.h5) are laid out as csc"});
    expect_refused({"convert", "a.el", "-o", "b.bsp.h5", "--layout", "dia"}, 2, {"--layout"});
    expect_refused({"convert", "a.el", "-o", "b.bsp.h5.gz"}, 2, {"names no format that is written"});
}

}  // namespace
}  // namespace nz::test
