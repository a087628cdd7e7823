// The components operation: the labels of weakly connected components.
#pragma once

#include "nonzero/components.hpp"
#include "plan/components.hpp"

namespace nz::ops {

components_result components(const context& ctx, const matrix& a, const components_options& options);
plan::components_plan plan_components(const matrix& a, const components_options& options);

}  // namespace nz::ops
