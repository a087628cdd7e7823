// What the fuzz targets share.
#pragma once

#include "nonzero/context.hpp"
#include "nonzero/errors.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace nz::fuzz {

/// Two threads, so that blocks meet, and so little memory that absurd sizes fail at once instead of being
/// filled.
inline const context& limited_context() {
    static const context ctx({.threads = 2, .memory_limit = std::size_t{16} << 20});
    return ctx;
}

/// Runs f; the library's own errors are fine, whatever else comes out is a finding.
template <class F>
void attempt(F&& f) {
    try {
        f();
    } catch (const error&) {
    }
}

}  // namespace nz::fuzz
