// Where rows of tiles have their parts of an array.
#pragma once

#include <cstdint>

namespace nz::storage {

/// Part [begin, end) of an array: what one row of tiles has there.
struct alignas(8) tile_range {
    std::uint32_t begin, end;

    std::uint32_t size() const { return end - begin; }
};

}  // namespace nz::storage
