// The one list of kernel variants: operation, id, and which backend has it or why not. What each does stands
// at the head of its file, src/kernels/<backend>/<operation>/<id>.
#pragma once

#include <string>
#include <string_view>

namespace nz::kernels {

enum class presence : unsigned char { here, absent };

struct kernel_id {
    std::string_view operation, id;
    presence cpu;
    std::string_view cpu_reason;
    presence cuda;
    std::string_view cuda_reason;
};

// clang-format off
inline constexpr kernel_id kernel_ids[] = {
    {"mxv", "csr_row", presence::here, "", presence::here, ""},
    {"mxv", "csr_merge", presence::here, "", presence::here, ""},
    {"mxv", "csr_ranked", presence::here, "", presence::here, ""},
    {"mxv", "csr_binned", presence::absent, "csr_merge and csr_ranked serve there: not built yet", presence::here, ""},
    {"mxv", "csr_row_masked", presence::here, "", presence::here, ""},
    {"mxv", "csc_gather_scatter", presence::here, "", presence::here, ""},
    {"mxv", "csc_gather_radix", presence::here, "", presence::here, ""},
    {"mxv", "csc_gather_merge", presence::here, "", presence::here, ""},
    {"mxv", "csc_gather_bucket", presence::absent, "csc_gather_scatter sorts into ranges there", presence::here, ""},
    {"mxv", "dia_slice", presence::here, "", presence::here, ""},
    {"mxv", "bsr_row", presence::here, "", presence::absent, "not built yet: csr_merge and dia_slice serve there"},
    {"mxv", "ell_slice", presence::here, "", presence::absent, "csr_merge shares out rows of any lengths there, and csr_ranked ranks columns"},
    {"mxv", "tile_row", presence::here, "", presence::here, ""},
    {"mxv", "tile_column", presence::here, "", presence::here, ""},
    {"traverse", "push_pull_fused", presence::here, "", presence::here, ""},
    {"traverse", "tile", presence::here, "", presence::here, ""},
    {"shortest", "delta_stepping", presence::here, "", presence::here, ""},
    {"traverse_many", "bit_parallel", presence::here, "", presence::here, ""},
    {"mxm", "hash", presence::here, "", presence::here, ""},
    {"mxm", "dense_row", presence::here, "", presence::absent, "hash keeps a bit for every column in its longest rows; a sum for every column fits no shared memory"},
    {"mxm", "row_row", presence::here, "", presence::absent, "hash's tables are bounded too, and need no second look at A's entries for each strip"},
    {"mxm", "column_row", presence::here, "", presence::absent, "as row_row; rows of B that neighbours share come from the caches there"},
    {"mxm", "column_column", presence::here, "", presence::absent, "row_row's work with columns for rows"},
    {"mxm", "two_level_sort", presence::here, "", presence::here, ""},
    {"mxm", "masked_dot", presence::here, "", presence::here, ""},
    {"mxm", "masked_row", presence::here, "", presence::here, ""},
    {"mxm", "dia_dia", presence::here, "", presence::here, ""},
    {"mxm_dia", "stored", presence::here, "", presence::here, ""},
    {"mxd", "csr_tiled", presence::here, "", presence::here, ""},
    {"mxd", "csr_merge", presence::here, "", presence::here, ""},
    {"mxd", "csr_half_warp", presence::absent, "a half warp is a GPU's; csr_tiled keeps a row's tile in registers", presence::here, ""},
    {"sddmm", "row_dot", presence::here, "", presence::here, ""},
    {"ewise", "balanced_path", presence::here, "", presence::here, ""},
    {"ewise", "words", presence::here, "", presence::here, ""},
    {"apply", "words", presence::here, "", presence::here, ""},
    {"apply", "places", presence::here, "", presence::here, ""},
    {"apply", "rows", presence::here, "", presence::absent, "calls any operator by its address"},
    {"select", "rows", presence::here, "", presence::here, ""},
    {"select", "rising", presence::here, "", presence::here, ""},
    {"extract", "rows", presence::here, "", presence::here, ""},
    {"extract", "places", presence::here, "", presence::here, ""},
    {"assign", "rows", presence::here, "", presence::here, ""},
    {"assign", "places", presence::here, "", presence::here, ""},
    {"kronecker", "rows", presence::here, "", presence::here, ""},
    {"components", "afforest", presence::here, "", presence::here, ""},
    {"betweenness", "batched", presence::here, "", presence::here, ""},
    {"betweenness", "queue", presence::here, "", presence::here, ""},
    {"pagerank", "step", presence::here, "", presence::here, ""},
    {"pagerank", "short_rows", presence::absent, "mxv's rows are summed by vectors there, and what follows reads caches", presence::here, ""},
    {"reduce", "rows", presence::here, "", presence::here, ""},
    {"reduce", "blocks", presence::here, "", presence::here, ""},
    {"transpose", "convert", presence::here, "", presence::here, ""},
};
// clang-format on

/// The ids of one operation, joined with ", " for messages.
std::string known_ids(std::string_view operation);
/// An id that somebody pins as static text, which a plan may keep; what is none stays the caller's.
std::string_view static_id(std::string_view operation, std::string_view id);
/// Whether the operation has a kernel with this id on the CPU, or on a GPU.
bool known_on_cpu(std::string_view operation, std::string_view id);
bool known_on_cuda(std::string_view operation, std::string_view id);

}  // namespace nz::kernels
