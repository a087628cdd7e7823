// Offsets for entries that are there already, or will be.
#pragma once

#include "storage/csr.hpp"

namespace nz::storage {

/// A matrix of rows of these lengths, whose columns and values are for the caller to put in.
csr csr_of_lengths(const context& ctx, dtype type, value_kind kind, index_t columns,
                   std::span<const index_t> lengths);

}  // namespace nz::storage
