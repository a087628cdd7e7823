// Graphs: Graph500's Kronecker graphs, uniform random graphs, and grids that lost some of their edges.

#include "io/adjacency.hpp"
#include "io/generators.hpp"

namespace nz::io {
namespace {

constexpr offset_t sample_block = 65536;  // samples that one thread draws at a time

// Draws `count` edges, sample(k) being the k-th, in parallel.
template <class Sample>
array<edge> draw(const generator_request& r, offset_t count, Sample&& sample) {
    array<edge> edges(r.ctx, count);
    std::atomic<offset_t> done{0};
    parallel::for_chunks(r.ctx.threads(), count, sample_block, [&](offset_t begin, offset_t end) {
        for (offset_t k = begin; k < end; ++k) edges[k] = sample(static_cast<std::uint64_t>(k));
        const offset_t so_far = done += end - begin;
        if (omp_get_thread_num() == 0)
            r.report(0.6 * static_cast<double>(so_far) / static_cast<double>(count));
    });
    return edges;
}

// A permutation of [0, 2^scale) that is computed instead of stored. Each round is a bijection: a product with
// an odd number and a sum modulo 2^scale carry low bits up, the shift brings high bits down.
class vertex_permutation {
public:
    vertex_permutation(int scale, std::uint64_t seed)
        : mask_((std::uint32_t{1} << scale) - 1), shift_((scale + 1) / 2) {
        random_stream keys(key_of(seed, purpose::vertices), 0);
        for (round& r : rounds_)
            r = {static_cast<std::uint32_t>(keys.bits() >> 32) | 1,
                 static_cast<std::uint32_t>(keys.bits() >> 32)};
    }
    index_t operator()(std::uint32_t v) const {
        for (const round& r : rounds_) {
            v = (v * r.factor + r.summand) & mask_;
            v ^= v >> shift_;
        }
        return static_cast<index_t>(v);
    }

private:
    struct round {
        std::uint32_t factor, summand;
    };
    round rounds_[4];
    std::uint32_t mask_;
    int shift_;
};

// Graph500: at each of `scale` levels an edge goes to one quadrant of the adjacency matrix, with these
// probabilities (times 2^32); the fourth has what remains, 0.05.
constexpr double two_32 = 0x1p32;
constexpr auto up_to_a = static_cast<std::uint32_t>(0.57 * two_32);
constexpr auto up_to_b = static_cast<std::uint32_t>(0.76 * two_32);
constexpr auto up_to_c = static_cast<std::uint32_t>(0.95 * two_32);

edge kronecker_sample(random_stream random, int scale) {
    std::uint32_t from = 0, to = 0;
    const auto level = [&](std::uint32_t x) {
        const std::uint32_t past_a = x >= up_to_a, past_b = x >= up_to_b, past_c = x >= up_to_c;
        from = from << 1 | past_b;
        to = to << 1 | (past_a ^ past_b ^ past_c);
    };
    int left = scale;
    for (; left >= 2; left -= 2) {
        const std::uint64_t bits = random.bits();
        level(static_cast<std::uint32_t>(bits));
        level(static_cast<std::uint32_t>(bits >> 32));
    }
    if (left) level(static_cast<std::uint32_t>(random.bits()));
    return {static_cast<index_t>(from), static_cast<index_t>(to)};
}

}  // namespace

array<edge> kronecker_edges(const generator_request& r) {
    const int scale = r.argument<int>(0);
    const offset_t samples = r.argument<offset_t>(1) << scale;
    const vertex_permutation renumber(scale, r.seed);
    const std::uint64_t key = key_of(r.seed, purpose::edges);
    array<edge> edges = draw(r, samples, [&](std::uint64_t k) {
        const edge e = kronecker_sample(random_stream(key, k), scale);
        return edge{renumber(e.from), renumber(e.to)};
    });
    return edges;
}

namespace {

storage::csr kronecker(const generator_request& r, bool both_directions) {
    array<edge> edges = kronecker_edges(r);
    return adjacency(r.ctx, index_t{1} << r.argument<int>(0), std::move(edges), both_directions);
}

}  // namespace

storage::csr rmat(const generator_request& r) { return kronecker(r, true); }
storage::csr rmat_directed(const generator_request& r) { return kronecker(r, false); }

storage::csr uniform(const generator_request& r) {
    const auto vertices = r.argument<index_t>(0);
    const std::uint64_t key = key_of(r.seed, purpose::edges);
    array<edge> edges = draw(r, r.argument<offset_t>(1) * vertices, [&](std::uint64_t k) {
        random_stream random(key, k);
        const auto from = static_cast<index_t>(random.below(vertices));
        return edge{from, static_cast<index_t>(random.below(vertices))};
    });
    return adjacency(r.ctx, vertices, std::move(edges), true);
}

storage::csr grid2d(const generator_request& r) {
    const auto side = r.argument<index_t>(0);
    const std::uint64_t key = key_of(r.seed, purpose::dropping);
    const auto dropped = r.argument<double>(1);
    // An edge belongs to the vertex on its left or above it: number 2 i goes right from i, 2 i + 1 down.
    const auto kept = [=](index_t i, int down) {
        return dropped == 0 || random_stream(key, 2 * static_cast<std::uint64_t>(i) + down).real() >= dropped;
    };
    return by_walk(r.ctx, side * side, side * side, [=](index_t i, auto&& neighbour) {
        const index_t x = i % side, y = i / side;
        if (y > 0 && kept(i - side, 1)) neighbour(i - side);
        if (x > 0 && kept(i - 1, 0)) neighbour(i - 1);
        if (x < side - 1 && kept(i, 0)) neighbour(i + 1);
        if (y < side - 1 && kept(i, 1)) neighbour(i + side);
    });
}

}  // namespace nz::io
