// Figure 6: the product with a vector of some density by tiles, by a gather in buckets (the paper's CombBLAS), by our own SpMV
// on the CSR, and on a GPU by cuSPARSE's CSR and BSR. Each result is checked against a plain loop, then timed: on a GPU the
// kernels alone, operands resident, on a CPU whole calls.
#include "core/device.hpp"
#include "inputs.hpp"
#include "ops/matvec_on_gpu.hpp"
#include "papers/ji2022/figures.hpp"
#include "peers/cusparse.hpp"
#include "storage/matrix_body.hpp"

#include <fmt/format.h>

#include <cmath>
#include <random>

namespace nz::bench::ji2022 {
namespace {

constexpr double densities[] = {0.1, 0.01, 0.001, 0.0001};
constexpr int bsr_blocks[] = {4, 16};
constexpr double large_entries = 2e7;

struct vector_case {
    vector u;
    std::vector<double> expected;
    std::vector<bool> met;
};

struct problem {
    std::string source;
    matrix a;
    std::vector<vector_case> of;  // by density, and with every entry at the end
};

vector_case make_case(const context& ctx, const matrix& a, double density) {
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> unit(0, 1);
    std::vector<index_t> places;
    std::vector<double> values, dense(static_cast<std::size_t>(a.columns()), 0);
    for (index_t j = 0; j < a.columns(); ++j)
        if (density >= 1 || unit(random) < density) {
            places.push_back(j);
            values.push_back(0.5 + unit(random));
            dense[static_cast<std::size_t>(j)] = values.back();
        }
    if (places.empty()) places.push_back(0), values.push_back(dense[0] = 1);
    const auto v = a.csr<double>();
    vector_case c{density >= 1 ? vector::dense<double>(ctx, dense)
                               : vector::build<double>(ctx, a.columns(), places, values),
                  std::vector<double>(static_cast<std::size_t>(v.rows), 0),
                  std::vector<bool>(static_cast<std::size_t>(v.rows), false)};
    for (index_t i = 0; i < v.rows; ++i)
        for (auto k = v.offsets[i]; k < v.offsets[i + 1]; ++k)
            if (const double x = dense[static_cast<std::size_t>(v.columns[k])]; x != 0) {
                c.expected[static_cast<std::size_t>(i)] += v.values[k] * x;
                c.met[static_cast<std::size_t>(i)] = true;
            }
    return c;
}

problem make_problem(const context& ctx, const std::string& source) {
    problem p{source, load_valued(ctx, source), {}};
    for (const double density : densities) p.of.push_back(make_case(ctx, p.a, density));
    p.of.push_back(make_case(ctx, p.a, 1));
    return p;
}

void expect_product(const vector_case& c, const vector& y, const std::string& who) {
    std::vector<index_t> places;
    std::vector<double> values;
    y.extract_tuples(places, values);
    std::size_t at = 0;
    for (std::size_t i = 0; i < c.met.size(); ++i) {
        const bool here = at < places.size() && places[at] == static_cast<index_t>(i);
        if (here != c.met[i]) throw error(fmt::format("{}: row {} has an entry too many or too few", who, i));
        if (!here) continue;
        if (!(std::abs(values[at] - c.expected[i]) <= 1e-10 * (1 + std::abs(c.expected[i]))))
            throw error(fmt::format("{}: row {} is {}, not {}", who, i, values[at], c.expected[i]));
        ++at;
    }
}

// The kernel's time and, where it reads tiles that were made for it, what making them took.
measurement measure(const context& ctx, const problem& p, const vector_case& c, const std::string& kernel) {
    const bool any_order = kernel == "csc_gather_scatter";
    const vector_options o{.kernel = kernel == "planned" ? std::string_view() : std::string_view(kernel),
                           .determinism = any_order ? determinism::fast : determinism::strict};
    vector y(ctx, dtype::float64, p.a.rows());
    mxv(ctx, y, semiring("plus_times_fp64"), p.a, c.u, o);
    expect_product(c, y, p.source + " " + kernel);
    if (ctx.backend() == backend::cuda)
        return {mxv_on_gpu_ms(ctx, p.a, c.u, y, o.kernel, dtype::float64, 15, o.determinism),
                {{"entries", static_cast<double>(p.a.nnz())}}};
    return {time_ms(9, [&] { mxv(ctx, y, semiring("plus_times_fp64"), p.a, c.u, o); }).best, {}};
}

std::string name_of(const std::string& source, double density, const std::string& kernel) {
    return fmt::format("ji2022/spmspv/{}/{}/{}", input_name(source), density, kernel);
}

void add_own(const context& ctx, const std::shared_ptr<slot<problem>>& at, const std::string& source,
             const std::vector<std::string>& kernels) {
    for (const std::string& kernel : {std::string("csr_merge"), std::string("tile_row")})
        add(name_of(source, 1, kernel),
            [=, &ctx] { return measure(ctx, at->of(source), at->of(source).of.back(), kernel); });
    for (std::size_t d = 0; d < std::size(densities); ++d)
        for (const std::string& kernel : kernels)
            add(name_of(source, densities[d], kernel),
                [=, &ctx] { return measure(ctx, at->of(source), at->of(source).of[d], kernel); });
}

// cuSPARSE on the arrays of the matrix's own copy on the GPU, with every entry of x.
void add_cusparse(const context& ctx, const std::shared_ptr<slot<problem>>& at, const std::string& source) {
    const auto described = [=, &ctx](std::vector<buffer>& blocks,
                                     std::vector<std::shared_ptr<const void>>& kept) {
        const problem& p = at->of(source);
        const auto rows = p.a.body().rows_on(ctx);
        const auto values = p.a.body().values_on(ctx, p.a.body().rows(), dtype::float64);
        kept = {rows, values};
        device_spmv d;
        d.rows = p.a.rows();
        d.columns = p.a.columns();
        d.entries = p.a.nnz();
        d.offsets = rows->offsets.data();
        d.indices = rows->indices.data();
        d.values = values->values.data();
        const auto n = static_cast<std::size_t>(std::max(p.a.rows(), p.a.columns()) + 64) * sizeof(double);
        for (int k = 0; k < 2; ++k) blocks.emplace_back(ctx.device_memory(), n);
        ctx.gpu()->fill(blocks[0].data(), 0, n);
        const auto x = p.of.back().u.values<double>();
        ctx.gpu()->upload(blocks[0].data(), x.data(), x.size() * sizeof(double));
        ctx.gpu()->wait();
        d.x = blocks[0].data();
        d.y = blocks[1].data();
        return d;
    };
    const auto expect_y = [=, &ctx](const device_spmv& d, const char* who) {
        const vector_case& c = at->of(source).of.back();
        std::vector<double> y(c.expected.size());
        ctx.gpu()->download(y.data(), d.y, y.size() * sizeof(double));
        for (std::size_t i = 0; i < y.size(); ++i)
            if (!(std::abs(y[i] - c.expected[i]) <= 1e-10 * (1 + std::abs(c.expected[i]))))
                throw error(fmt::format("{}: row {} is {}, not {}", who, i, y[i], c.expected[i]));
    };
    add(name_of(source, 1, "cusparse_csr"), [=, &ctx] {
        std::vector<buffer> blocks;
        std::vector<std::shared_ptr<const void>> kept;
        const device_spmv d = described(blocks, kept);
        double best = 1e300;
        for (const cusparse_variant& v : cusparse_variants())
            best = std::min(best, cusparse_spmv(ctx, d, v, 9).ms);
        expect_y(d, "cusparse_csr");
        return measurement{best, {}};
    });
    for (const int block : bsr_blocks)
        add(name_of(source, 1, fmt::format("cusparse_bsr_{}", block)),
            [=, &ctx]() -> std::optional<measurement> {
                std::vector<buffer> blocks;
                std::vector<std::shared_ptr<const void>> kept;
                const device_spmv d = described(blocks, kept);
                const std::optional<double> ms = cusparse_bsr_ms(ctx, d, block, 5);
                if (!ms) return std::nullopt;
                expect_y(d, "cusparse_bsr");
                return measurement{*ms, {}};
            });
}

void print_source(const std::string& source, const std::vector<std::string>& kernels,
                  const std::map<std::string, measurement>& results) {
    const auto ms = [&](double density, const std::string& kernel) {
        const measurement* m = find(results, name_of(source, density, kernel));
        return m ? m->ms : 0;
    };
    const double spmv = ms(1, "csr_merge"), tile_spmv = ms(1, "tile_row");
    fmt::print("\n{}: every entry: csr_merge {:.4f} ms, tile_row {:.4f}", input_name(source), spmv,
               tile_spmv);
    for (const auto* peer : {"cusparse_csr", "cusparse_bsr_4", "cusparse_bsr_16"})
        if (ms(1, peer) > 0) fmt::print(", {} {:.4f}", peer, ms(1, peer));
    fmt::print("\n{:>8}", "density");
    for (const auto& kernel : kernels) fmt::print(" {:>18}", kernel);
    fmt::print(" {:>9} {:>9} {:>9}\n", "/csr", "/bsr 4", "/bsr 16");
    for (const double density : densities) {
        fmt::print("{:>8}", density);
        double tile = 1e300;
        for (const auto& kernel : kernels) {
            const double t = ms(density, kernel);
            fmt::print(" {:>18}", t > 0 ? fmt::format("{:.4f}", t) : "-");
            if (kernel.starts_with("tile_") && t > 0) tile = std::min(tile, t);
        }
        const auto ratio = [&](double other) {
            return other > 0 ? fmt::format("{:.2f}", other / tile) : "-";
        };
        fmt::print(" {:>9} {:>9} {:>9}\n", ratio(spmv), ratio(ms(1, "cusparse_bsr_4")),
                   ratio(ms(1, "cusparse_bsr_16")));
    }
}

// Of the better of the tile kernels, over csr_merge with every entry of u and over csr_merge with the same u.
void print_means(const std::vector<std::string>& sources, const std::map<std::string, measurement>& results) {
    std::vector<double> every[std::size(densities)], same[std::size(densities)];
    for (const std::string& source : sources) {
        const auto of = [&](double density, const char* kernel) {
            const measurement* m = find(results, name_of(source, density, kernel));
            return m && m->ms > 0 ? m : nullptr;
        };
        const measurement* full = of(1, "csr_merge");
        if (!full || !full->counters.count("entries") || full->counters.at("entries") < large_entries)
            continue;
        for (std::size_t d = 0; d < std::size(densities); ++d) {
            const measurement *row = of(densities[d], "tile_row"), *column = of(densities[d], "tile_column"),
                              *csr = of(densities[d], "csr_merge");
            if (!row || !column || !csr) continue;
            const double tile = std::min(row->ms, column->ms);
            every[d].push_back(full->ms / tile);
            same[d].push_back(csr->ms / tile);
        }
    }
    if (every[0].empty()) return;
    fmt::print("\ntiles over csr_merge, geometric mean of {} matrices of 20 M entries or more\n",
               every[0].size());
    for (std::size_t d = 0; d < std::size(densities); ++d)
        fmt::print("{:>8} with every entry {:.2f}, with the same {:.2f}\n", densities[d],
                   geometric_mean(every[d]), geometric_mean(same[d]));
}

}  // namespace

int products(const options& o, const context& ctx) {
    const std::vector<std::string> kernels =
        kernels_here(ctx, "mxv",
                     {"tile_row", "tile_column", "csr_merge", "csc_gather_bucket", "csc_gather_scatter",
                      "csc_gather_radix"});
    std::vector<std::string> shown = kernels;
    shown.push_back("planned");
    const auto at = std::make_shared<slot<problem>>(
        [&ctx](const std::string& source) { return make_problem(ctx, source); });
    const bool peers = ctx.backend() == backend::cuda && why_no_cusparse().empty();
    for (const std::string& source : inputs_of(o, false)) {
        add_own(ctx, at, source, shown);
        if (peers) add_cusparse(ctx, at, source);
    }
    const auto results = run(o, "^ji2022/spmspv/");
    for (const std::string& source : inputs_of(o, false)) print_source(source, shown, results);
    print_means(inputs_of(o, false), results);
    return 0;
}

}  // namespace nz::bench::ji2022
