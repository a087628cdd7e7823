// apply/places on a GPU: a number made of the row and the column of each entry, which keeps its place: rowindex, colindex, diagindex.
//
// Who owns what: a thread has an entry. No shared memory, no sync. Memory: rows and columns once, where they count, 8 bytes an entry
// written. Determinism: no sum.
// Distance to the limit (H200, whole calls, 13.5 M entries): colindex 0.051 ms, 0.039 by its bytes; rowindex 0.136, whose rows a scan
// writes first.
// Why the CPU's was not enough: what a GPU alone has would come home and go back.
#include "core/cuda_check.hpp"
#include "kernels/cuda/apply/places.cuh"

namespace nz::kernels::cuda {
namespace {

constexpr unsigned places_block = 256;

__global__ void __launch_bounds__(places_block) apply_places_kernel(apply_places_arguments k) {
    const offset_t p = offset_t{blockIdx.x} * places_block + threadIdx.x;
    if (p >= k.entries) return;
    k.to[p] = k.of(k.row_of ? k.row_of[p] : 0, k.columns ? k.columns[p] : p);
}

}  // namespace

void apply_places(const apply_places_arguments& k, void* stream) {
    if (k.entries == 0) return;
    const auto blocks = static_cast<unsigned>((k.entries + places_block - 1) / places_block);
    apply_places_kernel<<<blocks, places_block, 0, static_cast<cudaStream_t>(stream)>>>(k);
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
