// The one list of kernel variants: operation, id, and which backend has it.
#pragma once

#include <string_view>

namespace nz::kernels {

enum class presence : unsigned char { here, absent };

struct kernel_id {
    std::string_view operation, id;
    presence cpu;
    std::string_view cpu_reason;  ///< why it is absent
    presence cuda;
    std::string_view cuda_reason;
    std::string_view summary;  ///< one line for help and the kernel atlas
};

inline constexpr kernel_id kernel_ids[] = {
    {"mxv", "csr_row", presence::here, "", presence::absent, "needs the CUDA backend",
     "rows shared out whole, balanced by entries; one sum a row"},
    {"mxv", "csr_merge", presence::here, "", presence::absent, "needs the CUDA backend",
     "entries shared out evenly, rows split where need be; partition, reduce, update (dalton2015)"},
    {"mxv", "csr_row_masked", presence::here, "", presence::absent, "needs the CUDA backend",
     "only the rows that the mask lets through, with early exit (yang2018)"},
    {"mxv", "csc_gather_scatter", presence::here, "", presence::absent, "needs the CUDA backend",
     "columns of the entries of u, scattered into a bitmap without sorting (yang2015)"},
    {"mxv", "csc_gather_radix", presence::here, "", presence::absent, "needs the CUDA backend",
     "columns of the entries of u, radix-sorted by row, reduced by key (yang2015)"},
    {"mxv", "csc_gather_merge", presence::here, "", presence::absent, "needs the CUDA backend",
     "columns of the entries of u, merged pairwise as sorted runs, reduced by key (yang2015)"},
    {"traverse", "push_pull_fused", presence::here, "", presence::absent, "needs the CUDA backend",
     "direction-optimised traversal in one kernel: queue in push, bitmaps in pull (yang2018)"},
};

}  // namespace nz::kernels
