#pragma once

#include "kernels/components_arguments.hpp"

namespace nz::kernels::reference {

/// Joins the ends of every edge one after another.
void components(const components_arguments& arguments);

}  // namespace nz::kernels::reference
