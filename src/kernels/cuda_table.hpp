// The entry points of the CUDA backend that are not made for each semiring. In a build without CUDA the table is empty.
#pragma once

#include "kernels/apply_places_arguments.hpp"
#include "kernels/betweenness_arguments.hpp"
#include "kernels/components_arguments.hpp"
#include "kernels/device_bins.hpp"
#include "kernels/device_ewise_arguments.hpp"
#include "kernels/device_mxd_arguments.hpp"
#include "kernels/device_mxm_arguments.hpp"
#include "kernels/device_ranks.hpp"
#include "kernels/device_slices.hpp"
#include "kernels/device_tiles.hpp"
#include "kernels/device_vectors.hpp"
#include "kernels/extract_arguments.hpp"
#include "kernels/kronecker_arguments.hpp"
#include "kernels/offset_reader.hpp"
#include "kernels/pagerank_arguments.hpp"
#include "kernels/places_arguments.hpp"
#include "kernels/select_arguments.hpp"
#include "kernels/shortest_arguments.hpp"
#include "kernels/tile_arguments.hpp"
#include "kernels/traverse_arguments.hpp"
#include "kernels/traverse_many_arguments.hpp"
#include "nonzero/matrix.hpp"

namespace nz::kernels {

/// Each puts its work on `stream` (a cudaStream_t) and returns; pointers in the arguments are the device's.
struct cuda_table {
    void (*push_pull_fused)(const device_traverse_arguments& arguments, void* stream) = nullptr;
    /// heads[2 v], heads[2 v + 1]: of row v the neighbours with the longest rows of their own, or the first (device_traverse_arguments).
    void (*strongest_neighbours)(offset_reader offsets, const index_t* neighbours, index_t rows,
                                 std::uint32_t* heads, void* stream) = nullptr;
    void (*first_neighbours)(offset_reader offsets, const index_t* neighbours, index_t rows,
                             std::uint32_t* heads, void* stream) = nullptr;
    device_vector_table vectors{};
    // The gathers' sorts: temporary bytes for so many columns, products and bytes a value (0: none), and
    // starts[k] = how many entries the columns before the k-th listed one hold.
    std::size_t (*sort_bytes)(offset_t columns, offset_t products, std::size_t value_bytes) = nullptr;
    void (*column_starts)(offset_reader offsets, const index_t* listed, offset_t columns, offset_t* starts,
                          void* temporary, std::size_t bytes, void* stream) = nullptr;
    void (*delta_stepping)(const device_shortest_arguments& arguments, void* stream) = nullptr;
    /// Counts; then, of keys that are read, a bit for each vertex that was reached, and 0 in place of the others' keys.
    void (*shortest_count)(const device_shortest_result& arguments, void* stream) = nullptr;
    void (*shortest_keep)(const device_shortest_result& arguments, void* stream) = nullptr;
    void (*bit_parallel)(const device_traverse_many_arguments& arguments, void* stream) = nullptr;
    /// Partition and count, which every fill of the manifest goes by.
    void (*balanced_path_count)(const device_ewise_arguments& arguments, void* stream) = nullptr;
    device_mxm_table mxm{};
    void (*copy_dense)(const device_dense_copy& copy, void* stream) = nullptr;
    device_tile_table tiles{};
    device_slice_table slices{};
    device_rank_table ranks{};
    device_bin_table bins{};
    void (*tile_search)(const device_tile_arguments& arguments, void* stream) = nullptr;
    void (*afforest)(const device_components_arguments& arguments, void* stream) = nullptr;
    betweenness_table betweenness{};
    void (*betweenness_queue)(const device_betweenness_queue_arguments& arguments, void* stream) = nullptr;
    device_select_table select{};
    device_extract_table extract{};
    device_places_table places{};
    void (*apply_places)(const apply_places_arguments& arguments, void* stream) = nullptr;
    void (*kronecker_rows)(const device_kronecker_arguments& arguments, void* stream) = nullptr;
    matrix (*transpose_convert)(const context& own, const context& gpu, const matrix& a) = nullptr;
    void (*pagerank_step)(const pagerank_step_arguments& arguments, void* stream) = nullptr;
    void (*pagerank_short_rows)(const device_pagerank_rows_arguments& arguments, void* stream) = nullptr;
};

const cuda_table& on_cuda();

}  // namespace nz::kernels
