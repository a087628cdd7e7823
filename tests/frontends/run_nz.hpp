// Runs the command line as a user does: the program named by NZ_BINARY, its streams captured.
#pragma once

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace nz::test {

/// What a run of nz left behind. A status of 128 and more: it was ended by that signal, less 128.
struct outcome {
    int status = -1;
    std::string out, err;
    /// Standard output as the one JSON object that it should be; discarded where it is none.
    nlohmann::json object() const { return nlohmann::json::parse(out, nullptr, false); }
};

/// A folder of its own for each test, and nz run from inside it.
class command_line : public ::testing::Test {
protected:
    void SetUp() override;
    void TearDown() override;

    outcome nz(const std::vector<std::string>& words) const;
    /// The same, sent `signal` once the folder has a file whose name has `part` in it.
    outcome nz_until(std::string_view part, int signal, const std::vector<std::string>& words) const;
    std::string write(const std::string& name, std::string_view content) const;
    std::string read(const std::string& name) const;
    bool exists(const std::string& name) const { return std::filesystem::exists(folder_ / name); }
    std::size_t file_count() const;
    std::string path(const std::string& name) const { return (folder_ / name).string(); }

    /// nz with these words ends with `status`, says nothing on standard output, and one line with all of
    /// `needles` on standard error.
    void expect_refused(const std::vector<std::string>& words, int status,
                        const std::vector<std::string>& needles) const;
    /// nz with these words and --json succeeds quietly; returns the object.
    nlohmann::json expect_json(std::vector<std::string> words) const;

private:
    int start(const std::vector<std::string>& words) const;
    outcome finished(int process) const;

    std::filesystem::path folder_;
};

/// The real matrices, or an empty path where this machine has none.
std::filesystem::path test_matrices();

}  // namespace nz::test
