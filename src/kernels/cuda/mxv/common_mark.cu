#include "kernels/cuda/mxv/common_mark.hpp"
#include "kernels/cuda/mxv/common_tile.cuh"

namespace nz::kernels::cuda {
namespace {

__global__ void __launch_bounds__(tile_block)
    mark_kernel(value_tile_arguments t, const std::uint32_t* present, index_t size, std::uint32_t* marked) {
    const index_t word = static_cast<index_t>(blockIdx.x * tile_block + threadIdx.x);
    const std::uint32_t there = word < half_words(size) ? present[word] : 0;
    unsigned todo = __ballot_sync(full_warp, there != 0);
    while (todo) {
        const int owner = __ffs(static_cast<int>(todo)) - 1;
        todo &= todo - 1;
        const std::uint32_t bits = __shfl_sync(full_warp, there, owner);
        const index_t at = word - static_cast<index_t>(threadIdx.x % 32) + owner;
        // A word holds two tiles of 16, one of 32, or half of one of 64.
        const int parts = t.size == 16 ? 2 : 1;
        for (int part = 0; part < parts; ++part) {
            if (parts == 2 && !(bits >> (16 * part) & 0xffff)) continue;
            const index_t column = t.size == 64 ? at / 2 : at * parts + part;
            const offset_t end = t.met_starts[column + offset_t{1}];
            for (offset_t k = t.met_starts[column] + threadIdx.x % 32; k < end; k += 32) {
                const index_t i = t.met_rows[k];
                atomicOr(marked + i / 32, 1u << (i % 32));
            }
        }
    }
}

}  // namespace

void mark_tile_rows(const value_tile_arguments& tiles, const std::uint32_t* present, index_t size,
                    std::uint32_t* marked, void* stream) {
    mark_kernel<<<blocks_for(half_words(size), tile_block), tile_block, 0,
                  static_cast<cudaStream_t>(stream)>>>(tiles, present, size, marked);
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
