// What the GPU at hand delivers: the constants that the floor of every bench on a GPU is made of. Plain C++; gpu.cu
// measures them, and a build without CUDA says that it cannot (gpu_absent.cpp).
#pragma once

#include "nonzero/matrix.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace nz::bench {

/// Something done again and again: the time of the pass that was measured, and how often it is done in a second.
struct rate {
    double ms = 0, per_second = 0;
};

/// Scattered accesses to random places of one table.
struct scattered_rates {
    std::size_t table_bytes = 0;
    rate gather_4, gather_8;     ///< of 4 and of 8 bytes
    rate atomic_or, atomic_add;  ///< on 4 bytes, nothing returned
};

struct gpu_limits {
    std::string device;
    rate copy, read;                         ///< bytes; a copy counts what it reads and what it writes
    std::vector<scattered_rates> scattered;  ///< by rising size of the table
    rate launch, launch_full;                ///< one small block, and a grid that fills the device
    rate launch_read_back;                   ///< a kernel, then 4 bytes of its result on the host
    rate graph_node;                         ///< a kernel in a captured graph
    rate barrier;             ///< of the grid of a cooperative kernel, a block a multiprocessor
    rate barrier_full;        ///< ... four of 256 threads
    rate to_device, to_host;  ///< bytes over the host link, pinned memory
    rate pageable_to_device, pageable_to_host;  ///< other memory, as the driver copies it

    /// Gathers a second from a table of this size: between the sizes that were measured, on logarithmic axes;
    /// beyond them, the nearest one's. `element_bytes` is 4 or 8.
    double gather_rate(double table_bytes, int element_bytes) const;
};

/// Measured when first asked for, once for the process (under a second). Throws not_supported where there is no
/// GPU.
const gpu_limits& measured_gpu_limits();

/// What any y = A x has to move.
struct spmv_shape {
    double rows = 0, columns = 0, entries = 0;
    int value_bytes = 8;
    double sectors = 0;     ///< see gathered_sectors
    double more_bytes = 0;  ///< that a kernel reads or writes beside these
    /// Entries, 32-bit offsets, x and y, each once.
    double bytes() const {
        return entries * (4.0 + value_bytes) + 4.0 * (rows + 1) + value_bytes * (rows + columns) + more_bytes;
    }
};
/// Distinct 32-byte sectors of x in each group of 32 consecutive entries, summed: the accesses that a warp reading
/// the entries in order makes. The first level cache is left out, so a kernel that gains much from it can be faster
/// than the floor. 32-bit offsets.
double gathered_sectors(const matrix& a, int value_bytes, int threads);
spmv_shape shape_of(const matrix& a, int value_bytes, int threads);
/// Of mxv/csr_ranked: x brought into the order of ranks, those in shared memory not gathered.
spmv_shape ranked_shape_of(const matrix& a, int value_bytes, int threads);
/// The larger of the bytes over the copy rate, and of the gathered sectors over the gather rate for x's size.
double gpu_spmv_floor_ms(const gpu_limits& limits, const spmv_shape& shape);

}  // namespace nz::bench
