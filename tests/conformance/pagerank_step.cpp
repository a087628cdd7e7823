// pagerank/step and short_rows. The step against plain loops: sizes around its blocks, both types, with and without a start and the moves kept, any
// number of threads and a GPU; and vectors that others hold stay as they were. Whole
// steps in a kernel against those of a product and a step.
#include "ops/pagerank_step.hpp"

#include "kernels/pagerank_arguments.hpp"
#include "support/contexts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace nz::test {
namespace {

constexpr unsigned pagerank_step_seed = 20261124;

template <class T>
std::vector<T> random_values(std::size_t size, double sum, std::mt19937& random) {
    std::uniform_real_distribution<double> some(0, 2 * sum / static_cast<double>(size));
    std::vector<T> values(size);
    for (T& v : values) v = static_cast<T>(some(random));
    return values;
}

template <class T>
struct step_operands {
    std::vector<T> carried, start, scale, ranks;

    step_operands(std::size_t size, std::mt19937& random)
        : carried(random_values<T>(size, 0.85, random)),
          start(random_values<T>(size, 1, random)),
          scale(random_values<T>(size, 0.1, random)),
          ranks(random_values<T>(size, 1, random)) {
        for (std::size_t v = 0; v < size; v += 3) scale[v] = 0;  // no edge out
    }
};

template <class T>
void check_step(const context& ctx, const step_operands<T>& of, bool has_start, bool keeps_moves,
                bool knows_sum) {
    constexpr double damping = 0.85;
    const auto dense = [&](const std::vector<T>& v) { return vector::dense<T>(ctx, v); };
    const std::size_t n = of.carried.size();
    const vector start = dense(of.start), scale = dense(of.scale);
    const std::vector<T> none(n);
    vector carried = dense(of.carried), ranks = dense(of.ranks), scaled = dense(none), moved = dense(none);
    const vector before = ranks;
    long double total = 0, expected_change = 0, expected_sum = 0;
    for (const T t : of.carried) total += static_cast<long double>(t);
    const auto left =
        ops::pagerank_step(ctx,
                           {.damping = damping,
                            .carried = carried,
                            .start = has_start ? &start : nullptr,
                            .scale = scale,
                            .ranks = ranks,
                            .scaled = scaled,
                            .moved = keeps_moves ? &moved : nullptr},
                           knows_sum ? std::optional(static_cast<double>(total)) : std::nullopt);
    const T tolerance = 8 * std::numeric_limits<T>::epsilon();
    for (std::size_t v = 0; v < n; ++v) {
        const double p = has_start ? static_cast<double>(of.start[v]) : 1 / static_cast<double>(n);
        const auto next = static_cast<T>(static_cast<long double>(of.carried[v]) +
                                         (1 - total) * static_cast<long double>(p));
        const T change_here = std::abs(next - of.ranks[v]);
        expected_change += static_cast<long double>(change_here);
        if (of.scale[v] != 0) expected_sum += damping * static_cast<long double>(next);
        const T bound = tolerance * (of.carried[v] + static_cast<T>(p) + of.ranks[v]);
        ASSERT_NEAR(ranks.values<T>()[v], next, bound) << v;
        ASSERT_NEAR(scaled.values<T>()[v], next * of.scale[v], bound * of.scale[v]) << v;
        ASSERT_NEAR(moved.values<T>()[v], keeps_moves ? change_here : T(0), bound) << v;
    }
    EXPECT_NEAR(left.moved, static_cast<double>(expected_change), 10 * static_cast<double>(tolerance));
    EXPECT_NEAR(left.carried, static_cast<double>(expected_sum), 10 * static_cast<double>(tolerance));
    EXPECT_TRUE(std::ranges::equal(before.values<T>(), of.ranks));
}

template <class T>
void check_sizes() {
    std::mt19937 random(pagerank_step_seed);
    constexpr auto block = static_cast<std::size_t>(kernels::pagerank_block);
    for (const std::size_t size : {std::size_t{1}, std::size_t{7}, std::size_t{300}, block - 1, block,
                                   block + 1, 9 * block + 5, 300 * block + 77}) {
        const step_operands<T> of(size, random);
        for (const context& ctx : contexts())
            for (const bool has_start : {false, true})
                for (const bool keeps_moves : {false, true})
                    for (const bool knows_sum : {false, true}) {
                        SCOPED_TRACE(std::to_string(size) + (ctx.gpu() ? " on a GPU" : " on a CPU"));
                        check_step<T>(ctx, of, has_start, keeps_moves, knows_sum);
                    }
    }
}

TEST(PagerankStep, IsWhatPlainLoopsSayInDouble) { check_sizes<double>(); }
TEST(PagerankStep, IsWhatPlainLoopsSayInFloat) { check_sizes<float>(); }

// A vector on the GPU alone is written where it is, one that a copy shares is not.
TEST(PagerankStep, LeavesCopiesAlone) {
    std::mt19937 random(pagerank_step_seed);
    const step_operands<double> of(5000, random);
    for (const context& ctx : contexts()) {
        const vector scale = vector::dense<double>(ctx, of.scale);
        vector carried = vector::dense<double>(ctx, of.carried);
        vector ranks = vector::dense<double>(ctx, of.ranks), scaled = ranks;
        const auto step = [&] {
            ops::pagerank_step(ctx, {0.85, carried, nullptr, scale, ranks, scaled, nullptr}, {});
        };
        step();
        const vector kept = ranks;
        const std::vector<double> values(kept.values<double>().begin(), kept.values<double>().end());
        vector on_the_way = ranks;
        step();
        step();
        EXPECT_TRUE(std::ranges::equal(kept.values<double>(), values));
        EXPECT_TRUE(std::ranges::equal(on_the_way.values<double>(), values));
        EXPECT_FALSE(ranks.is_shared());
    }
}

// Rows of the transpose of no more than 8, and of up to 16 entries; directed, with vertices that have no edge out or in;
// sizes around a block's rows.
constexpr const char* short_row_graphs[] = {
    "grid2d:3",       "grid2d:40,0.3", "grid2d:91,0.1",  "banded:511,3",   "banded:512,5", "banded:513,9",
    "banded:4097,13", "random:3000,1", "random:20000,2", "uniform:9000,2", "dense:16,16"};

void expect_same_steps(const pagerank_result& one, const pagerank_result& other, double tolerance) {
    ASSERT_EQ(one.iterations, other.iterations);
    EXPECT_EQ(one.converged, other.converged);
    for (std::size_t k = 0; k < one.steps.size(); ++k)
        EXPECT_NEAR(one.steps[k].change, other.steps[k].change, tolerance) << k;
    for (index_t v = 0; v < one.ranks.size(); ++v)
        ASSERT_NEAR(one.ranks.get(v)->get<double>(), other.ranks.get(v)->get<double>(), tolerance) << v;
}

TEST(PagerankShortRows, StepAsProductsDoOnDevice) {
    if (context().backend() != backend::cuda) GTEST_SKIP() << "no GPU";
    const context ctx;
    for (const char* graph : short_row_graphs) {
        const matrix a = load(ctx, graph).matrix;
        vector p(ctx, dtype::float64, a.rows());
        for (index_t v = 0; v < a.rows(); v += 2) p.set(v, scalar(1.0 + v % 5));
        for (const bool has_start : {false, true})
            for (const dtype type : {dtype::float64, dtype::float32})
                for (const int steps : {1, 2, 7, 8, 9, 20, 200}) {
                    SCOPED_TRACE(std::string(graph) + ", steps " + std::to_string(steps));
                    pagerank_options o{.tolerance = type == dtype::float64 ? 1e-9 : 1e-4,
                                       .max_iterations = steps,
                                       .type = type,
                                       .personalisation = has_start ? &p : nullptr};
                    o.kernel = "short_rows";
                    const auto whole = pagerank(ctx, a, o);
                    EXPECT_TRUE(whole.plan.starts_with("short_rows: pinned")) << whole.plan;
                    const auto again = pagerank(ctx, a, o);
                    o.kernel = "step";
                    expect_same_steps(whole, pagerank(ctx, a, o), type == dtype::float64 ? 1e-14 : 1e-5);
                    expect_same_steps(whole, again, 0);
                }
    }
}

// Columns of grids are planned so; those with a long row are not.
TEST(PagerankShortRows, ArePlannedOnDevice) {
    if (context().backend() != backend::cuda) GTEST_SKIP() << "no GPU";
    const context ctx;
    EXPECT_TRUE(pagerank(ctx, load(ctx, "grid2d:40,0.3").matrix).plan.starts_with("short_rows"));
    EXPECT_TRUE(pagerank(ctx, load(ctx, "rmat:9,8").matrix).plan.starts_with("step"));
    EXPECT_THROW(pagerank(ctx, load(ctx, "rmat:9,8").matrix, {.kernel = "short_rows"}), not_supported);
    EXPECT_THROW(pagerank(ctx, load(ctx, "grid2d:40,0.3").matrix, {.adaptive = true, .kernel = "short_rows"}),
                 not_supported);
}

}  // namespace
}  // namespace nz::test
