// The manifest of kernels over whole vectors: the operators and types that are compiled. What is not here runs on the
// reference.
#pragma once

#include "kernels/reduce_rows_arguments.hpp"
#include "kernels/vector_arguments.hpp"
#include "nonzero/algebra.hpp"

namespace nz::instantiate {

/// u op v for operands of one type; null where it is not compiled.
kernels::words_kernel find_words(binary_id op, dtype operands);
/// f(u) for a result of u's type.
kernels::apply_kernel find_apply(unary_id op, dtype type);
/// The sum over a monoid of values of its own type.
kernels::reduce_kernel find_reduce(binary_id add, dtype type);

/// The same on a GPU; null in a build without CUDA.
kernels::device_words_kernel find_words_on_device(binary_id op, dtype operands);
kernels::device_apply_kernel find_apply_on_device(unary_id op, dtype type);
kernels::device_reduce_kernel find_reduce_on_device(binary_id add, dtype type);
kernels::device_reduce_rows_kernel find_reduce_rows_on_device(binary_id add, dtype type);

}  // namespace nz::instantiate
