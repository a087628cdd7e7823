// The matvec on a GPU: what the plan needs to know is collected there, operands are brought where they are not, the
// kernel's output stays. The host waits where it must know a count: products of a push, entries of a sparse result.
#include "ops/mxv_device.hpp"

#include "core/checks.hpp"
#include "core/device.hpp"
#include "core/device_copies.hpp"
#include "kernels/cuda_table.hpp"
#include "nonzero/errors.hpp"
#include "ops/bins_device.hpp"
#include "ops/ranks_device.hpp"
#include "ops/slices_device.hpp"
#include "ops/tiles_device.hpp"
#include "ops/vectors_device.hpp"

#include <limits>

namespace nz::ops {
namespace {

using kernels::device_entries;
using storage::device_vector;
using storage::vector_body;

buffer take(const context& ctx, std::size_t bytes) { return {ctx.device_memory(), bytes}; }

}  // namespace

device_mxv::device_mxv(const mxv_product& p, plan::mxv_facts facts) : p_(p) {
    const device::arrivals arrived(p.ctx);
    const storage::matrix_body& body = p.body();
    if (facts.pull_ready)
        facts.empty_rows = facts.output_size - body.balance_on(p.ctx, p.pulled_anywhere())->held_rows;
    plan_with_room(facts);
    mask_ = mask_on_device(p_.ctx, p_.options);
    take_operand(plan_.input);
    const bool listed = plan_.direction == direction::push;
    if (listed && plan_.kernel == "csc_gather_radix" && plan::gathers_in_block(facts)) try_one_block(facts);
    if (plan_.direction == direction::push && !done_) {
        if (facts.products < 0) count_products_or_pull(facts);
        plan_with_room(facts);
    }
    if (listed && plan_.direction == direction::pull) take_operand(plan_.input);
    plan_.reads_transpose = p.transposed == (plan_.direction == direction::pull);
    if (!done_) take_arguments();
    plan_.moved_bytes = arrived.bytes();
}

void device_mxv::take_arguments() {
    take_matrix();
    take_memory();
    kernel_ = p_.device_cell->kernel(plan_.kernel);
}

void device_mxv::plan_with_room(plan::mxv_facts& facts) {
    plan_ = plan::mxv(facts);
    const bool own_form = plan_.builds_slices || plan_.builds_ranks || plan_.builds_tiles;
    if ((own_form || plan_.kernel == "csr_binned") && facts.pinned.empty()) make_room_for_form(facts);
}

// The columns may be more than the GPU has room for beside what a pull reads.
void device_mxv::try_one_block(plan::mxv_facts& facts) {
    try {
        gather_in_block(facts);
    } catch (const out_of_memory&) {
        pull_instead(facts);
        plan_with_room(facts);
    }
}

void device_mxv::count_products_or_pull(plan::mxv_facts& facts) {
    try {
        count_products(facts);
    } catch (const out_of_memory&) {
        pull_instead(facts);
    }
}

// Within the handling of what there was no memory for.
void device_mxv::pull_instead(plan::mxv_facts& facts) {
    if (!facts.pinned.empty()) throw;
    leave_push(facts);
}

void device_mxv::leave_push(plan::mxv_facts& facts) {
    starts_ = buffer();
    k_.products = 0;
    facts.must_pull = true;
    facts.expected = 0;
}

// Slices, ranks, tiles or bins that nobody asked for by name are made if there is memory for them, and for what goes by bins.
void device_mxv::make_room_for_form(plan::mxv_facts& facts) {
    try {
        if (plan_.builds_slices) take_slices();
        if (plan_.builds_ranks) take_ranks();
        if (plan_.builds_tiles)
            kept_.push_back(
                tiles_on_device(p_.ctx, p_.body(), p_.pulled_anywhere(), plan_.tiles, p_.tile_type()));
        if (plan_.kernel == "csr_binned") {
            workspace_ = take(p_.ctx, plan_.workspace_bytes);
            take_bins();
        }
    } catch (const out_of_memory&) {
        workspace_ = buffer();
        p_.body().refuse_forms();
        facts.limited = true;
        plan_ = plan::mxv(facts);
    }
}

void device_mxv::take_operand(vector_form form) {
    const vector u = p_.ring.ignores_b() ? p_.u : in_type_on_device(p_.ctx, p_.u, p_.operand);
    const vector_body& v = u.body_anywhere();
    const auto on = v.home->copy_on(p_.ctx, v);
    kept_.push_back(on);
    device_entries from = entries_of(v, *on);
    void* stream = p_.ctx.gpu()->stream();
    const auto& table = kernels::on_cuda().vectors;
    if (form == vector_form::bitmap && v.form != form) {
        u_values_ = take(p_.ctx, static_cast<std::size_t>(v.size) * size_of(v.type));
        u_present_ = take(p_.ctx, bits::words_for(v.size) * sizeof(bits::word));
        table.to_bitmap(from, u_values_.data(), u_present_.as<bits::word>(), stream);
        from.values = u_values_.data();
        from.present = u_present_.as<bits::word>();
    } else if (form == vector_form::sparse && v.form != form) {
        u_values_ = take(p_.ctx, static_cast<std::size_t>(v.count) * size_of(v.type));
        u_indices_ = take(p_.ctx, static_cast<std::size_t>(v.count) * sizeof(index_t));
        const buffer temporary = take(p_.ctx, table.sparse_bytes(v.size));
        table.to_sparse(from, u_values_.data(), u_indices_.as<index_t>(), temporary.data(), temporary.bytes(),
                        stream);
        from.values = u_values_.data();
        from.indices = u_indices_.as<index_t>();
    }
    k_.common.u_values = from.values;
    k_.common.u_present = form == vector_form::bitmap ? from.present : nullptr;
    k_.common.u_indices = form == vector_form::sparse ? from.indices : nullptr;
    k_.common.u_count = v.count;
}

// The entries of the columns that u lists, which the plan and the memory depend on.
void device_mxv::count_products(plan::mxv_facts& facts) {
    const offset_t count = k_.common.u_count;
    starts_ = take(p_.ctx, static_cast<std::size_t>(count + 1) * sizeof(offset_t));
    prepare_count();
    recount();
    p_.ctx.gpu()->download(&facts.products, starts_.as<offset_t>() + count, sizeof(offset_t));
    take_products(facts);
}

void device_mxv::prepare_count() {
    const auto columns = p_.transposed ? p_.body().rows_on(p_.ctx) : p_.body().columns_on(p_.ctx);
    kept_.push_back(columns);
    scan_ = take(p_.ctx, kernels::on_cuda().sort_bytes(k_.common.u_count, 1, 0));
    column_offsets_ = {columns->offsets.data(), columns->source->offset_bytes == 8};
}

// What follows from their number.
void device_mxv::take_products(plan::mxv_facts& facts) {
    constexpr offset_t most = std::numeric_limits<std::int32_t>::max();
    if (facts.products > most) {
        require<not_supported>(facts.pinned.empty(),
                               "kernel {} on a GPU sorts up to {} products, here are {}: leave --kernel out",
                               facts.pinned, most, facts.products);
        return leave_push(facts);
    }
    facts.sort_bytes = kernels::on_cuda().sort_bytes(k_.common.u_count, facts.products, size_of(p_.value));
    k_.products = facts.products;
    k_.sort_bytes = facts.sort_bytes;
}

// One launch counts the products and, where a block holds them, does the rest.
void device_mxv::gather_in_block(plan::mxv_facts& facts) {
    starts_ = take(p_.ctx, static_cast<std::size_t>(k_.common.u_count + 1) * sizeof(offset_t));
    k_.products = -1;
    take_arguments();
    enqueue();
    p_.ctx.gpu()->wait();
    launched_ = false;
    facts.products = count_.as<const offset_t>()[1];
    done_ = plan::may_gather_in_block(k_.common.u_count, facts.products);
    if (done_) {
        k_.products = facts.products;
    } else {
        prepare_count();
        take_products(facts);
    }
}

void device_mxv::recount() const {
    if (done_ || !starts_.data()) return;
    kernels::on_cuda().column_starts(column_offsets_, k_.common.u_indices, k_.common.u_count,
                                     starts_.as<offset_t>(), scan_.data(), scan_.bytes(),
                                     p_.ctx.gpu()->stream());
}

// The tiles of what a pull reads, made on the GPU from its CSR where they are not there yet.
void device_mxv::take_tiles() {
    const auto made = tiles_on_device(p_.ctx, p_.body(), p_.pulled_anywhere(), plan_.tiles, p_.tile_type());
    kept_.push_back(made);
    std::shared_ptr<const storage::tile_lists> lists;
    if (plan_.kernel == "tile_column") lists = tile_lists_on_device(p_.ctx, p_.body(), made);
    if (plan_.kernel == "tile_row") lists = strips_for_few(made);
    kept_.push_back(lists);
    k_.common.tiles = tile_pointers(*made, lists.get());
    k_.common.values = made->values.data();
}

// Where u has few entries: the strips that tell most rows at once that they have no result, if there is memory for them.
std::shared_ptr<const storage::tile_lists> device_mxv::strips_for_few(
    const std::shared_ptr<const storage::value_tiles>& tiles) const {
    const kernels::mxv_arguments& c = k_.common;
    if (!c.u_present || !plan::few_for_strips(c.u_count, c.u_size, c.output_size)) return nullptr;
    try {
        auto strips = tile_strips_on_device(p_.ctx, p_.body(), tiles);
        if (plan::strips_pay(c.u_count, c.u_size, strips->count, c.output_size)) return strips;
    } catch (const out_of_memory&) {
    }
    return nullptr;
}

// Slices likewise.
void device_mxv::take_slices() {
    const auto made = slices_on_device(p_.ctx, p_.body(), p_.pulled_anywhere(), p_.tile_type());
    kept_.push_back(made);
    k_.common.slices = slice_pointers(*made);
    k_.common.values = made->values.data();
}

// Ranks likewise, beside the CSR; none where the operator does not read u's values.
void device_mxv::take_ranks() {
    if (p_.ring.ignores_b()) return;
    const auto made = ranks_on_device(p_.ctx, p_.body(), p_.pulled_anywhere());
    kept_.push_back(made);
    k_.common.ranked = rank_pointers(*made);
}

// Bins likewise; none where u has gaps.
void device_mxv::take_bins() {
    if (p_.ring.ignores_b() || plan_.input != vector_form::dense) return;
    const auto made =
        bins_on_device(p_.ctx, p_.body(), p_.pulled_anywhere(), p_.tile_type(), size_of(p_.operand));
    kept_.push_back(made);
    k_.common.bins = bin_pointers(*made);
}

void device_mxv::take_matrix() {
    const bool push = plan_.direction == direction::push;
    const storage::matrix_body& body = p_.body();
    const storage::csr& a = push ? p_.pushed_anywhere() : p_.pulled_anywhere();
    kernels::mxv_arguments& c = k_.common;
    c.output_size = static_cast<index_t>(p_.output_size());
    c.u_size = static_cast<index_t>(p_.input_size());
    c.nnz = a.nnz;
    c.constant = p_.ring.ignores_a() || a.kind != value_kind::full;
    if (plan::reads_tiles(plan_.kernel)) return take_tiles();
    if (plan_.kernel == "dia_slice") return take_slices();
    const auto on = (p_.transposed == push) ? body.rows_on(p_.ctx) : body.columns_on(p_.ctx);
    kept_.push_back(on);
    c.offsets = {on->offsets.data(), a.offset_bytes == 8};
    c.indices = on->indices.as<index_t>();
    if (!p_.ring.ignores_a()) {
        const auto values = body.values_on(p_.ctx, a, p_.operand);
        kept_.push_back(values);
        c.values = values->values.data();
    }
    if (plan_.kernel == "csr_ranked") take_ranks();
    if (plan_.kernel == "csr_binned") take_bins();
    const bool by_chunks = plan::goes_by_chunks(plan_.kernel);
    if (push || (!by_chunks && plan_.kernel != "csr_row")) return;
    const auto balance = body.balance_on(p_.ctx, a);
    kept_.push_back(balance);
    k_.long_rows = balance->long_rows.as<index_t>();
    k_.long_row_count = balance->long_row_count;
    k_.chunk_rows = balance->chunk_rows.as<index_t>();
    k_.held_rows = balance->held_rows;
    k_.longest_row = balance->longest_row;
    if (by_chunks && plan_.input == vector_form::dense && balance->held_words.data())
        held_words_ = &balance->held_words;
    if (by_chunks && balance->row_numbers.data()) {
        k_.row_numbers = balance->row_numbers.as<index_t>();
        c.offsets.data = balance->held_offsets.data();
    }
}

// Whether results may take the place of entries of a dense output at once: those of rows without any stay.
bool device_mxv::written_in_place() const {
    const vector& w = p_.w;
    const bool able = plan::goes_by_chunks(plan_.kernel) || plan_.kernel == "dia_slice";
    return able && plan_.input == vector_form::dense && p_.options.accum &&
           p_.options.accum->id() == binary_id::second && !p_.options.mask && !p_.options.mask_complement &&
           w.form() == vector_form::dense && w.type() == p_.value &&
           &w.body_anywhere() != &p_.u.body_anywhere();
}

void device_mxv::take_memory() {
    kernels::mxv_arguments& c = k_.common;
    const bool push = plan_.direction == direction::push;
    masked_ =
        p_.options.mask && (push || plan_.kernel == "csr_row_masked" || plan::reads_tiles(plan_.kernel));
    c.mask = masked_ ? mask() : nullptr;
    c.complement = p_.options.mask_complement;
    c.early_exit = plan_.early_exit;
    k_.starts = starts_.as<offset_t>();
    if (workspace_.bytes() < plan_.workspace_bytes) workspace_ = take(p_.ctx, plan_.workspace_bytes);
    c.workspace = workspace_.data();
    // Whoever takes a sparse result waits, so that nobody writes its count after this object.
    if (plan_.output == vector_form::sparse) {
        count_ = buffer(device::pinned_memory(), 2 * sizeof(offset_t));
        c.out_count = count_.as<offset_t>();
    }
    in_place_ = written_in_place();
    if (in_place_) {
        c.out_values = writable_on_device(p_.ctx, p_.w);
        return;
    }
    const offset_t most =
        k_.products < 0 ? std::min<offset_t>(plan::block_products, c.output_size) : k_.products;
    out_ = storage::allocate_on_device(p_.ctx, p_.value, c.output_size, plan_.output,
                                       plan_.output == vector_form::sparse ? most : 0);
    c.out_values = out_.values.data();
    c.out_present = held_words_ ? nullptr : out_.present.as<bits::word>();
    c.out_indices = out_.indices.as<index_t>();
    if (p_.value == dtype::boolean)  // no other byte is a truth value
        p_.ctx.gpu()->fill(out_.values.data(), 0, out_.values.bytes());
}

void device_mxv::enqueue() const {
    // Without a product there is nothing to launch over.
    if (plan_.direction == direction::push && k_.products == 0) return;
    kernel_(k_, p_.ctx.gpu()->stream());
    launched_ = true;
}

vector device_mxv::result() {
    const index_t n = k_.common.output_size;
    const auto made = [&](vector_form form, offset_t count) {
        return storage::make_device_vector(p_.ctx, p_.value, n, form, count, std::move(out_));
    };
    if (plan_.direction == direction::push && k_.products == 0) return vector(p_.ctx, p_.value, n);
    if (plan_.output == vector_form::dense) return made(vector_form::dense, n);
    if (plan_.output == vector_form::bitmap && held_words_) {
        p_.ctx.gpu()->copy(out_.present.data(), held_words_->data(), out_.present.bytes());
        return made(vector_form::bitmap, k_.held_rows);
    }
    if (plan_.output == vector_form::bitmap) return from_bitmap(p_.ctx, p_.value, n, std::move(out_));
    if (launched_) p_.ctx.gpu()->wait();
    const offset_t count = *count_.as<const offset_t>();
    if (!done_ && 2 * count < k_.products) {  // room for every product is more than the entries need
        device_vector fitting = storage::allocate_on_device(p_.ctx, p_.value, n, vector_form::sparse, count);
        p_.ctx.gpu()->copy(fitting.values.data(), out_.values.data(), fitting.values.bytes());
        p_.ctx.gpu()->copy(fitting.indices.data(), out_.indices.data(), fitting.indices.bytes());
        out_ = std::move(fitting);
    }
    return made(vector_form::sparse, count);
}

std::vector<double> mxv_kernel_ms(const context& ctx, const semiring& s, const matrix& a, const vector& u,
                                  const vector_options& options, int repeats) {
    vector w(ctx, s.value_type(a.type(), u.type()), options.transpose_a ? a.columns() : a.rows());
    const mxv_product p = make_mxv_product(ctx, w, s, a, u, options, options.transpose_a);
    require<not_supported>(p.device_cell && options.kernel != "reference",
                           "this product does not run on a GPU");
    device_mxv product(p, mxv_facts_of(p));
    std::vector<double> ms;
    for (int k = 0; k < repeats; ++k) {
        ctx.gpu()->timed([&] {
            if (product.plan().direction == direction::push) product.recount();
            product.enqueue();
        });
        ms.push_back(ctx.gpu()->milliseconds());
    }
    return ms;
}

mxv_plan multiply_on_device(const mxv_product& p, plan::mxv_facts facts) {
    device_mxv product(p, std::move(facts));
    p.ctx.log(to_string(product.plan()));
    p.body().note_product();
    if (!product.done()) product.enqueue();
    if (product.in_place()) return product.plan();
    write_back_on_device(p.ctx, p.w, product.result(), p.options, product.mask(), product.masked());
    return product.plan();
}

}  // namespace nz::ops
