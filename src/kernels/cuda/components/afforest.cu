// components/afforest on a GPU: the CPU's forest (Sutton, Ben-Nun, Barak 2018), in eight launches.
//
// Computes: parents begin as the first neighbour of each vertex where that is smaller, which needs no atomic operation; an edge
//   more of each vertex is linked once trees are flat (on a grid they begin as long paths), and the label that 1,024 sampled vertices have most often names the
//   largest; the rest of the edges of all other vertices is linked, in both directions where the graph has two, and trees are
//   flattened again, while roots are counted.
// Who owns what: a thread has a vertex; what is left of a row over 64 entries has a block. Roots are hung by compare-and-swap,
//   a vertex's parent is moved up by its own thread's plain stores: both in L2, where threads see each other.
// Sync: launches. Determinism: as on the CPU, parents are smaller, so labels do not depend on the order of links.
// Memory: two offsets, two edges and a few labels read at random for a vertex, and the edges outside the largest component.
//   Workspace: 4 bytes a vertex, for the list of long rows. Distance to the limit (H200): docs/measurements/graphs.md.
// Why the loop over mxv was not enough: each of its rounds reads all edges, and there are as many as the diameter.
#include "core/cuda_check.hpp"
#include "kernels/cuda/common_grid.cuh"
#include "kernels/cuda/common_offsets.cuh"
#include "kernels/cuda/components/afforest.cuh"

namespace nz::kernels::cuda {
namespace {

constexpr unsigned block = 256, samples = 1024, blocks_of_long_rows = 528;
constexpr offset_t long_rest = 64;

struct edges {
    device_offsets offsets;
    const index_t* neighbours;
};
edges edges_of(const offset_reader& offsets, const index_t* neighbours) {
    return {{offsets.data, offsets.wide}, neighbours};
}

__device__ void put(index_t* parent, index_t v, index_t to) {
    device_atomic<index_t>(parent[v]).store(to, ::cuda::memory_order_relaxed);
}

/// v's parent becomes its root. Each thread writes its own vertex's alone: one that wrote another's could put back an ancestor
/// where the root stood already. As all climb at once and show each step, paths shrink to their root in log steps.
__device__ index_t flatten(index_t* parent, index_t v) {
    index_t up = fresh(parent[v]);
    while (true) {
        const index_t above = fresh(parent[up]);
        if (above == up) return up;
        put(parent, v, above);
        up = above;
    }
}

__device__ void link(index_t* parent, index_t u, index_t v) {
    index_t x = fresh(parent[u]), y = fresh(parent[v]);
    while (x != y) {
        const index_t high = max(x, y), low = min(x, y), above = fresh(parent[high]);
        if (above == low) return;
        if (above == high && atomicCAS(parent + high, high, low) == high) return;
        x = fresh(parent[fresh(parent[high])]);
        y = fresh(parent[low]);
    }
}

// The thread's vertex, or `vertices` where there is none.
__device__ index_t this_vertex(index_t vertices) {
    return static_cast<index_t>(min(offset_t{blockIdx.x} * block + threadIdx.x, offset_t{vertices}));
}

__global__ void begin_kernel(edges out, index_t vertices, index_t* parent) {
    const index_t v = this_vertex(vertices);
    if (v == vertices) return;
    const offset_t k = out.offsets[v];
    const index_t first = k < out.offsets[v + offset_t{1}] ? __ldg(out.neighbours + k) : v;
    parent[v] = min(first, v);
}

__global__ void link_second_kernel(edges out, index_t vertices, index_t* parent) {
    const index_t v = this_vertex(vertices);
    if (v == vertices) return;
    const offset_t k = out.offsets[v];
    const offset_t end = out.offsets[v + offset_t{1}];
    // The first edge made the parent only where it leads to a smaller vertex.
    if (k < end && __ldg(out.neighbours + k) > v) link(parent, v, __ldg(out.neighbours + k));
    if (k + 1 < end) link(parent, v, __ldg(out.neighbours + k + 1));
}

__global__ void flatten_kernel(index_t vertices, index_t* parent, components_report* report) {
    const index_t v = this_vertex(vertices);
    bool root = false;
    if (v < vertices) root = flatten(parent, v) == v;
    const int roots = __syncthreads_count(root);
    if (threadIdx.x == 0 && roots) atomicAdd(&report->components, static_cast<unsigned long long>(roots));
}

/// The most frequent label of a sample spread over all vertices, the smallest of several.
__global__ void __launch_bounds__(samples)
    sample_kernel(index_t vertices, const index_t* parent, components_report* report) {
    __shared__ index_t seen[samples];
    __shared__ unsigned long long best;
    const auto spread = (threadIdx.x * 0x9E3779B97F4A7C15ull) % static_cast<unsigned long long>(vertices);
    const index_t mine = parent[spread];
    seen[threadIdx.x] = mine;
    if (threadIdx.x == 0) best = 0;
    __syncthreads();
    unsigned long long same = 0;
    for (unsigned k = 0; k < samples; ++k) same += seen[k] == mine;
    atomicMax(&best, same << 32 | static_cast<unsigned>(~mine));
    __syncthreads();
    if (threadIdx.x == 0) {
        report->largest = static_cast<index_t>(~static_cast<unsigned>(best));
    }
}

/// Links the edges of v from the `from`-th on, or lists its row for a block. Lists are told apart by the sign.
__device__ void link_rest(edges e, index_t v, offset_t from, bool inwards,
                          const device_components_arguments& a) {
    const offset_t begin = e.offsets[v] + from, end = e.offsets[v + offset_t{1}];
    if (end - begin > long_rest) {
        const index_t at = atomicAdd(&a.report->long_rows, 1);
        a.long_rows[at] = inwards ? ~v : v;
        return;
    }
    for (offset_t k = begin; k < end; ++k) link(a.common.labels, v, __ldg(e.neighbours + k));
}

__global__ void link_rest_kernel(edges out, edges in, offset_t from, device_components_arguments a) {
    const index_t v = this_vertex(a.common.vertices);
    if (v == a.common.vertices || fresh(a.common.labels[v]) == a.report->largest) return;
    link_rest(out, v, from, false, a);
    if (in.neighbours) link_rest(in, v, 0, true, a);
}

__global__ void link_long_rows_kernel(edges out, edges in, offset_t from, device_components_arguments a) {
    for (index_t at = static_cast<index_t>(blockIdx.x); at < a.report->long_rows;
         at += static_cast<index_t>(gridDim.x)) {
        const bool inwards = a.long_rows[at] < 0;
        const index_t v = inwards ? ~a.long_rows[at] : a.long_rows[at];
        const edges e = inwards ? in : out;
        const offset_t end = e.offsets[v + offset_t{1}];
        for (offset_t k = e.offsets[v] + (inwards ? 0 : from) + threadIdx.x; k < end; k += block)
            link(a.common.labels, v, __ldg(e.neighbours + k));
    }
}

}  // namespace

void afforest(const device_components_arguments& a, void* stream) {
    const components_arguments& c = a.common;
    if (c.vertices == 0) return;
    const auto on = static_cast<cudaStream_t>(stream);
    const unsigned blocks = (static_cast<unsigned>(c.vertices) + block - 1) / block;
    const edges out = edges_of(c.out_offsets, c.out_neighbours),
                in = edges_of(c.in_offsets, c.symmetric ? nullptr : c.in_neighbours);
    const bool both = c.in_neighbours != nullptr;
    constexpr offset_t linked = 2;  // edges of each vertex before the sample
    const components_report empty{};
    check(cudaMemcpyAsync(a.report, &empty, sizeof empty, cudaMemcpyHostToDevice, on));
    begin_kernel<<<blocks, block, 0, on>>>(out, c.vertices, c.labels);
    flatten_kernel<<<blocks, block, 0, on>>>(c.vertices, c.labels, a.report);
    link_second_kernel<<<blocks, block, 0, on>>>(out, c.vertices, c.labels);
    if (both) {
        flatten_kernel<<<blocks, block, 0, on>>>(c.vertices, c.labels, a.report);
        sample_kernel<<<1, samples, 0, on>>>(c.vertices, c.labels, a.report);
    }
    link_rest_kernel<<<blocks, block, 0, on>>>(out, in, linked, a);
    link_long_rows_kernel<<<blocks_of_long_rows, block, 0, on>>>(out, in, linked, a);
    check(cudaMemsetAsync(&a.report->components, 0, sizeof a.report->components, on));
    flatten_kernel<<<blocks, block, 0, on>>>(c.vertices, c.labels, a.report);
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
