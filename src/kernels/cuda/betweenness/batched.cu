// betweenness/batched on a GPU: Brandes's two sweeps for up to 64 sources at once (Brandes 2001), in the steps of the CPU's
// kernel: push and count where a level has few edges out, pull where it has many, and the way back by the levels' lists.
//
// Who owns what: a warp has a vertex. Its lanes ask 32 neighbours for their words; those that meet the wanted sources are then
//   gone through several at a time, a lane for a source (two from 33 sources on; with fewer than 32, groups of lanes take
//   neighbours side by side). Rows over 4,096 entries are listed and have a block of 32 warps each.
// Memory: 8 bytes an entry of a list, from L2 where the words of all vertices fit there, and 8 a source that meets.
//   Workspace as on the CPU.
// Sync: launches. Determinism: the order of a sum depends on the list and on the number of sources alone; lists of found
//   vertices have no order, which no result depends on.
// Cost: three to five launches and a read-back of 16 bytes a level. Distance to the limit (H200): docs/measurements/graphs.md.
// Why products were not enough: every level passes over whole vectors of each source, and reads the edges for it alone.
#include "core/cuda_check.hpp"
#include "kernels/cuda/betweenness/batched.cuh"
#include "kernels/cuda/common_offsets.cuh"
#include "kernels/cuda/common_words.cuh"
#include "storage/device_csr.hpp"

namespace nz::kernels::cuda {
namespace {

constexpr unsigned block = 256, warps_a_block = block / 32, long_block = 1024, long_warps = long_block / 32;
constexpr unsigned long_blocks = 264;  // two a multiprocessor of an H200, one a long row

cudaStream_t on(void* stream) { return static_cast<cudaStream_t>(stream); }
unsigned blocks_of(offset_t items, offset_t a_block) {
    return static_cast<unsigned>((items + a_block - 1) / a_block);
}
__device__ device_offsets offsets_of(const betweenness_edges& edges) {
    return {edges.offsets.data, edges.offsets.wide};
}
__device__ int lane_number() { return static_cast<int>(threadIdx.x % 32); }

/// The sums of sources `lane % width` and, from 64 places on, that + 32.
struct row_sums {
    double low = 0, high = 0;
    source_word met = 0;
};

/// Lanes that a neighbour's row of paths is read by.
__device__ int width_of(const betweenness_arguments& k) { return min(32, k.stride); }

/// What a warp sees of entries begin, begin + step, ... of a list, 32 at a time, for the wanted sources; all lanes get the
/// sums of their place in a group of `width`.
__device__ row_sums gather(const betweenness_arguments& k, const index_t* neighbours, offset_t begin,
                           offset_t end, int step, source_word wanted) {
    constexpr int batch = 4;  // rows under way together
    const int lane = lane_number(), width = width_of(k), place = lane & (width - 1), group = lane / width,
              groups = 32 / width;
    row_sums sums;
    for (offset_t base = begin; base < end; base += step) {
        const offset_t e = base + lane;
        const index_t u = e < end ? __ldg(neighbours + e) : 0;
        const source_word here = e < end ? k.level[u] & wanted : 0;
        sums.met |= here;
        unsigned hits = __ballot_sync(full_warp, here != 0);
        while (hits) {
            double low[batch], high[batch];
#pragma unroll
            for (int b = 0; b < batch; ++b) {
                unsigned mine = hits;
                for (int g = 0; g < groups; ++g) {
                    if (g < group) mine &= mine - 1;
                    hits &= hits - 1;
                }
                const int from = mine ? __ffs(static_cast<int>(mine)) - 1 : 0;
                const source_word word = __shfl_sync(full_warp, here, from);
                const double* row = k.paths + offset_t{__shfl_sync(full_warp, u, from)} * k.stride;
                low[b] = mine && word >> place & 1 ? row[place] : 0;
                high[b] = mine && k.stride == 64 && word >> (place + 32) & 1 ? row[place + 32] : 0;
            }
#pragma unroll
            for (int b = 0; b < batch; ++b) {
                sums.low += low[b];
                sums.high += high[b];
            }
        }
    }
    for (int distance = width; distance < 32; distance *= 2)
        sums.low += __shfl_xor_sync(full_warp, sums.low, distance);
    sums.met = warp_or(sums.met);
    return sums;
}

/// Stores a sum for each source of `which`; the first group of lanes does.
__device__ void store_paths(const betweenness_arguments& k, index_t v, source_word which, const row_sums& s) {
    const int lane = lane_number();
    if (lane >= width_of(k)) return;
    double* row = k.paths + offset_t{v} * k.stride;
    if (which >> lane & 1) row[lane] = s.low;
    if (k.stride == 64 && which >> (lane + 32) & 1) row[lane + 32] = s.high;
}

// What is done for a vertex: whose sources are wanted, along which edges, and what becomes of the sums, which all lanes of
// one warp bring.
struct counting {
    betweenness_arguments k;
    betweenness_level to;
    __device__ index_t vertex(offset_t item) const { return to.vertices[item]; }
    __device__ source_word wanted(offset_t item) const { return to.masks[item]; }
    __device__ const betweenness_edges& edges() const { return k.in; }
    __device__ void finish(offset_t item, index_t v, const row_sums& s) const {
        store_paths(k, v, to.masks[item], s);
    }
};
struct pulling {
    betweenness_arguments k;
    __device__ index_t vertex(offset_t item) const { return static_cast<index_t>(item); }
    __device__ source_word wanted(offset_t item) const {
        return ~source_word{0} >> (64 - k.sources) & ~k.visited[item];
    }
    __device__ const betweenness_edges& edges() const { return k.in; }
    __device__ void finish(offset_t, index_t v, const row_sums& s) const {
        if (!s.met) return;
        store_paths(k, v, s.met, s);
        if (lane_number() == 0) k.next[v] = s.met;
    }
};
struct handing_back {
    betweenness_arguments k;
    betweenness_level of;
    __device__ index_t vertex(offset_t item) const { return of.vertices[item]; }
    __device__ source_word wanted(offset_t item) const { return of.masks[item]; }
    __device__ const betweenness_edges& edges() const { return k.out; }
    __device__ void finish(offset_t item, index_t v, const row_sums& s) const {
        const int lane = lane_number();
        const source_word mask = lane < width_of(k) ? of.masks[item] : 0;
        double *row = k.paths + offset_t{v} * k.stride, total = 0;
        const auto hand = [&](int place, double sum) {
            const double paths = row[place], beyond = paths - paths;  // NaN where paths are infinite
            const double handed = paths * sum + beyond;
            row[place] = (1 + handed) / paths;
            total += handed;
        };
        if (mask >> lane & 1) hand(lane, s.low);
        if (k.stride == 64 && mask >> (lane + 32) & 1) hand(lane + 32, s.high);
        for (int distance = 16; distance > 0; distance /= 2)
            total += __shfl_xor_sync(full_warp, total, distance);
        if (lane == 0) k.centrality[v] += total;
    }
};

/// The lane that lists a row for a block to take.
__device__ void list_long_row(const betweenness_arguments& k, offset_t item) {
    if (lane_number() != 0) return;
    const auto at = atomicAdd(reinterpret_cast<unsigned long long*>(&k.found->long_rows), 1ull);
    k.long_rows[at] = static_cast<index_t>(item);
}

template <class Job>
__global__ void __launch_bounds__(block) rows_kernel(Job job, offset_t items) {
    const offset_t item = offset_t{blockIdx.x} * warps_a_block + threadIdx.x / 32;
    if (item >= items) return;
    const source_word wanted = job.wanted(item);
    if (!wanted) return;
    const index_t v = job.vertex(item);
    const betweenness_edges& edges = job.edges();
    const offset_t begin = offsets_of(edges)[v], end = offsets_of(edges)[v + offset_t{1}];
    if (end - begin > storage::long_row_entries && job.k.long_rows) return list_long_row(job.k, item);
    job.finish(item, v, gather(job.k, edges.neighbours, begin, end, 32, wanted));
}

template <class Job>
__global__ void __launch_bounds__(long_block) long_rows_kernel(Job job) {
    __shared__ double sums[long_warps][64];
    __shared__ source_word met[long_warps];
    const int warp = static_cast<int>(threadIdx.x / 32), lane = lane_number();
    for (offset_t at = blockIdx.x; at < job.k.found->long_rows; at += gridDim.x) {
        const offset_t item = job.k.long_rows[at];
        const index_t v = job.vertex(item);
        const betweenness_edges& edges = job.edges();
        const row_sums part = gather(job.k, edges.neighbours, offsets_of(edges)[v] + warp * 32,
                                     offsets_of(edges)[v + offset_t{1}], long_block, job.wanted(item));
        sums[warp][lane] = part.low;
        sums[warp][lane + 32] = part.high;
        if (lane == 0) met[warp] = part.met;
        __syncthreads();
        if (warp == 0) {
            row_sums whole;
            for (unsigned w = 0; w < long_warps; ++w) {
                whole.low += sums[w][lane];
                whole.high += sums[w][lane + 32];
                whole.met |= met[w];
            }
            job.finish(item, v, whole);
        }
        __syncthreads();
    }
}

constexpr offset_t most_of_a_lane = (1u << 27) - 1;  // entries: 32 lanes' fit 32 bits

/// Entries begin, begin + step, ... of a list are marked, and listed where nobody had marked them.
__device__ void push_row(const betweenness_arguments& k, source_word mask, offset_t begin, offset_t end,
                         int step) {
    const int lane = lane_number();
    for (offset_t base = begin; base < end; base += step) {
        const offset_t e = base + lane;
        bool first = false;
        index_t w = 0;
        if (e < end) {
            w = __ldg(k.out.neighbours + e);
            const source_word reached = mask & ~k.visited[w];
            if (reached & ~fresh(k.next[w]))
                first = atomicOr(reinterpret_cast<unsigned long long*>(k.next + w), reached) == 0;
        }
        const unsigned found = __ballot_sync(full_warp, first);
        if (!found) continue;
        const offset_t out = first ? offsets_of(k.out)[w + offset_t{1}] - offsets_of(k.out)[w] : 0;
        const unsigned edges = __reduce_add_sync(full_warp, static_cast<unsigned>(min(out, most_of_a_lane)));
        unsigned long long at = 0;
        if (lane == 0) {
            at = atomicAdd(reinterpret_cast<unsigned long long*>(&k.found->vertices),
                           static_cast<unsigned long long>(__popc(found)));
            atomicAdd(reinterpret_cast<unsigned long long*>(&k.found->edges),
                      static_cast<unsigned long long>(edges));
        }
        at = __shfl_sync(full_warp, at, 0);
        if (first) k.found_vertices[at + __popc(found & ((1u << lane) - 1))] = w;
    }
}

__global__ void __launch_bounds__(block) push_kernel(betweenness_arguments k, betweenness_level from) {
    const offset_t item = offset_t{blockIdx.x} * warps_a_block + threadIdx.x / 32;
    if (item >= from.count) return;
    const index_t v = from.vertices[item];
    const offset_t begin = offsets_of(k.out)[v], end = offsets_of(k.out)[v + offset_t{1}];
    if (end - begin > storage::long_row_entries && k.long_rows) return list_long_row(k, item);
    push_row(k, from.masks[item], begin, end, 32);
}
__global__ void __launch_bounds__(long_block)
    push_long_kernel(betweenness_arguments k, betweenness_level from) {
    for (offset_t at = blockIdx.x; at < k.found->long_rows; at += gridDim.x) {
        const offset_t item = k.long_rows[at];
        const index_t v = from.vertices[item];
        push_row(k, from.masks[item], offsets_of(k.out)[v] + threadIdx.x / 32 * 32,
                 offsets_of(k.out)[v + offset_t{1}], long_block);
    }
}

/// Lists the vertices that a pull has marked: one atomic operation a block.
__global__ void __launch_bounds__(long_block) collect_kernel(betweenness_arguments k) {
    __shared__ unsigned starts[long_warps];
    __shared__ unsigned long long edges, first_place;
    const offset_t v = offset_t{blockIdx.x} * long_block + threadIdx.x;
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const bool found = v < k.vertices && k.next[v];
    const unsigned ballot = __ballot_sync(full_warp, found);
    if (threadIdx.x == 0) edges = 0;
    if (lane == 0) starts[warp] = __popc(ballot);
    __syncthreads();
    if (found)
        atomicAdd(&edges, static_cast<unsigned long long>(offsets_of(k.out)[v + 1] - offsets_of(k.out)[v]));
    if (warp == 0) {
        const unsigned own = starts[lane];
        unsigned before = own;
        for (unsigned distance = 1; distance < 32; distance *= 2) {
            const unsigned other = __shfl_up_sync(full_warp, before, distance);
            if (lane >= distance) before += other;
        }
        starts[lane] = before - own;
        if (lane == 31 && before)
            first_place = atomicAdd(reinterpret_cast<unsigned long long*>(&k.found->vertices),
                                    static_cast<unsigned long long>(before));
    }
    __syncthreads();
    if (found)
        k.found_vertices[first_place + starts[warp] + __popc(ballot & ((1u << lane) - 1))] =
            static_cast<index_t>(v);
    if (threadIdx.x == 0 && edges) atomicAdd(reinterpret_cast<unsigned long long*>(&k.found->edges), edges);
}

__global__ void start_kernel(betweenness_arguments k, betweenness_level sources) {
    const offset_t at = offset_t{blockIdx.x} * block + threadIdx.x;
    if (at >= sources.count) return;
    const index_t v = sources.vertices[at];
    k.visited[v] = k.level[v] = sources.masks[at];
    for (int s = 0; s < k.sources; ++s)
        if (sources.masks[at] >> s & 1) k.paths[offset_t{v} * k.stride + s] = 1;
}
__global__ void keep_kernel(betweenness_arguments k, betweenness_level to) {
    const offset_t at = offset_t{blockIdx.x} * block + threadIdx.x;
    if (at >= to.count) return;
    const index_t v = k.found_vertices[at];
    to.vertices[at] = v;
    to.masks[at] = k.next[v];
    k.visited[v] |= k.next[v];
}
__global__ void set_level_kernel(betweenness_arguments k, betweenness_level of, bool to_masks) {
    const offset_t at = offset_t{blockIdx.x} * block + threadIdx.x;
    if (at < of.count) k.level[of.vertices[at]] = to_masks ? of.masks[at] : 0;
}

void forget_long_rows(const betweenness_arguments& k, cudaStream_t stream) {
    if (k.long_rows) check(cudaMemsetAsync(&k.found->long_rows, 0, sizeof k.found->long_rows, stream));
}

template <class Job>
void for_rows(const Job& job, offset_t items, cudaStream_t stream) {
    rows_kernel<<<blocks_of(items, warps_a_block), block, 0, stream>>>(job, items);
    if (job.k.long_rows) long_rows_kernel<<<long_blocks, long_block, 0, stream>>>(job);
    check(cudaGetLastError());
}

}  // namespace

void betweenness_start(const betweenness_arguments& k, const betweenness_level& sources, void* stream) {
    start_kernel<<<blocks_of(sources.count, block), block, 0, on(stream)>>>(k, sources);
    check(cudaGetLastError());
}
void betweenness_push(const betweenness_arguments& k, const betweenness_level& from, void* stream) {
    check(cudaMemsetAsync(k.found, 0, sizeof *k.found, on(stream)));
    push_kernel<<<blocks_of(from.count, warps_a_block), block, 0, on(stream)>>>(k, from);
    if (k.long_rows) push_long_kernel<<<long_blocks, long_block, 0, on(stream)>>>(k, from);
    check(cudaGetLastError());
}
void betweenness_pull(const betweenness_arguments& k, void* stream) {
    check(cudaMemsetAsync(k.found, 0, sizeof *k.found, on(stream)));
    for_rows(pulling{k}, k.vertices, on(stream));
    collect_kernel<<<blocks_of(k.vertices, long_block), long_block, 0, on(stream)>>>(k);
    check(cudaGetLastError());
}
void betweenness_keep(const betweenness_arguments& k, const betweenness_level& to, void* stream) {
    keep_kernel<<<blocks_of(to.count, block), block, 0, on(stream)>>>(k, to);
    check(cudaGetLastError());
}
void betweenness_count(const betweenness_arguments& k, const betweenness_level& to, void* stream) {
    forget_long_rows(k, on(stream));
    for_rows(counting{k, to}, to.count, on(stream));
}
void betweenness_clear(const betweenness_arguments& k, const betweenness_level& of, void* stream) {
    set_level_kernel<<<blocks_of(of.count, block), block, 0, on(stream)>>>(k, of, false);
    check(cudaGetLastError());
}
void betweenness_mark(const betweenness_arguments& k, const betweenness_level& of, void* stream) {
    set_level_kernel<<<blocks_of(of.count, block), block, 0, on(stream)>>>(k, of, true);
    check(cudaGetLastError());
}
void betweenness_back(const betweenness_arguments& k, const betweenness_level& of, void* stream) {
    forget_long_rows(k, on(stream));
    for_rows(handing_back{k, of}, of.count, on(stream));
}

}  // namespace nz::kernels::cuda
