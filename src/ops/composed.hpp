// Products over semirings that are not compiled, nor stood in for: their multiply operator's loop over whole arrays, then their monoid's.
#pragma once

#include "kernels/composed_multiply.hpp"
#include "ops/mxd_product.hpp"
#include "ops/mxm_device.hpp"
#include "ops/mxm_product.hpp"
#include "ops/mxv_product.hpp"

#include <optional>

namespace nz::ops {

/// The semiring's multiply operator on operands of two types, on the CPU; nothing where it is not compiled by itself: positional ones and callers' own.
/// Throws domain_error where the semiring is not defined on them.
std::optional<kernels::composed_multiply> composed_multiply_of(const semiring& s, dtype a, dtype b);

/// The same and the monoid's operator, where that is compiled by itself as well, for products with dense matrices.
struct composed_ring {
    kernels::composed_multiply multiply;
    kernels::words_kernel add;
};
std::optional<composed_ring> composed_ring_of(const semiring& s, dtype a, dtype b);

/// The plan of a composed product that has found no room.
template <class Plan>
void go_on_generic(const context& ctx, Plan& plan) {
    plan.kernel = "generic";
    plan.reason = "no room for that: an indirect call a product";
    ctx.log(to_string(plan));
}

/// T = A u on the CPU for rows that the mask's words let through; nothing where there is no room for the blocks.
std::optional<storage::vector_body> mxv_composed(const mxv_product& p, const bits::word* mask);
/// w<mask> = A u on the context's GPU; nothing where operator or monoid are not compiled there, or there is no room.
std::optional<mxv_plan> mxv_composed_on_device(const mxv_product& p);

/// T = A B on the CPU where the mask lets through: its places are the compiled product's over any_pair. Completes the plan; nothing where there
/// is no room.
std::optional<storage::csr> mxm_composed(const product& p, mxm_plan& plan);
/// T = A B on the context's GPU where the mask lets through, and perhaps elsewhere; nothing likewise, and where a row has more than 2^31 - 1
/// products. The result is of context `own`.
std::optional<device_product> mxm_composed_on_device(const product& p, const context& own);

/// T = A B on the CPU for dense matrices by rows, T in the products' type; false where there is no room.
bool mxd_composed(const mxd_product& p, const storage::dense& b, const storage::dense& t);
/// C = A B on the context's GPU, a column at a time; nothing where operator or monoid are not compiled there, C, in its memory, is to be converted or
/// added to, or there is no room.
std::optional<dense_plan> mxd_composed_on_device(const mxd_product& p);

}  // namespace nz::ops
