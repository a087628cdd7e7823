// The example of the README: a search, and one step over (min, +) under a mask.
#include <nonzero/nonzero.hpp>

#include <iostream>

int main() {
    const nz::context ctx;
    const nz::matrix a = nz::load(ctx, "rmat:12,16").matrix;

    const auto search = nz::bfs(ctx, a, 1);
    std::cout << search.reached << " vertices in " << search.iterations.size() << " levels\n";

    nz::vector distance(ctx, nz::dtype::float64, a.rows());
    const auto start = nz::vector::full(ctx, a.rows(), 0.0);
    const auto plan = nz::mxv(ctx, distance, nz::semiring("min_plus"), a, start,
                              {.mask = &search.levels, .mask_structure = true});
    std::cout << nz::to_string(plan) << "\n";
    return search.reached > 1 && distance.count() > 1 ? 0 : 1;
}
