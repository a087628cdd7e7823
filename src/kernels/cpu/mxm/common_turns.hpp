// Filled before it is counted: a thread fills a run of rows in a part of its own, which stays in its caches, and when the runs before it
// have their places, puts it behind them. Until then it goes on with the next run beside it, so that a long row holds nobody up
// while there is room.
#pragma once

#include "core/stream.hpp"
#include "kernels/cpu/mxm/common_rows.hpp"
#include "kernels/mxm_stage.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <thread>

namespace nz::kernels::cpu {

/// Fills rows [first, last) one behind the other, of which fill(i, place) writes row i from `place` on and returns the place behind it.
template <class Fill>
void fill_rows(const mxm_arguments& k, index_t first, index_t last, Fill&& fill) {
    offset_t place = k.stage ? k.stage_place : k.offsets[first];
    for (index_t i = first; i < last; ++i) {
        const offset_t begin = place;
        place = fill(i, begin);
        if (k.stage) k.counts[i] = static_cast<index_t>(place - begin);
    }
}

/// A thread's runs that wait for their turn, in the thread's part of the stage.
class waiting_runs {
public:
    /// `own`: the thread's arguments, whose result is its part.
    explicit waiting_runs(mxm_arguments& own) : own_(own), stage_(*own.stage) {}

    /// Room for `entries` more; waits for turns where there is none. False where the result is full.
    bool make_room(offset_t entries) {
        if (own_.stage_place + entries <= stage_.entries && size_ < most) return true;
        return finish();
    }
    /// Run `run` has been filled, `entries` from stage_place on. False where the result is full.
    bool add(int run, offset_t entries) {
        runs_[size_++] = {run, own_.stage_place, entries};
        own_.stage_place += entries;
        while (first_ < size_ && stage_.turn.load(std::memory_order_acquire) == runs_[first_].run)
            if (!take_turn(runs_[first_++])) return false;
        if (first_ == size_) empty();
        return true;
    }
    /// Waits until all have had their turn.
    bool finish() {
        for (; first_ < size_; ++first_) {
            for (int tries = 0; stage_.turn.load(std::memory_order_acquire) != runs_[first_].run;
                 tries += tries <= tries_before_yield) {
                if (stage_.full.load(std::memory_order_relaxed)) return false;
                if (tries > tries_before_yield) std::this_thread::yield();
            }
            if (!take_turn(runs_[first_])) return false;
        }
        empty();
        return true;
    }

private:
    struct filled {
        int run;
        offset_t from, entries;
    };
    static constexpr int most = 64, tries_before_yield = 256;

    void empty() {
        first_ = size_ = 0;
        own_.stage_place = 0;
    }
    // The next thread's turn comes before the entries have moved.
    bool take_turn(const filled& f) {
        const offset_t to = stage_.place;
        if (to + f.entries > stage_.room) {
            stage_.full.store(true, std::memory_order_relaxed);
            return false;
        }
        stage_.place = to + f.entries;
        stage_.turn.store(f.run + 1, std::memory_order_release);
        move(stage_.out_columns + to, own_.out_columns + f.from, f.entries * offset_t{sizeof(index_t)});
        const auto bytes = static_cast<offset_t>(own_.value_bytes);
        move(static_cast<std::byte*>(stage_.out_values) + to * bytes,
             static_cast<const std::byte*>(own_.out_values) + f.from * bytes, f.entries * bytes);
        return true;
    }
    void move(void* to, const void* from, offset_t bytes) const {
        const auto size = static_cast<std::size_t>(bytes);
        if (stage_.streams)
            stream::copy(to, from, size);
        else if (size)
            std::memcpy(to, from, size);
    }

    mxm_arguments& own_;
    mxm_stage& stage_;
    std::array<filled, most> runs_;
    int first_ = 0, size_ = 0;
};

/// The entries that a run may have.
inline offset_t most_entries_of(const mxm_arguments& k, index_t first, index_t last) {
    offset_t entries = 0;
    for (offset_t i = first; i < last; ++i)
        entries += std::min<offset_t>(k.products[i + 1] - k.products[i], k.columns);
    return entries;
}

/// Runs of rows by Filler(arguments, thread), called with the first and the last row: at their offsets, or by way of the stage.
template <class Filler>
void fill_runs_of_rows(const mxm_arguments& k) {
    if (!k.stage) return for_runs_of_rows(k, [&](int t) { return Filler(k, t); });
    mxm_stage& stage = *k.stage;
    parallel::run(k.threads, [&](int t, int) {
        mxm_arguments own = k;
        own.out_columns = stage.columns + t * stage.entries;
        own.out_values =
            static_cast<std::byte*>(stage.values) + t * stage.entries * static_cast<offset_t>(k.value_bytes);
        waiting_runs waiting(own);
        Filler fill(own, t);
        const auto fill_run = [&](int run) {
            const index_t first = run_begin(k, run, stage.runs), last = run_begin(k, run + 1, stage.runs);
            if (!waiting.make_room(most_entries_of(k, first, last))) return false;
            fill(first, last);
            return waiting.add(run, std::accumulate(k.counts + first, k.counts + last, offset_t{0}));
        };
        bool room = true;
        for (int run; room && (run = stage.next.fetch_add(1)) < stage.runs;) room = fill_run(run);
        if (room) waiting.finish();
        if (stage.streams) stream::finish();
    });
}

}  // namespace nz::kernels::cpu
