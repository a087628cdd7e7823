// mxv and vxm: check, collect facts, plan, run, write back.
#include "kernels/reference/mxv.hpp"

#include "algebra/stand_in.hpp"
#include "core/checks.hpp"
#include "kernels/cpu/mxv/common_generic.hpp"
#include "kernels/kernel_ids.hpp"
#include "nonzero/operations.hpp"
#include "ops/composed.hpp"
#include "ops/masks.hpp"
#include "ops/mxv_product.hpp"
#include "ops/vectors_device.hpp"
#include "ops/write_back.hpp"

#include <algorithm>

namespace nz {
namespace {

using storage::csr;
using storage::vector_body;

using product = ops::mxv_product;

void check(const product& p, std::string_view operation) {
    require<dimension_mismatch>(
        p.u.size() == p.input_size(), "{}: the matrix is {} x {}{}, u has {} entries: {} are needed",
        operation, p.a.rows(), p.a.columns(), p.transposed ? " transposed" : "", p.u.size(), p.input_size());
    require<dimension_mismatch>(
        p.w.size() == p.output_size(), "{}: the matrix is {} x {}{}, w has {} entries: {} are needed",
        operation, p.a.rows(), p.a.columns(), p.transposed ? " transposed" : "", p.w.size(), p.output_size());
    require<dimension_mismatch>(!p.options.mask || p.options.mask->size() == p.w.size(),
                                "{}: w has {} entries and its mask {}", operation, p.w.size(),
                                p.options.mask ? p.options.mask->size() : 0);
    const auto kernel = p.options.kernel;
    if (kernel.empty() || kernel == "reference") return;
    const bool on_device = p.device_cell != nullptr;
    require<domain_error>(kernels::known_on_cpu("mxv", kernel) || kernels::known_on_cuda("mxv", kernel),
                          "'{}' is not a kernel of mxv; there are {}, reference", kernel,
                          kernels::known_ids("mxv"));
    require<not_supported>(p.cell != nullptr,
                           "kernel {} is not compiled for {} on {}: leave --kernel out for the generic path",
                           kernel, p.ring.name(), name_of(p.operand));
    require<not_supported>(on_device || kernels::known_on_cpu("mxv", kernel),
                           "kernel {} is for GPUs: use --backend cuda, or another kernel", kernel);
    require<not_supported>(!on_device || kernels::known_on_cuda("mxv", kernel),
                           "kernel {} is for CPUs: use --backend cpu, or another kernel", kernel);
    const int size = p.options.tiles.size;
    require<domain_error>(size == 0 || size == 16 || size == 32 || size == 64,
                          "tiles of {} rows and columns: there are 16, 32 and 64", size);
    require<not_supported>(
        !on_device || kernel != "csc_gather_scatter" || p.options.determinism == determinism::fast ||
            p.ring.add().id() != binary_id::plus || !is_floating(p.value),
        "kernel csc_gather_scatter on a GPU adds {} in no fixed order: ask for --fast, or use another kernel",
        name_of(p.value));
}

// Entries in the columns that u names: what a push costs.
offset_t count_products(const product& p, const vector_body& u) {
    offset_t total = 0;
    storage::with_offsets(p.pushed(), [&](const auto* offsets) {
        storage::for_each_entry(u,
                                [&](index_t k, offset_t) { total += offsets[k + offset_t{1}] - offsets[k]; });
    });
    return total;
}

// Values of the cell's operand type, in memory of the call where they had to be converted or made.
struct matrix_values {
    buffer own;
    const void* data = nullptr;
};

matrix_values values_for(const product& p, const csr& a) {
    matrix_values v;
    if (p.ring.ignores_a()) return v;
    if (a.type == p.operand && a.kind != value_kind::pattern) {
        v.data = a.values.data();
        return v;
    }
    if (a.kind != value_kind::full) {
        v.own = buffer(p.ctx.memory(), sizeof(element));
        storage::store(v.own.data(), p.operand, 0, cast(a.value(0), a.type, p.operand));
    } else {
        v.own = storage::convert_array(p.ctx, a.values, a.type, p.operand, a.nnz);
    }
    v.data = v.own.data();
    return v;
}

// The columns that a sparse u names, one after the other, their values in the cell's type.
struct named_columns {
    array<offset_t> offsets;
    array<index_t> indices, numbers;
    buffer values;

    named_columns(const product& p, const csr& a, const vector_body& u, offset_t products)
        : offsets(p.ctx, static_cast<std::size_t>(u.count) + 1),
          indices(p.ctx, static_cast<std::size_t>(products)),
          numbers(p.ctx, static_cast<std::size_t>(u.count)) {
        const std::size_t width = a.value_bytes();
        const buffer given(p.ctx.memory(), static_cast<std::size_t>(products) * width);
        std::size_t place = 0;
        for (offset_t c = 0; c < u.count; ++c) {
            const offset_t k = u.index_data()[c], begin = a.offset(k);
            const auto entries = static_cast<std::size_t>(a.offset(k + 1) - begin);
            offsets[static_cast<std::size_t>(c)] = static_cast<offset_t>(place);
            numbers[static_cast<std::size_t>(c)] = static_cast<index_t>(c);
            std::copy_n(a.index_data() + begin, entries, indices.data() + place);
            std::copy_n(a.values.as<const std::byte>() + static_cast<std::size_t>(begin) * width,
                        entries * width, given.as<std::byte>() + place * width);
            place += entries;
        }
        offsets[static_cast<std::size_t>(u.count)] = products;
        values = storage::convert_array(p.ctx, given, a.type, p.operand, products);
    }
    void point(kernels::mxv_arguments& k) const {
        k.offsets = {offsets.data(), true};
        k.indices = indices.data();
        k.values = values.data();
        k.u_indices = numbers.data();
    }
};

// Whether a push has so few of the matrix's values to convert that what it reads is copied out first.
bool converts_few(const product& p, const csr& a, offset_t products) {
    constexpr offset_t one_in = 8;
    return !p.ring.ignores_a() && a.type != p.operand && a.kind == value_kind::full &&
           products * one_in <= a.nnz;
}

// The tiles that the kernel reads, made where they are not there yet, in the arguments' terms.
struct tile_operands {
    std::shared_ptr<const storage::value_tiles> tiles;
    std::shared_ptr<const storage::tile_lists> lists;
};

tile_operands take_tiles(const product& p, const mxv_plan& plan, kernels::mxv_arguments& k) {
    const csr& a = p.pulled(true);
    const std::optional<dtype> type = p.tile_type();
    tile_operands t;
    t.tiles = p.body().tiles_in(p.ctx.memory(), a, plan.tiles, type,
                                [&] { return storage::make_value_tiles(p.ctx, a, plan.tiles, type); });
    if (plan.kernel == "tile_column")
        t.lists = p.body().tile_lists_in(t.tiles, false, [&] { return storage::lists_of(p.ctx, *t.tiles); });
    k.tiles = ops::tile_pointers(*t.tiles, t.lists.get());
    k.values = t.tiles->values.data();
    return t;
}

// The same of slices.
std::shared_ptr<const storage::dia_slices> take_slices(const product& p, kernels::mxv_arguments& k) {
    const csr& a = p.pulled(true);
    const std::optional<dtype> type = p.tile_type();
    auto slices =
        p.body().slices_in(p.ctx.memory(), a, type, [&] { return storage::make_dia_slices(p.ctx, a, type); });
    k.slices = ops::slice_pointers(*slices);
    k.values = slices->values.data();
    return slices;
}

// The same of blocks.
std::shared_ptr<const storage::bsr> take_blocks(const product& p, int side, kernels::mxv_arguments& k) {
    const csr& a = p.pulled(true);
    const std::optional<dtype> type = p.tile_type();
    auto blocks = p.body().blocks_in(p.ctx.memory(), a, side, type,
                                     [&] { return storage::make_bsr(p.ctx, a, side, type); });
    k.blocks = {side, blocks->starts.as<offset_t>(), blocks->columns.as<index_t>(),
                blocks->masks.as<std::uint64_t>(), blocks->count};
    k.values = blocks->values.data();
    return blocks;
}

// The same of ranks, which lie beside the CSR; where the operator does not read u's values none are needed.
std::shared_ptr<const storage::ranked_columns> take_ranks(const product& p, kernels::mxv_arguments& k) {
    if (p.ring.ignores_b()) return nullptr;
    const csr& a = p.pulled(true);
    auto ranks = p.body().ranks_in(p.ctx.memory(), a, [&] { return storage::make_ranked_columns(p.ctx, a); });
    k.ranked = ops::rank_pointers(*ranks);
    return ranks;
}

// The same of slices of equally long rows.
std::shared_ptr<const storage::ell_slices> take_ell(const product& p, bool ranked,
                                                    kernels::mxv_arguments& k) {
    const csr& a = p.pulled(true);
    const std::optional<dtype> type = p.tile_type();
    auto ell = p.body().ell_in(p.ctx.memory(), a, ranked, type,
                               [&] { return storage::make_ell_slices(p.ctx, a, ranked, type); });
    k.ell = {ell->slices,
             ell->whole,
             ell->starts.as<offset_t>(),
             ell->whole_starts.as<offset_t>(),
             ell->rows.as<index_t>(),
             ell->places.as<index_t>(),
             ell->present.as<bits::word>(),
             ranked ? ell->columns.as<index_t>() : nullptr,
             ell->held};
    k.values = ell->values.data();
    return ell;
}

// Runs the kernel into t: a result of its own, masked rows left out where the kernel looks at the mask, or the output.
void run_kernel(const product& p, const mxv_plan& plan, const vector_body& u, offset_t products,
                const array<bits::word>& mask, kernels::mxv_output output, vector_body& t) {
    const bool push = plan.direction == direction::push;
    const bool tiled = plan::reads_tiles(plan.kernel), sliced = plan.kernel == "dia_slice",
               blocked = plan.kernel == "bsr_row", ranked = plan.kernel == "csr_ranked",
               by_length = plan.kernel == "ell_slice";
    const bool own_form = tiled || sliced || blocked || by_length;
    const csr& a = push ? p.pushed() : p.pulled(p.ring.add().always_terminal() || own_form || ranked);
    const bool copies = push && converts_few(p, a, products);
    const matrix_values values = own_form || copies ? matrix_values{} : values_for(p, a);
    kernels::mxv_arguments k;
    k.output_size = static_cast<index_t>(p.output_size());
    k.nnz = a.nnz;
    k.offsets = {a.offsets.data(), a.offset_bytes == 8};
    k.indices = a.index_data();
    k.values = values.data;
    k.constant = p.ring.ignores_a() || a.kind != value_kind::full;
    const tile_operands tiles = tiled ? take_tiles(p, plan, k) : tile_operands{};
    const auto slices = sliced ? take_slices(p, k) : nullptr;
    const auto blocks = blocked ? take_blocks(p, plan.block_side, k) : nullptr;
    const auto ranks = ranked ? take_ranks(p, k) : nullptr;
    const auto ell = by_length ? take_ell(p, plan.ranked, k) : nullptr;
    k.u_size = u.size;
    k.u_values = u.values.data();
    k.u_present = u.form == vector_form::bitmap ? u.words() : nullptr;
    k.u_indices = u.form == vector_form::sparse ? u.index_data() : nullptr;
    k.u_count = u.count;
    std::optional<named_columns> columns;
    if (copies) columns.emplace(p, a, u, products).point(k);
    k.mask = p.options.mask ? mask.data() : nullptr;
    k.complement = p.options.mask_complement;
    k.early_exit = plan.early_exit;
    k.compacts_rows = plan.compacts_rows;
    k.threads = p.ctx.threads();
    const buffer workspace(p.ctx.memory(), plan.workspace_bytes);
    k.workspace = workspace.data();
    k.output = output;
    offset_t count = 0;
    k.out_values = t.values.data();
    k.out_present = t.form == vector_form::bitmap ? t.words() : nullptr;
    k.out_indices = t.form == vector_form::sparse ? t.indices.as<index_t>() : nullptr;
    k.out_count = &count;
    p.cell->kernel(plan.kernel)(k);
    t.count = t.form == vector_form::dense    ? t.size
              : t.form == vector_form::sparse ? count
                                              : bits::count(t.words(), t.size);
}

vector_body run_compiled(const product& p, const mxv_plan& plan, const vector_body& u, offset_t products,
                         const array<bits::word>& mask) {
    vector_body t =
        storage::make_vector_body(p.ctx, p.value, static_cast<index_t>(p.output_size()), plan.output,
                                  plan.output == vector_form::sparse ? products : 0, false);
    run_kernel(p, plan, u, products, mask, kernels::mxv_output::own, t);
    return t;
}

// What the kernel may do with an output in which every entry is present, and stays so: results take the place of
// entries or are added to them, and where there is none (or the mask does not let through) the old entry stays.
kernels::mxv_output written_in_place(const product& p, const mxv_plan& plan) {
    using kernels::mxv_output;
    const bool able =
        plan.kernel == "csr_row" || plan.kernel == "csr_ranked" || plan.kernel == "csr_row_masked";
    if (!able || !p.options.accum || p.options.replace || p.w.form() != vector_form::dense ||
        p.w.type() != p.value || &p.w.body_anywhere() == &p.u.body_anywhere())
        return mxv_output::own;
    if (p.options.mask_complement && !p.options.mask) return mxv_output::own;
    if (p.options.mask && plan.kernel != "csr_row_masked") return mxv_output::own;
    const binary_id accum = p.options.accum->id();
    return accum == binary_id::second ? mxv_output::overwrite
           : accum == p.ring.add().id() && p.ring.add().is_built_in() && accum != binary_id::any
               ? mxv_output::add
               : mxv_output::own;
}

vector_body in_form(const vector_body& u, vector_form form, dtype type, bool values_matter) {
    vector_body converted =
        values_matter && u.type != type ? storage::convert_values(u, type) : storage::copy(u);
    return converted.form == form ? std::move(converted) : storage::convert(converted, form);
}

vector_body run_generic(const product& p, mxv_plan& plan, offset_t products, const array<bits::word>& mask) {
    const vector_body& u = p.u.body();
    const bits::word* const words = p.options.mask ? mask.data() : nullptr;
    if (plan.kernel == "composed") {
        if (auto t = ops::mxv_composed(p, words)) return std::move(*t);
        plan.workspace_bytes = 0;
        ops::go_on_generic(p.ctx, plan);
    }
    if (plan.kernel == "reference") return kernels::reference::mxv(p.ctx, p.ring, p.pulled(true), u);
    if (plan.direction == direction::push)
        return kernels::cpu::mxv_generic_push(p.ctx, p.ring, p.pushed(), u, products, words,
                                              p.options.mask_complement);
    return kernels::cpu::mxv_generic(p.ctx, p.ring, p.pulled(true), u, words, p.options.mask_complement);
}

mxv_plan run(const product& p) {
    if (p.device_cell && p.options.kernel != "reference")
        return ops::multiply_on_device(p, ops::mxv_facts_of(p));
    array<bits::word> mask;
    if (p.options.mask) mask = ops::mask_words(p.ctx, *p.options.mask, p.options.mask_structure);
    plan::mxv_facts facts = ops::mxv_facts_of(p);
    if (p.options.mask) {
        const offset_t listed = bits::count(mask.data(), facts.output_size);
        facts.mask_allows = p.options.mask_complement ? facts.output_size - listed : listed;
    }
    mxv_plan plan = plan::mxv(facts);
    if (plan.direction == direction::push) {
        facts.products = count_products(p, p.u.body());
        plan = plan::mxv(facts);
    }
    plan.reads_transpose = p.transposed == (plan.direction == direction::pull);
    p.ctx.log(to_string(plan));
    p.body().note_product();
    if (plan.tier == tier::generic) {
        ops::write_back(p.ctx, p.w, run_generic(p, plan, facts.products, mask), p.options);
        return plan;
    }
    std::optional<vector_body> converted;
    const vector_body* u = &p.u.body();
    if (plan.converts_vector) {
        converted = in_form(*u, plan.input, p.operand, !p.ring.ignores_b());
        u = &*converted;
    }
    if (const auto output = written_in_place(p, plan); output != kernels::mxv_output::own) {
        run_kernel(p, plan, *u, facts.products, mask, output, p.w.mutable_body());
        return plan;
    }
    ops::write_back(p.ctx, p.w, run_compiled(p, plan, *u, std::max<offset_t>(facts.products, 0), mask),
                    p.options);
    return plan;
}

// Whether a vector of few entries meets a matrix that the host has: some 40 ns a product (6 to 110 on an H200's host), beside the 0.15 to 0.2 ms
// and 25 ps an entry that a GPU takes for all of them.
bool pushes_at_home(const product& p) {
    if (p.u.form() == vector_form::dense || p.a.body().away()) return false;
    plan::mxv_facts f = ops::mxv_facts_of(p);
    constexpr double product = 40, call = 150000, entry = 0.025;
    const auto short_way = [&](double products) {
        return plan::mxv(f).direction == direction::push &&
               product * products <= call + entry * static_cast<double>(f.nnz);
    };
    const double rows = static_cast<double>(std::max<offset_t>(f.input_size, 1));
    if (!short_way(static_cast<double>(f.input_count) * static_cast<double>(f.nnz) / rows)) return false;
    f.products = count_products(p, p.u.body());  // hubs have more than the mean
    return short_way(static_cast<double>(f.products));
}

mxv_plan multiply(const context& ctx, vector& w, const semiring& s, const matrix& a, const vector& u,
                  const vector_options& options, bool transposed, std::string_view operation) {
    const auto is_compiled = [&](const semiring& other) {
        return ops::mxv_cell_of(other, a.type(), u.type());
    };
    std::optional<semiring> other;
    if (options.kernel != "reference" && !is_compiled(s))
        other = algebra::stand_in(s, a.type(), u.type(), is_compiled);
    if (!other) {
        const product p = ops::make_mxv_product(ctx, w, s, a, u, options, transposed);
        check(p, operation);
        if (!p.cell && options.kernel.empty() && !pushes_at_home(p))
            if (const auto plan = ops::mxv_composed_on_device(p)) return *plan;
        return run(p);
    }
    vector t(w.body_anywhere().ctx, other->value_type(a.type(), u.type()), w.size());
    vector_options own = options;
    own.accum.reset();
    const product p = ops::make_mxv_product(ctx, t, *other, a, u, own, transposed);
    check(p, operation);
    const mxv_plan plan = run(p);
    const dtype value = s.value_type(a.type(), u.type());
    if (plan.on_device)
        ops::write_back_from_device(ctx, w, ops::in_type_on_device(ctx, t, value), options);
    else
        ops::write_back(ctx, w,
                        t.type() == value ? std::move(t.mutable_body()) : convert_values(t.body(), value),
                        options);
    return plan;
}

}  // namespace

namespace ops {

kernels::value_tile_arguments tile_pointers(const storage::value_tiles& t, const storage::tile_lists* lists) {
    kernels::value_tile_arguments k;
    k.size = t.cut.size;
    k.tile_ranges = t.tile_range_data();
    k.tile_columns = t.tile_columns.as<index_t>();
    k.entry_starts = t.entry_starts.as<offset_t>();
    k.row_starts = t.row_starts.data();
    k.locals = t.locals.data();
    k.outside_values = t.outside_values;
    k.extracted_ranges = t.extracted_range_data();
    k.extracted_rows = t.extracted_rows.as<std::uint8_t>();
    k.extracted_columns = t.extracted_columns.as<index_t>();
    if (lists) {
        k.met_starts = lists->starts.as<offset_t>();
        k.met = lists->met.as<index_t>();
    }
    return k;
}

kernels::slice_arguments slice_pointers(const storage::dia_slices& s) {
    return {s.starts.as<offset_t>(), s.diagonals.as<storage::slice_diagonal>(), s.count};
}

kernels::rank_arguments rank_pointers(const storage::ranked_columns& r) {
    return {r.columns.as<index_t>(), r.ranks.as<index_t>(), r.held};
}

kernels::bin_arguments bin_pointers(const storage::column_bins& b) {
    return {b.ranges(),
            b.range_starts.as<std::uint32_t>(),
            b.columns.as<std::uint16_t>(),
            b.values.data(),
            b.order.as<std::uint16_t>(),
            b.words.as<storage::bin_word>(),
            b.deltas.as<std::uint32_t>()};
}

namespace {

// What says whether slices, blocks, ranks or bins pay. Sums of floats that keep an order do not change with what was done before: only what the
// caller expects counts there.
void collect_forms(const mxv_product& p, plan::mxv_facts& f) {
    const storage::matrix_body& body = p.body();
    f.expected = std::max(body.expected_products(), f.any_order ? body.multiplied() : 0);
    f.limited =
        f.on_device ? p.ctx.device_memory_limit() != 0 || body.forms_refused() : body.ctx.memory_limit() != 0;
    const bool each = !p.ring.ignores_a() && p.a.values_held() == value_kind::full;
    f.entry_bytes = each ? size_of(p.operand) : 0;
    const bool blocks = f.pinned == "bsr_row" && !f.on_device, ell = f.pinned == "ell_slice" && !f.on_device,
               pinned = f.pinned == "dia_slice" || f.pinned == "csr_ranked" || f.pinned == "csr_binned" ||
                        blocks || ell;
    const offset_t enough = f.on_device ? plan::device_slices_from_products : plan::slices_from_products;
    f.ranks_ready = f.bins_ready = p.ring.ignores_b();  // then none are needed
    if (!blocks && !ell && !f.pull_ready) return;
    if (!pinned && (!f.pinned.empty() || f.expected < enough)) return;
    const auto& memory = f.on_device ? p.ctx.device_memory() : p.ctx.memory();
    const csr& a = f.on_device ? p.pulled_anywhere() : p.pulled(true);
    f.slices_ready = body.has_slices(memory, a, p.tile_type());
    f.ranks_ready = f.ranks_ready || body.has_ranks(memory, a);
    f.bins_ready =
        f.bins_ready || (f.on_device && body.has_bins(memory, a, p.tile_type(), size_of(p.operand)));
    const bool sampled = !p.transposed || body.known_symmetric();
    if (blocks || (!pinned && sampled && !f.on_device)) {
        f.blocks = sampled ? body.sampled_blocks() : storage::sample_blocks(a);
        f.blocks_ready =
            body.has_blocks(memory, a, plan::best_blocks(*f.blocks, f.entry_bytes).side, p.tile_type());
    }
    if (sampled && !p.ring.ignores_b() && (ell || !pinned) &&
        plan::may_rank(f.input_size, f.value_bytes, f.on_device))
        f.hot_columns = body.sampled_hot_columns();
    if (!f.on_device && (ell || !pinned))
        f.ell_ready = body.has_ell(memory, a, plan::ranks_ell(f), p.tile_type());
    if (pinned || !sampled) return;
    if (f.on_device && !p.ring.ignores_b() && f.input == vector_form::dense && plan::bins_may_pay(f)) {
        const auto sample = body.sampled_rows();
        f.scattered = sample.scattered;
        f.reach = sample.distance / static_cast<double>(f.input_size);
        f.runs = sample.runs;
    }
    if (f.on_device && f.input != vector_form::dense && f.expected >= plan::device_tiles_from_products) {
        f.outside_tiles = body.sampled_outside_tiles();
        f.longest_row = body.longest_row();
        f.tiles_ready = body.has_tiles(memory, a, plan::tiles_for(f.tiles), p.tile_type());
    }
    f.slice_diagonals = body.sampled_slices();
    if (!f.on_device) f.ell_share = body.ell_share();
    if (plan::slices_pay(f) || plan::ell_pays(f.ell_share) ||
        (f.blocks && plan::blocks_pay(plan::best_blocks(*f.blocks, f.entry_bytes), f.entry_bytes)))
        f.longest_row = body.longest_row();
}

}  // namespace

plan::mxv_facts mxv_facts_of(const mxv_product& p) {
    plan::mxv_facts f;
    f.output_size = p.output_size();
    f.input_size = p.input_size();
    f.nnz = p.a.nnz();
    f.pull_ready = !p.transposed || p.body().has_columns();
    f.push_ready = p.transposed || p.body().has_columns();
    if (p.body().has_facts() && (!p.transposed || p.body().known_symmetric())) {
        f.empty_rows = p.body().facts().empty_rows;
        f.degree_max = p.body().facts().degree_max;
    }
    if (!p.device_cell && (!p.transposed || p.body().known_symmetric())) {
        const auto sample = p.body().sampled_rows();
        f.row_deviation = sample.deviation;
        f.scattered = sample.scattered;
    }
    if (p.device_cell && !p.transposed && p.u.form() != vector_form::dense && p.options.kernel.empty())
        f.scattered = p.body().sampled_rows().scattered;
    if (p.device_cell && !p.transposed && f.nnz <= plan::small_on_device)
        f.degree_max = p.body().longest_row();
    f.input = p.u.form();
    f.input_count = p.u.count();
    f.masked = p.options.mask != nullptr;
    f.on_device = p.device_cell != nullptr && p.options.kernel != "reference";
    if (f.masked) {  // by the mask's own count: an exact one is the host's to make where it has the words
        const offset_t listed = p.options.mask->count();
        f.mask_allows = p.options.mask_complement ? f.output_size - listed : listed;
    }
    f.compiled = p.cell != nullptr;
    f.composable = !f.compiled && composed_multiply_of(p.ring, p.a.type(), p.u.type()).has_value();
    f.convert_matrix =
        !p.ring.ignores_a() && p.a.type() != p.operand && p.a.values_held() != value_kind::pattern;
    f.convert_vector = !p.ring.ignores_b() && p.u.type() != p.operand;
    f.terminates = p.ring.add().always_terminal() || p.ring.add().terminal(p.value).has_value();
    f.branches =
        is_floating(p.value) && (p.ring.add().id() == binary_id::min || p.ring.add().id() == binary_id::max);
    f.first_wins = p.ring.add().always_terminal();
    const bool rounds = is_floating(p.value) &&
                        (p.ring.add().id() == binary_id::plus || p.ring.add().id() == binary_id::times);
    f.any_order = !rounds || p.options.determinism == determinism::fast;
    f.value_bytes = size_of(p.value);
    f.operand_bytes = size_of(p.operand);
    f.threads = p.ctx.threads();
    f.determinism = p.options.determinism;
    f.pinned = kernels::static_id("mxv", p.options.kernel);
    f.tiles = p.options.tiles;
    if (plan::reads_tiles(f.pinned) && f.pull_ready)
        f.tiles_ready = p.body().has_tiles(f.on_device ? p.ctx.device_memory() : p.ctx.memory(),
                                           f.on_device ? p.pulled_anywhere() : p.pulled(true),
                                           plan::tiles_for(f.tiles), p.tile_type());
    collect_forms(p, f);
    return f;
}

const instantiate::mxv_cell* mxv_cell_of(const semiring& s, dtype a, dtype u) {
    if (!s.add().is_built_in() || s.converts_twice(a, u)) return nullptr;
    const dtype value = s.value_type(a, u), key = s.multiply().positional() ? value : s.operand_type(a, u);
    const auto* cell = instantiate::find_mxv_cell(s.add().id(), s.multiply().id(), key);
    return cell && cell->value == value ? cell : nullptr;
}

mxv_product make_mxv_product(const context& ctx, vector& w, const semiring& s, const matrix& a,
                             const vector& u, const vector_options& options, bool transposed) {
    const auto* cell = mxv_cell_of(s, a.type(), u.type());
    const auto* on_device = cell && ctx.gpu()
                                ? instantiate::find_mxv_device_cell(cell->add, cell->multiply, cell->operand)
                                : nullptr;
    return {ctx,
            w,
            s,
            a,
            u,
            options,
            transposed,
            s.operand_type(a.type(), u.type()),
            s.value_type(a.type(), u.type()),
            cell,
            on_device};
}

}  // namespace ops

mxv_plan mxv(const context& ctx, vector& w, const semiring& s, const matrix& a, const vector& u,
             const vector_options& options) {
    return multiply(ctx, w, s, a, u, options, options.transpose_a, "mxv");
}

mxv_plan vxm(const context& ctx, vector& w, const semiring& s, const vector& u, const matrix& a,
             const vector_options& options) {
    // u A = A^T u with the operands of the multiply operator exchanged.
    const semiring swapped(s.add(), s.multiply().exchanged(), s.pinned_type());
    return multiply(ctx, w, swapped, a, u, options, !options.transpose_a, "vxm");
}

}  // namespace nz
