// Memory that frees itself, knows its space, and counts against its context's limit.
#pragma once

#include "nonzero/context.hpp"

#include <cstring>
#include <memory>
#include <span>
#include <utility>

namespace nz {

/// A block of uninitialised bytes from a memory resource, or a caller's block that is only looked at.
class buffer {
public:
    buffer() = default;
    buffer(std::shared_ptr<memory_resource> memory, std::size_t bytes)
        : memory_(std::move(memory)), data_(bytes ? memory_->allocate(bytes) : nullptr), bytes_(bytes) {}
    static buffer borrow(const void* data, std::size_t bytes) {
        buffer b;
        b.data_ = const_cast<void*>(data);
        b.bytes_ = bytes;
        return b;
    }
    buffer(buffer&& other) noexcept
        : memory_(std::move(other.memory_)),
          data_(std::exchange(other.data_, nullptr)),
          bytes_(std::exchange(other.bytes_, 0)) {}
    buffer& operator=(buffer&& other) noexcept {
        std::swap(memory_, other.memory_);
        std::swap(data_, other.data_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~buffer() {
        if (memory_ && data_) memory_->deallocate(data_, bytes_);
    }

    void* data() const { return data_; }
    std::size_t bytes() const { return bytes_; }
    bool borrowed() const { return !memory_ && data_; }
    memory_space space() const { return memory_ ? memory_->space() : memory_space::host; }
    template <class T>
    T* as() const {
        return static_cast<T*>(data_);
    }
    template <class T>
    std::span<T> span() const {
        return {as<T>(), bytes_ / sizeof(T)};
    }

private:
    std::shared_ptr<memory_resource> memory_;
    void* data_ = nullptr;
    std::size_t bytes_ = 0;
};

/// A typed buffer of `size` values, uninitialised.
template <class T>
class array {
public:
    array() = default;
    array(std::shared_ptr<memory_resource> memory, std::size_t size)
        : block_(std::move(memory), size * sizeof(T)), size_(size) {}
    array(const context& ctx, std::size_t size) : array(ctx.memory(), size) {}

    T* data() const { return block_.as<T>(); }
    std::size_t size() const { return size_; }
    T* begin() const { return data(); }
    T* end() const { return data() + size_; }
    T& operator[](std::size_t i) const { return data()[i]; }
    void fill(T value) const { std::fill_n(data(), size_, value); }
    /// Gives the block up, e.g. into a matrix representation.
    buffer release() && { return std::move(block_); }

private:
    buffer block_;
    std::size_t size_ = 0;
};

}  // namespace nz
