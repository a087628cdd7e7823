#include "core/parallel.hpp"

#include <pthread.h>

#include <atomic>

namespace nz::parallel {
namespace {

std::atomic<bool> begun{false}, left_behind{false};

// The threads of the process that forks are not in its child, whose OpenMP does not know it.
void in_child() { left_behind = begun.load(); }
const int registered = pthread_atfork(nullptr, nullptr, in_child);

}  // namespace

bool may_begin() noexcept {
    static_cast<void>(registered);
    if (left_behind.load(std::memory_order_relaxed)) return false;
    if (!begun.load(std::memory_order_relaxed)) begun.store(true, std::memory_order_relaxed);
    return true;
}

}  // namespace nz::parallel
