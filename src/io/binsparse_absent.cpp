// Binsparse files in a build without libhdf5.
#include "core/checks.hpp"
#include "io/binsparse.hpp"

namespace nz::io::binsparse {
namespace {

[[noreturn]] void refuse_file(const std::string& path) {
    fail<not_supported>(
        "{}: this build knows no Binsparse files: libhdf5 was not found (on Debian, install libhdf5-dev and configure again)",
        path);
}

}  // namespace

input read(const context&, const std::string& path, const read_options&) { refuse_file(path); }
void write(const context&, const matrix&, const std::string& path, file_layout) { refuse_file(path); }
void write(const context&, const vector&, const std::string& path) { refuse_file(path); }

}  // namespace nz::io::binsparse
