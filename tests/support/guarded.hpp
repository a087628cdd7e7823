// Arrays that end where memory ends, so that a read beyond them is an error.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>

namespace nz::test {

/// Values with a page behind them that cannot be read.
template <class V>
class guarded {
public:
    explicit guarded(std::size_t size) : bytes_((size * sizeof(V) + page - 1) / page * page + page) {
        at_ = static_cast<std::byte*>(
            ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        if (at_ == MAP_FAILED || ::mprotect(at_ + bytes_ - page, page, PROT_NONE) != 0) std::abort();
        values_ = reinterpret_cast<V*>(at_ + bytes_ - page) - size;
    }
    guarded(const guarded&) = delete;
    guarded& operator=(const guarded&) = delete;
    ~guarded() { ::munmap(at_, bytes_); }
    V* data() const { return values_; }

private:
    static constexpr std::size_t page = 65536;  // or some of them
    std::size_t bytes_;
    std::byte* at_;
    V* values_;
};

}  // namespace nz::test
