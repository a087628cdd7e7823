// Work that another way does with less memory where there is no room.
#pragma once

#include "core/checks.hpp"

#include <optional>

namespace nz::ops {

/// f(), or nothing where it finds no memory.
template <class T, class F>
std::optional<T> if_it_fits(F&& f) {
    try {
        return f();
    } catch (const out_of_memory&) {
        return {};
    }
}

}  // namespace nz::ops
