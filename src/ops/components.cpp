// components: check, collect facts, plan, run. Its labels are written once, so there is no write-back stage.
#include "ops/components.hpp"

#include "core/checks.hpp"
#include "core/device.hpp"
#include "core/parallel.hpp"
#include "kernels/cpu/components/afforest.hpp"
#include "kernels/cuda_table.hpp"
#include "kernels/kernel_ids.hpp"
#include "kernels/reference/components.hpp"
#include "nonzero/operations.hpp"
#include "storage/matrix_body.hpp"
#include "storage/vector_body.hpp"

#include <numeric>

namespace nz::ops {
namespace {

constexpr std::string_view label_loop_id = "label_loop";  // over mxv: on every backend, no kernel of its own
constexpr std::string_view reference_id = "reference";

void check(const matrix& a, const components_options& o) {
    require<dimension_mismatch>(a.rows() == a.columns(),
                                "components: the matrix is {} x {}; a graph needs a square one", a.rows(),
                                a.columns());
    require<domain_error>(o.kernel.empty() || o.kernel == label_loop_id || o.kernel == reference_id ||
                              kernels::known_on_cpu("components", o.kernel),
                          "'{}' is not a kernel of components; there are {}, {}, {}", o.kernel,
                          kernels::known_ids("components"), label_loop_id, reference_id);
}

// The specification in GraphBLAS's words: each label becomes the smallest of its own and its neighbours', until none
// changes.
vector label_loop(const context& ctx, const matrix& a, int& rounds) {
    std::vector<std::int32_t> own(static_cast<std::size_t>(a.rows()));
    std::iota(own.begin(), own.end(), 0);
    vector labels = vector::dense<std::int32_t>(ctx, own);
    const semiring ring(binary_id::min, binary_id::second, dtype::int32);
    const bool symmetric = a.body().known_symmetric();
    for (bool changed = true; changed; ++rounds) {
        vector next = labels;
        mxv(ctx, next, ring, a, labels, {.accum = binary_id::min});
        if (!symmetric) mxv(ctx, next, ring, a, vector(next), {.accum = binary_id::min, .transpose_a = true});
        vector differs(ctx, dtype::boolean, a.rows());
        ewise_mult(ctx, differs, binary_id::ne, next, labels);
        changed = reduce(ctx, binary_id::lor, differs).get<bool>();
        labels = std::move(next);
    }
    return labels;
}

vector run_on_host(const context& ctx, const matrix& a, const plan::components_plan& plan) {
    const auto n = static_cast<index_t>(a.rows());
    storage::vector_body labels = storage::make_vector_body(ctx, dtype::int32, n, vector_form::dense, n);
    const storage::csr& rows = a.body().rows();
    kernels::components_arguments k;
    k.vertices = n;
    k.out_offsets = {rows.offsets.data(), rows.offset_bytes == 8};
    k.out_neighbours = rows.index_data();
    k.threads = ctx.threads();
    k.labels = labels.values.as<index_t>();
    if (plan.reads_columns) {
        const storage::csr& columns = a.body().columns();
        k.symmetric = &columns == &rows || a.body().known_symmetric();
        k.in_offsets = {columns.offsets.data(), columns.offset_bytes == 8};
        k.in_neighbours = columns.index_data();
    }
    if (plan.kernel == reference_id)
        kernels::reference::components(k);
    else
        kernels::cpu::afforest(k);
    return storage::make_vector(std::move(labels));
}

// The graph is copied where it is not there yet; labels stay on the GPU.
vector run_on_device(const context& ctx, const matrix& a, const plan::components_plan& plan,
                     offset_t& count) {
    const auto n = static_cast<index_t>(a.rows());
    const storage::matrix_body& body = a.body();
    const auto rows = body.entries_on(ctx);
    const bool wide = body.rows_anywhere().offset_bytes == 8;
    kernels::device_components_arguments d;
    kernels::components_arguments& k = d.common;
    k.vertices = n;
    k.out_offsets = {rows->offsets.data(), wide};
    k.out_neighbours = rows->indices.as<index_t>();
    std::shared_ptr<const storage::device_csr> columns;
    if (plan.reads_columns) {
        k.symmetric = body.known_symmetric();
        columns = k.symmetric ? rows : body.columns_on(ctx);
        k.in_offsets = {columns->offsets.data(), wide};
        k.in_neighbours = columns->indices.as<index_t>();
    }
    storage::device_vector labels = storage::allocate_on_device(ctx, dtype::int32, n, vector_form::dense, n);
    k.labels = labels.values.as<index_t>();
    const buffer long_rows(ctx.device_memory(), 2 * static_cast<std::size_t>(n) * sizeof(index_t)),
        report(ctx.device_memory(), sizeof(kernels::components_report));
    d.long_rows = long_rows.as<index_t>();
    d.report = report.as<kernels::components_report>();
    kernels::on_cuda().afforest(d, ctx.gpu()->stream());
    kernels::components_report found;
    ctx.gpu()->download(&found, report.data(), sizeof found);
    count = static_cast<offset_t>(found.components);
    return storage::make_device_vector(ctx, dtype::int32, n, vector_form::dense, n, std::move(labels));
}

offset_t count_roots(const context& ctx, const vector& labels) {
    const auto label = labels.values<std::int32_t>();
    std::atomic<offset_t> count{0};
    parallel::for_pieces(ctx.threads(), labels.size(), [&](offset_t begin, offset_t end) {
        offset_t mine = 0;
        for (offset_t v = begin; v < end; ++v) mine += label[static_cast<std::size_t>(v)] == v;
        count += mine;
    });
    return count;
}

}  // namespace

plan::components_plan plan_components(const matrix& a, const components_options& o) {
    check(a, o);
    return plan::components({a.body().known_symmetric(), a.body().has_columns(), o.kernel});
}

components_result components(const context& ctx, const matrix& a, const components_options& o) {
    const plan::components_plan plan = plan_components(a, o);
    components_result result{vector(ctx, dtype::int32, 0), 0, 0, {}};
    if (ctx.gpu() && plan.kernel == "afforest" && a.rows() > 0) {
        result.labels = run_on_device(ctx, a, plan, result.count);
    } else {
        result.labels =
            plan.kernel == label_loop_id ? label_loop(ctx, a, result.rounds) : run_on_host(ctx, a, plan);
        result.count = count_roots(ctx, result.labels);
    }
    result.plan = std::string("components/").append(plan.kernel).append(": ").append(plan.reason);
    ctx.log(result.plan);
    return result;
}

}  // namespace nz::ops
