// Which two neighbours stand for each row of a graph, to be asked before the row itself.
#pragma once

namespace nz::storage {

/// Those with the longest rows of their own, or the row's first.
enum class row_heads : unsigned char { none, strongest, first };

}  // namespace nz::storage
