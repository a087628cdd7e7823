// Names and function pointers: the generic path that covers every operator on every type.
#include "nonzero/algebra.hpp"

#include "algebra/functors.hpp"
#include "algebra/table.hpp"
#include "core/checks.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace nz {
namespace {

using algebra::domain;

template <class Row, class Kept>
std::string joined_names(std::span<const Row> rows, Kept&& kept) {
    std::string all;
    for (const Row& row : rows)
        if (kept(row)) all += (all.empty() ? "" : ", ") + std::string(row.name);
    return all;
}
template <class Row>
std::string joined_names(std::span<const Row> rows) {
    return joined_names(rows, [](const Row&) { return true; });
}
template <class Row>
bool has_name(std::span<const Row> rows, std::string_view name) {
    return std::ranges::any_of(rows, [&](const Row& row) { return row.name == name; });
}
template <class Row>
auto find_by_name(std::span<const Row> rows, std::string_view name, const char* what) {
    for (const Row& row : rows)
        if (row.name == name) return row.id;
    fail<domain_error>("'{}' is not {}; there are {}", name, what, joined_names(rows));
}
// An id of the caller's alone is no operator.
template <class Id>
void require_operator(Id id) {
    require<domain_error>(
        id < Id::user,
        "operator id {}: 'user' stands for operators that make() makes, and greater ids for none",
        static_cast<int>(id));
}

const algebra::binary_row& row_of(binary_id id) {
    require_operator(id);
    return algebra::binary_rows()[static_cast<std::size_t>(id)];
}

template <binary_id Op, class T>
element call_binary(const void*, element x, element y) {
    return to_element(algebra::binary<Op>(from_element<T>(x), from_element<T>(y)));
}
template <unary_id Op, class T>
element call_unary(const void*, element x) {
    return to_element(algebra::unary<Op>(from_element<T>(x)));
}

template <binary_id Op>
binary_op::function binary_function(dtype type) {
    return dispatch(type, []<class T>(std::type_identity<T>) -> binary_op::function {
        using enum binary_id;
        constexpr bool bitwise = Op >= bor && Op <= bxnor, logical = Op >= lor && Op <= lxnor;
        if constexpr (bitwise && (std::is_floating_point_v<T> || std::is_same_v<T, bool>))
            return nullptr;
        else if constexpr (logical && !std::is_same_v<T, bool>)
            return nullptr;
        else
            return &call_binary<Op, T>;
    });
}
template <std::size_t... Op>
binary_op::function find_binary(binary_id id, dtype type, std::index_sequence<Op...>) {
    constexpr binary_op::function (*makers[])(dtype) = {&binary_function<static_cast<binary_id>(Op)>...};
    return makers[static_cast<std::size_t>(id)](type);
}

template <unary_id Op>
unary_op::function unary_function(dtype type) {
    return dispatch(type, []<class T>(std::type_identity<T>) -> unary_op::function {
        if constexpr (Op == unary_id::bnot && (std::is_floating_point_v<T> || std::is_same_v<T, bool>))
            return nullptr;
        else if constexpr (algebra::is_floating_only(Op) && !std::is_floating_point_v<T>)
            return nullptr;
        else
            return &call_unary<Op, T>;
    });
}
template <std::size_t... Op>
unary_op::function find_unary(unary_id id, dtype type, std::index_sequence<Op...>) {
    constexpr unary_op::function (*makers[])(dtype) = {&unary_function<static_cast<unary_id>(Op)>...};
    return makers[static_cast<std::size_t>(id)](type);
}

template <index_unary_id Op>
element call_place(const void*, element, offset_t i, offset_t j, element thunk) {
    using enum index_unary_id;
    const auto t = from_element<std::int64_t>(thunk);
    if constexpr (Op == tril)
        return to_element(j - i <= t);
    else if constexpr (Op == triu)
        return to_element(j - i >= t);
    else if constexpr (Op == diag)
        return to_element(j - i == t);
    else if constexpr (Op == offdiag)
        return to_element(j - i != t);
    else if constexpr (Op == rowle)
        return to_element(i <= t);
    else if constexpr (Op == rowgt)
        return to_element(i > t);
    else if constexpr (Op == colle)
        return to_element(j <= t);
    else if constexpr (Op == colgt)
        return to_element(j > t);
    else if constexpr (Op == rowindex)
        return to_element(algebra::binary<binary_id::plus, std::int64_t>(i, t));
    else if constexpr (Op == colindex)
        return to_element(algebra::binary<binary_id::plus, std::int64_t>(j, t));
    else
        return to_element(algebra::binary<binary_id::plus, std::int64_t>(j - i, t));
}
template <binary_id Op, class T>
element call_value(const void*, element x, offset_t, offset_t, element thunk) {
    return to_element(algebra::binary<Op>(from_element<T>(x), from_element<T>(thunk)));
}
template <binary_id Op>
index_unary_op::function value_function(dtype type) {
    return dispatch(
        type, []<class T>(std::type_identity<T>) -> index_unary_op::function { return &call_value<Op, T>; });
}

constexpr binary_id last_computing = binary_id::bxnor;  // ids beyond it are positional or the caller's

}  // namespace

binary_op::binary_op(std::string_view name)
    : binary_op(find_by_name(algebra::binary_rows(), name, "a binary operator")) {}

std::string_view binary_op::name() const {
    if (user_) return user_->name;
    return row_of(id_).name;
}
binary_op binary_op::exchanged() const {
    using enum binary_id;
    switch (id_) {
        case first:
        case any:  // which takes the operand that comes first
            return second;
        case second:
            return first;
        case minus:
            return rminus;
        case rminus:
            return minus;
        case div:
            return rdiv;
        case rdiv:
            return div;
        case gt:
            return lt;
        case lt:
            return gt;
        case ge:
            return le;
        case le:
            return ge;
        case firsti:
            return secondj;
        case secondj:
            return firsti;
        case firstj:
            return secondi;
        case secondi:
            return firstj;
        default:
            break;
    }
    if (!user_) return *this;
    binary_op op(user);
    op.user_ = std::make_shared<user_function>(
        user_function{user_->name, user_->type, std::make_shared<std::shared_ptr<const user_function>>(user_),
                      [](const void* h, element x, element y) {
                          const auto& original = *static_cast<const std::shared_ptr<const user_function>*>(h);
                          return original->call(original->holder.get(), y, x);
                      }});
    return op;
}

bool binary_op::commutative() const { return !user_ && id_ < binary_id::user && row_of(id_).commutative; }

dtype binary_op::input_type(dtype operands) const {
    if (user_) return user_->type;
    switch (row_of(id_).inputs) {
        case domain::logical:
            return dtype::boolean;
        case domain::integers:
            require<domain_error>(
                !is_floating(operands) && operands != dtype::boolean,
                "operator {} is bitwise and not defined on {}: convert to an integer type first", name(),
                name_of(operands));
            return operands;
        default:
            return operands;
    }
}
dtype binary_op::output_type(dtype operands) const {
    if (positional()) return operands == dtype::int32 ? dtype::int32 : dtype::int64;
    if (user_) return user_->type;
    return row_of(id_).output == algebra::result::truth ? dtype::boolean : input_type(operands);
}
binary_op::function binary_op::resolve(dtype operands) const {
    if (user_) return user_->call;
    require<domain_error>(!positional(), "operator {} works on positions and is a multiply operator only",
                          name());
    return find_binary(id_, input_type(operands),
                       std::make_index_sequence<static_cast<std::size_t>(last_computing) + 1>{});
}

monoid::monoid(binary_id id) : op_(id) {
    require<domain_error>(id != binary_id::user && row_of(id).is_monoid,
                          "operator {} has no identity: it is not a monoid",
                          id == binary_id::user ? "user" : row_of(id).name);
}
monoid::monoid(std::string_view name)
    : monoid([&] {
          require<domain_error>(
              has_name(algebra::binary_rows(), name), "'{}' is not a monoid; there are {}", name,
              joined_names(algebra::binary_rows(), [](const auto& row) { return row.is_monoid; }));
          return binary_op(name).id();
      }()) {}

namespace {
template <class F>
auto with_monoid(binary_id id, F&& f) {
    using enum binary_id;
    switch (id) {
        case plus:
            return f(std::integral_constant<binary_id, plus>{});
        case times:
            return f(std::integral_constant<binary_id, times>{});
        case min:
            return f(std::integral_constant<binary_id, min>{});
        case max:
            return f(std::integral_constant<binary_id, max>{});
        case lor:
            return f(std::integral_constant<binary_id, lor>{});
        case land:
            return f(std::integral_constant<binary_id, land>{});
        case lxor:
            return f(std::integral_constant<binary_id, lxor>{});
        case lxnor:
            return f(std::integral_constant<binary_id, lxnor>{});
        case eq:
            return f(std::integral_constant<binary_id, eq>{});
        case bor:
            return f(std::integral_constant<binary_id, bor>{});
        case band:
            return f(std::integral_constant<binary_id, band>{});
        case bxor:
            return f(std::integral_constant<binary_id, bxor>{});
        case bxnor:
            return f(std::integral_constant<binary_id, bxnor>{});
        default:
            return f(std::integral_constant<binary_id, any>{});
    }
}
}  // namespace

dtype monoid::value_type(dtype operand) const {
    // A monoid's result is its next operand: where the result is a truth value, so are the operands.
    return op_.output_type(operand);
}
element monoid::identity(dtype type) const {
    if (identity_) return identity_->as(type);
    return with_monoid(op_.id(), [&]<binary_id Op>(std::integral_constant<binary_id, Op>) {
        return dispatch(
            type, []<class T>(std::type_identity<T>) { return to_element(algebra::identity_of<Op, T>()); });
    });
}
std::optional<element> monoid::terminal(dtype type) const {
    if (terminal_) return terminal_->as(type);
    if (identity_ || always_terminal()) return {};
    return with_monoid(op_.id(), [&]<binary_id Op>(std::integral_constant<binary_id, Op>) {
        return dispatch(type, []<class T>(std::type_identity<T>) -> std::optional<element> {
            // The candidates for a terminal value are the extremes, 0 and all ones.
            using limits = std::numeric_limits<T>;
            constexpr T infinite = limits::has_infinity ? limits::infinity() : limits::max();
            constexpr T lowest =
                limits::has_infinity ? static_cast<T>(-limits::infinity()) : limits::lowest();
            for (const T candidate : {T(0), T(1), static_cast<T>(~std::uint64_t{0}), lowest, infinite})
                if (algebra::is_terminal<Op>(candidate)) return to_element(candidate);
            return {};
        });
    });
}
bool monoid::idempotent() const { return !identity_ && row_of(op_.id()).idempotent; }
bool monoid::exact(dtype type) const {
    return !is_floating(type) || (!identity_ && op_.id() != binary_id::plus && op_.id() != binary_id::times);
}

unary_op::unary_op(std::string_view name)
    : unary_op([&] {
          const auto rows = algebra::unary_rows();
          require<domain_error>(
              has_name(rows, name) || !has_name(algebra::binary_rows(), name),
              "'{}' is a binary operator: apply takes it with a fixed left or right operand", name);
          require<domain_error>(has_name(rows, name) || !has_name(algebra::index_unary_rows(), name),
                                "'{}' is an index-unary operator: apply takes it with a thunk", name);
          return find_by_name(rows, name, "a unary operator");
      }()) {}
std::string_view unary_op::name() const {
    if (user_) return user_->name;
    require_operator(id_);
    return algebra::unary_rows()[static_cast<std::size_t>(id_)].name;
}
dtype unary_op::input_type(dtype operand) const {
    if (user_) return user_->type;
    require_operator(id_);
    const algebra::domain inputs = algebra::unary_rows()[static_cast<std::size_t>(id_)].inputs;
    require<domain_error>(
        inputs != algebra::domain::integers || (!is_floating(operand) && operand != dtype::boolean),
        "operator {} is bitwise and not defined on {}: convert to an integer type first", name(),
        name_of(operand));
    require<domain_error>(inputs != algebra::domain::floating || is_floating(operand),
                          "operator {} is not defined on {}: convert to float32 or float64 first", name(),
                          name_of(operand));
    return operand;
}
unary_op::function unary_op::resolve(dtype operand) const {
    if (user_) return user_->call;
    return find_unary(id_, input_type(operand),
                      std::make_index_sequence<static_cast<std::size_t>(unary_id::user)>{});
}

index_unary_op::index_unary_op(std::string_view name)
    : index_unary_op(find_by_name(algebra::index_unary_rows(), name, "an index-unary operator")) {}
std::string_view index_unary_op::name() const {
    if (user_) return user_->name;
    require_operator(id_);
    return algebra::index_unary_rows()[static_cast<std::size_t>(id_)].name;
}
dtype index_unary_op::input_type(dtype operand) const {
    if (user_) return user_->input;
    require_operator(id_);
    return by_value() ? operand : dtype::int64;
}
dtype index_unary_op::output_type(dtype) const {
    if (user_) return user_->output;
    return id_ >= index_unary_id::rowindex ? dtype::int64 : dtype::boolean;
}
index_unary_op::function index_unary_op::resolve(dtype operand) const {
    using enum index_unary_id;
    if (user_) return user_->call;
    switch (id_) {
        case tril:
            return &call_place<tril>;
        case triu:
            return &call_place<triu>;
        case diag:
            return &call_place<diag>;
        case offdiag:
            return &call_place<offdiag>;
        case rowle:
            return &call_place<rowle>;
        case rowgt:
            return &call_place<rowgt>;
        case colle:
            return &call_place<colle>;
        case colgt:
            return &call_place<colgt>;
        case rowindex:
            return &call_place<rowindex>;
        case colindex:
            return &call_place<colindex>;
        case diagindex:
            return &call_place<diagindex>;
        case valueeq:
            return value_function<binary_id::eq>(operand);
        case valuene:
            return value_function<binary_id::ne>(operand);
        case valuelt:
            return value_function<binary_id::lt>(operand);
        case valuele:
            return value_function<binary_id::le>(operand);
        case valuegt:
            return value_function<binary_id::gt>(operand);
        default:
            return value_function<binary_id::ge>(operand);
    }
}

}  // namespace nz
