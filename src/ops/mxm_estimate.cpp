// What a product will be: an upper bound from the products of its rows, an expectation from a sample of them.
#include "core/checks.hpp"
#include "core/parallel.hpp"
#include "kernels/cpu/mxm/common_facts.hpp"
#include "ops/mxm_product.hpp"
#include "plan/mxm_workspace.hpp"

#include <algorithm>

namespace nz {
namespace {

using storage::csr;

// Rows drawn: their ratios of entries to products differ by a factor of a few, so that the mean of 1024 is good to some
// percent.
constexpr offset_t usually_sampled = 1024;

// Row numbers, ascending; a row comes as often as it was drawn. All rows where they are few, else one from each of
// `sampled` stretches with equally many products, at a place that a hash of the stretch gives.
std::vector<index_t> draw_rows(const ops::mxm_collected& known, index_t rows, offset_t sampled) {
    std::vector<index_t> drawn;
    if (rows <= sampled) {
        for (index_t i = 0; i < rows; ++i) drawn.push_back(i);
        return drawn;
    }
    const double products = static_cast<double>(known.products[rows]);
    if (products == 0) return drawn;
    const offset_t* before = known.products.data();
    for (offset_t n = 0; n < sampled; ++n) {
        std::uint64_t h = static_cast<std::uint64_t>(n + 1) * 0x9E3779B97F4A7C15u;
        h = (h ^ h >> 31) * 0xBF58476D1CE4E5B9u;
        const double within = static_cast<double>(h >> 11) * 0x1p-53;
        const auto target = static_cast<offset_t>((static_cast<double>(n) + within) /
                                                  static_cast<double>(sampled) * products);
        const auto at =
            std::upper_bound(before, before + rows + 1, std::min(target, before[rows] - 1)) - before - 1;
        drawn.push_back(static_cast<index_t>(at));
    }
    return drawn;
}

// The entries of the product's drawn rows, counted by mxm/hash on a matrix of these rows alone.
std::vector<index_t> count_rows(const ops::product& p, const ops::mxm_collected& known,
                                std::span<const index_t> drawn) {
    const csr& a = p.a();
    std::vector<std::int64_t> offsets{0}, products{0};
    std::vector<index_t> columns;
    kernels::mxm_arguments k;
    for (const index_t i : drawn) {
        const offset_t next = i + offset_t{1}, n = known.products[next] - known.products[i];
        columns.insert(columns.end(), a.index_data() + a.offset(i), a.index_data() + a.offset(next));
        offsets.push_back(static_cast<std::int64_t>(columns.size()));
        products.push_back(products.back() + n);
        k.most_products = std::max(k.most_products, n);
        k.most_entries = std::max(k.most_entries, a.offset(next) - a.offset(i));
    }
    std::vector<index_t> counts(drawn.size());
    k.a = {{offsets.data(), true}, columns.data(), nullptr};
    k.b = ops::structure_of(p.b());
    k.rows = static_cast<index_t>(drawn.size());
    k.inner = a.columns;
    k.columns = static_cast<index_t>(p.right.columns());
    k.products = products.data();
    k.counts = counts.data();
    k.value_bytes = 0;
    const std::size_t one = plan::hash_workspace(k.most_products, k.columns, 0);
    k.threads = static_cast<int>(
        std::clamp<std::size_t>(ops::bytes_left(p.ctx) / one, 1, static_cast<std::size_t>(p.ctx.threads())));
    const buffer workspace(p.ctx.memory(), one * static_cast<std::size_t>(k.threads));
    k.workspace = workspace.data();
    instantiate::find_mxm_count("hash")(k);
    return counts;
}

double expected_entries(const ops::mxm_collected& known, std::span<const index_t> drawn,
                        std::span<const index_t> counts, index_t rows, offset_t sampled) {
    double sum = 0;
    if (rows <= sampled) {
        for (const index_t n : counts) sum += n;
        return sum;
    }
    for (std::size_t s = 0; s < drawn.size(); ++s) {
        const offset_t products = known.products[drawn[s] + offset_t{1}] - known.products[drawn[s]];
        sum += static_cast<double>(counts[s]) / static_cast<double>(products);
    }
    return drawn.empty()
               ? 0
               : sum / static_cast<double>(drawn.size()) * static_cast<double>(known.products[rows]);
}

}  // namespace

offset_t ops::most_entries(const product& p, const mxm_collected& known) {
    const auto columns = static_cast<offset_t>(p.right.columns());
    std::atomic<offset_t> most{0};
    parallel::for_pieces(p.ctx.threads(), p.a().rows, [&](offset_t begin, offset_t end) {
        offset_t sum = 0;
        for (offset_t i = begin; i < end; ++i)
            sum += std::min<offset_t>(known.products[i + 1] - known.products[i], columns);
        most += sum;
    });
    return most;
}

double ops::expected_entries(const product& p, const mxm_collected& known, offset_t sampled) {
    constexpr offset_t share = 64, fewest = 32;
    auto drawn = draw_rows(known, p.a().rows, sampled);
    const auto products = [&] {
        offset_t sum = 0;
        for (const index_t i : drawn) sum += known.products[i + offset_t{1}] - known.products[i];
        return sum;
    };
    while (sampled > fewest && products() > known.products[static_cast<std::size_t>(p.a().rows)] / share)
        drawn = draw_rows(known, p.a().rows, sampled /= 2);
    return nz::expected_entries(known, drawn, count_rows(p, known, drawn), p.a().rows, sampled);
}

mxm_estimate estimate_mxm(const context& ctx, const semiring& s, const matrix& a, const matrix& b,
                          const matrix_options& options) {
    const ops::product p = ops::make_product(ctx, s, a, b, options);
    ops::check_factors(p);
    ops::mxm_collected known;
    plan::mxm_facts f = ops::facts_of(p);
    ops::collect_products(p, f, known);
    mxm_estimate e;
    e.products = f.products;
    e.most_entries = ops::most_entries(p, known);
    const auto drawn = draw_rows(known, f.rows, usually_sampled);
    e.expected_entries = expected_entries(known, drawn, count_rows(p, known, drawn), f.rows, usually_sampled);
    e.sampled_rows = std::ranges::count_if(
        drawn, [&, last = index_t{-1}](index_t i) mutable { return std::exchange(last, i) != i; });
    const auto bytes = [&](double entries) {
        const int width = storage::offset_bytes_for(static_cast<offset_t>(entries));
        return (static_cast<double>(f.rows) + 1) * width +
               entries * static_cast<double>(sizeof(index_t) + size_of(p.value));
    };
    e.most_bytes = static_cast<std::size_t>(bytes(static_cast<double>(e.most_entries)));
    e.expected_bytes = bytes(e.expected_entries);
    return e;
}

}  // namespace nz
