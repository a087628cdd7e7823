// Operators, monoids and semirings as values. Each is a name plus traits; its type is settled when an
// operation sees its operands, unless the caller pins it. One table (src/algebra/table.cpp) holds every name.
#pragma once

#include "nonzero/types.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nz {

/// Multiply operators z = f(x, y). Positional ones see indices only: for the product of A(i,k) and B(k,j),
/// firsti = i, firstj = secondi = k, secondj = j.
enum class binary_id : std::uint8_t {
    first,
    second,
    pair,
    any,
    plus,
    minus,
    rminus,
    times,
    div,
    rdiv,
    min,
    max,
    eq,
    ne,
    gt,
    lt,
    ge,
    le,
    lor,
    land,
    lxor,
    lxnor,
    bor,
    band,
    bxor,
    bxnor,
    firsti,
    firstj,
    secondi,
    secondj,
    user
};
enum class unary_id : std::uint8_t {
    identity,
    ainv,
    minv,
    abs,
    lnot,
    bnot,
    one,
    signum,
    floor,
    ceil,
    round,
    trunc,
    sqrt,
    exp,
    expm1,
    log,
    log1p,
    user
};
/// z = f(a_ij, i, j, thunk). The first group selects by place, the second by value, the third computes an
/// index.
enum class index_unary_id : std::uint8_t {
    tril,
    triu,
    diag,
    offdiag,
    rowle,
    rowgt,
    colle,
    colgt,
    valueeq,
    valuene,
    valuelt,
    valuele,
    valuegt,
    valuege,
    rowindex,
    colindex,
    diagindex,
    user
};

/// A binary operator. Division of integers by zero saturates (x/0 is the type's largest or smallest value,
/// 0/0 is 0); on bool plus and max mean lor, times and min mean land, minus means lxor, div means first.
class binary_op {
public:
    /// z = call(context, x, y) on bits of the operator's types.
    using function = element (*)(const void* context, element x, element y);

    binary_op(binary_id id = binary_id::second) : id_(id) {}  // NOLINT: an id is an operator
    /// The operator with this name. Throws domain_error with the known names.
    explicit binary_op(std::string_view name);
    /// A caller's own operator on T: any callable T(T, T). It runs on the generic path of the CPU.
    template <entry_type T, class F>
    static binary_op make(std::string name, F f) {
        struct holder {
            F f;
        };
        binary_op op(binary_id::user);
        op.user_ = std::make_shared<user_function>(
            user_function{std::move(name), dtype_of<T>, std::make_shared<holder>(holder{std::move(f)}),
                          [](const void* h, element x, element y) {
                              return to_element<T>(
                                  static_cast<const holder*>(h)->f(from_element<T>(x), from_element<T>(y)));
                          }});
        return op;
    }

    binary_id id() const { return id_; }
    std::string_view name() const;
    /// firsti, firstj, secondi, secondj: the values do not matter, only where they stand.
    bool positional() const { return id_ >= binary_id::firsti && id_ <= binary_id::secondj; }
    /// The result does not depend on the value of the first (second) operand.
    bool ignores_first() const { return id_ == binary_id::second || id_ == binary_id::pair || positional(); }
    bool ignores_second() const { return id_ == binary_id::first || id_ == binary_id::pair || positional(); }
    bool commutative() const;
    /// g with g(x, y) = f(y, x); positional operators exchange the places they look at.
    binary_op exchanged() const;
    /// The type that operands of type `operands` are converted to; throws domain_error where there is none.
    dtype input_type(dtype operands) const;
    /// The result's type when the inputs have type input_type(operands).
    dtype output_type(dtype operands) const;
    /// The function for inputs of type input_type(operands), with the pointer to pass as its context.
    function resolve(dtype operands) const;
    const void* context() const { return user_ ? user_->holder.get() : nullptr; }

    friend bool operator==(const binary_op& a, const binary_op& b) {
        return a.id_ == b.id_ && a.user_ == b.user_;
    }

private:
    struct user_function {
        std::string name;
        dtype type;
        std::shared_ptr<void> holder;
        function call;
    };
    binary_id id_;
    std::shared_ptr<const user_function> user_;
};

/// An associative, commutative operator with an identity: plus, times, min, max, any, lor, land, lxor, lxnor
/// (eq is lxnor), bor, band, bxor, bxnor. `any` returns the operand that comes first in index order.
class monoid {
public:
    monoid(binary_id id);  // NOLINT: an id is a monoid. Throws domain_error when it has no identity.
    explicit monoid(std::string_view name);
    /// A caller's own monoid; `terminal` ends a reduction early once reached.
    monoid(binary_op op, scalar identity, std::optional<scalar> terminal = {})
        : op_(std::move(op)), identity_(identity), terminal_(terminal) {}

    const binary_op& op() const { return op_; }
    binary_id id() const { return op_.id(); }
    std::string_view name() const { return op_.name(); }
    /// The type in which operands of this type are combined: bool for the logical ones (and eq), else op()'s
    /// own.
    dtype value_type(dtype operand) const;
    element identity(dtype type) const;
    /// The value that no further operand can change, where there is one. `any` is terminal at every value:
    /// ask always_terminal() first.
    std::optional<element> terminal(dtype type) const;
    bool always_terminal() const { return op_.id() == binary_id::any; }
    /// Not a caller's own, so that a compiled kernel may stand for it.
    bool is_built_in() const { return !identity_; }
    bool idempotent() const;
    /// The result does not depend on the order of operands in this type (all but floating plus and times).
    bool exact(dtype type) const;

private:
    binary_op op_;
    std::optional<scalar> identity_, terminal_;
};

/// An additive monoid and a multiply operator, over the type that both operands promote to unless pinned.
class semiring {
public:
    /// `pinned` fixes the type of operands and result; without it they follow the operands.
    semiring(monoid add, binary_op multiply, std::optional<dtype> pinned = {})
        : add_(std::move(add)), multiply_(std::move(multiply)), pinned_(pinned) {}
    /// By name: "plus_times", "min_plus", "any_secondi", "lor_land"..., or GraphBLAS's own words, typed or
    /// not
    /// ("GrB_PLUS_TIMES_SEMIRING_FP64", "GxB_MIN_PLUS_INT32"). Throws domain_error for other words.
    explicit semiring(std::string_view name);

    const monoid& add() const { return add_; }
    const binary_op& multiply() const { return multiply_; }
    std::optional<dtype> pinned_type() const { return pinned_; }
    std::string name() const;
    bool ignores_a() const { return multiply_.ignores_first(); }
    bool ignores_b() const { return multiply_.ignores_second(); }
    /// The type the operands are computed in: pinned, or promote(a, b) as the multiply operator sees it.
    dtype operand_type(dtype a, dtype b) const;
    /// Whether operands of these types take the pinned type before they are the truth values that are computed with, and some that are
    /// not 0 become 0 by it: 0.5 under lor_land_int32.
    bool converts_twice(dtype a, dtype b) const;
    /// The type of the products and of their sum: for positional operators int64 unless pinned to int32.
    dtype value_type(dtype a, dtype b) const;

private:
    monoid add_;
    binary_op multiply_;
    std::optional<dtype> pinned_;
};

/// The short names of all semirings that the table forms, sorted ("any_div" ... "times_times").
std::vector<std::string> semiring_names();

/// z = f(x). minv is 1/x (integers: truncated; 1/0 saturates), lnot and bnot complement, abs of the smallest
/// signed integer wraps, as C's two's complement does. signum is -1, 0 or 1 (NaN stays NaN); round takes halves
/// away from zero; sqrt, exp, expm1 (e^x - 1), log and log1p (log(1 + x)) are defined on float32 and float64.
class unary_op {
public:
    using function = element (*)(const void* context, element x);

    unary_op(unary_id id = unary_id::identity) : id_(id) {}  // NOLINT: an id is an operator
    explicit unary_op(std::string_view name);
    template <entry_type T, class F>
    static unary_op make(std::string name, F f) {
        struct holder {
            F f;
        };
        unary_op op(unary_id::user);
        op.user_ = std::make_shared<user_function>(
            user_function{std::move(name), dtype_of<T>, std::make_shared<holder>(holder{std::move(f)}),
                          [](const void* h, element x) {
                              return to_element<T>(static_cast<const holder*>(h)->f(from_element<T>(x)));
                          }});
        return op;
    }

    unary_id id() const { return id_; }
    std::string_view name() const;
    dtype input_type(dtype operand) const;
    dtype output_type(dtype operand) const { return input_type(operand); }
    function resolve(dtype operand) const;
    const void* context() const { return user_ ? user_->holder.get() : nullptr; }

private:
    struct user_function {
        std::string name;
        dtype type;
        std::shared_ptr<void> holder;
        function call;
    };
    unary_id id_;
    std::shared_ptr<const user_function> user_;
};

/// z = f(a_ij, i, j, thunk); vectors use i with j = 0. tril keeps j <= i + thunk, triu j >= i + thunk, diag
/// j == i + thunk, offdiag j != i + thunk, rowle i <= thunk, rowgt i > thunk, colle and colgt likewise with
/// j; rowindex is i + thunk, colindex j + thunk, diagindex j - i + thunk.
class index_unary_op {
public:
    /// x and thunk have type input_type(operand); the result has output_type(operand).
    using function = element (*)(const void* context, element x, offset_t i, offset_t j, element thunk);

    index_unary_op(index_unary_id id) : id_(id) {}  // NOLINT: an id is an operator
    explicit index_unary_op(std::string_view name);
    /// A caller's own: any callable Z(T x, offset_t i, offset_t j, T thunk).
    template <entry_type Z, entry_type T, class F>
    static index_unary_op make(std::string name, F f) {
        struct holder {
            F f;
        };
        index_unary_op op(index_unary_id::user);
        op.user_ = std::make_shared<user_function>(user_function{
            std::move(name), dtype_of<T>, dtype_of<Z>, std::make_shared<holder>(holder{std::move(f)}),
            [](const void* h, element x, offset_t i, offset_t j, element thunk) {
                return to_element<Z>(
                    static_cast<const holder*>(h)->f(from_element<T>(x), i, j, from_element<T>(thunk)));
            }});
        return op;
    }

    index_unary_id id() const { return id_; }
    std::string_view name() const;
    bool by_value() const { return id_ >= index_unary_id::valueeq && id_ <= index_unary_id::valuege; }
    /// For places and indices int64 (the thunk is an offset), for values the operand's own type.
    dtype input_type(dtype operand) const;
    dtype output_type(dtype operand) const;
    function resolve(dtype operand) const;
    const void* context() const { return user_ ? user_->holder.get() : nullptr; }

private:
    struct user_function {
        std::string name;
        dtype input, output;
        std::shared_ptr<void> holder;
        function call;
    };
    index_unary_id id_;
    std::shared_ptr<const user_function> user_;
};

}  // namespace nz
