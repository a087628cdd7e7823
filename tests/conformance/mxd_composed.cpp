// Sparse x dense over semirings that are not compiled: their operators' loops over rows of B, or columns on a GPU.
#include "algebra/stand_in.hpp"
#include "core/device.hpp"
#include "instantiate/vector_cells.hpp"
#include "ops/composed.hpp"
#include "ops/mxd_other.hpp"
#include "support/compare.hpp"
#include "support/contexts.hpp"
#include "support/dense.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace nz::test {
namespace {

constexpr unsigned mxd_composed_seed = 20261202;

class MxdComposed : public ::testing::TestWithParam<dtype> {};
INSTANTIATE_TEST_SUITE_P(EveryType, MxdComposed, ::testing::ValuesIn(all_types),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST_P(MxdComposed, IsWhatTheModelSays) {
    const dtype type = GetParam();
    std::mt19937 random(mxd_composed_seed);
    int met = 0, there = 0;
    for (const context& ctx : sides()) {
        for (const std::string& name : semiring_names()) {
            SCOPED_TRACE(name);
            const semiring s(name);
            const dtype other = random() % 2 ? type : dtype::int8;
            const index_t columns = random() % 4 ? 17 : 3;
            const index_t rows = ctx.gpu() ? 140 : 20;  // few entries are the host's
            const dictionary a = random_dictionary(rows, 30, random() % 2 ? 0.4 : 0.03, type, random),
                             b = full_dictionary(30, columns, other, random),
                             c = full_dictionary(rows, columns, type, random);
            std::optional<ops::composed_ring> ring;
            try {
                const dtype value = s.value_type(type, other);
                ring = ops::composed_ring_of(s, type, other);
                if (mxd_is_compiled(s, type, other)) continue;
                if (ctx.gpu() && shows_order(s, value)) continue;
            } catch (const domain_error&) {  // a bitwise monoid of floats
                continue;
            }
            dense_block in(b, both_orders[random() % 2], random() % 2), out(c, both_orders[random() % 2], 1);
            const dense_block before = out;
            std::optional<binary_op> accum;
            if (random() % 3 == 0) accum = binary_op(binary_id::second);
            const auto plan =
                mxd(ctx, out.view(), s, make_matrix(ctx, a, random() % 2), in.view(), {.accum = accum});
            if (!plan.on_device) {
                const bool many = 10 * a.entries.size() >= static_cast<std::size_t>(5000 + rows + 30);
                EXPECT_EQ(plan.kernel, many && ops::has_columns(s, type, other) ? "columns"
                                       : ring && columns > 4                    ? "composed"
                                                                                : "generic");
            }
            met += plan.kernel == "composed";
            there += plan.on_device;
            ASSERT_EQ(difference(model_mxd(s, a, b, c, accum), out.read()), "");
            EXPECT_TRUE(out.same_gaps(before));
        }
        if (ctx.gpu()) {
            EXPECT_GE(there, 20);
        }
    }
    if (size_of(type) >= 4 && type != dtype::uint32 && type != dtype::uint64) {
        EXPECT_GE(met, 20);
    }
}

// Rows without entries have the monoid's identity in the type of the sums, which a GPU takes in a wider one; a matrix without any as well.
TEST(MxdComposedEmptyRows, HaveTheIdentity) {
    std::mt19937 random(mxd_composed_seed + 4);
    for (const context& ctx : contexts())
        for (const dtype type : all_types)
            for (const char* name : {"min_times", "max_times", "plus_min", "times_first"}) {
                const semiring s(name);
                if (type == dtype::boolean) continue;
                dictionary a = random_dictionary(150, 30, 0.5, type, random), none{150, 30, type, {}};
                std::erase_if(a.entries, [](const auto& entry) { return entry.first.first % 3 == 0; });
                const dictionary b = full_dictionary(30, 20, type, random),
                                 c = full_dictionary(150, 20, type, random);
                for (const dictionary* of : {&a, &none}) {
                    dense_block in(b, dense_order::row_major), out(c, dense_order::row_major);
                    mxd(ctx, out.view(), s, make_matrix(ctx, *of), in.view());
                    ASSERT_EQ(difference(model_mxd(s, *of, b, c, {}), out.read()), "")
                        << name << name_of(type);
                }
            }
}

// Rows of B longer than a piece, in the order of the reference.
TEST(MxdComposedOfManyColumns, AddsInTheOrderOfTheReference) {
    std::mt19937 random(mxd_composed_seed + 1);
    constexpr index_t columns = 9001;
    const context ctx = with_threads(3);
    const matrix a = make_matrix(ctx, random_dictionary(40, 20, 0.4, dtype::float64, random));
    const std::vector<double> b = reals(std::size_t{20} * columns, random);
    for (const char* name : {"plus_div", "max_times", "times_second"}) {
        std::vector<double> c(std::size_t{40} * columns), expected = c;
        const dense_view<const double> in{20, columns, b};
        EXPECT_EQ(mxd(ctx, dense_view<double>{40, columns, c}, semiring(name), a, in).kernel, "composed");
        mxd(ctx, dense_view<double>{40, columns, expected}, semiring(name), a, in, {.kernel = "reference"});
        EXPECT_EQ(c, expected) << name;
    }
}

TEST(MxdComposedMemory, GoesOnWithoutWhereItIsShort) {
    std::mt19937 random(mxd_composed_seed + 2);
    const context free = with_threads(2);
    const matrix a = make_matrix(free, random_dictionary(100, 200, 0.1, dtype::float64, random));
    const std::vector<double> b = reals(200 * 64, random);
    std::vector<double> expected(100 * 64);
    const dense_view<const double> in{200, 64, b, dense_order::column_major};
    EXPECT_EQ(mxd(free, dense_view<double>{100, 64, expected}, semiring("max_times"), a, in).kernel,
              "composed");
    const context tight = with_threads(2, 100 * 64 * 8 + 100000);  // for T, but not for B by rows
    std::vector<double> c(100 * 64);
    EXPECT_EQ(mxd(tight, dense_view<double>{100, 64, c}, semiring("max_times"), a, in).kernel, "columns");
    EXPECT_EQ(c, expected);
    const context tighter = with_threads(2, 100 * 64 * 8 + 1000);  // nor for a column
    EXPECT_EQ(mxd(tighter, dense_view<double>{100, 64, c}, semiring("max_times"), a, in).kernel, "generic");
    EXPECT_EQ(c, expected);
}

// B and C in a GPU's memory, either order.
TEST(MxdComposedOnAGpu, ReadsAndWritesMemoryThere) {
    const context ctx;
    if (!ctx.gpu()) GTEST_SKIP() << "no GPU here";
    std::mt19937 random(mxd_composed_seed + 3);
    device::session& gpu = *ctx.gpu();
    const matrix a = make_matrix(ctx, random_dictionary(60, 3000, 0.6, dtype::float64, random));
    const std::vector<double> b = reals(3000 * 10, random);
    const buffer b_there(ctx.device_memory(), b.size() * 8), c_there(ctx.device_memory(), 60 * 10 * 8);
    gpu.upload(b_there.data(), b.data(), b_there.bytes());
    for (const dense_order in : both_orders)
        for (const dense_order out : both_orders) {
            std::vector<double> found(600), expected(600);
            const auto plan =
                mxd(ctx, dense_view<double>{60, 10, c_there.span<double>(), out}, semiring("max_times"), a,
                    dense_view<const double>{3000, 10, b_there.span<const double>(), in});
            EXPECT_EQ(plan.kernel, "composed");
            EXPECT_TRUE(plan.on_device);
            gpu.download(found.data(), c_there.data(), c_there.bytes());
            mxd(with_threads(2), dense_view<double>{60, 10, expected, out}, semiring("max_times"), a,
                dense_view<const double>{3000, 10, b, in}, {.kernel = "reference"});
            EXPECT_EQ(found, expected);
        }
}

}  // namespace
}  // namespace nz::test
