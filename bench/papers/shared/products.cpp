// Products of matrices: the problem, its check and its time.
#include "papers/shared/runs.hpp"
#include "peers/eigen.hpp"
#include "peers/graphblas.hpp"

#include <fmt/format.h>

namespace nz::bench::papers {
namespace {

offset_t count_products(const csr_view<double>& a, const csr_view<double>& b) {
    offset_t products = 0;
    for (const index_t k : a.columns)
        products += b.offsets[static_cast<std::size_t>(k) + 1] - b.offsets[static_cast<std::size_t>(k)];
    return products;
}

template <class Peer>
measurement measure_peer(const context& ctx, Peer& peer, const product_problem& p, const char* who,
                         int repeats) {
    const timing t = timed(ctx, repeats, [&] { peer.run(); });
    if (peer.entries() != static_cast<std::int64_t>(p.expected.indices.size()))
        throw error(fmt::format("{} has {} entries, a plain loop {}", who, peer.entries(),
                                p.expected.indices.size()));
    return {t.median, {{"best_ms", t.best}}};
}

// The second factor as a matrix of its own.
matrix second(const context& ctx, const product_problem& p) {
    if (!p.transposed) return p.a;
    matrix t(ctx, dtype::float64, p.a.columns(), p.a.rows());
    transpose(ctx, t, p.a);
    return t;
}

}  // namespace

product_problem make_product(const context& ctx, const std::string& source) {
    product_problem p{load_valued(ctx, source), false, {}, 0, 0};
    p.transposed = p.a.rows() != p.a.columns();
    const auto a = p.a.csr<double>();
    const plain_csr turned = p.transposed ? plain_transpose(a) : plain_csr();
    const auto b = p.transposed ? view_of(turned) : a;
    p.products = count_products(a, b);
    p.sequential_ms = time_ms(2, [&] { p.expected = plain_product(a, b); }).best;
    return p;
}

mxm_plan multiply(const context& ctx, const product_problem& p, matrix& c, std::string_view kernel) {
    c = matrix(ctx, dtype::float64, p.a.rows(), p.transposed ? p.a.rows() : p.a.columns());
    return mxm(ctx, c, semiring("plus_times"), p.a, p.a, {.transpose_b = p.transposed, .kernel = kernel});
}

measurement measure_product(const context& ctx, const product_problem& p, const std::string& kernel,
                            int repeats) {
    const std::string pinned = kernel == "planned" ? "" : kernel;
    matrix c(ctx, dtype::float64, 1, 1);
    const mxm_plan plan = multiply(ctx, p, c, pinned);
    // On a GPU rows of several tiles are sums of their tiles' sums.
    expect_same(p.expected, c, kernel, plan.on_device && kernel == "two_level_sort" ? 1e-12 : 0);
    if (plan.products != p.products)
        throw error(fmt::format("{}: {} products counted, not {}", kernel, plan.products, p.products));
    const timing t = timed(ctx, repeats, [&] { multiply(ctx, p, c, pinned); });
    fmt::print("{}\n", to_string(plan));
    const auto products = static_cast<double>(p.products), entries = static_cast<double>(c.nnz());
    // A's rows, B's and C's read or written once.
    const double bytes =
        12 * static_cast<double>(p.a.rows()) + 12 * (2 * static_cast<double>(p.a.nnz()) + entries);
    return {t.median,
            {{"best_ms", t.best},
             {"sequential_ms", p.sequential_ms},
             {"products", products},
             {"output_entries", entries},
             {"bytes", bytes},
             {"gflops", 2 * products / t.best / 1e6}}};
}

void add_product_peers(const context& ctx, const std::shared_ptr<slot<product_problem>>& at,
                       const std::string& source, const std::string& head, int repeats) {
    if (ctx.backend() == backend::cuda) return;
    const int threads = ctx.threads();
    if (have_graphblas())
        add(head + "/graphblas", [=] {
            const product_problem& p = at->of(source);
            graphblas_multiply peer(p.a, second(ctx, p), threads);
            return measure_peer(ctx, peer, p, "GraphBLAS", repeats);
        });
    if (have_eigen())
        add(head + "/eigen", [=] {
            const product_problem& p = at->of(source);
            eigen_multiply peer(p.a, second(ctx, p));
            return measure_peer(ctx, peer, p, "Eigen", repeats);
        });
}

}  // namespace nz::bench::papers
