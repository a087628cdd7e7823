#include "papers/yang2015/search.hpp"

#include "core/device.hpp"
#include "kernels/phases.hpp"
#include "storage/matrix_body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace nz::bench::yang2015 {
namespace {

/// Adds up what the phases of this thread's products take.
class stopwatch final : public kernels::phase_watch {
public:
    explicit stopwatch(const context& ctx) : gpu_(ctx.gpu()) {}
    void ended(kernels::phase which) override {
        passed_.push_back(which);
        if (gpu_)
            gpu_->mark();
        else
            at_.push_back(std::chrono::steady_clock::now());
    }
    /// Of all products since it was asked last.
    phase_times take() {
        std::vector<double> ms;
        if (gpu_)
            ms = gpu_->times_between();
        else
            for (std::size_t k = 1; k < at_.size(); ++k)
                ms.push_back(std::chrono::duration<double, std::milli>(at_[k] - at_[k - 1]).count());
        phase_times sum;
        for (std::size_t k = 1; k < passed_.size(); ++k) switch (passed_[k]) {
                case kernels::phase::begin:  // between two products
                    break;
                case kernels::phase::common:
                    sum.common += ms[k - 1];
                    break;
                case kernels::phase::sort:
                    sum.sort += ms[k - 1];
                    break;
                case kernels::phase::scatter:
                    sum.scatter += ms[k - 1];
                    break;
            }
        passed_.clear();
        at_.clear();
        return sum;
    }

private:
    device::session* gpu_;
    std::vector<kernels::phase> passed_;
    std::vector<std::chrono::steady_clock::time_point> at_;
};

}  // namespace

searcher::searcher(const context& ctx, const std::string& source) : ctx_(ctx), a_(load(ctx, source).matrix) {
    if (a_.rows() != a_.columns())
        throw domain_error(fmt::format("{} is {} x {}: a graph is square", source, a_.rows(), a_.columns()));
    if (a_.nnz() == 0) throw domain_error(source + " has no edge to search along");
    a_.facts();  // empty rows are known to the plan, as on any second use
}

vector searcher::frontier_vector(const std::vector<index_t>& frontier, bool dense) const {
    const auto size = dense ? static_cast<std::size_t>(a_.rows()) : frontier.size();
    const auto truth = std::make_unique<bool[]>(size + 1);
    if (!dense) {
        std::fill_n(truth.get(), size, true);
        return vector::build<bool>(ctx_, a_.rows(), frontier, std::span<const bool>(truth.get(), size));
    }
    for (const index_t v : frontier) truth[static_cast<std::size_t>(v)] = true;
    return vector::dense<bool>(ctx_, std::span<const bool>(truth.get(), size));
}

std::vector<product_time> searcher::timed_products(const vector& u, const method& m, vector& w,
                                                   int repeats) const {
    const semiring truth("lor_land_bool");
    std::vector<product_time> times;
    const auto once = [&] {
        const auto start = std::chrono::steady_clock::now();
        vxm(ctx_, w, truth, u, a_, {.kernel = m.kernel});
        if (ctx_.gpu()) ctx_.gpu()->wait();  // a result may stay there before it is done
        const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
        return took.count();
    };
    for (int k = 0; k < repeats; ++k) times.push_back({once(), {}});
    std::ranges::sort(times, {}, &product_time::ms);
    // Marks take time of their own: the phases are those of one more product.
    stopwatch watch(ctx_);
    once();
    const phase_times phases = watch.take();
    for (product_time& t : times) t.phases = phases;
    return times;
}

double searcher::product_ms(const std::vector<index_t>& frontier, const method& m, int repeats) const {
    vector w(ctx_, dtype::boolean, a_.rows());
    return timed_products(frontier_vector(frontier, m.dense), m, w, repeats).front().ms;
}

offset_t searcher::products_of(const std::vector<index_t>& frontier) const {
    const storage::csr& rows = a_.body().rows();
    offset_t total = 0;
    for (const index_t v : frontier) total += rows.offset(v + offset_t{1}) - rows.offset(v);
    return total;
}

std::vector<index_t> searcher::random_vertices(std::size_t count) const {
    const storage::csr& rows = a_.body().rows();
    std::vector<index_t> all;
    for (index_t v = 0; v < a_.rows(); ++v)
        if (rows.offset(v + offset_t{1}) > rows.offset(v)) all.push_back(v);
    std::mt19937_64 random(1);
    std::ranges::shuffle(all, random);
    all.resize(std::min(count, all.size()));
    return all;
}

search_result searcher::search(offset_t source, const method& m, int repeats) const {
    search_result r;
    r.depths.assign(static_cast<std::size_t>(a_.rows()), -1);
    r.depths[static_cast<std::size_t>(source)] = 0;
    std::vector<index_t> frontier = {static_cast<index_t>(source)}, places;
    std::vector<bool> truth;
    for (std::int32_t depth = 1; !frontier.empty(); ++depth) {
        vector w(ctx_, dtype::boolean, a_.rows());
        const product_time product = timed_products(frontier_vector(frontier, m.dense), m, w,
                                                    repeats)[static_cast<std::size_t>(repeats / 2)];
        const level l{static_cast<offset_t>(frontier.size()), products_of(frontier), product.ms};
        r.levels.push_back(l);
        r.ms += l.ms;
        r.phases += product.phases;
        r.edges += l.products;
        w.extract_tuples(places, truth);
        frontier.clear();
        for (std::size_t k = 0; k < places.size(); ++k)
            if (auto& of = r.depths[static_cast<std::size_t>(places[k])]; truth[k] && of < 0) {
                of = depth;
                frontier.push_back(places[k]);
            }
    }
    return r;
}

void searcher::check(offset_t source, const search_result& found, const method& m) const {
    const auto expected = bfs(ctx_, a_, source, {.parents = false});
    if (!std::ranges::equal(found.depths, expected.levels.values<std::int32_t>()))
        throw error(fmt::format("{} from {}: other depths than the library's search", m.label, source));
}

}  // namespace nz::bench::yang2015
