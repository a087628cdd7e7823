// Row offsets as kernels read them on every backend.
#pragma once

#include "nonzero/types.hpp"

#include <cstddef>
#include <cstdint>

namespace nz::kernels {

/// Row offsets of either width. The branch is the same for all rows, so it predicts.
struct offset_reader {
    const void* data = nullptr;
    bool wide = false;
    offset_t operator[](offset_t i) const {
        return wide ? static_cast<const std::int64_t*>(data)[i] : static_cast<const std::int32_t*>(data)[i];
    }
    [[gnu::always_inline]] void prefetch(offset_t i) const {
        __builtin_prefetch(static_cast<const std::byte*>(data) + i * (wide ? 8 : 4));
    }
};

}  // namespace nz::kernels
