// Multiply operators that cells of products list under one id.
#pragma once

#include "algebra/cell.hpp"

namespace nz::algebra {

/// As listed(); in a product of A(i, k) and B(k, j) firstj is k, as secondi is.
constexpr binary_id listed_multiply(binary_id op, dtype type) {
    return op == binary_id::firstj ? binary_id::secondi : listed(op, type);
}

}  // namespace nz::algebra
