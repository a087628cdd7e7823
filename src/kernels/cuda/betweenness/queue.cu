// betweenness/queue on a GPU: Brandes's two sweeps from one source by one cluster of blocks, as many sources at a time as
// there is room for, all levels in one launch, no host in the loop (Brandes 2001).
//
// Forward, a queue of vertices, level by level: each adds up the paths to its neighbours one level up, claims those that nobody
//   has met, by compare and swap on their depths, for the next level, and notes in a word which are behind it; in a symmetric
//   graph all in one pass over its row. Backward, the queue from its end: each vertex adds up (1 + handed on) / paths of the
//   neighbours behind it, which they have left in place of their paths.
// Who owns what: a thread a vertex, four of its entries under way together; a warp shares rows over 32 entries. A level's
//   vertices go round the blocks by warps: who claims one puts it, with where its row lies, into the shared memory of the block
//   whose turn it is; what is beyond one turn is read from the queue. After the launch a thread a vertex adds what was handed
//   on in the order of the sources.
// Sync: one barrier of the cluster a level. Going back, a thread looks for its vertices of the three levels ahead while the
//   barrier waits.
// Determinism: the order of the queue within a level varies with the timing; every sum runs along a row, so no result does.
// Range: a level's numbers of paths share an exponent. Where one of them is beyond 2^900, the next level's are 2^-64 of what
//   they would be, and so is what that level hands back: ratios are what counts. Where a level has a number below 2^-900, the
//   caller is told, for others of that level may be 2^1800 times as large.
// Memory: 32 bytes a vertex and source (plan::device_betweenness_queue_parts).
// Cost: a level is a chain of four accesses, two of them atomic, and a barrier; back, of one access and a barrier. A vertex is
//   some fifteen scattered sectors. Distance to the limit (H200): 4.4 us a level forward and back together, four sources on
//   grid2d:1024,0.15, nearly all of it chain, not memory: docs/measurements/graphs.md.
// Why betweenness/batched was not enough: on deep, thin graphs each level pays three to seven launches and a read-back.
#include "kernels/cuda/betweenness/queue.cuh"
#include "kernels/cuda/common_grid.cuh"
#include "kernels/cuda/common_launch.cuh"
#include "plan/betweenness.hpp"

namespace nz::kernels::cuda {
namespace {

namespace cg = cooperative_groups;

constexpr unsigned queue_block = 512, queue_blocks_an_sm = 1;
constexpr int queue_batch = 4;           // entries of a row under way together: all that a grid's rows have
constexpr unsigned queue_long_row = 32;  // entries: those behind are bits of a word
constexpr index_t unmet = -1, no_level = -2, no_neighbour = -3;  // depths
constexpr double many_paths = 0x1p900, few_paths = 0x1p-900, scale_down = 0x1p-64;
constexpr std::uint32_t scaled_level = 1u << 31;  // in starts: against the level before

/// What a level finds, in the first block's shared memory.
struct level_finds {
    unsigned vertices;  // of the next level
    unsigned many;      // not 0: a number of paths of this level is beyond many_paths
};
/// A vertex of the queue with the row of its edges out.
template <class Offset>
struct alignas(16) queue_entry {
    Offset at;
    unsigned length;
    index_t v;
};
template <class Offset>
struct queue_memory {
    level_finds of[3];  // of levels in turn: being cleared, added to, read
    level_finds told;
    /// The next level's vertices and this one's, as far as one turn of the block's threads goes.
    queue_entry<Offset> entries[2][queue_block];
};

template <class Offset>
struct queue_edges {
    const Offset* offsets;
    const index_t* neighbours;
};
template <class Offset>
struct queue_search {
    queue_edges<Offset> out, in;
    index_t vertices;
    const index_t* sources;
    plan::device_betweenness_queue_parts parts;
    betweenness_queue_report* reports;
};

/// Of two; the standard library's way is for the host.
__device__ unsigned power_of(unsigned size) {
    return 31 - static_cast<unsigned>(__clz(static_cast<int>(size)));
}

__device__ double sum_of_warp(double x) {
    for (int distance = 16; distance > 0; distance /= 2) x += __shfl_xor_sync(full_warp, x, distance);
    return x;
}

/// Sums over rows, a row a lane, those over queue_long_row entries by the whole warp. sum(at, end, step), called by all
/// lanes, goes along entries at, at + step, ...
template <class Offset, class Sum>
__device__ double sum_rows(Offset at, Offset end, Sum&& sum) {
    const bool is_long = end - at > queue_long_row;
    double mine = sum(at, is_long ? at : end, 1u);
    for (unsigned rows = __ballot_sync(full_warp, is_long); rows; rows &= rows - 1) {
        const int lane = static_cast<int>(threadIdx.x % 32), from = __ffs(static_cast<int>(rows)) - 1;
        const Offset first = __shfl_sync(full_warp, at, from), last = __shfl_sync(full_warp, end, from);
        const double whole = sum_of_warp(sum(first + lane, last, 32u));
        if (lane == from) mine = whole;
    }
    return mine;
}

template <class Offset, bool Symmetric>
class source_sweeps {
public:
    __device__ source_sweeps(const queue_search<Offset>& s, queue_memory<Offset>& memory)
        : s_(s),
          m_(memory),
          cluster_(cg::this_cluster()),
          first_(*cluster_.map_shared_rank(&memory, 0)),
          shift_(power_of(cluster_.num_blocks())),
          slot_(blockIdx.x >> shift_),
          threads_(cluster_.num_threads()),
          thread_(((threadIdx.x / 32 << shift_) + cluster_.block_rank()) * 32 + threadIdx.x % 32) {
        const std::size_t at = std::size_t{slot_} * static_cast<std::size_t>(s.vertices);
        paths_ = s.parts.paths + at;
        handed_ = s.parts.handed + at;
        depth_ = s.parts.depth + at;
        queue_ = s.parts.queue + at;
        behind_ = s.parts.behind + at;
        starts_ = s.parts.starts + at;
    }

    __device__ void run() {
        forward(s_.sources[slot_]);
        if (leads()) s_.reports[slot_].levels = level_;
        backward();
    }

private:
    __device__ bool leads() const { return thread_ == 0; }

    __device__ void forward(index_t source) {
        if (leads()) {
            depth_[source] = 0;
            queue_[0] = source;
            m_.entries[0][0] = entry_of(source);
        }
        if (threadIdx.x < 3) m_.of[threadIdx.x] = {0, 0};
        cluster_.sync();
        bool scaled = false;
        for (unsigned begin = 0, end = 1; begin < end; ++level_) {
            if (leads()) {
                starts_[level_] = begin | (scaled ? scaled_level : 0);
                m_.of[(level_ + 1) % 3] = {0, 0};
            }
            for (unsigned i = begin + thread_; i - threadIdx.x % 32 < end; i += threads_)
                meet(entry_of(i, begin, end), i, end, scaled);
            const level_finds found = tell();
            begin = end;
            end += found.vertices;
            scaled = found.many;
            met_ = begin;
        }
    }

    /// After a level: what all blocks found.
    __device__ level_finds tell() {
        cluster_.sync();
        if (threadIdx.x == 0) m_.told = first_.of[level_ % 3];
        __syncthreads();
        return m_.told;
    }

    /// The i-th vertex met: a thread's first of a level is at hand.
    __device__ queue_entry<Offset> entry_of(unsigned i, unsigned begin, unsigned end) const {
        if (i >= end) return {0, 0, no_neighbour};
        if (i - begin < threads_) return m_.entries[level_ % 2][threadIdx.x];
        return entry_of(fresh(queue_[i]));
    }
    __device__ queue_entry<Offset> entry_of(index_t v) const {
        const Offset at = __ldg(s_.out.offsets + v), end = __ldg(s_.out.offsets + v + 1);
        return {at, static_cast<unsigned>(end - at), v};
    }

    /// Counts the paths to a vertex of the level and claims what it is the first to meet; all lanes of a warp come.
    __device__ void meet(const queue_entry<Offset>& of, unsigned i, unsigned end, bool scaled) {
        const bool valid = i < end;
        const index_t above = level_ == 0 ? no_level : level_ - 1;
        unsigned behind = 0;
        double paths;
        if constexpr (Symmetric) {
            paths = sum_rows(of.at, of.at + of.length, [&](Offset at, Offset last, unsigned step) {
                return look<true, true>(s_.out, at, last, step, above, end, behind);
            });
        } else {
            sum_rows(of.at, of.at + of.length, [&](Offset at, Offset last, unsigned step) {
                return look<false, true>(s_.out, at, last, step, above, end, behind);
            });
            paths = sum_rows(valid ? s_.in.offsets[of.v] : 0, valid ? s_.in.offsets[of.v + 1] : 0,
                             [&](Offset at, Offset last, unsigned step) {
                                 return look<true, false>(s_.in, at, last, step, above, end, behind);
                             });
        }
        if (!valid) return;
        if (level_ == 0) paths = 1;
        if (scaled) paths *= scale_down;
        if (paths > many_paths) first_.of[level_ % 3].many = 1;
        if (paths < few_paths) s_.reports[slot_].lost = 1;
        paths_[of.v] = paths;
        behind_[i] = behind;
    }

    /// Entries at, at + step, ... of a row: adds up what the neighbours at `wanted` depth hold in place of their paths; puts
    /// those not met into the queue from `next` on, and marks in `behind` those that are on the next level.
    template <bool Counts, bool Claims>
    __device__ double look(const queue_edges<Offset>& edges, Offset at, Offset end, unsigned step,
                           index_t wanted, unsigned next, unsigned& behind) {
        double sum = 0;
        for (unsigned place = 0; __any_sync(full_warp, at < end);
             at += queue_batch * step, place += queue_batch) {
            index_t u[queue_batch], depth[queue_batch];
            double held[queue_batch];
#pragma unroll
            for (int b = 0; b < queue_batch; ++b)
                u[b] = at + b * step < end ? __ldg(edges.neighbours + at + b * step) : no_neighbour;
#pragma unroll
            for (int b = 0; b < queue_batch; ++b) depth[b] = u[b] >= 0 ? fresh(depth_[u[b]]) : no_neighbour;
#pragma unroll
            for (int b = 0; b < queue_batch; ++b)
                held[b] = Counts && depth[b] == wanted ? fresh(paths_[u[b]]) : 0;
            if constexpr (Claims) {
#pragma unroll
                for (unsigned b = 0; b < queue_batch; ++b)
                    if (step == 1 && (depth[b] == unmet || depth[b] == level_ + 1))
                        behind |= 1u << (place + b) % 32;
                claim(u, depth, next);
            }
#pragma unroll
            for (int b = 0; b < queue_batch; ++b) sum += held[b];
        }
        return sum;
    }

    /// The neighbours that nobody has met, and nobody else claims, are on the next level.
    __device__ void claim(const index_t (&u)[queue_batch], const index_t (&depth)[queue_batch],
                          unsigned next) {
        index_t before[queue_batch];
        queue_entry<Offset> found[queue_batch];
#pragma unroll
        for (int b = 0; b < queue_batch; ++b) before[b] = claim_one(u[b], depth[b]);
#pragma unroll
        for (int b = 0; b < queue_batch; ++b)
            if (depth[b] == unmet) found[b] = entry_of(u[b]);
        unsigned mine[queue_batch], total = 0;
#pragma unroll
        for (int b = 0; b < queue_batch; ++b) {
            mine[b] = __ballot_sync(full_warp, before[b] == unmet);
            total += __popc(mine[b]);
        }
        if (total == 0) return;
        const unsigned lane = threadIdx.x % 32, below = (1u << lane) - 1;
        unsigned to = 0;
        if (lane == 0) to = atomicAdd(&first_.of[level_ % 3].vertices, total);
        to = __shfl_sync(full_warp, to, 0);
#pragma unroll
        for (int b = 0; b < queue_batch; ++b) {
            if (before[b] == unmet) put(found[b], to + __popc(mine[b] & below), next);
            to += __popc(mine[b]);
        }
    }

    /// The depth that a vertex had, unmet where it is claimed by this; nothing is done where it was seen to be met. Four under
    /// way together: branches around them would wait for each.
    __device__ index_t claim_one(index_t v, index_t seen) {
        index_t before = no_neighbour;
        asm volatile(
            "{.reg .pred p; setp.eq.s32 p, %2, %3; @p atom.relaxed.gpu.global.cas.b32 %0, [%1], %3, %4;}"
            : "+r"(before)
            : "l"(depth_ + v), "r"(seen), "n"(unmet), "r"(level_ + 1)
            : "memory");
        return before;
    }

    /// Makes a vertex the k-th of the next level, and gives it to the thread whose turn that is.
    __device__ void put(const queue_entry<Offset>& found, unsigned k, unsigned next) {
        queue_[next + k] = found.v;
        asm volatile("prefetch.global.L2 [%0];" ::"l"(s_.out.neighbours + found.at));
        if (k >= threads_) return;
        const unsigned warp = k / 32;
        queue_memory<Offset>& of = *cluster_.map_shared_rank(&m_, warp & ((1u << shift_) - 1));
        of.entries[(level_ + 1) % 2][(warp >> shift_) * 32 + k % 32] = found;
    }

    /// A vertex that hands back, looked for in steps, each while the levels behind it are done: none reads what they write.
    /// Steps have no branches, which would wait for the loads; a thread without a vertex goes along with the level's last.
    struct row {
        bool valid = false;
        index_t v = 0;
        unsigned behind = 0;  // entries not looked for yet
        Offset at = 0;
        unsigned length = 0;
        double paths = 1;
        int known = 0;  // neighbours behind in u
        index_t u[queue_batch];

        __device__ bool is_long() const { return length > queue_long_row; }
    };

    /// From the last level to the first after the source; three more are on their way.
    __device__ void backward() {
        unsigned start[4], end = met_;
        for (int l = 0; l < 4; ++l) start[l] = start_of(level_ - 1 - l);
        row a, b, c;
        find(a, start[0], end), find(b, start[1], start[0]), find(c, start[2], start[1]);
        bound(a), bound(b);
        reach(a);
        double scale = 1;
        auto arrived = cluster_.barrier_arrive();
        for (index_t level = level_ - 1; level > 0; --level) {
            row d;
            find(d, start[3], start[2]);
            const unsigned before = start_of(level - 4);
            bound(c);
            reach(b);
            cluster_.barrier_wait(std::move(arrived));
            hand_level_back(a, start[0], end, level + 1, scale);
            arrived = cluster_.barrier_arrive();
            scale = start[0] & scaled_level ? scale_down : 1;
            a = b, b = c, c = d;
            end = start[0] & ~scaled_level;
            start[0] = start[1], start[1] = start[2], start[2] = start[3], start[3] = before;
        }
        cluster_.barrier_wait(std::move(arrived));  // no block leaves while others look into its memory
    }

    __device__ unsigned start_of(index_t level) const { return level >= 0 ? fresh(starts_[level]) : 0; }

    __device__ void hand_level_back(row& first, unsigned start, unsigned end, index_t behind, double scale) {
        const unsigned begin = start & ~scaled_level;
        if (begin + thread_ - threadIdx.x % 32 < end) hand_back(first, behind, scale);
        for (unsigned i = begin + thread_ + threads_; i - threadIdx.x % 32 < end; i += threads_) {
            row next;
            find(next, i - thread_, end);
            bound(next);
            reach(next);
            hand_back(next, behind, scale);
        }
    }

    __device__ void find(row& r, unsigned start, unsigned end) const {
        const unsigned i = (start & ~scaled_level) + thread_, last = max(end & ~scaled_level, 1u) - 1;
        r.valid = i <= last;
        r.v = fresh(queue_[min(i, last)]);
        r.behind = fresh(behind_[min(i, last)]);
    }
    __device__ void bound(row& r) const {
        r.at = __ldg(s_.out.offsets + r.v);
        r.length = static_cast<unsigned>(__ldg(s_.out.offsets + r.v + 1) - r.at);
        r.paths = fresh(paths_[r.v]);
    }
    __device__ void reach(row& r) const {
        if (r.is_long() || !r.valid) r.behind = 0;
        r.known = __popc(r.behind);
        const index_t* own = r.behind ? s_.out.neighbours + r.at : s_.sources;  // where something can be read
#pragma unroll
        for (int b = 0; b < queue_batch; ++b) {
            r.u[b] = __ldg(own + max(__ffs(static_cast<int>(r.behind)), 1) - 1);
            r.behind &= r.behind - 1;
        }
    }

    __device__ void hand_back(row& r, index_t behind, double scale) {
        double sum = 0;
        while (true) {
            double held[queue_batch];
#pragma unroll
            for (int b = 0; b < queue_batch; ++b) held[b] = b < r.known ? fresh(paths_[r.u[b]]) : 0;
#pragma unroll
            for (int b = 0; b < queue_batch; ++b) sum += held[b];
            if (r.behind == 0) break;
            reach(r);
        }
        unsigned ignored;
        sum += sum_rows(r.at, r.is_long() && r.valid ? r.at + r.length : r.at,
                        [&](Offset at, Offset last, unsigned step) {
                            return look<true, false>(s_.out, at, last, step, behind, 0, ignored);
                        });
        if (!r.valid) return;
        const double handed = r.paths * (sum * scale);
        handed_[r.v] = handed;
        paths_[r.v] = (1 + handed) / r.paths;
    }

    const queue_search<Offset>& s_;
    queue_memory<Offset>& m_;
    const cg::cluster_group cluster_;
    queue_memory<Offset>& first_;  // the first block's
    const unsigned shift_;         // a cluster has 1 << shift_ blocks
    const unsigned slot_, threads_, thread_;
    double *paths_, *handed_;
    index_t *depth_, *queue_;
    std::uint32_t *behind_, *starts_;
    index_t level_ = 0;  // in the end, all levels
    unsigned met_ = 0;   // likewise, vertices
};

template <class Offset, bool Symmetric>
__global__ void __launch_bounds__(queue_block, queue_blocks_an_sm)
    betweenness_queue_kernel(const __grid_constant__ queue_search<Offset> s) {
    __shared__ queue_memory<Offset> memory;
    source_sweeps<Offset, Symmetric>(s, memory).run();
}

/// What was handed on for each source, in their order, a thread a vertex.
__global__ void __launch_bounds__(queue_block)
    add_handed_kernel(plan::device_betweenness_queue_parts parts, index_t vertices, int count,
                      double* centrality) {
    const offset_t v = offset_t{blockIdx.x} * queue_block + threadIdx.x;
    if (v >= vertices) return;
    double sum = centrality[v];
    for (offset_t s = 0, at = v; s < count; ++s, at += vertices)
        if (parts.depth[at] > 0) sum += parts.handed[at];
    centrality[v] = sum;
}

template <class Offset>
void run_queues(const device_betweenness_queue_arguments& k, cudaStream_t stream) {
    const auto edges = [](const betweenness_edges& of) {
        return queue_edges<Offset>{static_cast<const Offset*>(of.offsets.data), of.neighbours};
    };
    const plan::device_betweenness_queue_parts parts(k.workspace, k.vertices, k.count);
    const auto count = static_cast<std::size_t>(k.count);
    check(cudaMemsetAsync(parts.depth, 0xff, count * static_cast<std::size_t>(k.vertices) * sizeof(index_t),
                          stream));
    check(cudaMemsetAsync(k.reports, 0, count * sizeof *k.reports, stream));
    const queue_search<Offset> search{edges(k.out), edges(k.in), k.vertices, k.sources, parts, k.reports};
    k.out.neighbours == k.in.neighbours ? launch_clusters<betweenness_queue_kernel<Offset, true>>(
                                              search, queue_block, k.blocks, k.count, stream)
                                        : launch_clusters<betweenness_queue_kernel<Offset, false>>(
                                              search, queue_block, k.blocks, k.count, stream);
    const auto blocks = static_cast<unsigned>((offset_t{k.vertices} + queue_block - 1) / queue_block);
    add_handed_kernel<<<blocks, queue_block, 0, stream>>>(parts, k.vertices, k.count, k.centrality);
    check(cudaGetLastError());
}

}  // namespace

void betweenness_queue(const device_betweenness_queue_arguments& k, void* stream) {
    const auto on = static_cast<cudaStream_t>(stream);
    k.out.offsets.wide ? run_queues<std::uint64_t>(k, on) : run_queues<std::uint32_t>(k, on);
}

}  // namespace nz::kernels::cuda
