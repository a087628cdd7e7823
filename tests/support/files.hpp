// Files made by a test, and what readers make of them.
#pragma once

#include "nonzero/errors.hpp"
#include "nonzero/io.hpp"

#include <unistd.h>
#include <zlib.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nz::test {

/// A folder that goes away with the test.
class temporary_folder {
public:
    temporary_folder() {
        static std::atomic<int> number{0};
        path_ = std::filesystem::temp_directory_path() /
                ("nonzero-test-" + std::to_string(::getpid()) + "-" + std::to_string(number++));
        std::filesystem::create_directories(path_);
    }
    ~temporary_folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    std::string path(std::string_view name) const { return (path_ / name).string(); }
    std::string put(std::string_view name, std::string_view content) const {
        std::ofstream(path(name), std::ios::binary) << content;
        return path(name);
    }
    std::string content(std::string_view name) const {
        std::ostringstream out;
        out << std::ifstream(path(name), std::ios::binary).rdbuf();
        return out.str();
    }
    std::vector<std::string> names() const {
        std::vector<std::string> out;
        for (const auto& entry : std::filesystem::directory_iterator(path_))
            out.push_back(entry.path().filename());
        return out;
    }

private:
    std::filesystem::path path_;
};

inline std::span<const std::byte> bytes_of(std::string_view text) {
    return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

/// A gzip stream of its own.
inline std::string gzipped(std::string_view text) {
    z_stream stream{};
    deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    std::string out(deflateBound(&stream, text.size()) + 32, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(out.size() - stream.avail_out);
    deflateEnd(&stream);
    return out;
}

using entry_map = std::map<std::pair<int, int>, double>;

/// All entries, values as doubles.
inline entry_map entries_of(const matrix& a) {
    std::vector<index_t> rows, columns;
    std::vector<double> values;
    a.extract_tuples(rows, columns, values);
    entry_map out;
    for (std::size_t k = 0; k < rows.size(); ++k) out[{rows[k], columns[k]}] = values[k];
    return out;
}

/// The message of the invalid_format (or other E) that f throws; empty when it throws none.
template <class E = invalid_format, class F>
std::string refusal(F&& f) {
    try {
        f();
    } catch (const E& e) {
        return e.what();
    }
    return "";
}

}  // namespace nz::test
