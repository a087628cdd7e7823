// extract/places: t(k) = u(list[k]), for a u that is dense or a bitmap; a bitmap.
//
// Who owns what: a thread has a run of whole words of t's presence. Sync: the join at the end. No workspace. Determinism: nothing is summed.
// Memory: the list, a value and a bit of u for each, gathered, and t. Cost: the gathers, which wait for each other no more than
//   the loop's branch on a missing entry lets them.
// Why the reference was not enough: one thread, and an append an entry. It serves where u is sparse and the list short: it searches.
#include "kernels/cpu/extract/places.hpp"

#include "kernels/cpu/extract/common_places.hpp"

namespace nz::kernels::cpu {

offset_t extract_places(const places_arguments& k) { return fill_places<false>(k); }

}  // namespace nz::kernels::cpu
