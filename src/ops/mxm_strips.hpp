// Products on a GPU, whole or in parts.
#pragma once

#include "ops/mxm_device.hpp"
#include "ops/mxm_product.hpp"

namespace nz::ops {

/// mxm_on_device; where the GPU has no room for the factors, in parts (plan/mxm_strips.hpp): chunks of A's rows by strips of B's columns,
/// or each with the rows of B that it meets (mxm_met_rows.hpp), counted and then filled by the kernel of the whole, or one with its bits,
/// into one result on the host. masked_dot adds in an order that depends on which columns stand together, so that B is not cut for it:
/// masked_row serves where it does not fit. Throws out_of_memory, with the bytes needed and free, where the smallest parts do not fit
/// either.
std::optional<device_product> mxm_within_device(const product& p, const context& own);

/// Whether the GPU is known to have no room for both factors of a product without a mask that the plan takes there.
bool goes_in_parts(const product& p);
/// A product without a mask counted there, whole or in parts; nothing where the plan does not take it there, or takes two_level_sort.
/// Throws out_of_memory as mxm_within_device.
std::unique_ptr<counted_rows> count_within_device(const product& p);

/// Under a mask that lists what may be written, what the plan weighs kernels on a GPU by, counted on the host as surveys do there.
void count_masked_facts(const product& p, plan::mxm_facts& f);

}  // namespace nz::ops
