// nz::load: which reader a source goes to, by its suffix and then by its first bytes.
#include "io/generate.hpp"
#include "io/matrix_market.hpp"
#include "io/words.hpp"
#include "nonzero/io.hpp"

#include <algorithm>
#include <string>

namespace nz {
namespace io {
namespace {

// The suffix without the dot, in lower case; ".gz" says nothing about what is inside.
std::string suffix_of(std::string_view path) {
    const std::string_view name = path.substr(path.find_last_of('/') + 1);
    std::string lowered(name);
    std::transform(lowered.begin(), lowered.end(), lowered.begin(), lower);
    if (lowered.ends_with(".gz")) lowered.resize(lowered.size() - 3);
    const std::size_t dot = lowered.find_last_of('.');
    return dot == std::string::npos ? "" : lowered.substr(dot + 1);
}

input load_file(const context& ctx, const std::string& path, const read_options& options) {
    mapped_file file(ctx, path);
    const std::string suffix = suffix_of(path);
    return matrix_market::read(ctx, *open_text(ctx, std::move(file), path), options);
}

}  // namespace
}  // namespace io

input load(const context& ctx, std::string_view source, const read_options& options) {
    if (is_generator(source)) return io::generate(ctx, source, options);
    return io::load_file(ctx, std::string(source), options);
}

}  // namespace nz
