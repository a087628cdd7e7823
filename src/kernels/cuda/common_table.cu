// The table of a build with CUDA.
#include "kernels/cuda/apply/places.cuh"
#include "kernels/cuda/assign/places.cuh"
#include "kernels/cuda/assign/rows.cuh"
#include "kernels/cuda/betweenness/batched.cuh"
#include "kernels/cuda/betweenness/queue.cuh"
#include "kernels/cuda/bins/common_build.hpp"
#include "kernels/cuda/components/afforest.cuh"
#include "kernels/cuda/ewise/common_count.hpp"
#include "kernels/cuda/extract/places.cuh"
#include "kernels/cuda/extract/rows.cuh"
#include "kernels/cuda/kronecker/rows.cuh"
#include "kernels/cuda/mxd/common_layout.hpp"
#include "kernels/cuda/mxm/common_count.hpp"
#include "kernels/cuda/mxv/common_sort.hpp"
#include "kernels/cuda/pagerank/short_rows.cuh"
#include "kernels/cuda/pagerank/step.cuh"
#include "kernels/cuda/ranks/common_build.hpp"
#include "kernels/cuda/select/rows.cuh"
#include "kernels/cuda/shortest/common_result.cuh"
#include "kernels/cuda/shortest/delta_stepping.cuh"
#include "kernels/cuda/slices/common_build.hpp"
#include "kernels/cuda/tiles/common_bits.hpp"
#include "kernels/cuda/tiles/common_build.hpp"
#include "kernels/cuda/transpose/convert.cuh"
#include "kernels/cuda/traverse/common_heads.cuh"
#include "kernels/cuda/traverse/push_pull_fused.cuh"
#include "kernels/cuda/traverse/tile.cuh"
#include "kernels/cuda/traverse_many/bit_parallel.cuh"
#include "kernels/cuda/vector/common_vectors.hpp"
#include "kernels/cuda_table.hpp"

namespace nz::kernels {

const cuda_table& on_cuda() {
    static constexpr cuda_table table{
        &cuda::push_pull_fused,
        &cuda::strongest_neighbours,
        &cuda::first_neighbours,
        {&cuda::sparse_bytes, &cuda::to_bitmap, &cuda::to_sparse, &cuda::mask_words, &cuda::fill,
         &cuda::write_back, &cuda::write_few, &cuda::count_bits},
        &cuda::sort_bytes,
        &cuda::column_starts,
        &cuda::delta_stepping,
        &cuda::shortest_count,
        &cuda::shortest_keep,
        &cuda::bit_parallel,
        &cuda::balanced_path_count,
        {&cuda::hash_scan_bytes,
         &cuda::hash_survey,
         &cuda::hash_pair,
         &cuda::hash_count,
         &cuda::dia_dia_find,
         &cuda::dia_dia_take,
         &cuda::hash_choose,
         &cuda::shift_columns,
         {&cuda::two_level_sort_scan_bytes, &cuda::two_level_sort_entries, &cuda::two_level_sort_expand,
          &cuda::two_level_sort_count, &cuda::two_level_sort_cut_bytes, &cuda::two_level_sort_cut},
         &cuda::dot_scan_bytes,
         &cuda::dot_steps,
         &cuda::dot_starts,
         &cuda::dot_compact},
        &cuda::copy_dense,
        {&cuda::tile_scan_bytes, &cuda::sample_tiles, &cuda::make_tiles, &cuda::make_bit_tiles,
         &cuda::list_tiles},
        {&cuda::slice_scan_bytes, &cuda::count_slices, &cuda::fill_slices},
        {&cuda::rank_temporary_bytes, &cuda::rank_columns},
        {&cuda::bin_temporary_bytes, &cuda::make_bins},
        &cuda::tile_search,
        &cuda::afforest,
        {&cuda::betweenness_start, &cuda::betweenness_push, &cuda::betweenness_pull, &cuda::betweenness_keep,
         &cuda::betweenness_count, &cuda::betweenness_clear, &cuda::betweenness_mark,
         &cuda::betweenness_back},
        &cuda::betweenness_queue,
        {&cuda::select_scan_bytes, &cuda::select_rows_count, &cuda::rising_count,
         &cuda::extract_columns_count, &cuda::assign_region_count, &cuda::select_fill},
        {&cuda::extract_scan_bytes, &cuda::extract_rows_count, &cuda::extract_rows_fill,
         &cuda::spread_sources, &cuda::named_sources},
        {&cuda::extract_places, &cuda::assign_places},
        &cuda::apply_places,
        &cuda::kronecker_rows,
        &cuda::transpose_convert,
        &cuda::pagerank_step,
        &cuda::pagerank_short_rows};
    return table;
}

}  // namespace nz::kernels
