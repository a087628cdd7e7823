// betweenness/queue: Brandes's two sweeps from one source by one thread, as many sources at a time as there are threads
// (Brandes 2001).
//
// Forward, a queue of vertices in the order in which they are met; each adds its paths to those of its neighbours one level
//   down. Backward, the queue from its end: each vertex adds up (1 + handed on) / paths of its neighbours one level down, which
//   they have left in place of their paths.
// Who owns what: a thread has depths, paths, a queue and what is handed on of its own; after a round of sources the threads
//   share out the vertices and add what was handed on in the order of the sources.
// Sync: two barriers a round, none a level. Determinism: sums run along the queue and in the order of the sources; bit for bit
//   the same whatever the threads.
// Range: a grid of a thousand vertices a side has more shortest paths than a double can say. Where one overflows, the source
//   is begun anew with long double; where that does, the caller is told.
// Memory: 32 bytes a vertex and thread, of which 24 are touched while doubles do. Cost: each edge out of what a source reaches
//   twice; the lines that neighbouring levels share stay in a second-level cache, which batches of sources lose on deep graphs.
// Distance to the limit: docs/measurements/graphs.md.
// Why betweenness/batched was not enough: on deep, thin graphs sources seldom share a word, and each of thousands of levels
//   is eight joins of all threads.
#include "kernels/cpu/betweenness/queue.hpp"

#include "core/parallel.hpp"
#include "plan/betweenness.hpp"

#include <algorithm>
#include <cmath>

namespace nz::kernels::cpu {
namespace {

/// One source's sweeps; a double's or a long double's paths in the same memory.
template <class Offset, class Paths>
class sweeps {
public:
    sweeps(const betweenness_queue_arguments& k, const plan::betweenness_queue_parts& own)
        : offsets_(static_cast<const Offset*>(k.out.offsets.data)),
          neighbours_(k.out.neighbours),
          n_(static_cast<std::size_t>(k.vertices)),
          paths_(reinterpret_cast<Paths*>(own.paths)),
          handed_(own.handed),
          depth_(own.depth),
          queue_(own.queue) {}

    /// Leaves in handed_ what each vertex hands on for the source, the source itself nothing. Returns the levels, or 0 where a
    /// number of paths is beyond Paths.
    int run(index_t source) {
        std::fill_n(depth_, n_, index_t{-1});
        std::fill_n(handed_, n_, 0.0);
        forward(source);
        if (!std::isfinite(most_)) return 0;
        back();
        return depth_[queue_[met_ - 1]] + 1;
    }

private:
    void forward(index_t source) {
        most_ = 0;
        met_ = 1;
        queue_[0] = source;
        depth_[source] = 0;
        paths_[source] = 1;
        for (std::size_t q = 0; q < met_; ++q) {
            const index_t v = queue_[q], behind = depth_[v] + 1;
            const Paths paths = paths_[v];
            most_ = std::max(most_, paths);
            for (Offset e = offsets_[v]; e < offsets_[v + 1]; ++e) {
                const index_t w = neighbours_[e];
                if (depth_[w] < 0) {
                    depth_[w] = behind;
                    paths_[w] = paths;
                    queue_[met_++] = w;
                } else if (depth_[w] == behind) {
                    paths_[w] += paths;
                }
            }
        }
    }
    void back() {
        for (std::size_t q = met_; q-- > 1;) {
            const index_t v = queue_[q], behind = depth_[v] + 1;
            Paths sum = 0;
            for (Offset e = offsets_[v]; e < offsets_[v + 1]; ++e)
                if (depth_[neighbours_[e]] == behind) sum += paths_[neighbours_[e]];
            const Paths handed = paths_[v] * sum;
            handed_[v] = static_cast<double>(handed);
            paths_[v] = (1 + handed) / paths_[v];
        }
    }

    const Offset* offsets_;
    const index_t* neighbours_;
    std::size_t n_, met_ = 0;
    Paths* paths_;
    double* handed_;
    index_t *depth_, *queue_;
    Paths most_ = 0;
};

template <class Offset>
std::optional<offset_t> run(const betweenness_queue_arguments& k) {
    const auto of = [&](int member) {
        return plan::betweenness_queue_parts(k.workspace, static_cast<std::size_t>(k.vertices), member);
    };
    int size = 0;
    std::atomic<offset_t> levels{0};
    std::atomic<bool> fits{true};
    parallel::team(
        k.threads, [&](int granted) { size = granted; },
        [&](int member, parallel::spin_barrier& barrier) {
            sweeps<Offset, double> mine(k, of(member));
            sweeps<Offset, long double> longer(k, of(member));
            const auto [begin, end] = parallel::piece(k.vertices, member, size);
            const std::size_t sources = k.sources.size(), step = static_cast<std::size_t>(size);
            for (std::size_t first = 0; first < sources; first += step) {
                const int round = static_cast<int>(std::min(sources - first, step));
                if (member < round) {
                    const auto source =
                        static_cast<index_t>(k.sources[first + static_cast<std::size_t>(member)]);
                    int met = mine.run(source);
                    if (met == 0) met = longer.run(source);
                    if (met == 0) fits = false;
                    levels += met;
                }
                barrier.wait();
                for (int s = 0; s < round; ++s)
                    for (offset_t v = begin; v < end; ++v) k.centrality[v] += of(s).handed[v];
                barrier.wait();
            }
        });
    return fits ? std::optional<offset_t>(levels) : std::nullopt;
}

}  // namespace

std::optional<offset_t> betweenness_queue(const betweenness_queue_arguments& k) {
    return k.out.offsets.wide ? run<std::int64_t>(k) : run<std::int32_t>(k);
}

}  // namespace nz::kernels::cpu
