// Every operator on hand-made values: wrapping, division by zero, NaN, saturation, truth values.
#include "algebra/bound.hpp"
#include "nonzero/operations.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace nz::test {
namespace {

template <class T>
T call(binary_id id, T x, T y) {
    const binary_op op(id);
    const dtype in = op.input_type(dtype_of<T>), out = op.output_type(dtype_of<T>);
    const element z = op.resolve(dtype_of<T>)(op.context(), cast(to_element(x), dtype_of<T>, in),
                                              cast(to_element(y), dtype_of<T>, in));
    return from_element<T>(cast(z, out, dtype_of<T>));
}
template <class T>
T call(unary_id id, T x) {
    const unary_op op(id);
    return from_element<T>(op.resolve(dtype_of<T>)(op.context(), to_element(x)));
}
template <class T>
bool keep(index_unary_id id, T x, offset_t i, offset_t j, T thunk) {
    const index_unary_op op(id);
    const dtype in = op.input_type(dtype_of<T>);
    return from_element<bool>(op.resolve(dtype_of<T>)(op.context(), cast(to_element(x), dtype_of<T>, in), i,
                                                      j, cast(to_element(thunk), dtype_of<T>, in)));
}

template <class T>
class OnEveryType : public ::testing::Test {};
using entry_types =
    ::testing::Types<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                     std::uint32_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(OnEveryType, entry_types);

TEST(Operators, OfTheUsersIdAloneAreNone) {
    const context ctx;
    vector v = vector::full(ctx, 3, scalar(1.0));
    EXPECT_THROW((void)binary_op(binary_id::user).name(), domain_error);
    EXPECT_THROW(apply(ctx, v, binary_op(binary_id::user), v, scalar(1.0)), domain_error);
    EXPECT_THROW(apply(ctx, v, binary_op(static_cast<binary_id>(200)), v, scalar(1.0)), domain_error);
    EXPECT_THROW(apply(ctx, v, unary_op(unary_id::user), v), domain_error);
    EXPECT_THROW(select(ctx, v, index_unary_op(index_unary_id::user), v, scalar(1.0)), domain_error);
    EXPECT_THROW(ewise_add(ctx, v, binary_op(binary_id::user), v, v), domain_error);
    EXPECT_THROW((void)monoid(binary_id::user), domain_error);
}

TYPED_TEST(OnEveryType, BinaryOperatorsComputeWhatTheirNamesSay) {
    using T = TypeParam;
    using enum binary_id;
    constexpr bool boolean = std::is_same_v<T, bool>;
    const T two = T(2), three = T(3), one = T(1), zero = T(0);
    EXPECT_EQ(call(first, two, three), two);
    EXPECT_EQ(call(second, zero, three), three);
    EXPECT_EQ(call(pair, zero, zero), one);
    EXPECT_EQ(call(any, zero, one), zero);
    EXPECT_EQ(call(plus, two, three), boolean ? T(true) : T(5));
    EXPECT_EQ(call(minus, three, two), boolean ? T(false) : T(1));
    EXPECT_EQ(call(rminus, two, three), boolean ? T(false) : T(1));
    EXPECT_EQ(call(times, two, three), boolean ? T(true) : T(6));
    EXPECT_EQ(call(div, T(6), three), boolean ? T(true) : T(2));
    EXPECT_EQ(call(rdiv, three, T(6)), boolean ? T(true) : T(2));
    EXPECT_EQ(call(min, two, three), two);
    EXPECT_EQ(call(max, zero, three), three);
    EXPECT_EQ(call(eq, three, three), one);
    EXPECT_EQ(call(ne, three, three), zero);
    EXPECT_EQ(call(gt, three, zero), one);
    EXPECT_EQ(call(lt, three, zero), zero);
    EXPECT_EQ(call(ge, three, three), one);
    EXPECT_EQ(call(le, three, zero), zero);
    EXPECT_EQ(call(lor, zero, three), one);
    EXPECT_EQ(call(land, zero, three), zero);
    EXPECT_EQ(call(lxor, two, three), zero);
    EXPECT_EQ(call(lxnor, two, three), one);
}

TYPED_TEST(OnEveryType, BitwiseOperatorsAreForIntegersOnly) {
    using T = TypeParam;
    using enum binary_id;
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
        EXPECT_EQ(call(bor, T(5), T(3)), T(7));
        EXPECT_EQ(call(band, T(5), T(3)), T(1));
        EXPECT_EQ(call(bxor, T(5), T(3)), T(6));
        EXPECT_EQ(call(bxnor, T(5), T(3)), static_cast<T>(~T(6)));
        EXPECT_EQ(call(unary_id::bnot, T(5)), static_cast<T>(~T(5)));
    } else {
        for (const binary_id id : {bor, band, bxor, bxnor})
            EXPECT_THROW(binary_op(id).resolve(dtype_of<T>), domain_error);
        EXPECT_THROW(unary_op(unary_id::bnot).resolve(dtype_of<T>), domain_error);
    }
}

TYPED_TEST(OnEveryType, UnaryOperatorsComputeWhatTheirNamesSay) {
    using T = TypeParam;
    using enum unary_id;
    constexpr bool boolean = std::is_same_v<T, bool>, floating = std::is_floating_point_v<T>;
    EXPECT_EQ(call(identity, T(3)), T(3));
    EXPECT_EQ(call(one, T(0)), T(1));
    EXPECT_EQ(call(ainv, T(3)), boolean ? T(true) : static_cast<T>(-3));
    EXPECT_EQ(call(minv, T(1)), T(1));
    EXPECT_EQ(call(minv, T(4)), boolean ? T(true) : floating ? static_cast<T>(0.25) : T(0));
    EXPECT_EQ(call(lnot, T(3)), T(0));
    EXPECT_EQ(call(lnot, T(0)), T(1));
    EXPECT_EQ(call(abs, T(3)), T(3));
    if constexpr (std::is_signed_v<T>) {
        EXPECT_EQ(call(abs, T(-3)), T(3));
    }
    if constexpr (std::is_integral_v<T> && !boolean) {
        EXPECT_EQ(call(minv, T(0)), std::numeric_limits<T>::max());
    }
    EXPECT_EQ(call(signum, T(3)), T(1));
    EXPECT_EQ(call(signum, T(0)), T(0));
    if constexpr (std::is_signed_v<T>) {
        EXPECT_EQ(call(signum, T(-3)), T(-1));
    }
    if constexpr (!floating) {
        for (const unary_id id : {floor, ceil, round, trunc}) EXPECT_EQ(call(id, T(3)), T(3));
    }
}

TYPED_TEST(OnEveryType, FunctionsOfRealNumbersAreThoseOfTheMathLibrary) {
    using T = TypeParam;
    using enum unary_id;
    if constexpr (!std::is_floating_point_v<T>) {
        for (const unary_id id : {sqrt, exp, expm1, log, log1p})
            EXPECT_THROW(unary_op(id).resolve(dtype_of<T>), domain_error);
    } else {
        for (const T x : {T(-2.5), T(-0.5), T(0.25), T(0.5), T(2.5), T(3)}) {
            EXPECT_EQ(call(floor, x), std::floor(x));
            EXPECT_EQ(call(ceil, x), std::ceil(x));
            EXPECT_EQ(call(round, x), std::round(x));
            EXPECT_EQ(call(trunc, x), std::trunc(x));
            EXPECT_EQ(call(exp, x), std::exp(x));
            EXPECT_EQ(call(expm1, x), std::expm1(x));
            if (x < 0) continue;
            EXPECT_EQ(call(sqrt, x), std::sqrt(x));
            EXPECT_EQ(call(log, x), std::log(x));
            EXPECT_EQ(call(log1p, x), std::log1p(x));
        }
        EXPECT_TRUE(std::isnan(call(sqrt, T(-1))));
        EXPECT_TRUE(std::isnan(call(signum, std::numeric_limits<T>::quiet_NaN())));
    }
}

TYPED_TEST(OnEveryType, IntegersWrapAndDivisionByZeroSaturates) {
    using T = TypeParam;
    using enum binary_id;
    using limits = std::numeric_limits<T>;
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
        EXPECT_EQ(call(plus, limits::max(), T(1)), limits::min());
        EXPECT_EQ(call(minus, limits::min(), T(1)), limits::max());
        EXPECT_EQ(call(times, limits::max(), T(2)), static_cast<T>(-2));
        EXPECT_EQ(call(div, T(7), T(0)), limits::max());
        EXPECT_EQ(call(div, T(0), T(0)), T(0));
        EXPECT_EQ(call(rdiv, T(0), T(7)), limits::max());
        if constexpr (std::is_signed_v<T>) {
            EXPECT_EQ(call(div, T(-7), T(0)), limits::min());
            EXPECT_EQ(call(div, limits::min(), T(-1)), limits::min());
            EXPECT_EQ(call(div, T(-7), T(2)), T(-3));
            EXPECT_EQ(call(unary_id::abs, limits::min()), limits::min());
            EXPECT_EQ(call(unary_id::ainv, limits::min()), limits::min());
        }
    } else if constexpr (std::is_floating_point_v<T>) {
        EXPECT_EQ(call(div, T(7), T(0)), limits::infinity());
        EXPECT_TRUE(std::isnan(call(div, T(0), T(0))));
        EXPECT_EQ(call(plus, limits::max(), limits::max()), limits::infinity());
    }
}

TYPED_TEST(OnEveryType, NanLosesInMinAndMaxAndFailsComparisons) {
    using T = TypeParam;
    if constexpr (std::is_floating_point_v<T>) {
        const T nan = std::numeric_limits<T>::quiet_NaN();
        for (const binary_id id : {binary_id::min, binary_id::max}) {
            EXPECT_EQ(call(id, nan, T(2)), T(2));
            EXPECT_EQ(call(id, T(2), nan), T(2));
            EXPECT_TRUE(std::isnan(call(id, nan, nan)));
        }
        EXPECT_TRUE(std::isnan(call(binary_id::plus, nan, T(1))));
        EXPECT_EQ(call(binary_id::eq, nan, nan), T(0));
        EXPECT_EQ(call(binary_id::ne, nan, nan), T(1));
        EXPECT_EQ(call(binary_id::le, nan, T(1)), T(0));
        EXPECT_EQ(call(binary_id::lor, nan, T(0)), T(1)) << "NaN is not 0";
    }
}

TYPED_TEST(OnEveryType, IndexUnaryOperatorsLookAtPlaceOrValue) {
    using T = TypeParam;
    using enum index_unary_id;
    const T x = T(1), one = T(1), zero = T(0);
    EXPECT_TRUE(keep(tril, x, 3, 3, zero) && keep(tril, x, 3, 4, one) && !keep(tril, x, 3, 4, zero));
    EXPECT_TRUE(keep(triu, x, 3, 3, zero) && !keep(triu, x, 3, 3, one) && keep(triu, x, 3, 4, one));
    EXPECT_TRUE(keep(diag, x, 3, 4, one) && !keep(diag, x, 4, 3, one));
    EXPECT_TRUE(!keep(offdiag, x, 3, 4, one) && keep(offdiag, x, 4, 3, one));
    EXPECT_TRUE(keep(rowle, x, 1, 9, one) && !keep(rowle, x, 2, 0, one));
    EXPECT_TRUE(!keep(rowgt, x, 1, 9, one) && keep(rowgt, x, 2, 0, one));
    EXPECT_TRUE(keep(colle, x, 9, 1, one) && !keep(colle, x, 0, 2, one));
    EXPECT_TRUE(!keep(colgt, x, 9, 1, one) && keep(colgt, x, 0, 2, one));
    EXPECT_TRUE(keep(valueeq, x, 0, 0, one) && !keep(valueeq, x, 0, 0, zero));
    EXPECT_TRUE(!keep(valuene, x, 0, 0, one) && keep(valuene, x, 0, 0, zero));
    EXPECT_TRUE(!keep(valuelt, x, 0, 0, one) && keep(valuelt, zero, 0, 0, one));
    EXPECT_TRUE(keep(valuele, x, 0, 0, one) && !keep(valuele, x, 0, 0, zero));
    EXPECT_TRUE(keep(valuegt, x, 0, 0, zero) && !keep(valuegt, x, 0, 0, one));
    EXPECT_TRUE(keep(valuege, x, 0, 0, one) && !keep(valuege, zero, 0, 0, one));
    for (const auto& [id, expected] :
         {std::pair(rowindex, 12), std::pair(colindex, 15), std::pair(diagindex, 13)}) {
        const index_unary_op op(id);
        const element z = op.resolve(dtype_of<T>)(nullptr, {}, 2, 5, to_element(std::int64_t{10}));
        EXPECT_EQ(from_element<std::int64_t>(z), expected) << op.name();
        EXPECT_EQ(op.output_type(dtype_of<T>), dtype::int64);
    }
}

TYPED_TEST(OnEveryType, EveryMonoidHasItsIdentityAndKeepsItsTerminal) {
    using T = TypeParam;
    using enum binary_id;
    std::mt19937 random(5);
    for (const binary_id id : {plus, times, min, max, lor, land, lxor, lxnor, eq, bor, band, bxor, bxnor}) {
        const monoid add(id);
        if ((std::is_floating_point_v<T> || std::is_same_v<T, bool>) && id >= bor) {
            EXPECT_THROW(add.value_type(dtype_of<T>), domain_error);
            continue;
        }
        const dtype type = add.value_type(dtype_of<T>);
        const algebra::bound_monoid sum(add, dtype_of<T>);
        for (int k = 0; k < 40; ++k) {
            const element x = random_value(type, random);
            EXPECT_EQ(sum(add.identity(type), x), x) << add.name() << " of " << show(x, type);
            EXPECT_EQ(sum(x, add.identity(type)), x) << add.name() << " of " << show(x, type);
            if (const auto terminal = add.terminal(type)) {
                EXPECT_EQ(sum(*terminal, x), *terminal) << add.name() << " of " << show(x, type);
                EXPECT_EQ(sum(x, *terminal), *terminal) << add.name() << " of " << show(x, type);
            }
        }
    }
    EXPECT_TRUE(monoid(any).always_terminal());
}

TEST(Terminals, AreThereWhereAValueAbsorbs) {
    EXPECT_EQ(monoid(binary_id::lor).terminal(dtype::boolean), to_element(true));
    EXPECT_EQ(monoid(binary_id::land).terminal(dtype::boolean), to_element(false));
    EXPECT_EQ(monoid(binary_id::plus).terminal(dtype::boolean), to_element(true));
    EXPECT_EQ(monoid(binary_id::times).terminal(dtype::int32), to_element(0));
    EXPECT_EQ(monoid(binary_id::times).terminal(dtype::float64), std::nullopt) << "0 x NaN is not 0";
    EXPECT_EQ(monoid(binary_id::min).terminal(dtype::int8), to_element(std::int8_t{-128}));
    EXPECT_EQ(monoid(binary_id::min).terminal(dtype::float32),
              to_element(-std::numeric_limits<float>::infinity()));
    EXPECT_EQ(monoid(binary_id::max).terminal(dtype::uint16), to_element(std::uint16_t{65535}));
    EXPECT_EQ(monoid(binary_id::plus).terminal(dtype::int32), std::nullopt);
    EXPECT_EQ(monoid(binary_id::lxor).terminal(dtype::boolean), std::nullopt);
}

TEST(Monoids, OfTruthValuesComputeInBool) {
    for (const binary_id id :
         {binary_id::lor, binary_id::land, binary_id::lxor, binary_id::lxnor, binary_id::eq}) {
        EXPECT_EQ(monoid(id).value_type(dtype::int32), dtype::boolean);
        EXPECT_EQ(monoid(id).value_type(dtype::float64), dtype::boolean);
    }
    const context ctx;
    const std::vector<double> values{5, 3, 0};
    const vector u = vector::dense<double>(ctx, values);
    EXPECT_EQ(reduce(ctx, monoid(binary_id::lor), u), scalar(1.0));
    EXPECT_EQ(reduce(ctx, monoid(binary_id::eq), u), scalar(0.0)) << "(5 eq 3) eq 0 on truth values";
    EXPECT_EQ(reduce(ctx, monoid(binary_id::land), u), scalar(0.0));
}

TEST(Monoids, AreRefusedForOperatorsWithoutIdentity) {
    for (const binary_id id : {binary_id::minus, binary_id::div, binary_id::first, binary_id::pair,
                               binary_id::lt, binary_id::firsti, binary_id::user})
        EXPECT_THROW((monoid{id}), domain_error);
    EXPECT_THROW(monoid("minus"), domain_error);
    EXPECT_EQ(monoid("plus").id(), binary_id::plus);
}

TEST(OperatorNames, FindOperatorsAndBadOnesListThem) {
    for (int id = 0; id < static_cast<int>(binary_id::user); ++id) {
        const binary_op op(static_cast<binary_id>(id));
        EXPECT_EQ(binary_op(op.name()).id(), op.id());
    }
    for (int id = 0; id < static_cast<int>(unary_id::user); ++id)
        EXPECT_EQ(unary_op(unary_op(static_cast<unary_id>(id)).name()).id(), static_cast<unary_id>(id));
    for (int id = 0; id < static_cast<int>(index_unary_id::user); ++id)
        EXPECT_EQ(index_unary_op(index_unary_op(static_cast<index_unary_id>(id)).name()).id(),
                  static_cast<index_unary_id>(id));
    try {
        binary_op("pluss");
        FAIL() << "not refused";
    } catch (const domain_error& e) {
        EXPECT_NE(std::string(e.what()).find("'pluss'"), std::string::npos);
        EXPECT_NE(std::string(e.what()).find("times"), std::string::npos) << "the known names are listed";
    }
    EXPECT_THROW(unary_op("negate"), domain_error);
    EXPECT_THROW(index_unary_op("upper"), domain_error);
}

TEST(OperatorsOfTheCaller, AreCalledOnTheirOwnType) {
    const auto hypot =
        binary_op::make<double>("hypot", [](double x, double y) { return std::sqrt(x * x + y * y); });
    EXPECT_EQ(hypot.name(), "hypot");
    EXPECT_EQ(hypot.input_type(dtype::int32), dtype::float64);
    const context ctx;
    const std::vector<std::int32_t> three{3, 0}, four{4, 2};
    vector w(ctx, dtype::float32, 2);
    ewise_add(ctx, w, hypot, vector::dense<std::int32_t>(ctx, three), vector::dense<std::int32_t>(ctx, four));
    EXPECT_EQ(w.get(0), scalar(5.0f));
    EXPECT_EQ(w.get(1), scalar(2.0f));
    const auto halve = unary_op::make<std::int64_t>("halve", [](std::int64_t x) { return x / 2; });
    apply(ctx, w, halve, w);
    EXPECT_EQ(w.get(0), scalar(2.0f));
}

}  // namespace
}  // namespace nz::test
