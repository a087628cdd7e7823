#include "inputs.hpp"

#include "storage/matrix_body.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <random>

namespace nz::bench {
namespace {

constexpr std::string_view block_sign = "(x)", empty_sign = "half_empty(";

matrix as_double(const context& ctx, const matrix& a) {
    if (a.type() == dtype::float64 && a.values_held() == value_kind::full) return a;
    std::vector<index_t> rows, columns;
    std::vector<double> values;
    a.extract_tuples(rows, columns, values);
    return matrix::build<double>(
        ctx, {static_cast<index_t>(a.rows()), static_cast<index_t>(a.columns()), rows, columns, values});
}

matrix blocked(const context& ctx, const matrix& graph, index_t block) {
    const auto n = static_cast<index_t>(graph.rows());
    if (graph.columns() != n)
        throw domain_error(fmt::format("{} x {}: a graph is square", n, graph.columns()));
    std::vector<index_t> diagonal(static_cast<std::size_t>(n));
    std::iota(diagonal.begin(), diagonal.end(), 0);
    const matrix eye = matrix::build<double>(ctx, {n, n, diagonal, diagonal, {}});
    matrix sum(ctx, dtype::float64, n, n);
    ewise_add(ctx, sum, binary_id::plus, graph, eye);
    const matrix dense = load(ctx, fmt::format("dense:{},{}", block, block)).matrix;
    matrix product(ctx, dtype::float64, graph.rows() * block, graph.rows() * block);
    kronecker(ctx, product, binary_id::times, sum, dense);
    return product;
}

matrix half_empty(const context& ctx, const matrix& a) {
    std::vector<index_t> rows, columns;
    std::vector<double> values;
    a.extract_tuples(rows, columns, values);
    for (index_t& i : rows) i *= 2;
    return matrix::build<double>(
        ctx, {static_cast<index_t>(2 * a.rows()), static_cast<index_t>(a.columns()), rows, columns, values});
}

// A block's side from "BxB".
index_t side_of(const std::string& words) {
    const auto middle = words.find('x');
    const std::string first = words.substr(0, middle);
    if (middle == words.npos || first != words.substr(middle + 1) || first.empty() || first.size() > 3 ||
        first.find_first_not_of("0123456789") != first.npos || first == "0")
        throw domain_error(fmt::format("'{}': blocks are square, as in (x)6x6", words));
    return std::stoi(first);
}

}  // namespace

std::string data_folder() {
    if (const char* given = std::getenv("NONZERO_TEST_DATA"); given && *given) return given;
    const auto beside = std::filesystem::path(NONZERO_SOURCE_DIR).parent_path() / "shared" / "data";
    return std::filesystem::exists(beside) ? beside.string() : std::string();
}

std::string real_matrix(const std::string& name) {
    const std::string folder = data_folder(), file = folder + "/matrices/" + name + ".mtx.gz";
    return !folder.empty() && std::filesystem::exists(file) ? file : std::string();
}

matrix load_structure(const context& ctx, const std::string& source) {
    if (source.starts_with(empty_sign) && source.ends_with(')'))
        return half_empty(
            ctx, load_input(ctx, source.substr(empty_sign.size(), source.size() - empty_sign.size() - 1)));
    const auto sign = source.rfind(block_sign);
    if (sign == source.npos) return load(ctx, source, {.complex_modulus = true}).matrix;
    const std::string graph = source.substr(0, sign), file = real_matrix(graph);
    return blocked(ctx, load_input(ctx, file.empty() ? graph : file),
                   side_of(source.substr(sign + block_sign.size())));
}

matrix load_input(const context& ctx, const std::string& source) {
    return as_double(ctx, load_structure(ctx, source));
}

std::string input_name(const std::string& source) {
    if (source.starts_with(empty_sign))
        return std::string(empty_sign) + input_name(source.substr(empty_sign.size()));
    const auto slash = source.rfind('/');
    return slash == source.npos ? source : source.substr(slash + 1);
}

std::vector<offset_t> random_sources(const matrix& a, int count) {
    const auto& rows = a.body().rows();
    std::mt19937_64 random(1);
    std::vector<offset_t> sources;
    while (static_cast<int>(sources.size()) < count) {
        const auto s = static_cast<offset_t>(random() % static_cast<std::uint64_t>(a.rows()));
        if (rows.offset(s + 1) > rows.offset(s)) sources.push_back(s);
    }
    return sources;
}

}  // namespace nz::bench
