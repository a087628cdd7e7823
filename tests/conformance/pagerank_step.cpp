// pagerank/step against plain loops: sizes around its blocks, both types, with and without a start and the moves kept, any
// number of threads and a GPU; and vectors that others hold stay as they were.
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
          ranks(random_values<T>(size, 1, random)) {}
};

template <class T>
void check_step(const context& ctx, const step_operands<T>& of, bool has_start, bool keeps_moves) {
    const auto dense = [&](const std::vector<T>& v) { return vector::dense<T>(ctx, v); };
    const std::size_t n = of.carried.size();
    const vector carried = dense(of.carried), start = dense(of.start), scale = dense(of.scale);
    const std::vector<T> none(n);
    vector ranks = dense(of.ranks), scaled = dense(none), moved = dense(none);
    const vector before = ranks;
    const double change = ops::pagerank_step(ctx, {.carried = carried,
                                                   .start = has_start ? &start : nullptr,
                                                   .scale = scale,
                                                   .ranks = ranks,
                                                   .scaled = scaled,
                                                   .moved = keeps_moves ? &moved : nullptr});
    long double total = 0, expected_change = 0;
    for (const T t : of.carried) total += static_cast<long double>(t);
    const T tolerance = 8 * std::numeric_limits<T>::epsilon();
    for (std::size_t v = 0; v < n; ++v) {
        const double p = has_start ? static_cast<double>(of.start[v]) : 1 / static_cast<double>(n);
        const auto next = static_cast<T>(static_cast<long double>(of.carried[v]) +
                                         (1 - total) * static_cast<long double>(p));
        const T change_here = std::abs(next - of.ranks[v]);
        expected_change += static_cast<long double>(change_here);
        const T bound = tolerance * (of.carried[v] + static_cast<T>(p) + of.ranks[v]);
        ASSERT_NEAR(ranks.values<T>()[v], next, bound) << v;
        ASSERT_NEAR(scaled.values<T>()[v], next * of.scale[v], bound * of.scale[v]) << v;
        ASSERT_NEAR(moved.values<T>()[v], keeps_moves ? change_here : T(0), bound) << v;
    }
    EXPECT_NEAR(change, static_cast<double>(expected_change), 10 * static_cast<double>(tolerance));
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
                for (const bool keeps_moves : {false, true}) {
                    SCOPED_TRACE(std::to_string(size) + (ctx.gpu() ? " on a GPU" : " on a CPU"));
                    check_step<T>(ctx, of, has_start, keeps_moves);
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
        const vector carried = vector::dense<double>(ctx, of.carried),
                     scale = vector::dense<double>(ctx, of.scale);
        vector ranks = vector::dense<double>(ctx, of.ranks), scaled = ranks;
        const auto step = [&] { ops::pagerank_step(ctx, {carried, nullptr, scale, ranks, scaled, nullptr}); };
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

}  // namespace
}  // namespace nz::test
