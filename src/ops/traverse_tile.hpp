// traverse/tile: its facts, its checks, its run on the CPU.
#pragma once

#include "kernels/tile_arguments.hpp"
#include "nonzero/traverse.hpp"
#include "plan/traverse.hpp"
#include "storage/bit_tiles.hpp"

namespace nz::ops {

inline constexpr std::string_view tile_id = "tile";

/// A tile search's arrays as kernels see them, on the host or on a GPU.
kernels::bit_tile_arrays arrays_of(const storage::bit_tiles& t);
/// Throws where an option is none of traverse/tile's.
void check_tile_options(const traverse_options& o);
/// The bytes that tiles of both sizes would take, none extracted, by a sample; and the CSR's.
void sample_tiles(const matrix& a, plan::traverse_facts& facts);
/// Throws not_supported with the figures.
[[noreturn]] void refuse_tiles(const plan::traverse_facts& facts);
traverse_result traverse_tile(const context& ctx, const matrix& a, offset_t source, const traverse_options& o,
                              const plan::traverse_plan& plan);

}  // namespace nz::ops
