// What becomes of one place of an output: for who merges entry by entry.
#pragma once

#include "algebra/bound.hpp"
#include "nonzero/algebra.hpp"

#include <optional>

namespace nz::ops {

/// accum(w, t) on the output's own bits.
class accumulate {
public:
    accumulate(const binary_op& op, dtype w, dtype t)
        : op_(algebra::bound_binary(op, w, t).valued()), type_(w) {}
    element operator()(element w, element t) const { return cast(op_(w, t), op_.type(), type_); }

private:
    algebra::bound_binary op_;
    dtype type_;
};

inline std::optional<accumulate> accumulator(const std::optional<binary_op>& op, dtype w, dtype t) {
    if (!op) return {};
    return accumulate(*op, w, t);
}

/// The entries that the old output and t have there, told which of them survive.
struct outcome {
    bool old_value, new_value;  // both: the accumulator joins them; none: no entry
};
inline outcome decide(bool in_old, bool in_new, bool allowed, bool accumulates, bool replace) {
    if (!allowed) return {in_old && !replace, false};
    return {in_old && accumulates, in_new};
}

}  // namespace nz::ops
