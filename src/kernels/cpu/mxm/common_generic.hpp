#pragma once

#include "nonzero/algebra.hpp"
#include "storage/csr.hpp"

namespace nz::kernels::cpu {

/// The places that T may have entries at, or, complemented, may not; null: all.
struct generic_mask {
    const storage::csr* places = nullptr;
    bool complement = false;
};

/// T = A B where the mask lets through, any semiring and type, an indirect call a product. See common_generic.cpp.
storage::csr mxm_generic(const context& ctx, const semiring& s, const storage::csr& a, const storage::csr& b,
                         const generic_mask& mask);

}  // namespace nz::kernels::cpu
