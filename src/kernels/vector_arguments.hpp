// What the kernels over whole vectors are called with: joined, changed and summed up where they are dense or bitmaps.
#pragma once

#include "core/bits.hpp"
#include "kernels/ewise_arguments.hpp"

namespace nz::kernels {

/// One operand: a value for each place (step 1), or values[0] for all (step 0).
struct words_side {
    const void* values = nullptr;         ///< of the cell's type
    const bits::word* present = nullptr;  ///< null: every place has an entry
    offset_t step = 1;
};

/// w = a op b at places of either (unite) or both (intersect). The result may be where an operand is.
struct words_arguments {
    words_side a, b;
    offset_t size = 0;
    set_operation operation = set_operation::intersect;
    int threads = 1;
    void* values = nullptr;         ///< of the operator's result type
    bits::word* present = nullptr;  ///< null: no place is without an entry
};
using words_kernel = void (*)(const words_arguments&);

/// w = f(u) at every entry of u, which keeps its places.
struct apply_arguments {
    const void* from = nullptr;
    const bits::word* present = nullptr;  ///< null: all
    offset_t size = 0;
    int threads = 1;
    void* to = nullptr;
};
using apply_kernel = void (*)(const apply_arguments&);

/// The sum of all entries; `parts` has room for a value of the type and a byte for each block of reduce_block places.
struct reduce_arguments {
    const void* values = nullptr;
    const bits::word* present = nullptr;  ///< null: all
    offset_t size = 0;
    int threads = 1;
    void* parts = nullptr;
    void* result = nullptr;  ///< one value of the type, written where there is an entry
};
using reduce_kernel = bool (*)(const reduce_arguments&);  ///< whether there is an entry

/// Places that are summed up by one thread in one order, so that the sum does not depend on who else works.
inline constexpr offset_t reduce_block = 8192;
/// Partial sums of a block, entry i to sum i mod so many: on a GPU its threads.
inline constexpr offset_t reduce_lanes = 256;

// On a GPU: pointers are the device's, the work goes on `stream`. A reduction's result is followed by a byte that says
// whether there is an entry.
using device_words_kernel = void (*)(const words_arguments&, void* stream);
using device_apply_kernel = void (*)(const apply_arguments&, void* stream);
using device_reduce_kernel = void (*)(const reduce_arguments&, void* stream);

}  // namespace nz::kernels
