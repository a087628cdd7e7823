// What operations decided, for Python.
#include "bind.hpp"

namespace nz::python {
namespace {

std::string text(tier t) { return t == tier::compiled ? "compiled" : "generic"; }

void add(nb::dict& d, const mxv_plan& p) {
    d["operation"] = "mxv";
    d["direction"] = std::string(name_of(p.direction));
    d["tier"] = text(p.tier);
    d["reads_transpose"] = p.reads_transpose;
    d["builds_transpose"] = p.builds_transpose;
    d["converts_matrix"] = p.converts_matrix;
    d["converts_vector"] = p.converts_vector;
    d["early_exit"] = p.early_exit;
    d["compacts_rows"] = p.compacts_rows;
    d["builds_slices"] = p.builds_slices;
    d["block_side"] = p.block_side;
    d["builds_blocks"] = p.builds_blocks;
    d["builds_ranks"] = p.builds_ranks;
    d["builds_bins"] = p.builds_bins;
    d["ranked"] = p.ranked;
    d["builds_ell"] = p.builds_ell;
    d["input"] = std::string(name_of(p.input));
    d["output"] = std::string(name_of(p.output));
    d["workspace_bytes"] = p.workspace_bytes;
    d["on_device"] = p.on_device;
    d["moved_bytes"] = p.moved_bytes;
    d["reason"] = std::string(p.reason);
}
void add(nb::dict& d, const operation_plan& p) {
    d["operation"] = std::string(p.operation);
    d["tier"] = text(p.tier);
    d["on_device"] = p.on_device;
    d["moved_bytes"] = p.moved_bytes;
    d["reason"] = std::string(p.reason);
}
void add(nb::dict& d, const mxm_plan& p) {
    add(d, static_cast<const operation_plan&>(p));
    d["reads_columns"] = p.reads_columns;
    d["builds_columns"] = p.builds_columns;
    d["packs_words"] = p.packs_words;
    d["products"] = p.products;
    d["workspace_bytes"] = p.workspace_bytes;
    d["chunks"] = p.chunks;
    d["strips"] = p.strips;
    d["fewest_threads"] = p.fewest_threads;
}
void add(nb::dict& d, const dense_plan& p) {
    add(d, static_cast<const operation_plan&>(p));
    d["reads_transpose"] = p.reads_transpose;
    d["builds_transpose"] = p.builds_transpose;
    d["converts_matrix"] = p.converts_matrix;
    d["packs_first"] = p.packs_first;
    d["packs_second"] = p.packs_second;
    d["accumulates"] = p.accumulates;
    d["stages_result"] = p.stages_result;
    d["wide_tiles"] = p.wide_tiles;
    d["workspace_bytes"] = p.workspace_bytes;
}

void add(nb::dict&, std::monostate) {}

}  // namespace

nb::object to_python(const any_plan& plan) {
    nb::dict fields;
    std::visit([&](const auto& p) { add(fields, p); }, plan.decided);
    if (!plan.kernel.empty()) fields["kernel"] = plan.kernel;
    return nb::module_::import_("nonzero._plan").attr("Plan")(plan.line, fields);
}

}  // namespace nz::python
