// The steps of PageRank: one kernel a backend for what follows a product, and on a GPU one for whole steps; the vectors are written
// where they are.
#include "ops/pagerank_step.hpp"

#include "core/checks.hpp"
#include "core/device.hpp"
#include "kernels/cpu/pagerank/step.hpp"
#include "kernels/cuda_table.hpp"
#include "kernels/kernel_ids.hpp"
#include "ops/vectors_device.hpp"
#include "storage/matrix_body.hpp"

#include <utility>

namespace nz::ops {
namespace {

kernels::pagerank_step_arguments arguments_of(const context& ctx, const pagerank_vectors& v,
                                              std::optional<double> sum) {
    kernels::pagerank_step_arguments k;
    k.size = v.ranks.size();
    k.type = v.ranks.type();
    k.damping = v.damping;
    k.sum_known = sum.has_value();
    k.sum = sum.value_or(0);
    k.threads = ctx.threads();
    return k;
}

std::size_t parts_of(offset_t size) {
    constexpr offset_t block = kernels::pagerank_block;
    return static_cast<std::size_t>((size + block - 1) / block) * sizeof(kernels::pagerank_sums);
}

pagerank_change on_host(const context& ctx, const pagerank_vectors& v, std::optional<double> sum) {
    kernels::pagerank_step_arguments k = arguments_of(ctx, v, sum);
    k.carried = v.carried.body().values.data();
    if (v.start) k.start = v.start->body().values.data();
    k.scale = v.scale.body().values.data();
    k.ranks = v.ranks.mutable_body().values.data();
    k.scaled = v.scaled.mutable_body().values.data();
    if (v.moved) k.moved = v.moved->mutable_body().values.data();
    const buffer parts(ctx.memory(), parts_of(k.size));
    kernels::pagerank_sums sums;
    k.parts = parts.as<kernels::pagerank_sums>();
    k.sums = &sums;
    kernels::cpu::pagerank_step(k);
    return {sums.moved, sums.carried};
}

/// Vectors that a kernel reads where they are, kept until it is on the stream.
class readable {
public:
    explicit readable(const context& ctx) : ctx_(ctx) {}
    const void* operator()(const vector& x) {
        kept_.push_back(x.body_anywhere().home->copy_on(ctx_, x.body_anywhere()));
        return kept_.back()->values.data();
    }

private:
    const context& ctx_;
    std::vector<std::shared_ptr<const storage::device_vector>> kept_;
};

offset_t longest_row_on_device(const context& ctx, const matrix& a) {
    return a.body().balance_on(ctx, a.body().columns_anywhere(ctx))->longest_row;
}

pagerank_change on_device(const context& ctx, const pagerank_vectors& v, std::optional<double> sum) {
    kernels::pagerank_step_arguments k = arguments_of(ctx, v, sum);
    readable read(ctx);
    k.carried = read(v.carried);
    if (v.start) k.start = read(*v.start);
    k.scale = read(v.scale);
    k.ranks = writable_on_device(ctx, v.ranks);
    k.scaled = writable_on_device(ctx, v.scaled);
    if (v.moved) k.moved = writable_on_device(ctx, *v.moved);
    const buffer parts(ctx.device_memory(), parts_of(k.size)),
        sums(ctx.device_memory(), sizeof(kernels::pagerank_sums)), total(ctx.device_memory(), sizeof(double)),
        arrived(ctx.device_memory(), sizeof(unsigned));
    k.parts = parts.as<kernels::pagerank_sums>();
    k.sums = sums.as<kernels::pagerank_sums>();
    k.total = total.as<double>();
    k.arrived = arrived.as<unsigned>();
    kernels::on_cuda().pagerank_step(k, ctx.gpu()->stream());
    kernels::pagerank_sums left;
    ctx.gpu()->download(&left, k.sums, sizeof left);
    return {left.moved, left.carried};
}

}  // namespace

pagerank_change pagerank_step(const context& ctx, const pagerank_vectors& v, std::optional<double> sum) {
    return ctx.gpu() ? on_device(ctx, v, sum) : on_host(ctx, v, sum);
}

plan::pagerank_plan plan_pagerank(const context& ctx, const matrix& a, bool adaptive, bool weighted,
                                  std::string_view kernel) {
    require<domain_error>(kernel.empty() || kernels::known_on_cpu("pagerank", kernel) ||
                              kernels::known_on_cuda("pagerank", kernel),
                          "'{}' is not a kernel of pagerank; there are {}", kernel,
                          kernels::known_ids("pagerank"));
    plan::pagerank_facts f{.on_device = ctx.gpu() && storage::steps_past_end_fit(a.nnz()),
                           .adaptive = adaptive,
                           .weighted = weighted,
                           .entries = a.nnz(),
                           .pinned = kernels::static_id("pagerank", kernel)};
    if (f.on_device && !adaptive && !weighted && kernel != "step")
        f.longest_row = longest_row_on_device(ctx, a);
    require<not_supported>(kernel != "short_rows" || plan::pagerank_rows_fit(f),
                           "kernel short_rows of pagerank needs a GPU, rows of the transpose of at most {} "
                           "entries, every vertex in every step, and no weights",
                           plan::pagerank_short_row);
    return plan::pagerank(f);
}

pagerank_changes pagerank_short_rows(const context& ctx, const matrix& a, const pagerank_vectors& v,
                                     double carried, double tolerance, int most) {
    const auto rows = a.body().columns_on(ctx);
    kernels::device_pagerank_rows_arguments k;
    k.offsets = {rows->offsets.data(), rows->source->offset_bytes == 8};
    k.indices = rows->indices.as<index_t>();
    k.size = v.ranks.size();
    k.type = v.ranks.type();
    k.damping = v.damping;
    k.tolerance = tolerance;
    k.carried = carried;
    k.count = most;
    readable read(ctx);
    if (v.start) k.start = read(*v.start);
    k.scale = read(v.scale);
    k.ranks = writable_on_device(ctx, v.ranks);
    k.scaled = writable_on_device(ctx, v.scaled);
    k.scaled_next = writable_on_device(ctx, v.carried);
    const auto steps = static_cast<std::size_t>(most);
    const buffer sums(ctx.device_memory(), steps * sizeof(kernels::pagerank_fixed_sums));
    k.sums = sums.as<kernels::pagerank_fixed_sums>();
    kernels::on_cuda().pagerank_short_rows(k, ctx.gpu()->stream());
    std::vector<kernels::pagerank_fixed_sums> found(steps);
    ctx.gpu()->download(found.data(), k.sums, steps * sizeof found[0]);
    pagerank_changes left{{}, 0};
    for (const auto& step : found) {
        std::uint64_t total_moved = 0, total_carried = 0;
        for (const auto& part : step.parts) total_moved += part.moved, total_carried += part.carried;
        left.moved.push_back(kernels::pagerank_fixed_unit * static_cast<double>(total_moved));
        left.carried = v.damping * kernels::pagerank_fixed_unit * static_cast<double>(total_carried);
        if (left.moved.back() <= tolerance) break;
    }
    if (left.moved.size() % 2 != 0) std::swap(v.scaled, v.carried);
    return left;
}

}  // namespace nz::ops
