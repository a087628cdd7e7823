// The kernels that tests go through.
#pragma once

#include "kernels/kernel_ids.hpp"

#include <string_view>
#include <vector>

namespace nz::test {

/// Every id of an operation that the CPU has.
inline std::vector<std::string_view> kernels_on_cpu(std::string_view operation) {
    std::vector<std::string_view> ids;
    for (const auto& k : kernels::kernel_ids)
        if (k.operation == operation && k.cpu == kernels::presence::here) ids.push_back(k.id);
    return ids;
}

}  // namespace nz::test
