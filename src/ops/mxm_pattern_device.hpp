// Products whose places are known, on a GPU: the places and the products of each are kept there.
#pragma once

#include "ops/mxm_product.hpp"
#include "storage/device_convert.hpp"

#include <memory>
#include <optional>

namespace nz::ops {

/// A factor's places as kernels on the context's GPU see them; brought there.
storage::device_rows rows_on_device(const context& ctx, const operand& x);

struct device_symbolic;

/// Multiplies once and lists the products of each place. Null where that does not run on the context's GPU, or takes more memory
/// than there is: then the CPU finds the pattern.
std::shared_ptr<const device_symbolic> find_on_device(const product& p);
offset_t entries_of(const device_symbolic& known);
const mxm_plan& plan_of(const device_symbolic& known);
/// Whether a kernel fills places that are known over this ring; none does where no values are multiplied.
bool fills_on_device(const product& p);
/// Throws domain_error where A or B has other places than `known`, not_supported where it lies on another GPU.
void check_places(const product& p, const device_symbolic& known);
/// A B with the places of `known`, of context `own`; its places are the pattern's own memory. Throws as check_places does.
matrix fill_on_device(const product& p, const context& own, const device_symbolic& known);
/// Milliseconds between two events around each of `repeats` runs of the kernel.
std::vector<double> numeric_kernel_ms(const product& p, const device_symbolic& known, int repeats);
/// The same for a pattern. Throws not_supported for one that the CPU found.
std::vector<double> numeric_kernel_ms(const context& ctx, const semiring& s, const matrix& a, const matrix& b,
                                      const mxm_pattern& pattern, const matrix_options& options, int repeats);

}  // namespace nz::ops
