// What apply and select do to one entry, whichever kind of operator the caller gave.
#pragma once

#include "algebra/bound.hpp"

#include <functional>

namespace nz::algebra {

/// z = call(x, i, j) for an entry x at (i, j); vectors have j = 0. z has type `type`.
struct entry_function {
    dtype type;
    std::function<element(element x, index_t i, index_t j)> call;
};

inline entry_function entry_function_of(const unary_op& op, dtype operand) {
    const dtype in = op.input_type(operand);
    return {op.output_type(operand),
            [op, operand, in, call = op.resolve(operand)](element x, index_t, index_t) {
                return call(op.context(), cast(x, operand, in));
            }};
}
inline entry_function entry_function_of(const index_unary_op& op, dtype operand, scalar thunk) {
    const dtype in = op.input_type(operand);
    return {op.output_type(operand),
            [op, operand, in, call = op.resolve(operand), t = thunk.as(in)](element x, index_t i, index_t j) {
                return call(op.context(), cast(x, operand, in), i, j, t);
            }};
}
/// op(first, x) for a fixed first operand.
inline entry_function entry_function_of(const binary_op& op, scalar first, dtype operand) {
    const bound_binary f = bound_binary(op, first.type(), operand).valued();
    return {f.type(), [f, first](element x, index_t, index_t) { return f(first.bits(), x); }};
}
/// op(x, second) for a fixed second operand.
inline entry_function entry_function_of(const binary_op& op, dtype operand, scalar second) {
    const bound_binary f = bound_binary(op, operand, second.type()).valued();
    return {f.type(), [f, second](element x, index_t, index_t) { return f(x, second.bits()); }};
}

}  // namespace nz::algebra
