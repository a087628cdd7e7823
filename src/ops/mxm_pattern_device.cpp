#include "ops/mxm_pattern_device.hpp"

#include "core/checks.hpp"
#include "core/device.hpp"
#include "instantiate/mxm_device_cells.hpp"
#include "storage/device_products.hpp"

#include <algorithm>

namespace nz::ops {

storage::device_rows rows_on_device(const context& ctx, const operand& x) {
    const storage::matrix_body& body = x.a.body();
    return storage::rows_of(x.transposed ? body.columns_anywhere(ctx) : body.rows_anywhere(),
                            x.transposed ? *body.columns_on(ctx) : *body.entries_on(ctx));
}

/// A factor's places as they lie on the GPU. The same arrays are known by their address, others by their print.
struct resident_places {
    std::shared_ptr<const storage::device_csr> entries;
    index_t rows = 0, columns = 0;
    offset_t nnz = 0;
    std::uint64_t print = 0;
};

namespace {

using storage::csr;

const csr& shape_of(const product& p, const operand& x) {
    const storage::matrix_body& body = x.a.body();
    return x.transposed ? body.columns_anywhere(p.ctx) : body.rows_anywhere();
}
std::shared_ptr<const storage::device_csr> entries_of(const product& p, const operand& x) {
    const storage::matrix_body& body = x.a.body();
    return x.transposed ? body.columns_on(p.ctx) : body.entries_on(p.ctx);
}
resident_places places_of(const product& p, const operand& x) {
    const csr& shape = shape_of(p, x);
    return {entries_of(p, x), shape.rows, shape.columns, shape.nnz,
            storage::print_on_device(p.ctx, rows_on_device(p.ctx, x))};
}
void check_same(const product& p, const operand& x, const resident_places& known, std::string_view name) {
    const csr& shape = shape_of(p, x);
    const auto entries = entries_of(p, x);
    require<domain_error>(
        entries == known.entries ||
            (shape.rows == known.rows && shape.columns == known.columns && shape.nnz == known.nnz &&
             storage::print_on_device(p.ctx, storage::rows_of(shape, *entries)) == known.print),
        "mxm: {} has other places ({} x {}, {} entries) than the one the pattern was found with ({} x {}, "
        "{} entries): find_pattern anew",
        name, shape.rows, shape.columns, shape.nnz, known.rows, known.columns, known.nnz);
}

const instantiate::mxm_device_cell* cell_of(const product& p) {
    if (!p.ctx.gpu() || !p.ring.add().is_built_in() ||
        p.ring.converts_twice(p.left.a.type(), p.right.a.type()))
        return nullptr;
    const auto* cell =
        instantiate::find_mxm_device_cell(p.ring.add().id(), p.ring.multiply().id(), p.operand_type);
    return cell && cell->numeric ? cell : nullptr;
}

}  // namespace

struct device_symbolic {
    resident_places a, b;
    matrix c;  ///< its places; values of the first product
    std::shared_ptr<const storage::device_csr> c_entries;
    storage::product_list list;
    mxm_plan plan;
};

offset_t entries_of(const device_symbolic& known) { return known.c.nnz(); }
const mxm_plan& plan_of(const device_symbolic& known) { return known.plan; }

std::shared_ptr<const device_symbolic> find_on_device(const product& p) {
    if (!cell_of(p) || (!p.options.kernel.empty() && p.options.kernel != "hash")) return nullptr;
    try {
        matrix c(p.ctx, p.value, p.left.rows(), p.right.columns());
        matrix_options options;
        options.transpose_a = p.options.transpose_a;
        options.transpose_b = p.options.transpose_b;
        options.kernel = p.options.kernel;
        const mxm_plan plan = mxm(p.ctx, c, p.ring, p.left.a, p.right.a, options);
        const offset_t most = std::max({plan.products, p.left.a.nnz(), p.right.a.nnz()});
        if (!c.on_device() || most > storage::most_listed) return nullptr;
        const auto c_entries = c.body().entries_on(p.ctx);
        auto list =
            storage::list_products(p.ctx, rows_on_device(p.ctx, p.left), rows_on_device(p.ctx, p.right),
                                   storage::rows_of(c.body().rows_anywhere(), *c_entries));
        auto known = std::make_shared<device_symbolic>(device_symbolic{
            places_of(p, p.left), places_of(p, p.right), std::move(c), c_entries, std::move(list), plan});
        known->plan.reason = "places and products are listed on the GPU";
        return known;
    } catch (const out_of_memory&) {
        return nullptr;
    }
}

namespace {

struct numeric_run {
    kernels::device_mxm_arguments k;
    std::vector<std::shared_ptr<const void>> kept;
    buffer values;

    numeric_run(const product& p, const device_symbolic& known) {
        take(p, p.left, p.ring.ignores_a(), k.a, k.a_step);
        take(p, p.right, p.ring.ignores_b(), k.b, k.b_step);
        k.places = known.c.nnz();
        k.products = known.list.products;
        k.product_starts = known.list.starts.as<std::uint32_t>();
        k.product_pairs = known.list.pairs.data();
        values = buffer(p.ctx.device_memory(), static_cast<std::size_t>(k.places) * size_of(p.value));
        k.out_values = values.data();
    }
    void take(const product& p, const operand& x, bool ignored, kernels::mxm_side& side, offset_t& step) {
        const csr& shape = shape_of(p, x);
        step = shape.kind == value_kind::full ? 1 : 0;
        if (ignored) return;
        const auto held = x.a.body().values_on(p.ctx, shape, p.operand_type);
        kept.push_back(held);
        side.values = held->values.data();
    }
};

}  // namespace

void check_places(const product& p, const device_symbolic& known) {
    require<not_supported>(
        p.ctx.gpu() && known.c_entries->memory == p.ctx.device_memory(),
        "mxm: the pattern lies in the memory of a GPU that this context does not compute on: "
        "find_pattern anew");
    check_same(p, p.left, known.a, "A");
    check_same(p, p.right, known.b, "B");
}

bool fills_on_device(const product& p) { return cell_of(p) != nullptr; }

matrix fill_on_device(const product& p, const context& own, const device_symbolic& known) {
    check_places(p, known);
    numeric_run run(p, known);
    cell_of(p)->numeric(run.k, p.ctx.gpu()->stream());
    return storage::make_device_matrix(own, p.ctx, known.c.body().rows_anywhere(), known.c_entries,
                                       std::move(run.values));
}

std::vector<double> numeric_kernel_ms(const product& p, const device_symbolic& known, int repeats) {
    const numeric_run run(p, known);
    std::vector<double> ms;
    for (int n = 0; n < repeats; ++n) {
        p.ctx.gpu()->timed([&] { cell_of(p)->numeric(run.k, p.ctx.gpu()->stream()); });
        ms.push_back(p.ctx.gpu()->milliseconds());
    }
    return ms;
}

}  // namespace nz::ops
