// The scripts that complete nz's words, and what a shell makes of them.
#include "run_nz.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace nz::test {
namespace {

class completion : public command_line {
protected:
    void SetUp() override {
        command_line::SetUp();
        for (const std::string shell : {"bash", "zsh"}) {
            const outcome run = nz({"completion", shell});
            EXPECT_EQ(run.status, 0);
            EXPECT_EQ(run.err, "");
            write("nz." + shell, run.out);
        }
    }

    /// What `shell` prints when it runs `script`.
    std::string says(const std::string& shell, const std::string& script) const {
        write("run." + shell, script);
        const std::string command = "cd '" + path("") + "' && " + shell + " run." + shell + " 2>&1";
        const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), &pclose);
        std::string text;
        std::array<char, 4096> part{};
        while (pipe && std::fgets(part.data(), part.size(), pipe.get())) text += part.data();
        return text;
    }

    /// The words that bash offers after these; the last one is being written.
    std::string offered(const std::string& words) const {
        return says("bash", "source nz.bash\nCOMP_WORDS=(" + words +
                                ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_nz\necho \"${COMPREPLY[@]}\"\n");
    }
};

TEST_F(completion, bash_offers_verbs_options_values_and_generators) {
    EXPECT_EQ(offered("nz pager"), "pagerank\n");
    EXPECT_EQ(offered("nz bfs --vali"), "--validate\n");
    EXPECT_EQ(offered("nz bfs rmat:5,3 --backend c"), "cpu cuda\n");
    EXPECT_EQ(offered("nz bfs grid"), "grid2d:\n");
    EXPECT_EQ(offered("nz completion ''"), "bash zsh\n");
    EXPECT_EQ(offered("nz bfs --kernel push"), "push_pull_fused push_pull_loop\n");
    EXPECT_EQ(offered("nz spgemm rmat:5,3 --kernel masked"), "masked_dot masked_row\n");
    EXPECT_EQ(offered("nz spmv --semiring min_p"), "min_pair min_plus\n");
    EXPECT_EQ(offered("nz spmm --dtype float"), "float32 float64\n");
    EXPECT_EQ(offered("nz bfs --output ''"), "\n");  // files, by bash's own means
    EXPECT_EQ(offered("nz frobnicate --vali"), "\n");
    const std::string all = offered("nz ''");
    for (const auto* verb : {"info", "bfs", "spgemm", "completion", "--help"})
        EXPECT_NE(all.find(verb), std::string::npos) << all;
}

TEST_F(completion, every_option_of_a_verb_is_offered) {
    const std::string help = nz({"spgemm", "--help"}).out, all = offered("nz spgemm -");
    for (std::size_t at = help.find("--"); at != std::string::npos; at = help.find("--", at + 2)) {
        const std::string name =
            help.substr(at, help.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", at) - at);
        if (name.size() > 3 && help[at - 1] != '-') {
            EXPECT_NE((" " + all).find(" " + name), std::string::npos) << name << " in " << all;
        }
    }
}

TEST_F(completion, zsh_reads_its_script) {
    if (says("zsh", "echo here\n") != "here\n") GTEST_SKIP() << "no zsh on this machine";
    EXPECT_EQ(says("zsh", "compdef() { echo \"compdef $@\"; }\nsource ./nz.zsh\n"), "compdef _nz nz\n");
    const std::string told = says("zsh", R"(compdef() { :; }
_describe() { print -l $verbs; }
_arguments() { print -l "$CURRENT $words[1]" "$@"; }
source ./nz.zsh
CURRENT=2 words=(nz pa) _nz
CURRENT=3
words=(nz bfs --ba)
_nz
)");
    for (const auto* line :
         {"pagerank:", "2 bfs\n", "--validate[", "--backend[", ":NAME:(auto cpu cuda)\n", "(-o --output)-o[",
          "(-o --output)--output[", ":FILE:_files\n", "*:input:_nz_input\n"})
        EXPECT_NE(told.find(line), std::string::npos) << line << " in\n" << told;
}

TEST_F(completion, other_shells_are_refused) {
    expect_refused({"completion", "fish"}, 2, {"bash", "zsh"});
    expect_refused({"completion"}, 2, {"SHELL is required"});
}

}  // namespace
}  // namespace nz::test
