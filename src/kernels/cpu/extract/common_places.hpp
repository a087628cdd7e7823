// Places of a vector moved, shared out by whole words of presence.
#pragma once

#include "core/parallel.hpp"
#include "kernels/places_arguments.hpp"
#include "storage/csr.hpp"

#include <atomic>

namespace nz::kernels::cpu {

/// How many places have an entry then.
template <bool Rest>
offset_t fill_places(const places_arguments& k) {
    std::atomic<offset_t> held{0};
    storage::by_width(k.value_bytes, [&]<class U>(std::type_identity<U>) {
        const U *const from = static_cast<const U*>(k.from.values), *const rest =
                                                                        static_cast<const U*>(k.rest.values);
        U* const to = static_cast<U*>(k.values);
        parallel::for_pieces(
            k.threads, k.size,
            [&](offset_t begin, offset_t end) {
                offset_t n = 0;
                for (offset_t first = begin; first < end; first += bits::per_word) {
                    bits::word present = 0;
                    for (offset_t i = first; i < std::min(end, first + bits::per_word); ++i) {
                        const offset_t source = k.sources[i];
                        bool here = false;
                        U value{};
                        if (source >= 0) {
                            here = !k.from.present || bits::test(k.from.present, source);
                            if (here) value = from[source * k.from.step];
                        } else if constexpr (Rest) {
                            here = !k.rest.present || bits::test(k.rest.present, i);
                            if (here) value = rest[i];
                        }
                        to[i] = value;
                        present |= bits::word{here} << (i - first);
                    }
                    k.present[first / bits::per_word] = present;
                    n += std::popcount(present);
                }
                held += n;
            },
            bits::per_word);
    });
    return held;
}

}  // namespace nz::kernels::cpu
