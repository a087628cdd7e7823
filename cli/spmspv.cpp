// nz spmspv: y = A x for a sparse random x.
#include "matvec.hpp"

#include <fmt/format.h>

#include <memory>

namespace nz::cli {

void add_spmspv(CLI::App& app, runner& run) {
    auto* verb = app.add_subcommand("spmspv", "Sparse matrix times sparse vector, over any semiring");
    const auto s = std::make_shared<matvec_settings>();
    s->density = 0.01;
    add_matvec_options(*verb, *s);
    verb->add_option("--density", s->density, "Share of the entries of x that are present (default 0.01)")
        ->option_text("D")
        ->check([](const std::string& text) {
            double share = 0;
            const bool right = CLI::detail::lexical_cast(text, share) && share > 0 && share <= 1;
            return right ? std::string() : fmt::format("a share is above 0 and at most 1, not {}", text);
        });
    verb->footer(
        "x is random from --seed. GFLOP/s counts 2 for an entry of A that meets an entry of x.\n"
        "Example: nz spmspv rmat:16,16 --density 0.001 --kernel csc_gather_radix --validate");
    verb->callback([&run, s] { run = [s] { return run_matvec("spmspv", *s); }; });
}

}  // namespace nz::cli
