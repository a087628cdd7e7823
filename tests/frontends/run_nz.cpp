#include "run_nz.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

namespace nz::test {
namespace fs = std::filesystem;
namespace {

std::string content_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

void redirect(const fs::path& path, int descriptor) {
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || dup2(file, descriptor) < 0) _exit(127);
}

}  // namespace

void command_line::SetUp() {
    static std::atomic<int> number = 0;
    ASSERT_NE(std::getenv("NZ_BINARY"), nullptr) << "NZ_BINARY names the program to test; ctest sets it";
    folder_ =
        fs::path(testing::TempDir()) / ("nz_" + std::to_string(getpid()) + "_" + std::to_string(number++));
    fs::create_directories(folder_);
}

void command_line::TearDown() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
}

int command_line::start(const std::vector<std::string>& words) const {
    const std::string program = std::getenv("NZ_BINARY");
    std::vector<std::string> copy = words;
    std::vector<char*> arguments{const_cast<char*>(program.c_str())};
    for (auto& word : copy) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        redirect("/dev/null", STDIN_FILENO);
        redirect(folder_.string() + ".out", STDOUT_FILENO);
        redirect(folder_.string() + ".err", STDERR_FILENO);
        if (chdir(folder_.c_str()) != 0) _exit(127);
        // What these tests expect are the CPU's words and plans, whatever the machine has; kernels on a GPU have their own.
        setenv("CUDA_VISIBLE_DEVICES", "", 1);
        signal(SIGINT, SIG_DFL);  // a shell's background jobs ignore it
        execv(program.c_str(), arguments.data());
        _exit(127);
    }
    return child;
}

outcome command_line::finished(int process) const {
    const fs::path out = folder_.string() + ".out", err = folder_.string() + ".err";
    int status = 0;
    waitpid(process, &status, 0);
    outcome result{WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), content_of(out),
                   content_of(err)};
    fs::remove(out);
    fs::remove(err);
    return result;
}

outcome command_line::nz(const std::vector<std::string>& words) const { return finished(start(words)); }

outcome command_line::nz_until(std::string_view part, int signal,
                               const std::vector<std::string>& words) const {
    const auto there = [&] {
        return std::ranges::any_of(fs::directory_iterator(folder_), [&](const fs::directory_entry& entry) {
            return entry.path().filename().string().find(part) != std::string::npos;
        });
    };
    const int process = start(words);
    siginfo_t over{};
    const auto running = [&] {
        return waitid(P_PID, static_cast<id_t>(process), &over, WEXITED | WNOHANG | WNOWAIT) == 0 &&
               over.si_pid == 0;
    };
    while (running() && !there()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    kill(process, signal);
    return finished(process);
}

std::string command_line::write(const std::string& name, std::string_view content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return name;
}

std::string command_line::read(const std::string& name) const { return content_of(folder_ / name); }

std::size_t command_line::file_count() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
}

void command_line::expect_refused(const std::vector<std::string>& words, int status,
                                  const std::vector<std::string>& needles) const {
    const outcome run = nz(words);
    const std::string title = "nz " + testing::PrintToString(words) + "\n" + run.err;
    EXPECT_EQ(run.status, status) << title;
    EXPECT_EQ(run.out, "") << title;
    EXPECT_TRUE(run.err.starts_with("nz: ")) << title;
    EXPECT_EQ(std::ranges::count(run.err, '\n'), 1) << title;
    for (const auto& needle : needles) EXPECT_NE(run.err.find(needle), std::string::npos) << title << needle;
}

nlohmann::json command_line::expect_json(std::vector<std::string> words) const {
    words.push_back("--json");
    const outcome run = nz(words);
    EXPECT_EQ(run.status, 0) << testing::PrintToString(words) << run.err;
    EXPECT_EQ(run.err, "") << testing::PrintToString(words);
    EXPECT_EQ(std::ranges::count(run.out, '\n'), 1) << run.out;
    auto object = run.object();
    EXPECT_TRUE(object.is_object()) << run.out;
    return object;
}

fs::path test_matrices() {
    const char* data = std::getenv("NONZERO_TEST_DATA");
    const fs::path folder = data && *data ? fs::path(data) / "matrices" : fs::path();
    return fs::is_directory(folder) ? folder : fs::path();
}

}  // namespace nz::test
