// ji2022: sparse matrix x sparse vector and breadth-first search over tiles. The paper, on an RTX 3090: TileSpMSpV 1.1 to 2.4
// times TileSpMV (tile_row with a vector that has every entry), 7.6 to 25 times cuSPARSE's BSR and 13 to 20 times a bucketed
// gather at vector densities from 0.1 to 0.0001; TileBFS 2.7 times Gunrock and 4.7 times GSwitch.
#include "inputs.hpp"
#include "papers/ji2022/figures.hpp"
#include "storage/matrix_body.hpp"

#include <fmt/format.h>

namespace nz::bench {
namespace ji2022 {

std::vector<std::string> inputs_of(const options& o, bool graphs) {
    if (!o.inputs.empty()) return o.inputs;
    if (o.quick) return {"laplace3d:20", "banded:20000,21", "grid2d:150,0.3"};
    std::vector<std::string> sources;
    const bool gpu = o.backend != "cpu";
    if (graphs)
        sources = gpu ? std::vector<std::string>{"grid2d:2000,0.3", "laplace3d:100", "banded:1000000,21"}
                      : std::vector<std::string>{"grid2d:1000,0.15", "laplace3d:60", "banded:500000,21"};
    else
        sources = gpu ? std::vector<std::string>{"laplace3d:100",     "laplace2d:2100", "banded:1000000,21",
                                                 "grid2d:2300",       "laplace3d:160",  "laplace2d:4000",
                                                 "banded:4000000,21", "grid2d:4900"}
                      : std::vector<std::string>{"laplace3d:60", "laplace2d:1000", "banded:500000,21",
                                                 "grid2d:1000"};
    if (!real_matrix("fe_body").empty()) sources.push_back("fe_body(x)6x6");
    return sources;
}

int tiles(const options& o, const context&) {
    const context cpu({.backend = backend::cpu, .threads = o.threads});
    fmt::print("{:24} {:>20} {:>12} {:>10} {:>10} {:>10} {:>8}\n", "matrix", "size", "nonzeros", "16 x 16",
               "32 x 32", "64 x 64", "kept 16");
    for (const std::string& source : inputs_of(o, false)) {
        const matrix a = load_structure(cpu, source);
        offset_t count[3] = {};
        double kept = 0;
        for (int k = 0; k < 3; ++k) {
            const auto t = storage::make_value_tiles(cpu, a.body().rows(), {16 << k, 1}, std::nullopt);
            count[k] = t.count;
        }
        const tiling usual{16, storage::least_value_entries(16)};
        kept = 1 - storage::sample_value_tiles(a.body().rows(), usual, 8).outside;
        fmt::print("{:24} {:>20} {:>12} {:>10} {:>10} {:>10} {:>7.1f}%\n", input_name(source),
                   fmt::format("{} x {}", a.rows(), a.columns()), a.nnz(), count[0], count[1], count[2],
                   100 * kept);
    }
    return 0;
}

}  // namespace ji2022

int ji2022_suite(const options& o) {
    using namespace ji2022;
    if (o.table == 2) return tiles(o, context({.backend = backend::cpu, .threads = o.threads}));
    switch (o.figure) {
        case 6:
            return products(o, choose_context(o));
        case 7:
        case 8:
        case 12:
            return searches(o, choose_context(o));
        case 9:
            return phases(o, choose_context(o));
        case 10:
            return levels(o, choose_context(o));
        default:  // 11
            return conversion(o, choose_context(o));
    }
}

}  // namespace nz::bench
