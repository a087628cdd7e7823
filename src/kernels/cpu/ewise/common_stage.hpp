// Where a thread gathers the results of its pieces before they go to the matrix, some lines at a time: whole
// vectors may be written beyond the last result, which in the matrix is another thread's, and large results go past the
// caches in whole lines (a store to a line that is not cached reads it first).
#pragma once

#include "core/stream.hpp"
#include "kernels/ewise_arguments.hpp"

#include <algorithm>
#include <cstring>

namespace nz::kernels::cpu {

template <class U>
class result_stage {
public:
    static constexpr offset_t room = 128,
                              slack = 16;  // eight times as many: a quarter slower where rows are equal

    result_stage(index_t* columns, U* values, offset_t place, bool streams)
        : to_columns_(columns),
          to_values_(values),
          written_(place),
          streams_(streams && aligned(columns) && aligned(values)) {}

    offset_t place() const { return written_ + held_; }
    /// Room for at least one result, and `slack` beyond what space() says.
    offset_t space() {
        if (held_ >= room) [[unlikely]]
            hand_over();
        return room - held_;
    }
    index_t* columns() { return columns_ + held_; }
    U* values() { return values_ + held_; }
    void add(offset_t results) { held_ += results; }

    void finish() {
        copy(held_, false);
        if (streams_) stream::finish();
    }

private:
    static constexpr offset_t line = 64;  // results; their columns and values are whole lines
    static bool aligned(const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 64 == 0; }

    void hand_over() {
        const offset_t past_line = written_ % line;
        if (past_line) copy(line - past_line, false);
        const offset_t whole = held_ / line * line;
        copy(whole, streams_);
    }
    // The first `count` to the matrix, the others to the front.
    void copy(offset_t count, bool stream) {
        const auto results = static_cast<std::size_t>(count);
        if (stream) {
            stream::copy(to_columns_ + written_, columns_, results * sizeof(index_t));
            stream::copy(to_values_ + written_, values_, results * sizeof(U));
        } else if (count) {
            std::memcpy(to_columns_ + written_, columns_, results * sizeof(index_t));
            std::memcpy(to_values_ + written_, values_, results * sizeof(U));
        }
        written_ += count;
        held_ -= count;
        std::memmove(columns_, columns_ + count, static_cast<std::size_t>(held_) * sizeof(index_t));
        std::memmove(values_, values_ + count, static_cast<std::size_t>(held_) * sizeof(U));
    }

    index_t* to_columns_;
    U* to_values_;
    offset_t written_, held_ = 0;
    const bool streams_;
    alignas(64) index_t columns_[room + slack];
    alignas(64) U values_[room + slack];
};

}  // namespace nz::kernels::cpu
