#include "io/generate.hpp"

#include "core/checks.hpp"
#include "io/generators.hpp"
#include "storage/matrix_body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>

namespace nz::io {
namespace {

struct parameter {
    std::string_view name;
    double lowest, highest;
    std::optional<double> standard = {};  ///< none: it must be given
    bool whole = true;
};

struct generator {
    std::string_view name, usage, about;
    generator_function* make;
    bool symmetric;
    std::vector<parameter> parameters;
};

constexpr double any_size = max_dimension;
constexpr double any_count = 0x1p53;      // whole numbers beyond do not fit a double
constexpr double largest_square = 46340;  // 46340^2 < 2^31
constexpr double largest_cube = 1290;     // 1290^3 < 2^31

const std::vector<generator>& table() {
    static const parameter scale{"SCALE", 1, 30}, seed{"SEED", 0, any_count, 0.0};
    static const parameter edge_factor{"EDGEFACTOR", 1, 65536, 16.0}, rows{"ROWS", 1, any_size},
        columns{"COLUMNS", 1, any_size};
    static const std::vector<generator> all{
        {"rmat",
         "rmat:SCALE[,EDGEFACTOR[,SEED]]",
         "Graph500's Kronecker graph: 2^SCALE vertices, EDGEFACTOR (16) times as many samples, undirected",
         rmat,
         true,
         {scale, edge_factor, seed}},
        {"rmat_directed",
         "rmat_directed:SCALE[,EDGEFACTOR[,SEED]]",
         "the same, each edge in one direction",
         rmat_directed,
         false,
         {scale, edge_factor, seed}},
        {"uniform",
         "uniform:VERTICES,EDGEFACTOR",
         "EDGEFACTOR x VERTICES edges between random vertices, undirected",
         uniform,
         true,
         {{"VERTICES", 1, any_size}, {"EDGEFACTOR", 1, 65536}}},
        {"random",
         "random:ROWS,PER_ROW",
         "PER_ROW different random columns in every row of a square matrix",
         random_rows,
         false,
         {rows, {"PER_ROW", 0, any_size}}},
        {"grid2d",
         "grid2d:SIDE[,DROP_FRACTION]",
         "graph of a SIDE x SIDE grid, 4 neighbours, each edge dropped with that probability",
         grid2d,
         true,
         {{"SIDE", 1, largest_square}, {"DROP_FRACTION", 0, 1, 0.0, false}}},
        {"laplace2d",
         "laplace2d:SIDE",
         "5-point Laplacian of a SIDE x SIDE grid: 4 and -1",
         laplace2d,
         true,
         {{"SIDE", 1, largest_square}}},
        {"laplace3d",
         "laplace3d:SIDE",
         "27-point Laplacian of a cube of SIDE^3 points: 26 and -1",
         laplace3d,
         true,
         {{"SIDE", 1, largest_cube}}},
        {"banded",
         "banded:ROWS,DIAGONALS",
         "adjacent diagonals around the main one, random values",
         banded,
         false,
         {rows, {"DIAGONALS", 1, any_size}}},
        {"dense", "dense:ROWS,COLUMNS", "every entry, random values", dense, false, {rows, columns}},
        {"lp",
         "lp:ROWS,COLUMNS,NNZ",
         "like a linear program: log-normal row lengths, uniform columns",
         linear_program,
         false,
         {rows, columns, {"NNZ", 0, any_count}}},
        {"powerlaw",
         "powerlaw:ROWS",
         "like a web's links: few long rows, mostly near columns, the others on hubs",
         powerlaw,
         false,
         {rows}},
    };
    return all;
}

const generator* find(std::string_view spec) {
    const std::size_t colon = spec.find(':');
    if (colon == std::string_view::npos) return nullptr;
    const auto found = std::ranges::find(table(), spec.substr(0, colon), &generator::name);
    return found == table().end() ? nullptr : &*found;
}

double parse(const generator& g, const parameter& p, std::string_view word) {
    double value = 0;
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool good = problem == std::errc() && end == word.data() + word.size() && value >= p.lowest &&
                      value <= p.highest && (!p.whole || value == std::floor(value));
    if (good) return value;
    if (p.whole)
        fail<domain_error>("{}: {} must be {}..{}, got '{}'", g.usage, p.name,
                           static_cast<offset_t>(p.lowest), static_cast<offset_t>(p.highest), word);
    fail<domain_error>("{}: {} must lie between {} and {}, got '{}'", g.usage, p.name, p.lowest, p.highest,
                       word);
}

// Fills request.arguments; a given SEED replaces request.seed.
void parse_arguments(const generator& g, std::string_view words, generator_request& request) {
    const std::size_t given = static_cast<std::size_t>(std::ranges::count(words, ',')) + 1;
    require<domain_error>(given <= g.parameters.size(), "{}: takes {} argument{}, got {} in '{}'", g.usage,
                          g.parameters.size(), g.parameters.size() == 1 ? "" : "s", given, words);
    bool more = true;
    for (const parameter& p : g.parameters) {
        require<domain_error>(more || p.standard, "{}: {} is missing", g.usage, p.name);
        if (!more) {
            request.arguments.push_back(*p.standard);
            continue;
        }
        const std::size_t comma = words.find(',');
        request.arguments.push_back(parse(g, p, words.substr(0, comma)));
        if (p.name == "SEED") request.seed = static_cast<std::uint64_t>(request.arguments.back());
        more = comma != std::string_view::npos;
        if (more) words.remove_prefix(comma + 1);
    }
}

}  // namespace

input generate(const context& ctx, std::string_view spec, const read_options& options) {
    const generator* g = find(spec);
    require<domain_error>(g != nullptr, "'{}' names no generator", spec);
    generator_request request{ctx, {}, options.seed, options.progress};
    parse_arguments(*g, spec.substr(spec.find(':') + 1), request);
    request.report(0);
    auto body = std::make_shared<storage::matrix_body>(ctx, g->make(request));
    if (g->symmetric) body->declare_symmetric();
    request.report(1);
    return {matrix(std::move(body)), "generator", g->symmetric};
}

}  // namespace nz::io

namespace nz {

bool is_generator(std::string_view source) { return io::find(source) != nullptr; }

std::vector<std::string> generators() {
    std::vector<std::string> lines;
    for (const io::generator& g : io::table()) lines.push_back(fmt::format("{:<40}{}", g.usage, g.about));
    return lines;
}

}  // namespace nz
