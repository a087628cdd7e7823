#include "plan/mxd.hpp"

#include "plan/mxd_workspace.hpp"

#include <algorithm>

namespace nz::plan {
namespace {

struct choice {
    std::string_view kernel, reason;
};

// Of a composed product, which reads B by rows as it is given.
bool packs_given(const mxd_facts& f) { return f.b_order == dense_order::column_major && f.columns > 1; }
std::size_t composed_workspace(const mxd_facts& f) {
    return dense_copy(f.rows, f.columns, f.value_bytes) +
           (packs_given(f) ? dense_copy(f.inner, f.columns, f.b_bytes) : 0);
}
bool composes(const mxd_facts& f) {
    // Below, two calls an entry cost more than two a product; four where they convert.
    const index_t least_columns = f.convert_matrix || f.convert_b ? 16 : 4;
    return f.composable && f.columns >= least_columns && composed_workspace(f) <= f.memory_left;
}

std::size_t columns_workspace(const mxd_facts& f) {
    return dense_copy(f.rows, f.columns, f.value_bytes) +
           (f.columns_ready ? 0 : dense_copy(f.inner, f.columns, f.b_bytes));
}
bool goes_by_columns(const mxd_facts& f) {
    const double saved = column_saves * static_cast<double>(f.nnz),
                 spent = column_call + static_cast<double>(f.rows + f.inner);
    const std::size_t vectors = dense_copy(f.inner, 1, f.b_bytes) + dense_copy(f.rows, 1, f.value_bytes);
    return f.by_columns && saved >= spent && columns_workspace(f) + vectors <= f.memory_left;
}

choice choose(const mxd_facts& f) {
    const bool by_columns = goes_by_columns(f);
    if (composes(f) && (!by_columns || f.columns >= composed_from_columns))
        return {"composed", "not compiled as a whole: a row of B multiplied and added for each entry of A"};
    if (by_columns) return {"columns", "not compiled here, but for vectors: a column at a time by mxv"};
    if (!f.compiled)
        return {"generic",
                "this semiring and type are not compiled: generic path, an indirect call a product"};
    const bool one_thread = f.threads == 1 || (f.nnz + f.rows) * f.columns < mxd_serial_below;
    if (!one_thread && f.whole_rows_share > uneven_rows)
        return {"csr_merge", "whole rows would leave a thread behind: split by entries"};
    return {"csr_tiled", "rows shared out whole by entries, a tile of columns at a time"};
}

double row_bytes_of(const mxd_facts& f) {
    return static_cast<double>(f.columns) * static_cast<double>(f.value_bytes);
}
bool reads_far(const mxd_facts& f) { return f.column_distance * row_bytes_of(f) > first_level_bytes; }

choice choose_on_device(const mxd_facts& f) {
    const double row_bytes = row_bytes_of(f),
                 entries = f.rows ? static_cast<double>(f.nnz) / static_cast<double>(f.rows) : 0;
    if (entries >= tiled_from_entries && entries <= tiled_up_to_entries &&
        (entries <= few_even_row || f.nnz > few_even_entries) && f.row_deviation <= tiled_deviation &&
        f.column_runs >= tiled_from_runs &&
        (row_bytes <= tiled_up_to_row_bytes || entries > tiled_long_entries || reads_far(f)))
        return {"csr_tiled", "even rows: neighbouring ones at the same time, a row to a group of lanes"};
    const offset_t longest = std::max<offset_t>(small_longest_row + f.columns,
                                                f.rows >= many_small_rows ? small_longest_row_of_many : 0);
    if (f.nnz <= small_entries && row_bytes * static_cast<double>(f.rows) <= small_bytes &&
        f.longest_row >= 0 && f.longest_row <= longest)
        return {"csr_tiled", "few entries in rows that are not long: one launch"};
    return {"csr_merge", "entries shared out evenly over the GPU's blocks"};
}

bool met_often(offset_t uses, offset_t lines) {
    return static_cast<double>(uses) >= pack_from_uses * static_cast<double>(lines);
}

// Rows of B and C lie by rows there; what does not is turned first, or afterwards.
void plan_on_device(const mxd_facts& f, dense_plan& plan) {
    plan.on_device = true;
    plan.converts_matrix = f.convert_matrix;
    plan.packs_second = f.convert_b || (f.b_order == dense_order::column_major && f.columns > 1);
    const bool pass_of_its_own = f.convert_c || (f.accumulates && !f.adds);
    plan.stages_result = pass_of_its_own || (f.c_order == dense_order::column_major && f.columns > 1);
    plan.accumulates = f.accumulates && !pass_of_its_own;
    if (plan.packs_second) plan.workspace_bytes += dense_copy(f.inner, f.columns, f.operand_bytes);
    if (plan.stages_result) plan.workspace_bytes += dense_copy(f.rows, f.columns, f.value_bytes);
    if (plan.kernel != "csr_merge") return;
    plan.wide_tiles = row_bytes_of(f) > mxd_tile_bytes_narrow && !reads_far(f);
    plan.workspace_bytes += mxd_device_merge_workspace(mxd_device_chunks(f.nnz), f.columns, f.value_bytes);
}

}  // namespace

dense_plan mxd(const mxd_facts& f) noexcept {
    const bool on_device = mxd_on_device(f);
    const auto [kernel, reason] = !f.pinned.empty() ? choice{f.pinned, "pinned"}
                                  : on_device       ? choose_on_device(f)
                                                    : choose(f);
    dense_plan plan;
    plan.operation = "mxd";
    plan.kernel = kernel;
    plan.reason = reason;
    const bool generic =
        kernel == "reference" || kernel == "generic" || kernel == "composed" || kernel == "columns";
    plan.tier = generic ? tier::generic : tier::compiled;
    plan.reads_transpose = f.transposed;
    plan.builds_transpose = f.transposed && !f.transpose_ready;
    if (on_device) {
        plan_on_device(f, plan);
        return plan;
    }
    plan.stages_result = plan.tier == tier::generic || f.convert_c || (f.accumulates && !f.adds);
    const std::size_t result = dense_copy(f.rows, f.columns, f.value_bytes);
    if (plan.stages_result) plan.workspace_bytes += result;
    if (kernel == "composed") {
        plan.packs_second = packs_given(f);
        plan.workspace_bytes = composed_workspace(f);
    }
    if (kernel == "columns") {
        plan.packs_second = !f.columns_ready;
        plan.workspace_bytes = columns_workspace(f);
    }
    if (plan.tier == tier::generic) return plan;
    plan.accumulates = f.accumulates && !plan.stages_result;
    plan.converts_matrix = f.convert_matrix;
    if (kernel == "csr_merge")
        plan.workspace_bytes += mxd_merge_workspace(f.columns, f.value_bytes, f.threads);
    const std::size_t packed = dense_copy(f.inner, f.columns, f.operand_bytes);
    const std::size_t converted = f.convert_matrix ? static_cast<std::size_t>(f.nnz) * f.operand_bytes : 0;
    const bool worth = f.b_order == dense_order::column_major && f.columns > 1 && met_often(f.nnz, f.inner) &&
                       plan.workspace_bytes + converted + packed <= f.memory_left;
    plan.packs_second = f.convert_b || worth;
    if (plan.packs_second) plan.workspace_bytes += packed;
    return plan;
}

dense_plan sddmm(const sddmm_facts& f) noexcept {
    dense_plan plan;
    plan.operation = "sddmm";
    plan.kernel = !f.pinned.empty() ? f.pinned : f.compiled ? "row_dot" : "reference";
    plan.reason = !f.pinned.empty() ? "pinned"
                  : f.compiled      ? "a dot product for each place of the mask"
                                    : "this semiring and type are not compiled: generic path";
    plan.tier = plan.kernel == "reference" ? tier::generic : tier::compiled;
    if (plan.tier == tier::generic) return plan;
    plan.on_device = f.on_device;
    const std::size_t x = dense_copy(f.rows, f.inner, f.operand_bytes),
                      y = dense_copy(f.inner, f.columns, f.operand_bytes);
    plan.packs_first = f.convert_x;
    plan.packs_second = f.convert_y;
    plan.workspace_bytes = (f.convert_x ? x : 0) + (f.convert_y ? y : 0);
    const auto pack = [&](bool& packs, std::size_t bytes) {
        packs = true;
        plan.workspace_bytes += bytes;
    };
    const auto fits = [&](std::size_t bytes) { return plan.workspace_bytes + bytes <= f.memory_left; };
    if (!plan.packs_second && !f.y_by_columns && met_often(f.places, f.columns) && fits(y))
        pack(plan.packs_second, y);
    if (!plan.packs_first && !f.x_by_rows && met_often(f.places, f.rows) && fits(x))
        pack(plan.packs_first, x);
    return plan;
}

}  // namespace nz::plan
