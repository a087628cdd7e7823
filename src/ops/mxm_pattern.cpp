// Products whose places are known: counted once, filled as often as values change.
#include "core/checks.hpp"
#include "core/device.hpp"
#include "core/parallel.hpp"
#include "ops/mxm_pattern_device.hpp"
#include "ops/write_back.hpp"

#include <atomic>

namespace nz {
namespace ops {

/// The places of a matrix, as far as 64 bits tell them apart.
struct places {
    index_t rows = 0, columns = 0;
    offset_t entries = 0;
    std::uint64_t print = 0;
    friend bool operator==(const places&, const places&) = default;
};

struct mxm_symbolic {
    context ctx;
    places a, b;
    bool transpose_a, transpose_b;
    mxm_plan plan;
    mxm_collected known;
    mxm_counted counted;
    std::shared_ptr<const device_symbolic> there;  ///< on a GPU, and nothing of the above but the transposes
};

namespace {

std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    return (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
}

// A sum over all places of a number for each, so that threads may take any share: the same for every number of them.
template <class T>
std::uint64_t print_of(int threads, const T* data, offset_t n) {
    std::atomic<std::uint64_t> sum{0};
    parallel::for_pieces(threads, n, [&](offset_t begin, offset_t end) {
        std::uint64_t mine = 0;
        for (offset_t k = begin; k < end; ++k)
            mine += mixed(static_cast<std::uint64_t>(data[k]) +
                          static_cast<std::uint64_t>(k) * 0x9E3779B97F4A7C15u);
        sum += mine;
    });
    return sum;
}

places places_of(const context& ctx, const storage::csr& a) {
    places p{a.rows, a.columns, a.nnz, 0};
    p.print = print_of(ctx.threads(), a.index_data(), a.nnz);
    storage::with_offsets(a, [&](const auto* offsets) {
        p.print = mixed(p.print) + print_of(ctx.threads(), offsets, a.rows + offset_t{1});
    });
    return p;
}

void check_same(const places& found, const places& given, std::string_view name) {
    require<domain_error>(
        found == given,
        "mxm: {} has other places ({} x {}, {} entries) than the one the pattern was found with ({} x {}, "
        "{} entries): find_pattern anew",
        name, given.rows, given.columns, given.entries, found.rows, found.columns, found.entries);
}

}  // namespace
}  // namespace ops

offset_t mxm_pattern::entries() const {
    return body_->there ? ops::entries_of(*body_->there) : body_->counted.entries;
}
const mxm_plan& mxm_pattern::plan() const { return body_->plan; }

mxm_pattern find_pattern(const context& ctx, const semiring& s, const matrix& a, const matrix& b,
                         const matrix_options& options) {
    const ops::product p = ops::make_product(ctx, s, a, b, options);
    ops::check_factors(p);
    require<not_supported>(!options.mask, "a pattern is found without a mask: give the mask to mxm");
    require<not_supported>(
        options.kernel != "reference",
        "patterns are found by compiled kernels: leave the kernel reference out, or use mxm");
    require<not_supported>(p.cell != nullptr,
                           "patterns are found by compiled kernels, and {} on {} is not compiled", s.name(),
                           name_of(p.operand_type));
    require<not_supported>(options.kernel != "column_column",
                           "patterns are found by rows: leave the kernel column_column out, or use mxm");
    if (auto there = ops::find_on_device(p)) {
        const mxm_plan plan = ops::plan_of(*there);
        return mxm_pattern(std::make_shared<ops::mxm_symbolic>(ops::mxm_symbolic{
            ctx, {}, {}, options.transpose_a, options.transpose_b, plan, {}, {}, std::move(there)}));
    }
    auto body = std::make_shared<ops::mxm_symbolic>(ops::mxm_symbolic{ctx,
                                                                      ops::places_of(ctx, p.a()),
                                                                      ops::places_of(ctx, p.b()),
                                                                      options.transpose_a,
                                                                      options.transpose_b,
                                                                      {},
                                                                      {},
                                                                      {},
                                                                      {}});
    body->plan = ops::make_plan(p, body->known);
    ctx.log(to_string(body->plan));
    body->counted = ops::count_compiled(p, body->plan, body->known);
    return mxm_pattern(std::move(body));
}

mxm_plan mxm(const context& ctx, matrix& c, const semiring& s, const matrix& a, const matrix& b,
             const mxm_pattern& pattern, const matrix_options& options) {
    const ops::mxm_symbolic& known = pattern.body();
    ops::check_kernel("mxm", options.kernel);
    require<not_supported>(options.kernel.empty() || options.kernel == known.plan.kernel,
                           "mxm: the pattern was found for kernel {}, not {}: find_pattern takes that too",
                           known.plan.kernel, options.kernel);
    matrix_options pinned = options;
    pinned.kernel = known.plan.kernel;
    const ops::product p = ops::make_product(ctx, s, a, b, pinned);
    require<not_supported>(p.cell != nullptr,
                           "patterns are filled by compiled kernels, and {} of {} and {} is not compiled: "
                           "leave the pattern out",
                           s.name(), name_of(a.type()), name_of(b.type()));
    ops::check_product(p, c);
    require<domain_error>(
        options.transpose_a == known.transpose_a && options.transpose_b == known.transpose_b,
        "mxm: the pattern was found with other transposes");
    if (known.there && !ops::fills_on_device(p)) {  // no values are multiplied: the whole product
        ops::check_places(p, *known.there);
        return mxm(ctx, c, s, a, b, pinned);
    }
    if (known.there) {
        mxm_plan plan = known.plan;
        plan.reason = "places and products are known: values alone";
        const device::arrivals arrived(ctx);
        matrix t = ops::fill_on_device(p, c.body().ctx, *known.there);
        plan.moved_bytes = arrived.bytes();
        ctx.log(to_string(plan));
        ops::write_back_from_device(ctx, c, std::move(t), options);
        return plan;
    }
    ops::check_same(known.a, ops::places_of(ctx, p.a()), "A");
    ops::check_same(known.b, ops::places_of(ctx, p.b()), "B");
    mxm_plan plan = known.plan;
    plan.reason = "the places are known: filled without counting";
    ctx.log(to_string(plan));
    // The workspace's parts depend on the threads and on the result's type.
    plan::mxm_facts f = ops::facts_of(p);
    f.products = plan.products;
    f.most_products = known.known.most_products;
    f.most_entries = known.known.most_entries;
    f.words = known.known.words.size() ? known.known.words[static_cast<std::size_t>(f.inner)] : offset_t{-1};
    plan.workspace_bytes = plan::mxm(f).workspace_bytes;
    ops::write_back(ctx, c, ops::fill_compiled(p, plan, known.known, known.counted), options);
    return plan;
}

std::vector<double> ops::numeric_kernel_ms(const context& ctx, const semiring& s, const matrix& a,
                                           const matrix& b, const mxm_pattern& pattern,
                                           const matrix_options& options, int repeats) {
    const ops::product p = ops::make_product(ctx, s, a, b, options);
    require<not_supported>(pattern.body().there && ops::fills_on_device(p),
                           "this pattern is not on a GPU, or {} of {} and {} is not filled there", s.name(),
                           name_of(a.type()), name_of(b.type()));
    return ops::numeric_kernel_ms(p, *pattern.body().there, repeats);
}

}  // namespace nz
