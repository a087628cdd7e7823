// A list that grows within the context's memory, so that its limit counts here too.
#pragma once

#include "core/buffer.hpp"

#include <algorithm>

namespace nz::storage {

template <class T>
class growing {
public:
    explicit growing(const context& ctx) : ctx_(ctx) {}

    void push(T x) {
        if (size_ == items_.size()) reserve(std::max<std::size_t>(64, 2 * size_));
        items_[size_++] = x;
    }
    void reserve(std::size_t capacity) {
        array<T> larger(ctx_, capacity);
        std::copy_n(items_.data(), size_, larger.data());
        items_ = std::move(larger);
    }
    void clear() { size_ = 0; }
    /// Drops all but the first `size`.
    void cut(std::size_t size) { size_ = size; }
    T& back() const { return items_[size_ - 1]; }
    void pop() { --size_; }
    bool empty() const { return size_ == 0; }
    T* data() const { return items_.data(); }
    std::size_t size() const { return size_; }
    T& operator[](std::size_t k) const { return items_[k]; }
    T* begin() const { return data(); }
    T* end() const { return data() + size_; }

private:
    context ctx_;
    array<T> items_;
    std::size_t size_ = 0;
};

}  // namespace nz::storage
