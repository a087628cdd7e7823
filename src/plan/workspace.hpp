// Workspaces: one block a call, stated in bytes by the plan and divided by the kernel.
#pragma once

#include "nonzero/types.hpp"

#include <cstddef>

namespace nz::plan {

/// Rounded so that whatever follows is aligned.
constexpr std::size_t padded(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

/// Hands out aligned parts of a workspace in order.
class workspace_parts {
public:
    explicit workspace_parts(void* memory) : at_(static_cast<std::byte*>(memory)) {}
    template <class T>
    T* take(offset_t count) {
        T* part = reinterpret_cast<T*>(at_);
        at_ += padded(static_cast<std::size_t>(count) * sizeof(T));
        return part;
    }

private:
    std::byte* at_;
};

}  // namespace nz::plan
