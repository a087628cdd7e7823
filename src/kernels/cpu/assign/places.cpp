// assign/places: z(list[k]) = u(k) or one value for all, and w's entries elsewhere; a bitmap. A place that is named twice has the last.
//
// As extract/places, with the list turned round before: for each place of w its position in it, or that there is none. Where an
//   accumulator unites u with w afterwards there is nothing elsewhere.
// Why the reference was not enough: it sorts the list, on one thread, and appends every entry. It serves where w is sparse and the
//   list short.
#include "kernels/cpu/assign/places.hpp"

#include "kernels/cpu/extract/common_places.hpp"

namespace nz::kernels::cpu {

offset_t assign_places(const places_arguments& k) {
    return k.has_rest ? fill_places<true>(k) : fill_places<false>(k);
}

}  // namespace nz::kernels::cpu
