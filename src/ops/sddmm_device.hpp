// Sampled products of dense matrices on a GPU.
#pragma once

#include "nonzero/matrix.hpp"
#include "nonzero/plan.hpp"
#include "ops/checks.hpp"
#include "storage/dense.hpp"

#include <optional>
#include <vector>

namespace nz::ops {

struct device_sample {
    const semiring& ring;
    storage::dense x, y;
    dtype operand_type, value_type;
    const matrix& mask;
    bool structure;
};

/// Whether the GPU has the semiring and type.
bool sddmm_compiled_on_device(const context& ctx, const semiring& s, dtype operand);
/// X Y at the mask's places by sddmm/row_dot, as planned, on the context's GPU, where the result of context `own` stays.
matrix sddmm_on_device(const context& ctx, const context& own, const device_sample& p,
                       const dense_plan& plan);
/// Milliseconds between two events around each of `repeats` runs of the kernel, operands resident.
std::vector<double> sddmm_kernel_ms(const context& ctx, const device_sample& p, const dense_plan& plan,
                                    int repeats);

}  // namespace nz::ops
