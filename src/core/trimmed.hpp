// The part of a block that came to be used.
#pragma once

#include "core/buffer.hpp"

namespace nz {

/// The first `bytes` of a block as a buffer of its own; what lies behind is freed with them.
inline buffer trimmed(buffer whole, std::size_t bytes) {
    class block final : public memory_resource {
    public:
        explicit block(buffer whole) : whole_(std::move(whole)) {}
        void* allocate(std::size_t) override { return whole_.data(); }
        void deallocate(void*, std::size_t) noexcept override { whole_ = {}; }
        memory_space space() const noexcept override { return whole_.space(); }

    private:
        buffer whole_;
    };
    return buffer(std::make_shared<block>(std::move(whole)), bytes);
}

}  // namespace nz
