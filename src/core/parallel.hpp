// How host loops are shared out: even pieces, with boundaries on whole bitmap words where asked for.
#pragma once

#include "nonzero/types.hpp"

#include <omp.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace nz::parallel {

/// Piece `part` of `parts` of [0, n), boundaries at multiples of `grain`.
inline std::pair<offset_t, offset_t> piece(offset_t n, int part, int parts, offset_t grain = 1) {
    const offset_t units = (n + grain - 1) / grain;
    return {std::min(n, units * part / parts * grain), std::min(n, units * (part + 1) / parts * grain)};
}

/// Runs f(thread, threads) on `threads` threads; an exception in one is thrown again by the caller.
template <class F>
void run(int threads, F&& f) {
    if (threads <= 1) {
        f(0, 1);
        return;
    }
    std::exception_ptr failure;
#pragma omp parallel num_threads(threads)
    {
        try {
            f(omp_get_thread_num(), omp_get_num_threads());
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

}  // namespace nz::parallel
