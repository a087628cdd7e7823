// What facts() says of a matrix that a GPU alone has.
#pragma once

#include "storage/device_convert.hpp"
#include "storage/matrix_body.hpp"

#include <optional>

namespace nz::storage {

/// The facts of a CSR in the GPU's memory whose columns ascend in each row; `transposed` are its columns: null where it is not square,
/// `a`'s own arrays where it is symmetric. Waits.
matrix_facts facts_on_device(const context& gpu, const device_rows& a, const device_rows* transposed);

/// The same of a matrix that this context's GPU alone has, where its transpose stays too; nothing where it had to go home for that.
std::optional<matrix_facts> facts_where_it_lies(const context& gpu, const matrix_body& a);

}  // namespace nz::storage
