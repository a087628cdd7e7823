// Copies within host memory by several threads.
#pragma once

#include <cstddef>

namespace nz {

/// memcpy, shared out among up to so many threads.
void copy_by_threads(int threads, void* to, const void* from, std::size_t bytes);

}  // namespace nz
