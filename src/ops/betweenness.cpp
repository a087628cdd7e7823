// betweenness: check, collect facts, plan, run. The centralities are written once, so there is no write-back stage. The steps
// of a batch are the same on every backend: a table of them, memory of that backend's, and after each level a look at what was
// found, where a GPU is waited for.
#include "ops/betweenness.hpp"

#include "core/checks.hpp"
#include "core/device.hpp"
#include "kernels/cpu/betweenness/batched.hpp"
#include "kernels/cuda_table.hpp"
#include "kernels/kernel_ids.hpp"
#include "nonzero/operations.hpp"
#include "ops/betweenness_loop.hpp"
#include "ops/betweenness_queues.hpp"
#include "ops/checks.hpp"
#include "ops/dense.hpp"
#include "storage/matrix_body.hpp"
#include "storage/vector_body.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <map>

namespace nz::ops {
namespace {

using kernels::betweenness_found;
using kernels::betweenness_level;
using kernels::source_word;

constexpr std::string_view sweep_loop_id = "sweep_loop";  // over mxv: on every backend, no kernel of its own

void check(const matrix& a, std::span<const offset_t> sources, const centrality_options& o) {
    require<dimension_mismatch>(a.rows() == a.columns(),
                                "betweenness: the matrix is {} x {}; a graph needs a square one", a.rows(),
                                a.columns());
    for (const offset_t source : sources) check_source(source, a.rows());
    require<domain_error>(
        o.kernel.empty() || o.kernel == sweep_loop_id || kernels::known_on_cpu("betweenness", o.kernel),
        "'{}' is not a kernel of betweenness; there are {}, {}", o.kernel, kernels::known_ids("betweenness"),
        sweep_loop_id);
}

void require_counted(bool counted, const matrix& a) {
    require<not_supported>(
        counted,
        "betweenness: the graph ({} x {}) has more shortest paths between two vertices than the "
        "kernel's numbers can say; queue, on a CPU, counts furthest",
        a.rows(), a.columns());
}

vector dense_centrality(const context& ctx, offset_t n, buffer values, bool on_device) {
    if (on_device) {
        storage::device_vector content;
        content.values = std::move(values);
        return storage::make_device_vector(ctx, dtype::float64, n, vector_form::dense, n, std::move(content));
    }
    storage::vector_body body =
        storage::make_vector_body(ctx, dtype::float64, n, vector_form::dense, n, false);
    body.values = std::move(values);
    return storage::make_vector(std::move(body));
}

/// Memory where the steps work, and the way there and back.
class place {
public:
    explicit place(const context& ctx) : ctx_(ctx) {}
    bool on_device() const { return ctx_.gpu() != nullptr; }
    void* stream() const { return on_device() ? ctx_.gpu()->stream() : nullptr; }
    buffer take(std::size_t bytes) const {
        return {on_device() ? ctx_.device_memory() : ctx_.memory(), bytes};
    }
    void clear(const buffer& b) const {
        if (!b.bytes()) return;
        on_device() ? ctx_.gpu()->fill(b.data(), 0, b.bytes()) : void(std::memset(b.data(), 0, b.bytes()));
    }
    void put(const buffer& to, const void* from, std::size_t bytes) const {
        on_device() ? ctx_.gpu()->upload(to.data(), from, bytes) : void(std::memcpy(to.data(), from, bytes));
    }
    void get(void* to, const buffer& from, std::size_t bytes) const {
        on_device() ? ctx_.gpu()->download(to, from.data(), bytes)
                    : void(std::memcpy(to, from.data(), bytes));
    }

private:
    const context& ctx_;
};

class batches {
public:
    batches(const context& ctx, const matrix& a, int most_sources)
        : ctx_(ctx),
          at_(ctx),
          steps_(at_.on_device() ? kernels::on_cuda().betweenness : kernels::cpu::batched_betweenness()),
          n_(static_cast<std::size_t>(a.rows())),
          nnz_(a.nnz()) {
        take_edges(a);
        const int stride = static_cast<int>(std::bit_ceil(static_cast<unsigned>(most_sources)));
        for (buffer* words : {&visited_, &level_, &next_}) *words = at_.take(n_ * sizeof(source_word));
        paths_ = at_.take(n_ * static_cast<std::size_t>(stride) * sizeof(double));
        centrality_ = at_.take(n_ * sizeof(double));
        found_vertices_ = at_.take(n_ * sizeof(index_t));
        found_ = at_.take(sizeof(betweenness_found));
        at_.clear(centrality_);
        k_.vertices = static_cast<index_t>(n_);
        k_.stride = stride;
        k_.visited = visited_.as<source_word>();
        k_.paths = paths_.as<double>();
        k_.centrality = centrality_.as<double>();
        k_.found_vertices = found_vertices_.as<index_t>();
        k_.found = found_.as<betweenness_found>();
        k_.threads = ctx.threads();
    }

    /// Returns the levels that there were.
    int run(std::span<const offset_t> sources) {
        forward(sources);
        const auto levels = static_cast<int>(levels_.size());
        backward();
        return levels;
    }

    vector take() {
        return dense_centrality(ctx_, static_cast<offset_t>(n_), std::move(centrality_), at_.on_device());
    }

private:
    struct kept_level {
        buffer vertices, masks;
        offset_t count = 0;
        betweenness_level view() const { return {vertices.as<index_t>(), masks.as<source_word>(), count}; }
    };

    void take_edges(const matrix& a) {
        const storage::matrix_body& body = a.body();
        if (!at_.on_device()) {
            const storage::csr &rows = body.rows(), &columns = body.known_symmetric() ? rows : body.columns();
            k_.out = {{rows.offsets.data(), rows.offset_bytes == 8}, rows.index_data()};
            k_.in = {{columns.offsets.data(), columns.offset_bytes == 8}, columns.index_data()};
            return;
        }
        const auto rows = body.rows_on(ctx_), columns = body.known_symmetric() ? rows : body.columns_on(ctx_);
        const bool wide = body.rows_anywhere().offset_bytes == 8;
        k_.out = {{rows->offsets.data(), wide}, rows->indices.as<index_t>()};
        k_.in = {{columns->offsets.data(), wide}, columns->indices.as<index_t>()};
        kept_ = {rows, columns};
        const auto long_ones = [&](const storage::csr& of) {
            return body.balance_on(ctx_, of)->long_row_count > 0;
        };
        if (long_ones(body.rows_anywhere()) || (columns != rows && long_ones(body.columns_anywhere(ctx_)))) {
            long_rows_ = at_.take(n_ * sizeof(index_t));
            k_.long_rows = long_rows_.as<index_t>();
        }
    }

    kept_level level_of(offset_t count) const {
        const auto entries = static_cast<std::size_t>(count);
        return {at_.take(entries * sizeof(index_t)), at_.take(entries * sizeof(source_word)), count};
    }

    /// The sources as level 0, each vertex once.
    void start(std::span<const offset_t> sources) {
        for (const buffer* words : {&visited_, &level_, &next_}) at_.clear(*words);
        k_.level = level_.as<source_word>();
        k_.next = next_.as<source_word>();
        k_.sources = static_cast<int>(sources.size());
        std::map<index_t, source_word> words;
        for (std::size_t s = 0; s < sources.size(); ++s)
            words[static_cast<index_t>(sources[s])] |= source_word{1} << s;
        std::vector<index_t> vertices;
        std::vector<source_word> masks;
        for (const auto& [v, word] : words) vertices.push_back(v), masks.push_back(word);
        kept_level first = level_of(static_cast<offset_t>(vertices.size()));
        at_.put(first.vertices, vertices.data(), first.vertices.bytes());
        at_.put(first.masks, masks.data(), first.masks.bytes());
        steps_.start(k_, first.view(), at_.stream());
        levels_.push_back(std::move(first));
    }

    void forward(std::span<const offset_t> sources) {
        start(sources);
        for (offset_t edges = 0;;) {  // out of the level at hand; the sources are few, and pushed
            const kept_level& from = levels_.back();
            const bool pulls = plan::betweenness_pulls(edges, nnz_);
            betweenness_found found;
            if (!at_.on_device()) at_.put(found_, &found, sizeof found);
            pulls ? steps_.pull(k_, at_.stream()) : steps_.push(k_, from.view(), at_.stream());
            at_.get(&found, found_, sizeof found);
            if (found.vertices == 0) return;
            kept_level to = level_of(found.vertices);
            steps_.keep(k_, to.view(), at_.stream());
            if (!pulls) steps_.count(k_, to.view(), at_.stream());
            steps_.clear(k_, from.view(), at_.stream());
            std::swap(k_.level, k_.next);
            edges = found.edges;
            levels_.push_back(std::move(to));
        }
    }

    /// From the last level, whose words are set and whose vertices hand nothing on, to the first after the sources.
    void backward() {
        for (bool last = true; levels_.size() > 1; last = false) {
            const betweenness_level of = levels_.back().view();
            if (last) steps_.clear(k_, of, at_.stream());
            steps_.back(k_, of, at_.stream());
            if (!last) steps_.clear(k_, behind_.view(), at_.stream());
            steps_.mark(k_, of, at_.stream());
            behind_ = std::move(levels_.back());
            levels_.pop_back();
        }
        levels_.clear();
    }

    const context& ctx_;
    const place at_;
    const kernels::betweenness_table& steps_;
    const std::size_t n_;
    const offset_t nnz_;
    kernels::betweenness_arguments k_;
    std::vector<std::shared_ptr<const void>> kept_;  // what the edges point into
    buffer visited_, level_, next_, paths_, centrality_, found_vertices_, found_, long_rows_;
    std::vector<kept_level> levels_;
    kept_level behind_;
};

// The batches' memory goes before anything else is tried.
centrality_result by_batches(const context& ctx, const matrix& a, std::span<const offset_t> sources,
                             int most_sources) {
    centrality_result result{vector(ctx, dtype::float64, 0), 0, {}};
    batches run(ctx, a, most_sources);
    const auto most = static_cast<std::size_t>(most_sources);
    for (std::size_t at = 0; at < sources.size(); at += most) {
        const auto batch = sources.subspan(at, std::min(most, sources.size() - at));
        result.iterations += run.run(batch);
        if (most < sources.size())
            ctx.log(fmt::format("betweenness/batched: {} of {} sources", at + batch.size(), sources.size()));
    }
    result.centrality = run.take();
    return result;
}

/// On a GPU where the plan is, and by the CPU's longer numbers where that one's are not enough.
void run_queues(const context& ctx, const matrix& a, std::span<const offset_t> sources, bool pinned,
                plan::betweenness_plan& plan, centrality_result& result) {
    auto counted = betweenness_queues(ctx, a, sources, plan);
    if (!counted && plan.on_device) {
        require_counted(!pinned, a);
        plan = {"queue", false, 1, "more shortest paths than a GPU's doubles can say"};
        counted = betweenness_queues(ctx, a, sources, plan);
    }
    require_counted(counted.has_value(), a);
    result.iterations = counted->levels;
    result.centrality = dense_centrality(ctx, a.rows(), std::move(counted->centrality), plan.on_device);
}

plan::betweenness_facts betweenness_facts_of(const context& ctx, const matrix& a,
                                             std::span<const offset_t> sources, std::string_view pinned) {
    plan::betweenness_facts f{a.rows(), a.nnz(), a.body().longest_row(), sources.size(), ctx.gpu() != nullptr,
                              pinned};
    if (!ctx.gpu()) {
        f.bytes_left = memory_left(ctx);
        return f;
    }
    const storage::matrix_body& body = a.body();
    const std::size_t edges = body.bytes_to_place(ctx, body.rows_anywhere(), {}) *
                              (body.known_symmetric() ? 1 : 2),
                      left = device::bytes_left(ctx);
    f.multiprocessors = ctx.gpu()->about().multiprocessors;
    f.bytes_left = left - std::min(left, edges);
    return f;
}

/// Paths beyond what doubles can say make the sum NaN.
bool is_counted(const context& ctx, const vector& centrality) {
    return !std::isnan(reduce(ctx, binary_id::plus, centrality).get<double>());
}

}  // namespace

plan::betweenness_plan plan_betweenness(const context& ctx, const matrix& a,
                                        std::span<const offset_t> sources, const centrality_options& o) {
    check(a, sources, o);
    return plan::betweenness(betweenness_facts_of(ctx, a, sources, o.kernel));
}

centrality_result betweenness(const context& ctx, const matrix& a, std::span<const offset_t> sources,
                              const centrality_options& o) {
    plan::betweenness_plan plan = plan_betweenness(ctx, a, sources, o);
    centrality_result result{vector(ctx, dtype::float64, 0), 0, {}};
    if (sources.empty() || plan.kernel == sweep_loop_id) {
        auto counted = betweenness_loop(ctx, a, sources);
        require_counted(counted.has_value(), a);
        result = std::move(*counted);
    } else if (plan.kernel == "queue") {
        run_queues(ctx, a, sources, !o.kernel.empty(), plan, result);
    } else {
        result = by_batches(ctx, a, sources, plan.batch);
        if (!is_counted(ctx, result.centrality)) {
            require_counted(o.kernel.empty(), a);
            plan = plan::betweenness(betweenness_facts_of(ctx, a, sources, "queue"));
            plan.reason = "more shortest paths than doubles can say";
            run_queues(ctx, a, sources, false, plan, result);
        }
    }
    if (ctx.gpu()) ctx.gpu()->wait();
    result.plan = std::string("betweenness/").append(plan.kernel).append(": ").append(plan.reason);
    ctx.log(result.plan);
    return result;
}

}  // namespace nz::ops
