// Regret of the plan: what it chose over the best of all kernels that can serve, for products with vectors of five densities, searches,
// sparse and sparse x dense products, over the real matrices and the generators. A time is that of a call of the library whose
// representations are at hand, on a GPU of a batch of calls with one wait; kernels take turns, and the best of the rounds counts. The
// plan is asked on a matrix of its own that has its columns at hand, but not the tiles that a pinned kernel has built; it knows that
// products will be many, as the times of pinned kernels suppose. Results are compared with the planned ones.
#include "core/buffer.hpp"
#include "core/device.hpp"
#include "inputs.hpp"
#include "kernels/kernel_ids.hpp"
#include "storage/matrix_body.hpp"
#include "suites.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <random>

namespace nz::bench {
namespace {

constexpr int rounds = 3, most_calls = 20, source_count = 3;
constexpr double batch_ms = 5;
/// Products with a vector that the plan is told will follow: what it makes for them has been paid for by then.
constexpr offset_t expected_products = 1000;
/// Of A A: beyond these the call takes seconds, whatever the kernel.
constexpr offset_t most_products_cpu = 100'000'000, most_products_gpu = 1'000'000'000;
constexpr const char* generated[] = {"laplace3d:50",    "laplace2d:700",          "banded:200000,21",
                                     "random:200000,8", "rmat_directed:16,8",     "powerlaw:200000",
                                     "dense:1000,1000", "lp:2000,400000,3000000", "rmat:16,16",
                                     "grid2d:500,0.15", "uniform:131072,16"};
constexpr const char* generated_large[] = {
    "laplace3d:160", "laplace2d:3000", "banded:2000000,21", "random:4000000,8", "rmat_directed:20,16",
    "powerlaw:4000000", "dense:5000,5000", "lp:4284,1092610,11300000", "rmat:20,16", "grid2d:2000,0.3",
    "uniform:1048576,16",
    // Small ones, and narrow.
    "laplace3d:14", "laplace3d:25", "laplace3d:80", "laplace2d:90", "banded:8192,5", "banded:100000,3"};

/// One operation on one input: `call` runs it by a kernel, or as planned, and returns the kernel's id.
struct work {
    std::vector<std::string> kernels;
    std::function<std::string(const matrix&, std::string_view)> call;
    std::function<void()> wait = [] {};
    std::function<double()> digest = [] { return 0.0; };  // of the last result
};

/// Files below hold a few hundred rows.
constexpr std::uintmax_t least_file_bytes = 9'000;
/// A kernel this much slower than the planned one takes no further turns.
constexpr double hopeless = 8;
/// Nor does one whose first call, representations and all, takes this many times the planned one's time, if that is long.
constexpr double endless = 40, endless_ms = 500;
/// dia_dia reads every diagonal whole: only matrices with no more places on theirs than this many times their entries get it.
constexpr double band_filling = 8;

double batch_of(const work& w, const matrix& a, std::string_view kernel, int calls) {
    const auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < calls; ++k) w.call(a, kernel);
    w.wait();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count() /
           calls;
}

struct choice {
    std::string planned, best;
    double planned_ms = 0, best_ms = std::numeric_limits<double>::infinity();
    std::map<std::string, double> counters;  // the regret, and KERNEL_ms of each that served
};

/// The milliseconds of a first call, which may build representations; infinite where the kernel says that it cannot serve.
double first_call(const work& w, const matrix& a, const std::string& kernel, double expected) {
    constexpr double never = std::numeric_limits<double>::infinity();
    double once = never;
    try {
        once = batch_of(w, a, kernel, 1);
    } catch (const not_supported&) {
        return never;
    } catch (const domain_error&) {
        return never;
    } catch (const out_of_memory&) {
        return never;
    }
    if (const double found = w.digest(); !(std::abs(found - expected) <= 1e-9 * std::abs(expected)))
        throw error(
            fmt::format("{}: another result than the planned one: {}, not {}", kernel, found, expected));
    return once;
}

bool is_band(const matrix& a) {
    const storage::csr& rows = a.body().rows();
    std::vector<bool> seen(static_cast<std::size_t>(rows.rows) + static_cast<std::size_t>(rows.columns));
    double diagonals = 0;
    for (index_t i = 0; i < rows.rows; ++i)
        for (offset_t k = rows.offset(i); k < rows.offset(i + offset_t{1}); ++k) {
            const auto d =
                static_cast<std::size_t>(rows.index_data()[k]) + static_cast<std::size_t>(rows.rows - i);
            diagonals += !seen[d];
            seen[d] = true;
        }
    return diagonals * rows.rows <= band_filling * static_cast<double>(rows.nnz);
}

choice measure(const work& w, const matrix& own, const matrix& a) {
    choice c;
    c.planned = w.call(own, {});
    w.wait();
    const double expected = w.digest();
    struct candidate {
        std::string kernel;
        const matrix* a;
        int calls;
        double ms;
    };
    std::vector<candidate> all;
    const auto enter = [&](const std::string& kernel, const matrix& on) {
        const double once = batch_of(w, on, kernel, 1);
        if (!all.empty() && once > hopeless * all.front().ms && once > batch_ms) return;
        all.push_back({kernel, &on, std::clamp(static_cast<int>(batch_ms / once), 1, most_calls), once});
    };
    enter({}, own);
    for (const auto& kernel : w.kernels)
        if ((kernel != "dia_dia" || c.planned == "dia_dia" || is_band(a)) &&
            first_call(w, a, kernel, expected) < std::max(endless_ms, endless * all.front().ms))
            enter(kernel, a);
    for (int round = 0; round < rounds; ++round)
        for (auto& k : all) k.ms = std::min(k.ms, batch_of(w, *k.a, k.kernel, k.calls));
    for (const auto& k : all)
        if (k.ms < c.best_ms) c.best_ms = k.ms, c.best = k.kernel.empty() ? c.planned : k.kernel;
    c.planned_ms = all.front().ms;
    // The same kernel twice: what lies between its two times is the host's.
    if (c.best == c.planned) c.best_ms = c.planned_ms;
    c.counters = {{"best_ms", c.best_ms}, {"regret", c.planned_ms / c.best_ms}};
    for (const auto& k : all)
        if (!k.kernel.empty()) c.counters[k.kernel + "_ms"] = k.ms;
    return c;
}

/// What walks the places of a mask visits every place where there is none: `masked` alone lets it in.
std::vector<std::string> kernels_of(std::string_view operation, const context& ctx, bool masked) {
    std::vector<std::string> ids;
    for (const auto& k : kernels::kernel_ids)
        if (k.operation == operation && (ctx.gpu() ? k.cuda : k.cpu) == kernels::presence::here &&
            (masked || k.id.find("masked") == k.id.npos))
            ids.emplace_back(k.id);
    return ids;
}

/// The sum of absolute values: sums of both signs may cancel down to nothing that could be compared.
double sum_of(const context& ctx, const vector& x) {
    vector sizes(ctx, dtype::float64, x.size());
    apply(ctx, sizes, unary_id::abs, x);
    return reduce(ctx, monoid("plus"), sizes).get<double>();
}
double sum_of(const context& ctx, const matrix& x) {
    matrix sizes(ctx, dtype::float64, x.rows(), x.columns());
    apply(ctx, sizes, unary_id::abs, x);
    return reduce(ctx, monoid("plus"), sizes).get<double>();
}

/// A dense matrix of halves by rows, where the context computes.
class dense_block {
public:
    dense_block(const context& ctx, index_t rows, index_t columns)
        : ctx_(ctx),
          rows_(rows),
          columns_(columns),
          host_(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns), 0.5) {
        if (!ctx.gpu()) return;
        there_ = buffer(ctx.device_memory(), host_.size() * sizeof(double));
        ctx.gpu()->upload(there_.data(), host_.data(), there_.bytes());
        ctx.gpu()->wait();
    }
    dense_view<double> view() {
        return {rows_, columns_, {ctx_.gpu() ? there_.as<double>() : host_.data(), host_.size()}};
    }
    double sum() {
        if (ctx_.gpu()) {
            ctx_.gpu()->download(host_.data(), there_.data(), there_.bytes());
            ctx_.gpu()->wait();
        }
        return std::accumulate(host_.begin(), host_.end(), 0.0);
    }

private:
    const context& ctx_;
    index_t rows_, columns_;
    std::vector<double> host_;
    buffer there_;
};

/// The input at hand, twice: the plan's own, and the one that kernels are pinned on.
struct subject {
    std::string source;
    matrix own, a;
};

class workshop {
public:
    explicit workshop(const context& ctx) : ctx_(ctx) {}

    const subject& take(const std::string& source) {
        if (!s_ || s_->source != source) {
            s_.reset();
            s_.emplace(subject{source, load_input(ctx_, source), load_input(ctx_, source)});
            bring_columns(s_->own);
            s_->own.expect_products(expected_products);
        }
        return *s_;
    }
    work product_with_vector(double density) {
        const offset_t n = s_->a.columns();
        std::mt19937_64 random(7);
        std::uniform_real_distribution<double> unit(0, 1);
        std::vector<index_t> places;
        std::vector<double> values;
        const auto enter = [&](index_t j) { places.push_back(j), values.push_back(1 + j % 7); };
        for (index_t j = 0; j < n; ++j)
            if (density >= 1 || unit(random) < density) enter(j);
        if (places.empty() && n > 0) enter(static_cast<index_t>(n / 2));  // without entries there is no work
        const auto u =
            std::make_shared<vector>(density >= 1 ? vector::dense<double>(ctx_, values)
                                                  : vector::build<double>(ctx_, n, places, values));
        const auto y = std::make_shared<vector>(ctx_, dtype::float64, s_->a.rows());
        work w = begin("mxv");
        w.call = [this, u, y](const matrix& a, std::string_view kernel) {
            return std::string(mxv(ctx_, *y, semiring("plus_times"), a, *u, {.kernel = kernel}).kernel);
        };
        w.digest = [this, y] { return sum_of(ctx_, *y); };
        return w;
    }
    work search(bool parents) {
        const auto sources = std::make_shared<std::vector<offset_t>>(random_sources(s_->a, source_count));
        const auto sum = std::make_shared<double>();
        work w = begin("traverse");
        w.call = [this, sources, sum, parents](const matrix& a, std::string_view kernel) {
            std::string used;
            *sum = 0;
            for (const offset_t s : *sources) {
                const traverse_result r = bfs(ctx_, a, s, {.kernel = kernel, .parents = parents});
                if (!r.iterations.empty()) used = r.iterations.front().kernel;
                if (used != "push_pull_fused") used = "tile";  // its phases have names of their own
                *sum += static_cast<double>(r.reached) + static_cast<double>(r.edges) +
                        static_cast<double>(r.iterations.size());
            }
            return used;
        };
        w.digest = [sum] { return *sum; };
        return w;
    }
    work product(bool masked) {
        const auto c = std::make_shared<matrix>(ctx_, dtype::float64, s_->a.rows(), s_->a.columns());
        work w = begin("mxm", masked);
        w.call = [this, c, masked](const matrix& a, std::string_view kernel) {
            matrix_options o;
            o.kernel = kernel;
            if (masked) o.mask = &a, o.mask_structure = true;
            *c = matrix(ctx_, dtype::float64, a.rows(), a.columns());
            return std::string(mxm(ctx_, *c, semiring("plus_times"), a, a, o).kernel);
        };
        w.digest = [this, c] { return static_cast<double>(c->nnz()) + sum_of(ctx_, *c); };
        return w;
    }
    work product_with_dense(index_t width) {
        const auto rows = static_cast<index_t>(s_->a.rows()), inner = static_cast<index_t>(s_->a.columns());
        const auto b = std::make_shared<dense_block>(ctx_, inner, width),
                   c = std::make_shared<dense_block>(ctx_, rows, width);
        work w = begin("mxd");
        w.call = [this, b, c](const matrix& a, std::string_view kernel) {
            const dense_view<double> second = b->view();
            return std::string(mxd(ctx_, c->view(), semiring("plus_times"), a,
                                   dense_view<const double>{second.rows, second.columns, second.values},
                                   {.kernel = kernel})
                                   .kernel);
        };
        w.digest = [c] { return c->sum(); };
        return w;
    }
    const context& ctx() const { return ctx_; }

private:
    /// The columns are at hand, as after the first search; only tiles are for the plan to weigh.
    void bring_columns(const matrix& a) {
        vector y(ctx_, dtype::float64, a.rows());
        const vector u =
            vector::build<double>(ctx_, a.columns(), std::vector<index_t>{0}, std::vector<double>{1});
        if (a.columns() > 0) mxv(ctx_, y, semiring("plus_times"), a, u, {.kernel = "csc_gather_radix"});
    }
    work begin(std::string_view operation, bool masked = false) const {
        work w;
        w.kernels = kernels_of(operation, ctx_, masked);
        w.wait = [this] { ctx_.wait(); };
        return w;
    }
    const context& ctx_;
    std::optional<subject> s_;
};

struct task {
    const char* name;
    std::function<work(workshop&)> make;
    bool square = false;
};

const std::vector<task>& tasks() {
    static const std::vector<task> all = {
        {"mxv_1", [](workshop& w) { return w.product_with_vector(1); }},
        {"mxv_0.1", [](workshop& w) { return w.product_with_vector(0.1); }},
        {"mxv_0.01", [](workshop& w) { return w.product_with_vector(0.01); }},
        {"mxv_0.001", [](workshop& w) { return w.product_with_vector(0.001); }},
        {"mxv_0.0001", [](workshop& w) { return w.product_with_vector(0.0001); }},
        {"bfs", [](workshop& w) { return w.search(false); }, true},
        {"bfs_parents", [](workshop& w) { return w.search(true); }, true},
        {"mxm", [](workshop& w) { return w.product(false); }, true},
        {"mxm_masked", [](workshop& w) { return w.product(true); }, true},
        {"mxd_8", [](workshop& w) { return w.product_with_dense(8); }},
        {"mxd_64", [](workshop& w) { return w.product_with_dense(64); }},
    };
    return all;
}

std::vector<std::string> sources_of(const options& o, bool large) {
    if (!o.inputs.empty()) return o.inputs;
    if (o.quick) return {"laplace3d:12", "rmat:10,8"};
    std::vector<std::string> sources;
    if (const std::string folder = data_folder(); !folder.empty())
        for (const auto& file : std::filesystem::directory_iterator(folder + "/matrices"))
            if (file.file_size() >= least_file_bytes) sources.push_back(file.path().string());
    std::ranges::sort(sources);
    const std::span<const char* const> made =
        large ? std::span<const char* const>(generated_large) : generated;
    sources.insert(sources.end(), made.begin(), made.end());
    return sources;
}

using choices = std::map<std::string, choice>;

std::string name_of_case(const task& t, const std::string& source) {
    return fmt::format("regret/{}/{}", t.name, input_name(source));
}

void register_case(const std::shared_ptr<workshop>& shop, const std::shared_ptr<choices>& found,
                   const task& t, const std::string& source) {
    const std::string name = name_of_case(t, source);
    add(name, [=] {
        const subject& s = shop->take(source);
        const bool product = std::string_view(t.name).starts_with("mxm");
        if ((t.square && s.a.rows() != s.a.columns()) || s.a.nnz() == 0) return measurement{};
        if (product) {
            const auto few = shop->ctx().gpu() ? most_products_gpu : most_products_cpu;
            if (estimate_mxm(shop->ctx(), semiring("plus_times"), s.a, s.a).products > few)
                return measurement{};
        }
        const choice c = measure(t.make(*shop), s.own, s.a);
        (*found)[name] = c;
        return measurement{c.planned_ms, c.counters, c.planned};
    });
}

void print(const std::vector<std::string>& sources, const choices& found) {
    constexpr std::size_t worst_shown = 6;
    fmt::print("\n{:12} {:>7} {:>10} {:>12} {:>8}   the worst: planned (ms) for best (ms)\n", "task",
               "inputs", "mean", "within 1.1", "most");
    for (const task& t : tasks()) {
        std::vector<std::pair<double, std::string>> cases;
        std::vector<double> regrets;
        for (const auto& source : sources)
            if (const auto it = found.find(name_of_case(t, source)); it != found.end()) {
                const choice& c = it->second;
                regrets.push_back(c.planned_ms / c.best_ms);
                cases.emplace_back(regrets.back(), fmt::format("{:.2f} {}: {} ({:.4f}) for {} ({:.4f})",
                                                               regrets.back(), input_name(source), c.planned,
                                                               c.planned_ms, c.best, c.best_ms));
            }
        if (cases.empty()) continue;
        std::ranges::sort(cases, std::greater());
        const auto good = std::ranges::count_if(regrets, [](double r) { return r <= 1.1; });
        fmt::print(
            "{:12} {:>7} {:>10.3f} {:>11.0f}% {:>8.2f}\n", t.name, cases.size(), geometric_mean(regrets),
            100.0 * static_cast<double>(good) / static_cast<double>(cases.size()), cases.front().first);
        for (std::size_t k = 0; k < std::min(worst_shown, cases.size()) && cases[k].first > 1.1; ++k)
            fmt::print("{:54} {}\n", "", cases[k].second);
    }
}

}  // namespace

int regret_suite(const options& o) {
    const context ctx({.backend = wanted_backend(o), .threads = o.threads});
    const std::vector<std::string> sources = sources_of(o, ctx.gpu() != nullptr);
    const auto shop = std::make_shared<workshop>(ctx);
    const auto found = std::make_shared<choices>();
    for (const auto& source : sources)
        for (const task& t : tasks()) register_case(shop, found, t, source);
    run(o, "^regret/");
    print(sources, *found);
    return 0;
}

}  // namespace nz::bench
