// extract/places on a GPU: t(k) = u(list[k]), for a u that is dense or a bitmap there; a bitmap.
//
// Who owns what: a thread has a place of t, a warp a word of its presence. Memory: the list, a value and a bit gathered for each, and t.
// Sync: the launch. No workspace: the list is brought there. Determinism: nothing is summed.
// Distance to the limit (H200, whole calls): docs/measurements/conversions.md (extract, assign and sums of rows): the list's way there is most.
// Why the CPU's was not enough: the vector would go to the host and back.
#include "kernels/cuda/extract/common_places.cuh"
#include "kernels/cuda/extract/places.cuh"

namespace nz::kernels::cuda {

void extract_places(const places_arguments& k, void* stream) { places_detail::fill<false>(k, stream); }

}  // namespace nz::kernels::cuda
