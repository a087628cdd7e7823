// A result of which no count is known before it is filled: runs of rows are filled apart, and put one behind the other in turn.
#pragma once

#include "nonzero/types.hpp"

#include <atomic>

namespace nz::kernels {

struct mxm_stage {
    int runs = 0;          ///< runs of rows that are filled apart
    offset_t entries = 0;  ///< that a thread has room for
    index_t* columns = nullptr;
    void* values = nullptr;  ///< a part of so many entries a thread
    // The result.
    offset_t room = 0;
    index_t* out_columns = nullptr;
    void* out_values = nullptr;
    bool streams = false;  ///< it goes past the caches

    std::atomic<int> next{0};       ///< to be filled
    std::atomic<int> turn{0};       ///< the run whose place is known: `place`
    offset_t place = 0;             ///< changed by whose turn it is
    std::atomic<bool> full{false};  ///< run `turn` had no room: neither it nor any after it is there
};

}  // namespace nz::kernels
