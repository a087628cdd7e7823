// How host loops are shared out: even pieces, with boundaries on whole bitmap words where asked for.
#pragma once

#include "nonzero/types.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <utility>

namespace nz::parallel {

/// Piece `part` of `parts` of [0, n), boundaries at multiples of `grain`.
inline std::pair<offset_t, offset_t> piece(offset_t n, int part, int parts, offset_t grain = 1) {
    const offset_t units = (n + grain - 1) / grain;
    return {std::min(n, units * part / parts * grain), std::min(n, units * (part + 1) / parts * grain)};
}

/// Runs f(part, parts) once for every part, each on a thread of its own where OpenMP grants as many (within a
/// parallel region of the caller's it does not); an exception in one is thrown again by the caller.
template <class F>
void run(int parts, F&& f) {
    if (parts <= 1) {
        f(0, 1);
        return;
    }
    std::exception_ptr failure;
#pragma omp parallel num_threads(parts)
    {
        try {
            for (int part = omp_get_thread_num(); part < parts; part += omp_get_num_threads()) f(part, parts);
        } catch (...) {
#pragma omp critical(nz_parallel_failure)
            if (!failure) failure = std::current_exception();
        }
    }
    if (failure) std::rethrow_exception(failure);
}

/// Calls f(begin, end) once a thread over even pieces of [0, n); one thread below `serial_below`.
template <class F>
void for_pieces(int threads, offset_t n, F&& f, offset_t grain = 1, offset_t serial_below = 16384) {
    run(n < serial_below ? 1 : threads, [&](int t, int count) {
        const auto [begin, end] = piece(n, t, count, grain);
        if (begin < end) f(begin, end);
    });
}

/// Calls f(begin, end) for runs of `grain` of [0, n), handed to whichever thread is free: for uneven work
/// whose outcome does not depend on who does it.
template <class F>
void for_chunks(int threads, offset_t n, offset_t grain, F&& f) {
    std::atomic<offset_t> next{0};
    run(n <= grain ? 1 : threads, [&](int, int) {
        for (offset_t begin; (begin = next.fetch_add(grain)) < n;) f(begin, std::min(n, begin + grain));
    });
}

}  // namespace nz::parallel
