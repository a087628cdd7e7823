// How host loops are shared out: even pieces, with boundaries on whole bitmap words where asked for.
#pragma once

#include "nonzero/types.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <optional>
#include <utility>

namespace nz::parallel {

/// Piece `part` of `parts` of [0, n), boundaries at multiples of `grain`.
inline std::pair<offset_t, offset_t> piece(offset_t n, int part, int parts, offset_t grain = 1) {
    const offset_t units = (n + grain - 1) / grain;
    return {std::min(n, units * part / parts * grain), std::min(n, units * (part + 1) / parts * grain)};
}

/// Says that there will be threads; false in a child that was forked since others were: OpenMP would wait for those for ever.
bool may_begin() noexcept;

/// Runs f(part, parts) once for every part, each on a thread of its own where OpenMP grants as many (within a
/// parallel region of the caller's it does not, nor in a forked child); an exception in one is thrown again by the caller.
template <class F>
void run(int parts, F&& f) {
    if (parts <= 1 || !may_begin()) {
        for (int part = 0; part < parts; ++part) f(part, parts);
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

/// Where all threads of a team wait for the last: a fraction of a microsecond when each has a core. One that waits
/// long sleeps, so that a team larger than the machine still moves on.
class spin_barrier {
public:
    explicit spin_barrier(int size) : size_(size) {}
    /// How long it slept after it had spun in vain; zero where it did not.
    std::chrono::nanoseconds wait() {
        const unsigned before = phase_.load(std::memory_order_acquire);
        if (arrived_.fetch_add(1, std::memory_order_acq_rel) == size_ - 1) {
            arrived_.store(0, std::memory_order_relaxed);
            // Seen by all before notify_all() looks whether anybody sleeps: else who falls asleep between is not woken.
            phase_.store(before + 1, std::memory_order_seq_cst);
            phase_.notify_all();
            return {};
        }
        for (int i = 0; i < spins; ++i)
            if (phase_.load(std::memory_order_acquire) != before) return {};
        const auto since = std::chrono::steady_clock::now();
        while (phase_.load(std::memory_order_acquire) == before) phase_.wait(before);
        return std::chrono::steady_clock::now() - since;
    }

private:
    static constexpr int spins =
        1 << 15;  // tens of microseconds: longer than any balanced step of a thin level
    const int size_;
    alignas(64) std::atomic<int> arrived_{0};
    alignas(64) std::atomic<unsigned> phase_{0};
};

/// Of `threads`, those that a team pays for: one for each `a_thread` of what a search looks at.
inline int threads_for(int threads, offset_t looks, offset_t a_thread) {
    return static_cast<int>(std::clamp<offset_t>(looks / a_thread, 1, std::max(threads, 1)));
}

/// Runs f(member, barrier) on up to `threads` threads that all run at once, so that they may wait for each other,
/// after prepare(size), once, with the number that OpenMP granted. Neither may throw. `of`: how many the caller's other teams
/// have; GNU's OpenMP ends the threads that a smaller team leaves over and begins them anew for the next, so they come too.
template <class Prepare, class F>
void team(int threads, Prepare&& prepare, F&& f, int of = 1) {
    if (threads <= 1 || !may_begin()) {
        spin_barrier alone(1);
        prepare(1);
        f(0, alone);
        return;
    }
    std::optional<spin_barrier> barrier;
    int size = 0;
#pragma omp parallel num_threads(std::max(threads, of))
    {
#pragma omp single
        {
            size = std::min(threads, omp_get_num_threads());
            barrier.emplace(size);
            prepare(size);
        }
        if (omp_get_thread_num() < size) f(omp_get_thread_num(), *barrier);
    }
}

}  // namespace nz::parallel
