// Semirings by name, and the types they compute in.
#include "algebra/table.hpp"
#include "nonzero/nonzero.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace nz::test {
namespace {

TEST(SemiringNames, OfOurTableAllParse) {
    const auto names = semiring_names();
    EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
    EXPECT_EQ(names.front(), "any_band");
    for (const std::string& name : names) {
        const semiring s(name);
        EXPECT_EQ(s.name(), name);
        EXPECT_FALSE(name.ends_with("_any"));
        EXPECT_NO_THROW(s.value_type(dtype::int64, dtype::int64)) << name;
        EXPECT_NO_THROW(s.operand_type(dtype::int64, dtype::int64)) << name;
    }
}

TEST(SemiringNames, LeaveOutOnlyWhatNoTypeHas) {
    const auto names = semiring_names();
    for (const auto& add : algebra::binary_rows())
        for (const auto& multiply : algebra::binary_rows()) {
            if (!add.is_monoid || multiply.id == binary_id::any) continue;
            const semiring s{monoid(add.id), binary_op(multiply.id)};
            const std::string name = s.name();
            const bool serves = std::ranges::any_of(all_types, [&](dtype type) {
                try {
                    s.operand_type(type, type);
                    s.value_type(type, type);
                    return true;
                } catch (const domain_error&) {
                    return false;
                }
            });
            EXPECT_EQ(std::ranges::binary_search(names, name), serves) << name;
        }
}

TEST(SemiringNames, OfGraphBlasParseWithTheirType) {
    struct row {
        std::string_view name, add, multiply;
        dtype type;
    };
    for (const row& r : {row{"GrB_PLUS_TIMES_SEMIRING_FP64", "plus", "times", dtype::float64},
                         row{"GrB_MIN_PLUS_SEMIRING_INT32", "min", "plus", dtype::int32},
                         row{"GrB_MAX_FIRST_SEMIRING_UINT8", "max", "first", dtype::uint8},
                         row{"GxB_MIN_PLUS_INT32", "min", "plus", dtype::int32},
                         row{"GxB_PLUS_TIMES_FP32", "plus", "times", dtype::float32},
                         row{"GxB_ANY_PAIR_BOOL", "any", "pair", dtype::boolean},
                         row{"GxB_PLUS_PAIR_UINT64", "plus", "pair", dtype::uint64},
                         row{"GxB_EQ_LOR_BOOL", "eq", "lor", dtype::boolean},
                         row{"GxB_BXNOR_BAND_UINT16", "bxnor", "band", dtype::uint16},
                         row{"GxB_ANY_SECONDI_INT32", "any", "secondi", dtype::int32},
                         row{"GxB_MIN_FIRSTJ_INT64", "min", "firstj", dtype::int64}}) {
        const semiring s(r.name);
        EXPECT_EQ(s.add().name(), r.add) << r.name;
        EXPECT_EQ(s.multiply().name(), r.multiply) << r.name;
        EXPECT_EQ(s.value_type(dtype::int16, dtype::float64), r.type) << r.name;
    }
    EXPECT_EQ(semiring("GrB_LOR_LAND_SEMIRING_BOOL").value_type(dtype::float64, dtype::float64),
              dtype::boolean);
    EXPECT_EQ(semiring("GxB_ANY_ONEB_FP32").multiply().id(), binary_id::pair);
    EXPECT_EQ(semiring("grb_plus_times").value_type(dtype::int8, dtype::int16), dtype::int16) << "untyped";
}

TEST(SemiringNames, ThatAreNoneAreRefusedWithAnExample) {
    for (const std::string_view name :
         {"", "plus", "plus_", "_times", "plus_plus_times", "minus_times", "plus_any_", "PLUS TIMES",
          "plus_foo", "GrB_PLUS_TIMES_SEMIRING_FP16", "GxB_ANY_SECONDI1_INT32"}) {
        try {
            const semiring s(name);
            FAIL() << "'" << name << "' parsed as " << s.name();
        } catch (const domain_error& e) {
            EXPECT_NE(std::string(e.what()).find("min_plus"), std::string::npos) << e.what();
        }
    }
}

TEST(SemiringTypes, FollowTheOperandsThatCount) {
    const semiring plus_times("plus_times"), plus_first("plus_first"), plus_second("plus_second"),
        any_secondi("any_secondi");
    EXPECT_EQ(plus_times.value_type(dtype::int32, dtype::float32), dtype::float64);
    EXPECT_EQ(plus_times.value_type(dtype::boolean, dtype::int8), dtype::int8);
    EXPECT_EQ(plus_first.value_type(dtype::int8, dtype::float64), dtype::int8) << "the second is ignored";
    EXPECT_EQ(plus_second.value_type(dtype::int8, dtype::float64), dtype::float64);
    EXPECT_EQ(any_secondi.value_type(dtype::int8, dtype::float64), dtype::int64);
    EXPECT_EQ(semiring("plus_eq").value_type(dtype::int32, dtype::int32), dtype::boolean);
}

TEST(SemiringTypes, OfLogicalOperatorsAreTruthValuesUnlessSummed) {
    EXPECT_EQ(semiring("lor_land").value_type(dtype::int32, dtype::int32), dtype::boolean);
    EXPECT_EQ(semiring("lor_plus").operand_type(dtype::int32, dtype::int32), dtype::boolean);
    EXPECT_EQ(semiring("lor_firsti").value_type(dtype::int32, dtype::int32), dtype::boolean);
    EXPECT_EQ(semiring("eq_times").value_type(dtype::float64, dtype::int32), dtype::boolean);
    EXPECT_EQ(semiring("plus_lor").operand_type(dtype::int32, dtype::int32), dtype::boolean);
    EXPECT_EQ(semiring("plus_lor").value_type(dtype::int32, dtype::int32), dtype::int32) << "counts";
    EXPECT_EQ(semiring("GxB_PLUS_LOR_UINT8").value_type(dtype::float64, dtype::float64), dtype::uint8);
}

TEST(Conversions, WrapSaturateAndTakeTruth) {
    EXPECT_EQ(convert<std::int8_t>(300), 44);
    EXPECT_EQ(convert<std::uint8_t>(-1), 255);
    EXPECT_EQ(convert<std::int8_t>(1e9), 127);
    EXPECT_EQ(convert<std::int8_t>(-1e9), -128);
    EXPECT_EQ(convert<std::uint32_t>(-2.5), 0u);
    EXPECT_EQ(convert<std::int64_t>(1e30), std::numeric_limits<std::int64_t>::max());
    EXPECT_EQ(convert<std::uint64_t>(1e30f), std::numeric_limits<std::uint64_t>::max());
    EXPECT_EQ(convert<std::int32_t>(std::numeric_limits<double>::quiet_NaN()), 0);
    EXPECT_EQ(convert<std::int32_t>(-2.9), -2);
    EXPECT_TRUE(convert<bool>(0.1));
    EXPECT_TRUE(convert<bool>(std::numeric_limits<float>::quiet_NaN()));
    EXPECT_FALSE(convert<bool>(-0.0));
    EXPECT_EQ(convert<float>(1e300), std::numeric_limits<float>::infinity());
}

TEST(Promotion, IsSymmetricAndHoldsBothOperands) {
    for (int a = 0; a < dtype_count; ++a)
        for (int b = 0; b < dtype_count; ++b) {
            const dtype x = static_cast<dtype>(a), y = static_cast<dtype>(b);
            EXPECT_EQ(promote(x, y), promote(y, x));
            EXPECT_EQ(promote(x, x), x);
            EXPECT_GE(size_of(promote(x, y)), std::max(size_of(x), size_of(y)));
        }
    EXPECT_EQ(promote(dtype::int8, dtype::uint8), dtype::int16);
    EXPECT_EQ(promote(dtype::int64, dtype::uint64), dtype::float64);
    EXPECT_EQ(promote(dtype::int16, dtype::float32), dtype::float32);
    EXPECT_EQ(promote(dtype::int32, dtype::float32), dtype::float64);
    EXPECT_EQ(promote(dtype::uint16, dtype::int32), dtype::int32);
}

TEST(TypeNames, ParseBackAndBadOnesListThem) {
    for (int k = 0; k < dtype_count; ++k)
        EXPECT_EQ(parse_dtype(name_of(static_cast<dtype>(k))), static_cast<dtype>(k));
    EXPECT_EQ(parse_dtype("double"), dtype::float64);
    EXPECT_THROW(parse_dtype("int128"), domain_error);
}

}  // namespace
}  // namespace nz::test
