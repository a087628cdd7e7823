// Binsparse files in a build without libhdf5.
#include "core/checks.hpp"
#include "io/binsparse.hpp"

namespace nz::io::binsparse {
namespace {

[[noreturn]] void refuse_file(const std::string& name) {
    fail<not_supported>(
        "{}: this build knows no Binsparse files: libhdf5 was not found (on Debian, install libhdf5-dev and configure again)",
        name);
}

}  // namespace

input read(const context&, const std::string& path, const read_options&) { refuse_file(path); }
void write(const context&, const matrix&, const output_file& file, file_layout) { refuse_file(file.name()); }
void write(const context&, const vector&, const output_file& file) { refuse_file(file.name()); }

}  // namespace nz::io::binsparse
