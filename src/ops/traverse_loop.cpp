#include "ops/traverse_loop.hpp"

#include "nonzero/operations.hpp"
#include "ops/mxv_device.hpp"
#include "ops/vectors_device.hpp"
#include "ops/write_back.hpp"
#include "plan/mxv.hpp"
#include "storage/matrix_body.hpp"
#include "storage/vector_body.hpp"

#include <algorithm>

namespace nz::ops {
namespace {

using storage::vector_body;

// The semiring that a level is computed over. Without early exit a monoid stands in whose sum never ends
// before the row does: neighbours ascend, so min finds the parent that any stops at.
semiring ring_for(const traverse_options& o) {
    const traverse_switches& s = o.switches;
    using enum binary_id;
    if (o.parents) {
        if (s.structure_only) return {s.early_exit ? any : min, secondi, dtype::int32};
        return {s.early_exit ? any : min, second, dtype::int32};
    }
    if (s.structure_only)
        return s.early_exit ? semiring(any, pair, dtype::boolean) : semiring(plus, pair, dtype::int64);
    return s.early_exit ? semiring(lor, land, dtype::boolean) : semiring(plus, times, dtype::int32);
}

// f with every entry's own index as its value: what `second` carries to the children when values are read.
vector own_indices(const vector& f) {
    vector_body ids = storage::convert_values(f.body(), dtype::int32);
    storage::for_each_entry(ids, [&](index_t i, offset_t k) { ids.values.as<std::int32_t>()[k] = i; });
    return storage::make_vector(std::move(ids));
}

class loop {
public:
    loop(const context& c, const matrix& graph, offset_t source, const traverse_options& options,
         const plan::traverse_plan& p)
        : ctx(c),
          a(graph),
          o(options),
          plan(p),
          ring(ring_for(options)),
          n(static_cast<index_t>(graph.rows())),
          frontier(ctx, dtype::int32, n),
          visited(
              storage::make_vector(storage::make_vector_body(ctx, dtype::int32, n, vector_form::bitmap, 0))),
          levels(vector::full(ctx, n, scalar(std::int32_t{-1}))) {
        frontier.set(source, scalar(static_cast<std::int32_t>(source)));
        frontier.convert_to(vector_form::sparse);
        record();
    }

    traverse_result run() {
        plan::direction_state state;
        std::vector<traverse_level> iterations;
        while (frontier.count() > 0 && (o.max_depth < 0 || depth < o.max_depth)) {
            auto choice = plan::choose_direction(state, {frontier.count(), n}, plan.thresholds,
                                                 o.switches.change_direction);
            if (static_cast<std::size_t>(depth) < o.schedule.size()) {
                choice.next.current = o.schedule[depth];
                choice.reason = "as scheduled";
            }
            state = choice.next;
            traverse_level level{state.current, {},           frontier.count(),
                                 n - reached,   choice.ratio, choice.reason};
            ++depth;
            level.kernel = step(state.current);
            record();
            iterations.push_back(level);
            if (o.on_level) o.on_level(level);
        }
        return result(std::move(iterations));
    }

private:
    // frontier = (A^T frontier) where not visited.
    std::string_view step(direction d) {
        const bool reads_ids = o.parents && !o.switches.structure_only;
        const vector* operand = &frontier;
        vector ids(ctx, dtype::int32, 0);
        if (reads_ids) {
            ids = own_indices(frontier);
            operand = &ids;
        } else if (d == direction::pull && o.switches.operand_reuse && o.switches.structure_only) {
            operand = &visited;  // its members that have unvisited neighbours are the frontier
        }
        vector_options options{.transpose_a = true};
        options.kernel = d == direction::pull ? "csr_row_masked"
                         : ctx.gpu()          ? push_on_device()
                                              : push_on_host();
        const vector_options filter{
            .mask = &visited, .mask_structure = true, .mask_complement = true, .replace = true};
        if (o.switches.masking) {
            options.mask = filter.mask;
            options.mask_structure = options.mask_complement = options.replace = true;
        }
        vector next(ctx, ring.value_type(a.type(), operand->type()), n);
        const mxv_plan done = mxv(ctx, next, ring, a, *operand, options);
        if (o.switches.masking) {
            frontier = std::move(next);
        } else {
            frontier = vector(ctx, next.type(), n);
            apply(ctx, frontier, unary_id::identity, next, filter);
        }
        return done.kernel;
    }

    // One block has very few products; few are sorted, so that their level touches no more than they do; more are put where they belong.
    std::string_view push_on_device() const {
        const double products =
            static_cast<double>(frontier.count()) * static_cast<double>(a.nnz()) / static_cast<double>(n);
        if (products <= static_cast<double>(plan::block_products)) return "csc_gather_radix";
        const bool few = products <= static_cast<double>(plan::device_merge_products) &&
                         products * bitmap_from_one_in <= static_cast<double>(n);
        return few ? "csc_gather_merge" : "csc_gather_scatter";
    }

    std::string_view push_on_host() const {
        const storage::csr& rows = a.body().rows();
        offset_t edges = 0;
        storage::for_each_entry(frontier.body(),
                                [&](index_t i, offset_t) { edges += rows.offset(i + 1) - rows.offset(i); });
        return plan::push_on_cpu(static_cast<double>(edges), frontier.count(), n, sizeof(index_t));
    }

    // The frontier joins the visited set; its values are the parents.
    void record() {
        reached += frontier.count();
        if (ctx.gpu()) return record_on_device();
        vector_body& v = visited.mutable_body();
        auto* level = levels.mutable_body().values.as<std::int32_t>();
        const vector_body& f = frontier.body();
        storage::for_each_entry(f, [&](index_t i, offset_t k) {
            bits::set(v.words(), i);
            level[i] = depth;
            v.values.as<std::int32_t>()[i] =
                o.parents ? static_cast<std::int32_t>(
                                cast(storage::load(f.values.data(), f.type, k), f.type, dtype::int32).bits)
                          : 0;
        });
        v.count += f.count;
    }

    // The same where the frontier is: two write-backs with accumulators.
    void record_on_device() {
        const vector_options keep_old{.accum = binary_id::first}, take_new{.accum = binary_id::second};
        const bool holds_parents = o.parents && frontier.type() == dtype::int32;
        const vector depths = same_entries_on_device(ctx, frontier, scalar(depth));
        write_back_on_device(ctx, visited, holds_parents ? frontier : depths, keep_old, nullptr, false);
        write_back_on_device(ctx, levels, depths, take_new, nullptr, false);
    }

    traverse_result result(std::vector<traverse_level> iterations) {
        offset_t edges = 0;
        vector_body parents = storage::make_vector_body(ctx, dtype::int32, o.parents ? n : 0,
                                                        vector_form::dense, o.parents ? n : 0);
        if (o.parents) std::fill_n(parents.values.as<std::int32_t>(), n, -1);
        const storage::csr& rows = a.body().rows();
        storage::for_each_entry(visited.body(), [&](index_t i, offset_t k) {
            edges += rows.offset(i + offset_t{1}) - rows.offset(i);
            if (o.parents) parents.values.as<std::int32_t>()[i] = visited.body().values.as<std::int32_t>()[k];
        });
        return {std::move(levels), storage::make_vector(std::move(parents)), reached, edges,
                std::move(iterations)};
    }

    const context& ctx;
    const matrix& a;
    const traverse_options& o;
    const plan::traverse_plan& plan;
    const semiring ring;
    const index_t n;
    vector frontier, visited, levels;
    std::int32_t depth = 0;
    offset_t reached = 0;
};

}  // namespace

traverse_result traverse_loop(const context& ctx, const matrix& a, offset_t source,
                              const traverse_options& options, const plan::traverse_plan& plan) {
    return loop(ctx, a, source, options, plan).run();
}

}  // namespace nz::ops
