// What traverse/tile is called with, on every backend.
#pragma once

#include "kernels/traverse_arguments.hpp"
#include "plan/tile_phase.hpp"
#include "storage/bit_tiles.hpp"

#include <cstdint>

namespace nz::kernels {

/// The arrays of storage::bit_tiles.
struct bit_tile_arrays {
    const storage::tile_range* tile_ranges = nullptr;
    const void* headers = nullptr;  ///< storage::tile_header<Word>
    const void* words = nullptr;
    const storage::tile_range* extracted_ranges = nullptr;
    const std::uint8_t* extracted_rows = nullptr;
    const index_t* extracted_columns = nullptr;
    offset_t tiles = 0, extracted = 0;
};

struct tile_arguments {
    index_t vertices = 0;
    offset_t nnz = 0;
    int size = 64;        ///< of tiles: 32 or 64
    bit_tile_arrays out;  ///< rows of A: where push_csc looks
    bit_tile_arrays in;   ///< columns of A: where push_csr and pull_csc look; out's where A is symmetric
    offset_reader out_offsets;  ///< rows of A as CSR, for the count of edges
    offset_reader in_offsets;   ///< columns of A as CSR, for parents; read when they are wanted
    const index_t* in_neighbours = nullptr;
    index_t source = 0;
    offset_t max_depth = -1;
    plan::tile_thresholds thresholds{};
    std::int32_t* levels = nullptr;   ///< [vertices], result
    std::int32_t* parents = nullptr;  ///< [vertices], result; null: not wanted
    void* workspace = nullptr;        ///< plan::tile_workspace
    int threads = 1;
    void (*on_level)(void* receiver, const traverse_level& level) = nullptr;
    void* receiver = nullptr;
};

/// The arguments on a GPU: pointers are the device's, but for on_level and receiver, which it does not look at. A record's
/// `pull` is the level's plan::tile_phase.
struct device_tile_arguments {
    tile_arguments common;
    traverse_report* report = nullptr;
    int multiprocessors = 0;
    bool hold = false;  ///< tiles are of 32, none is extracted: blocks hold them if they have room
};

}  // namespace nz::kernels
