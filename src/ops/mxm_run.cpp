// Counting and filling a planned product, at once or in chunks of rows.
#include "core/checks.hpp"
#include "core/parallel.hpp"
#include "core/trimmed.hpp"
#include "kernels/cpu/mxm/common_rows.hpp"
#include "kernels/mxm_stage.hpp"
#include "ops/masks.hpp"
#include "ops/mxm_product.hpp"
#include "plan/mxm_workspace.hpp"
#include "storage/csr_of_lengths.hpp"

#include <cstring>
#include <memory>
#include <optional>

namespace nz::ops {
namespace {

using storage::csr;

// Values of the cell's operand type; converted or spread ones are kept here.
struct side_values {
    buffer own;
    const void* data = nullptr;
};
side_values values_of(const product& p, const csr& a, bool spread) {
    side_values v;
    if (a.kind == value_kind::full) {
        if (a.type == p.operand_type) return {{}, a.values.data()};
        v.own = storage::convert_array(p.ctx, a.values, a.type, p.operand_type, a.nnz);
    } else {
        const element one = cast(a.value(0), a.type, p.operand_type);
        const offset_t n = spread ? a.nnz : 1;
        v.own = buffer(p.ctx.memory(), static_cast<std::size_t>(n) * sizeof(element));
        for (offset_t k = 0; k < n; ++k) storage::store(v.own.data(), p.operand_type, k, one);
    }
    v.data = v.own.data();
    return v;
}

// Offsets of row i and after.
kernels::offset_reader from_row(const kernels::offset_reader& offsets, offset_t i) {
    return {static_cast<const std::byte*>(offsets.data) + i * (offsets.wide ? 8 : 4), offsets.wide};
}

// The kernel's arguments but for workspace, counts and result, and what they point to.
class prepared {
public:
    prepared(const product& p, const mxm_plan& plan, const mxm_collected& known) {
        const csr &a = p.a(), &b = plan.kernel == "masked_dot" ? p.b_columns() : p.b();
        k_.a = structure_of(a);
        k_.b = structure_of(b);
        const bool no_a = p.by_columns ? p.ring.ignores_b() : p.ring.ignores_a(),
                   no_b = p.by_columns ? p.ring.ignores_a() : p.ring.ignores_b();
        if (!no_a) a_values_ = values_of(p, a, false);
        if (!no_b) b_values_ = values_of(p, b, true);
        k_.a.values = a_values_.data;
        k_.a_step = a.kind == value_kind::full;
        k_.b.values = b_values_.data;
        k_.rows = a.rows;
        k_.inner = a.columns;
        k_.columns = static_cast<index_t>(p.right.columns());
        k_.products = known.products.data();
        k_.words = plan.packs_words ? known.words.data() : nullptr;
        k_.most_products = known.most_products;
        k_.most_entries = known.most_entries;
        if (p.options.mask && plan.kernel.starts_with("masked")) take_mask(p);
        k_.threads = p.ctx.threads();
        k_.value_bytes = size_of(p.value);
    }
    kernels::mxm_arguments& arguments() { return k_; }

    // The same for the rows of a chunk.
    kernels::mxm_arguments of(const plan::mxm_chunk& chunk, const plan::mxm_piece& largest) const {
        kernels::mxm_arguments k = k_;
        const index_t first = chunk.first;
        k.a.offsets = from_row(k.a.offsets, first);
        k.products += first;
        if (k.masked) k.mask_offsets = from_row(k.mask_offsets, first);
        if (k.counts) k.counts += first;
        if (k.offsets.data) k.offsets = from_row(k.offsets, first);
        k.rows = chunk.last - first;
        k.threads = chunk.threads;
        k.most_products = largest.most_products;
        k.most_entries = largest.most_entries;
        return k;
    }

private:
    void take_mask(const product& p) {
        const csr& mask = p.options.mask->body().rows();
        own_places_ = mask_places(p.ctx, mask, p.options.mask_structure);
        const csr& places = own_places_ ? *own_places_ : mask;
        k_.masked = true;
        k_.complement = p.options.mask_complement;
        k_.mask_offsets = {places.offsets.data(), places.offset_bytes == 8};
        k_.mask_columns = places.index_data();
    }

    kernels::mxm_arguments k_;
    side_values a_values_, b_values_;
    std::optional<csr> own_places_;
};

// Chunks of rows, their largest rows, and one workspace for all of them in turn.
struct cut_rows {
    std::vector<plan::mxm_chunk> chunks;
    std::vector<plan::mxm_piece> largest;
    buffer workspace;
};

std::vector<plan::mxm_piece> pieces_between(const product& p, const mxm_collected& known,
                                            std::span<const index_t> cuts) {
    std::vector<plan::mxm_piece> pieces;
    index_t first = 0;
    const auto add = [&](index_t last) {
        plan::mxm_piece piece{first, last};
        for (offset_t i = first; i < last; ++i) {
            piece.most_products = std::max(piece.most_products, known.products[i + 1] - known.products[i]);
            piece.most_entries = std::max(piece.most_entries, p.a().offset(i + 1) - p.a().offset(i));
        }
        if (first < last) pieces.push_back(piece);
        first = last;
    };
    for (const index_t cut : cuts) add(cut);
    add(p.a().rows);
    return pieces;
}

// `result_bytes` are those that the error names beside the workspace.
cut_rows cut(const product& p, const mxm_plan& plan, const mxm_collected& known,
             std::span<const index_t> cuts, std::size_t result_bytes) {
    const plan::mxm_facts f = facts_of(p);
    const auto pieces =
        cuts.empty() ? mxm_pieces_of(p, known, plan::mxm_pieces) : pieces_between(p, known, cuts);
    const std::size_t bytes = bytes_left(p.ctx);
    cut_rows rows;
    rows.chunks.resize(pieces.size());
    if (cuts.empty()) {
        rows.chunks.resize(plan::mxm_chunks(plan.kernel, f, pieces, bytes, rows.chunks));
    } else {
        for (std::size_t n = 0; n < pieces.size(); ++n)
            plan::mxm_chunks(plan.kernel, f, {&pieces[n], 1}, bytes, {&rows.chunks[n], 1});
    }
    require<out_of_memory>(
        pieces.empty() || !rows.chunks.empty(),
        "mxm: {} bytes needed for the workspace of the largest row{}, {} of the memory limit of {} in use: raise the limit",
        plan::mxm_least_workspace(plan.kernel, f, pieces),
        result_bytes ? fmt::format(" beside {} of the result", result_bytes) : std::string(),
        p.ctx.bytes_in_use(), p.ctx.memory_limit());
    std::size_t most = 0;
    std::size_t n = 0;
    for (const plan::mxm_chunk& chunk : rows.chunks) {
        plan::mxm_piece largest{chunk.first, chunk.last};
        for (; n < pieces.size() && pieces[n].last <= chunk.last; ++n) {
            largest.most_products = std::max(largest.most_products, pieces[n].most_products);
            largest.most_entries = std::max(largest.most_entries, pieces[n].most_entries);
        }
        rows.largest.push_back(largest);
        most = std::max(most, chunk.workspace_bytes);
    }
    rows.workspace = buffer(p.ctx.memory(), most);
    return rows;
}

// What of the workspace B's words take: its end.
std::size_t packed_bytes(const kernels::mxm_arguments& k) {
    return plan::packed_words(k.words[k.inner], k.inner);
}

void run_chunks(const prepared& ready, const cut_rows& rows, kernels::mxm_kernel kernel) {
    for (std::size_t n = 0; n < rows.chunks.size(); ++n) {
        kernels::mxm_arguments k = ready.of(rows.chunks[n], rows.largest[n]);
        k.workspace = rows.workspace.data();
        kernel(k);
    }
}

void say_chunks(mxm_plan& plan, const cut_rows& rows) {
    plan.packs_words = false;
    plan.chunks = std::max(plan.chunks, static_cast<index_t>(rows.chunks.size()));
    plan.fewest_threads = 0;
    for (const auto& chunk : rows.chunks)
        plan.fewest_threads =
            plan.fewest_threads ? std::min(plan.fewest_threads, chunk.threads) : chunk.threads;
    plan.workspace_bytes = rows.workspace.bytes();
}

std::size_t result_bytes(const product& p, std::span<const index_t> counts) {
    offset_t entries = 0;
    for (const index_t n : counts) entries += n;
    return (counts.size() + 1) * static_cast<std::size_t>(storage::offset_bytes_for(entries)) +
           static_cast<std::size_t>(entries) * (sizeof(index_t) + size_of(p.value));
}

csr fill(const product& p, mxm_plan& plan, const mxm_collected& known, prepared& ready, array<index_t> counts,
         buffer workspace, std::span<const index_t> cuts) {
    auto& k = ready.arguments();
    const std::span<const index_t> lengths(counts.data(), counts.size());
    const std::size_t needed = result_bytes(p, lengths);
    if (needed > bytes_left(p.ctx)) workspace = {};
    require<out_of_memory>(
        needed <= bytes_left(p.ctx),
        "mxm: {} bytes needed for the result, {} of the memory limit of {} in use: raise the limit", needed,
        p.ctx.bytes_in_use(), p.ctx.memory_limit());
    csr t = storage::allocate_csr(p.ctx, p.value, value_kind::full, k.rows, k.columns, lengths);
    counts = {};
    k.counts = nullptr;
    k.offsets = {t.offsets.data(), t.offset_bytes == 8};
    k.out_columns = t.indices.as<index_t>();
    k.out_values = t.values.data();
    const auto kernel = p.cell->kernel(plan.kernel);
    if (cuts.empty() && (workspace.data() || plan.workspace_bytes == 0)) {
        kernel(k);
        return t;
    }
    k.words = nullptr;  // what was packed is gone
    const cut_rows rows = cut(p, plan, known, cuts, needed);
    run_chunks(ready, rows, kernel);
    say_chunks(plan, rows);
    return t;
}

// Filled before it is counted, in turns, into arrays of as many entries as are expected and more.
class turns {
public:
    turns(const product& p, const mxm_plan& plan, const mxm_collected& known, const prepared& ready)
        : p_(p),
          plan_(plan),
          known_(known),
          ready_(ready),
          k_(ready.of({0, p.a().rows, p.ctx.threads()}, all())) {}

    // Nothing where there is no memory for it, or for what comes beyond the room.
    std::optional<csr> run(std::optional<offset_t> room) {
        try {
            take_room(room ? *room : expected_room());
            const std::size_t bytes = result_bytes_of(stage_.room) + stage_bytes() + plan_.workspace_bytes +
                                      static_cast<std::size_t>(k_.rows) * sizeof(index_t);
            if (stage_.room > most_room || bytes > bytes_left(p_.ctx)) return {};
            allocate();
        } catch (const out_of_memory&) {  // not even a sample, or a machine that promises no more than it has
            return {};
        }
        p_.cell->kernel(plan_.kernel)(k_);
        own_columns_ = {};
        own_values_ = {};
        return stage_.full ? with_the_rest() : all_of_it();
    }

private:
    // Products, and rows' costs in products, of a run: results of some 100 KB, which stay in a core's cache; fewer where threads would
    // have few runs.
    static constexpr offset_t run_products = 65536, fewest_run_products = 4096;
    // Runs that a thread has room for while it waits for its turn.
    static constexpr offset_t runs_waiting = 16;
    static constexpr offset_t rows_sampled = 256;
    static constexpr offset_t most_room = offset_t{1} << 40;  // no machine's memory
    // More than expected, by so much of it: samples were a few percent off at most.
    static constexpr double spare = 0.125;
    // Smaller results stay in the caches.
    static constexpr std::size_t streamed_bytes = std::size_t{4} << 20;

    plan::mxm_piece all() const { return {0, 0, known_.most_products, known_.most_entries}; }
    std::size_t entry_bytes() const { return sizeof(index_t) + k_.value_bytes; }
    std::size_t result_bytes_of(offset_t entries) const {
        return static_cast<std::size_t>(entries) * entry_bytes() +
               (static_cast<std::size_t>(k_.rows) + 1) * 8;
    }
    std::size_t stage_bytes() const {
        return static_cast<std::size_t>(k_.threads * stage_.entries) * entry_bytes();
    }

    offset_t expected_room() const {
        const offset_t most = most_entries(p_, known_);
        if (k_.masked && !k_.complement) return std::min(most, k_.mask_offsets[k_.rows]);
        if (static_cast<std::size_t>(most) <= plan::uncounted_bytes / entry_bytes()) return most;
        return std::min(most,
                        static_cast<offset_t>((1 + spare) * expected_entries(p_, known_, rows_sampled)));
    }
    void take_room(offset_t room) {
        const offset_t cost = k_.products[k_.rows] + kernels::cpu::row_cost * k_.rows;
        stage_.room = room;
        const offset_t run =
            std::clamp(cost / (k_.threads * kernels::cpu::runs_a_thread), fewest_run_products, run_products);
        stage_.runs = static_cast<int>(std::clamp<offset_t>(cost / run, 1, 1 << 30));
        stage_.entries = std::min(runs_waiting * (cost / stage_.runs + 1), k_.products[k_.rows]) +
                         std::min<offset_t>(known_.most_products, k_.columns);
        stage_.streams = static_cast<std::size_t>(room) > streamed_bytes / entry_bytes();
    }
    void allocate() {
        const auto part = [&](std::size_t bytes) { return buffer(p_.ctx.memory(), bytes); };
        const auto room = static_cast<std::size_t>(stage_.room),
                   staged = static_cast<std::size_t>(k_.threads * stage_.entries);
        counts_ = array<index_t>(p_.ctx, static_cast<std::size_t>(k_.rows));
        columns_ = part(room * sizeof(index_t));
        values_ = part(room * k_.value_bytes);
        own_columns_ = part(staged * sizeof(index_t));
        own_values_ = part(staged * k_.value_bytes);
        workspace_ = part(plan_.workspace_bytes);
        k_.counts = counts_.data();
        k_.workspace = workspace_.data();
        if (k_.words) k_.packed = workspace_.as<std::byte>() + (workspace_.bytes() - packed_bytes(k_));
        k_.offsets = {k_.products, true};
        stage_.columns = own_columns_.as<index_t>();
        stage_.values = own_values_.data();
        stage_.out_columns = columns_.as<index_t>();
        stage_.out_values = values_.data();
        k_.stage = &stage_;
    }
    std::span<const index_t> lengths() const { return {counts_.data(), counts_.size()}; }

    csr all_of_it() {
        csr t = storage::csr_of_lengths(p_.ctx, p_.value, value_kind::full, k_.columns, lengths());
        t.indices = trimmed(std::move(columns_), static_cast<std::size_t>(t.nnz) * sizeof(index_t));
        t.values = trimmed(std::move(values_), static_cast<std::size_t>(t.nnz) * k_.value_bytes);
        return t;
    }
    // Rows from the run on that had no room are counted and filled.
    std::optional<csr> with_the_rest() {
        const index_t first = kernels::cpu::run_begin(k_, stage_.turn, stage_.runs);
        auto k = ready_.of({first, k_.rows, k_.threads}, all());
        k.workspace = k_.workspace;
        k.packed = k_.packed;
        k.counts = counts_.data() + first;
        instantiate::find_mxm_count(plan_.kernel)(k);
        if (result_bytes(p_, lengths()) > bytes_left(p_.ctx)) return {};
        csr t = storage::allocate_csr(p_.ctx, p_.value, value_kind::full, k_.rows, k_.columns, lengths());
        k_.out_columns = columns_.as<index_t>();
        k_.out_values = values_.data();
        kernels::cpu::move_entries(k_, 0, 0, stage_.place, t.indices.as<index_t>(), t.values.data());
        k.counts = nullptr;
        k.offsets = from_row({t.offsets.data(), t.offset_bytes == 8}, first);
        k.out_columns = t.indices.as<index_t>();
        k.out_values = t.values.data();
        p_.cell->kernel(plan_.kernel)(k);
        return t;
    }

    const product& p_;
    const mxm_plan& plan_;
    const mxm_collected& known_;
    const prepared& ready_;
    kernels::mxm_arguments k_;
    kernels::mxm_stage stage_;
    array<index_t> counts_;
    buffer columns_, values_, own_columns_, own_values_, workspace_;
};

}  // namespace

csr run_compiled(const product& p, mxm_plan& plan, const mxm_collected& known, std::span<const index_t> cuts,
                 std::optional<offset_t> room) {
    // No workspace is taken for chunks of no rows, and kernels clear theirs first.
    if (p.a().rows == 0)
        return storage::allocate_csr(p.ctx, p.value, value_kind::full, 0,
                                     static_cast<index_t>(p.right.columns()), std::span<const index_t>());
    prepared ready(p, plan, known);
    if (cuts.empty()) {
        if (plan.kernel == "dense_row" || plan.kernel == "hash" || plan.kernel == "masked_row")
            if (auto t = turns(p, plan, known, ready).run(room)) return std::move(*t);
    }
    auto& k = ready.arguments();
    array<index_t> counts(p.ctx, static_cast<std::size_t>(k.rows));
    k.counts = counts.data();
    const auto count = instantiate::find_mxm_count(plan.kernel);
    if (cuts.empty() && plan.workspace_bytes <= bytes_left(p.ctx)) {
        buffer workspace(p.ctx.memory(), plan.workspace_bytes);
        k.workspace = workspace.data();
        if (k.words) k.packed = workspace.as<std::byte>() + (workspace.bytes() - packed_bytes(k));
        count(k);
        return fill(p, plan, known, ready, std::move(counts), std::move(workspace), cuts);
    }
    k.words = nullptr;  // B's words are for the whole
    {
        const cut_rows rows = cut(p, plan, known, cuts, 0);
        run_chunks(ready, rows, count);
        say_chunks(plan, rows);
    }
    return fill(p, plan, known, ready, std::move(counts), {}, cuts);
}

std::function<void(index_t, index_t)> rows_filler(const product& p, const mxm_plan& plan,
                                                  const mxm_collected& known, csr& t, int threads) {
    struct state {
        prepared ready;
        buffer workspace;
    };
    const auto held = std::make_shared<state>(
        state{prepared(p, plan, known), buffer(p.ctx.memory(), plan.workspace_bytes)});
    auto& k = held->ready.arguments();
    k.words = nullptr;  // they are for the whole
    k.workspace = held->workspace.data();
    k.offsets = {t.offsets.data(), t.offset_bytes == 8};
    k.out_columns = t.indices.as<index_t>();
    k.out_values = t.values.data();
    const plan::mxm_piece largest{0, 0, known.most_products, known.most_entries};
    return [held, largest, threads, kernel = p.cell->kernel(plan.kernel)](index_t first, index_t last) {
        kernel(held->ready.of({first, last, threads, held->workspace.bytes()}, largest));
    };
}

mxm_counted count_compiled(const product& p, const mxm_plan& plan, const mxm_collected& known) {
    prepared ready(p, plan, known);
    auto& k = ready.arguments();
    const array<index_t> counts(p.ctx, static_cast<std::size_t>(k.rows));
    mxm_counted counted;
    if (k.words) counted.packed = buffer(p.ctx.memory(), packed_bytes(k));
    const buffer workspace(p.ctx.memory(), plan.workspace_bytes - counted.packed.bytes());
    k.counts = counts.data();
    k.workspace = workspace.data();
    k.packed = counted.packed.data();
    instantiate::find_mxm_count(plan.kernel)(k);
    csr shape = storage::allocate_csr(p.ctx, p.value, value_kind::pattern, k.rows, 0,
                                      std::span<const index_t>(counts.data(), counts.size()));
    counted.offsets = std::move(shape.offsets);
    counted.offset_bytes = shape.offset_bytes;
    counted.entries = shape.nnz;
    return counted;
}

csr fill_compiled(const product& p, const mxm_plan& plan, const mxm_collected& known,
                  const mxm_counted& counted) {
    prepared ready(p, plan, known);
    auto& k = ready.arguments();
    const buffer workspace(p.ctx.memory(), plan.workspace_bytes - counted.packed.bytes());
    k.workspace = workspace.data();
    k.packed = counted.packed.data();
    csr t = storage::allocate_csr(p.ctx, p.value, value_kind::full, k.rows, k.columns, counted.entries);
    std::memcpy(t.offsets.data(), counted.offsets.data(), t.offsets.bytes());
    k.offsets = {t.offsets.data(), t.offset_bytes == 8};
    k.out_columns = t.indices.as<index_t>();
    k.out_values = t.values.data();
    p.cell->kernel(plan.kernel)(k);
    return t;
}

}  // namespace nz::ops
