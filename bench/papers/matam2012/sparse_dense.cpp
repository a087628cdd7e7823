// Figure 10: sparse x dense over 8 to 64 columns. It is the suite spmm over the paper's matrices, whose results are shown as the
// paper has them: kernels against one SpMV a column and against the peer (cuSPARSE on a GPU, Eigen on a CPU).
#include "papers/matam2012/figures.hpp"

#include <fmt/format.h>

namespace nz::bench::matam2012 {
namespace {

constexpr index_t widths[] = {8, 16, 32, 64};
constexpr const char* shown = "^spmm/.*/(planned|csr_tiled|csr_merge|csr_half_warp|mxv|eigen|cusparse)(/|$)";

}  // namespace

int sparse_dense(const options& o, const context& ctx) {
    const bool gpu = ctx.backend() == backend::cuda;
    const std::vector<input> inputs = inputs_of(o, williams(), gpu ? size::full : size::of_product);
    print_stand_ins(inputs, williams());
    const std::vector<std::string> kernels =
        kernels_here(ctx, "mxd", {"csr_half_warp", "csr_tiled", "csr_merge"});
    if (gpu) fmt::print("one SpMV a column is timed on a CPU alone\n");
    options of_suite = o;
    of_suite.inputs.clear();
    of_suite.quick = false;
    for (const input& i : inputs) of_suite.inputs.push_back(i.source);
    if (o.filter.empty()) of_suite.filter = shown;
    if (const int status = spmm_suite(of_suite); status != 0) return status;
    const char* peer = gpu ? "cusparse" : "eigen";
    const auto& results = results_so_far();
    fmt::print("\n{:13} {:24} {:>4} | speed over {:9}:", "", "ours", "cols", peer);
    for (const auto& kernel : kernels) fmt::print(" {:>13}", kernel);
    fmt::print(" | over one SpMV a column\n");
    std::map<std::string, std::map<index_t, std::vector<double>>> ratios;
    for (const input& i : inputs)
        for (const index_t columns : widths) {
            const std::string head =
                fmt::format("spmm/{}/{}/{}", gpu ? i.source : i.name, columns, gpu ? "double/" : "");
            const auto *planned = find(results, head + "planned"), *other = find(results, head + peer),
                       *single = find(results, head + "mxv");
            if (!planned) continue;
            fmt::print("{:13} {:24} {:>4} | {:20}", i.paper, i.name, columns, "");
            for (const auto& kernel : kernels) {
                const auto* own = find(results, head + kernel);
                if (own && other) ratios[kernel][columns].push_back(other->ms / own->ms);
                fmt::print(" {:>13}", own && other ? fmt::format("{:.2f}", other->ms / own->ms) : "-");
            }
            fmt::print(" | {}\n", single ? fmt::format("{:.2f}", single->ms / planned->ms) : "-");
        }
    for (const auto& [kernel, of] : ratios)
        for (const auto& [columns, all] : of)
            fmt::print("{}, {} columns: geometric mean {:.2f}\n", kernel, columns, geometric_mean(all));
    return 0;
}

}  // namespace nz::bench::matam2012
