// Operators settled on the types of their operands: what every generic loop calls. They cast, compute and say
// which type the result has.
#pragma once

#include "nonzero/algebra.hpp"

#include <optional>

namespace nz::algebra {

/// Where the two operands of a product stand; positional operators return one of these.
struct places {
    index_t first_row = 0, first_column = 0, second_row = 0, second_column = 0;
};

constexpr std::int64_t place_of(binary_id id, const places& p) {
    return id == binary_id::firsti    ? p.first_row
           : id == binary_id::firstj  ? p.first_column
           : id == binary_id::secondi ? p.second_row
                                      : p.second_column;
}

/// The type that operands of two types are taken in: an ignored one has no say in it.
inline dtype common_type(const binary_op& op, dtype x, dtype y) {
    if (op.ignores_first() == op.ignores_second()) return promote(x, y);
    return op.ignores_first() ? y : x;
}

/// z = op(x, y) for x and y of two types: both are converted to the type that the operator computes in.
class bound_binary {
public:
    /// Throws domain_error where the operator is not defined on the operands' common type.
    bound_binary(const binary_op& op, dtype x, dtype y) : bound_binary(op, x, y, common_type(op, x, y)) {}
    /// `before`: a type that both take first, where there is one.
    bound_binary(const binary_op& op, dtype x, dtype y, dtype operands, std::optional<dtype> before = {})
        : op_(op),
          x_(x),
          y_(y),
          twice_(before.has_value()),
          before_(before.value_or(x)),
          type_(op.output_type(operands)) {
        if (op.positional()) return;
        in_ = op.input_type(operands);
        call_ = op.resolve(operands);
    }

    /// This operator where operands have no place: throws domain_error for positional ones.
    const bound_binary& valued() const {
        if (op_.positional()) op_.resolve(dtype::int64);
        return *this;
    }
    /// The type of the result.
    dtype type() const { return type_; }
    element operator()(element x, element y) const {
        return twice_ ? call_(op_.context(), cast(cast(x, x_, before_), before_, in_),
                              cast(cast(y, y_, before_), before_, in_))
                      : call_(op_.context(), cast(x, x_, in_), cast(y, y_, in_));
    }
    element operator()(element x, element y, const places& at) const {
        if (!op_.positional()) return (*this)(x, y);
        return cast(to_element(place_of(op_.id(), at)), dtype::int64, type_);
    }

private:
    binary_op op_;
    dtype x_, y_;
    bool twice_;
    dtype before_, type_, in_ = dtype::float64;
    binary_op::function call_ = nullptr;
};

/// A monoid on values of one type.
class bound_monoid {
public:
    bound_monoid(const monoid& add, dtype operand)
        : type_(add.value_type(operand)), add_(bound_binary(add.op(), type_, type_).valued()) {}

    dtype type() const { return type_; }
    element operator()(element x, element y) const { return add_(x, y); }

private:
    dtype type_;
    bound_binary add_;
};

/// The products and sums of a semiring for operands of two types; both have the type that type() says.
class bound_semiring {
public:
    bound_semiring(const semiring& s, dtype a, dtype b)
        : type_(s.value_type(a, b)),
          multiply_(s.multiply(), a, b, s.operand_type(a, b),
                    s.converts_twice(a, b) ? s.pinned_type() : std::nullopt),
          add_(s.add().op(), type_, type_) {}

    dtype type() const { return type_; }
    element product(element a, element b, const places& at) const {
        return cast(multiply_(a, b, at), multiply_.type(), type_);
    }
    element sum(element x, element y) const { return add_(x, y); }

private:
    dtype type_;
    bound_binary multiply_, add_;
};

}  // namespace nz::algebra
