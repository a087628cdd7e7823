// pagerank_step: one kernel a backend; the vectors are written where they are.
#include "ops/pagerank_step.hpp"

#include "core/device.hpp"
#include "kernels/cpu/pagerank/step.hpp"
#include "kernels/cuda_table.hpp"
#include "ops/vectors_device.hpp"

#include <vector>

namespace nz::ops {
namespace {

kernels::pagerank_step_arguments arguments_of(const context& ctx, const pagerank_vectors& v) {
    kernels::pagerank_step_arguments k;
    k.size = v.ranks.size();
    k.type = v.ranks.type();
    k.threads = ctx.threads();
    return k;
}

std::size_t parts_of(const kernels::pagerank_step_arguments& k) {
    return static_cast<std::size_t>((k.size + kernels::pagerank_block - 1) / kernels::pagerank_block);
}

double on_host(const context& ctx, const pagerank_vectors& v) {
    kernels::pagerank_step_arguments k = arguments_of(ctx, v);
    k.carried = v.carried.body().values.data();
    if (v.start) k.start = v.start->body().values.data();
    k.scale = v.scale.body().values.data();
    k.ranks = v.ranks.mutable_body().values.data();
    k.scaled = v.scaled.mutable_body().values.data();
    if (v.moved) k.moved = v.moved->mutable_body().values.data();
    const buffer parts(ctx.memory(), parts_of(k) * sizeof(double));
    double totals[2] = {};
    k.parts = parts.as<double>();
    k.totals = totals;
    kernels::cpu::pagerank_step(k);
    return totals[1];
}

double on_device(const context& ctx, const pagerank_vectors& v) {
    kernels::pagerank_step_arguments k = arguments_of(ctx, v);
    std::vector<std::shared_ptr<const storage::device_vector>> read_there;
    const auto read = [&](const vector& x) {
        read_there.push_back(x.body_anywhere().home->copy_on(ctx, x.body_anywhere()));
        return read_there.back()->values.data();
    };
    k.carried = read(v.carried);
    if (v.start) k.start = read(*v.start);
    k.scale = read(v.scale);
    k.ranks = writable_on_device(ctx, v.ranks);
    k.scaled = writable_on_device(ctx, v.scaled);
    if (v.moved) k.moved = writable_on_device(ctx, *v.moved);
    const buffer parts(ctx.device_memory(), parts_of(k) * sizeof(double)),
        totals(ctx.device_memory(), 2 * sizeof(double)), arrived(ctx.device_memory(), sizeof(unsigned));
    k.parts = parts.as<double>();
    k.totals = totals.as<double>();
    k.arrived = arrived.as<unsigned>();
    kernels::on_cuda().pagerank_step(k, ctx.gpu()->stream());
    double change = 0;
    ctx.gpu()->download(&change, k.totals + 1, sizeof change);
    return change;
}

}  // namespace

double pagerank_step(const context& ctx, const pagerank_vectors& v) {
    return ctx.gpu() ? on_device(ctx, v) : on_host(ctx, v);
}

}  // namespace nz::ops
