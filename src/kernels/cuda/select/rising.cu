// select/rising on a GPU: the places (i, j) of a square matrix whose row j is longer than row i, or as long with j > i.
//
// As select/rows, with two offsets more an entry, those of its column: read at random, from L2 where they fit there.
// Why rows was not enough: what it compares is an entry's alone.
#include "kernels/cuda/select/common_flags.cuh"
#include "kernels/cuda/select/rows.cuh"

namespace nz::kernels::cuda {
namespace {

struct rises {
    static constexpr bool needs_row = true, needs_column = true;
    device_offsets offsets;
    __device__ bool operator()(index_t i, offset_t, index_t j) const {
        const offset_t own = offsets[i + offset_t{1}] - offsets[i],
                       other = offsets[j + offset_t{1}] - offsets[j];
        return other > own || (other == own && j > i);
    }
};

}  // namespace

void rising_count(const device_select_arguments& k, void* stream) {
    select_detail::count(k, rises{{k.offsets.data, k.offsets.wide}}, stream);
}

}  // namespace nz::kernels::cuda
