#include "papers/shared/datasets.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace nz::bench::papers {
namespace {

// clang-format off
constexpr dataset williams_set[] = {
    {"Dense", "dense", 2000, 2000, "dense:2000,2000", "dense:400,400", nullptr},
    {"Protein", "long blocked rows", 36417, 119.3, "laplace3d:20(x)5x5", "laplace3d:10(x)5x5", nullptr},
    {"Spheres", "finite elements", 83334, 72.1, "laplace3d:30(x)3x3", "laplace3d:15(x)3x3", nullptr},
    {"Cantilever", "finite elements", 62451, 64.2, "laplace3d:27(x)3x3", "laplace3d:13(x)3x3", nullptr},
    {"Wind Tunnel", "finite elements", 217918, 53.4, "laplace3d:48(x)2x2", "laplace3d:24(x)2x2", nullptr},
    {"Harbor", "finite elements", 46835, 50.7, "laplace3d:28(x)2x2", "laplace3d:14(x)2x2", nullptr},
    {"QCD", "equal rows", 49152, 39, "banded:49152,39", "banded:6144,39", nullptr},
    {"Ship", "finite elements", 140874, 55.5, "laplace3d:41(x)2x2", "laplace3d:20(x)2x2", nullptr},
    {"Economics", "random", 206500, 6.2, "uniform:206500,3", "uniform:206500,3", nullptr},
    {"Epidemiology", "mesh", 525825, 4.0, "grid2d:725", "grid2d:725", nullptr},
    {"Accelerator", "mesh", 121192, 21.7, "laplace3d:49", "laplace3d:25", nullptr},
    {"Circuit", "random", 170998, 5.6, "random:170998,6", "random:170998,6", nullptr},
    {"Webbase", "web, power law", 1000005, 3.1, "powerlaw:1000005", "powerlaw:250000", nullptr},
    {"LP", "linear programme", 4284, 2633, "lp:4284,1092610,11279748", "lp:1071,273152,2819937", nullptr}};
constexpr dataset snap_set[] = {
    {"roadNet-CA", "roads", 1971281, 2.8, "grid2d:1404,0.3", "grid2d:1404,0.3", nullptr},
    {"web-Google", "web", 916428, 5.57, "powerlaw:916428", "powerlaw:229107", nullptr},
    {"email-Enron", "scale-free", 36692, 10.02, "rmat:15,6", "rmat:14,6", "email-Enron"},
    {"amazon0312", "products", 400727, 7.98, "uniform:400727,4", "uniform:200363,4", nullptr},
    {"ca-CondMat", "collaboration", 23133, 8.08, "uniform:23133,4", "uniform:23133,4", "ca-CondMat"},
    {"p2p-Gnutella", "peers", 62586, 2.36, "random:62586,2", "random:62586,2", "p2p-Gnutella31"},
    {"wiki-Vote", "social", 8297, 12.49, "rmat_directed:13,13", "rmat_directed:13,13", nullptr},
    {"cit-Patents", "citations", 3774768, 4.37, "random:3774768,4", "random:471846,4", nullptr},
    {"as-Skitter", "internet", 1696415, 13.08, "rmat:20,7", "rmat:13,7", nullptr}};
// One of each kind, with empty rows and a rectangle.
constexpr const char* quick_set[] = {"dense:30,30", "laplace3d:5(x)2x2", "banded:500,7", "powerlaw:2000",
                                     "rmat_directed:9,8", "lp:20,1500,3000"};
// clang-format on

}  // namespace

std::span<const dataset> williams() { return williams_set; }
std::span<const dataset> snap() { return snap_set; }

std::vector<input> inputs_of(const options& o, std::span<const dataset> set, size which) {
    std::vector<input> inputs;
    const auto take = [&](const std::string& paper, const std::string& source) {
        inputs.push_back({paper, source, input_name(source)});
    };
    if (!o.inputs.empty()) {
        for (const auto& source : o.inputs) take("", source);
    } else if (o.quick) {
        for (const char* source : quick_set) take("", source);
    } else {
        for (const dataset& d : set) {
            const std::string file = d.real ? real_matrix(d.real) : std::string();
            take(d.paper, !file.empty() ? file : which == size::full ? d.source : d.of_product);
        }
    }
    return inputs;
}

void print_stand_ins(const std::vector<input>& inputs, std::span<const dataset> set) {
    bool first = true;
    for (const input& i : inputs) {
        const auto d = std::ranges::find_if(set, [&](const dataset& of) { return of.paper == i.paper; });
        if (d == set.end()) continue;
        if (first) fmt::print("{:14} {:20} {:>9} {:>8}   ours\n", "the paper's", "class", "rows", "a row");
        first = false;
        fmt::print("{:14} {:20} {:>9.0f} {:>8.1f}   {}\n", d->paper, d->kind, d->rows, d->per_row, i.name);
    }
}

}  // namespace nz::bench::papers
