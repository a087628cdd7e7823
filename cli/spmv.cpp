// nz spmv: y = A x for a dense random x.
#include "matvec.hpp"

#include <memory>

namespace nz::cli {

void add_spmv(CLI::App& app, runner& run) {
    auto* verb = app.add_subcommand("spmv", "Sparse matrix times dense vector, over any semiring");
    const auto s = std::make_shared<matvec_settings>();
    add_matvec_options(*verb, *s);
    verb->footer(
        "x is random: floats in [0, 1), integers in 0..9. GFLOP/s counts 2 for an entry; GB/s counts indices,\n"
        "offsets, values where the semiring reads them, x and y once.\n"
        "Example: nz spmv laplace2d:1000 --validate --kernel csr_merge");
    verb->callback([&run, s] { run = [s] { return run_matvec("spmv", *s); }; });
}

}  // namespace nz::cli
