// assign/places on a GPU: z(list[k]) = u(k) or one value for all, and w's entries elsewhere; a bitmap.
//
// As extract/places, with the list turned round before (extract/rows): for each place of w its position in it, the last of several, or none. Memory: 4 bytes a place of w beside, written twice and read once.
// Distance to the limit: as extract/places.
// Why the CPU's was not enough: the vector would go to the host and back.
#include "kernels/cuda/assign/places.cuh"
#include "kernels/cuda/extract/common_places.cuh"

namespace nz::kernels::cuda {
void assign_places(const places_arguments& k, void* stream) {
    k.has_rest ? places_detail::fill<true>(k, stream) : places_detail::fill<false>(k, stream);
}

}  // namespace nz::kernels::cuda
