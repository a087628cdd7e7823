// The tiles of mxm/two_level_sort apart from its product: what figures 4 and 11 time.
#pragma once

#include "kernels/cpu/mxm/two_level_sort.hpp"
#include "ops/mxm_product.hpp"

namespace nz::bench::dalton2015 {

/// What the kernel is called with, its workspace and what it points to. The product outlives it.
struct tiled_product {
    ops::mxm_collected known;
    buffer workspace;
    array<index_t> counts;
    kernels::mxm_arguments arguments;

    explicit tiled_product(const ops::product& p) {
        plan::mxm_facts f = ops::facts_of(p);
        ops::collect_products(p, f, known);
        kernels::mxm_arguments& k = arguments;
        k.a = ops::structure_of(p.a());
        k.b = ops::structure_of(p.b());
        k.rows = p.a().rows;
        k.inner = p.a().columns;
        k.columns = static_cast<index_t>(p.right.columns());
        k.products = known.products.data();
        k.most_products = known.most_products;
        k.most_entries = known.most_entries;
        k.threads = p.ctx.threads();
        workspace = buffer(p.ctx.memory(), plan::two_level_workspace(k.most_products, k.value_bytes) *
                                               static_cast<std::size_t>(k.threads));
        k.workspace = workspace.data();
        counts = array<index_t>(p.ctx, static_cast<std::size_t>(k.rows));
        k.counts = counts.data();
    }
};

}  // namespace nz::bench::dalton2015
