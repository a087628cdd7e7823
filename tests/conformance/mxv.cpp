// mxv and vxm: every compiled semiring and every kernel id, pinned through the plan, against the dictionary
// model, over the battery, all every_form of u, masks, accumulators, replace, transposes and thread counts.
#include "kernels/kernel_ids.hpp"
#include "storage/vector_body.hpp"
#include "support/battery.hpp"
#include "support/mxv_cells.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace nz::test {
namespace {

// Those of the backend that a context takes here.
std::vector<std::string_view> mxv_kernels() {
    const bool gpu = context().backend() == backend::cuda;
    std::vector<std::string_view> ids;
    for (const auto& k : kernels::kernel_ids)
        if (k.operation == "mxv" && (gpu ? k.cuda : k.cpu) == kernels::presence::here) ids.push_back(k.id);
    return ids;
}

// The one kernel that keeps no order has to be asked for.
vector_options pinned(std::string_view kernel) {
    vector_options o{.kernel = kernel};
    if (kernel == "csc_gather_scatter") o.determinism = determinism::fast;
    return o;
}

class CompiledSemiring : public ::testing::TestWithParam<mxv_cell_case> {};
INSTANTIATE_TEST_SUITE_P(Every, CompiledSemiring, ::testing::ValuesIn(all_mxv_cells()),
                         [](const auto& info) { return info.param.ring().name(); });

TEST_P(CompiledSemiring, EveryKernelAgreesWithTheModelOverTheBattery) {
    std::mt19937 random(mxv_seed);
    SCOPED_TRACE("seed " + std::to_string(mxv_seed));
    const semiring s = GetParam().ring();
    const dtype type = GetParam().cell->operand;
    for (const int threads : {1, 3}) {
        const context ctx({.threads = threads});
        auto cases = matrix_battery(type, random);
        for (auto& larger : larger_matrices(type, random)) cases.push_back(std::move(larger));
        for (const auto& [name, a] : cases)
            for (const vector_form form : every_form) {
                const dictionary u = random_input(a.columns, form, type, random);
                const dictionary expected = model_mxm(s, a, u);
                const matrix left = make_matrix(ctx, a, true);
                const vector right = make_vector(ctx, u, form);
                for (const auto kernel : mxv_kernels()) {
                    vector w(ctx, expected.type, a.rows);
                    const mxv_plan plan = mxv(ctx, w, s, left, right, pinned(kernel));
                    ASSERT_EQ(plan.kernel, kernel);
                    ASSERT_EQ(plan.tier, tier::compiled);
                    ASSERT_EQ(plan.on_device, ctx.backend() == backend::cuda);
                    ASSERT_TRUE(same(expected, w))
                        << name << ", " << kernel << ", u " << name_of(form) << ", " << threads << " threads";
                }
            }
    }
}

// Lengths around those at which kernels change their way: eight lanes, 512 products formed together, pieces that end
// inside a row, empty rows at both ends and between. Without the empty rows offsets are used as they are.
TEST_P(CompiledSemiring, RowsOfEveryLengthAddUpWithAndWithoutEmptyRows) {
    std::mt19937 random(mxv_seed + 7);
    SCOPED_TRACE("seed " + std::to_string(mxv_seed + 7));
    const semiring s = GetParam().ring();
    const dtype type = GetParam().cell->operand;
    constexpr index_t columns = 1600;
    for (const bool empties : {false, true}) {
        dictionary a{0, columns, type, {}};
        for (const index_t length : {0, 1, 2,   3,   4,   5, 7, 8,    9, 0,    0, 15, 16, 17,
                                     1, 1, 511, 512, 513, 0, 3, 1025, 1, 1537, 2, 6,  0}) {
            if (length == 0 && !empties) continue;
            for (index_t k = 0; k < length; ++k)
                a.entries[{a.rows, length < 20 ? (k * 97 + a.rows) % columns : k}] =
                    random_value(type, random);
            ++a.rows;
        }
        const dictionary u = random_input(columns, vector_form::dense, type, random);
        const dictionary expected = model_mxm(s, a, u);
        for (const int threads : {1, 2, 3, 4}) {
            const context ctx({.threads = threads});
            const matrix left = make_matrix(ctx, a);
            left.facts();
            const vector right = make_vector(ctx, u, vector_form::dense);
            for (const auto kernel : mxv_kernels()) {
                vector w(ctx, expected.type, a.rows);
                mxv(ctx, w, s, left, right, pinned(kernel));
                ASSERT_TRUE(same(expected, w))
                    << kernel << ", " << threads << " threads, empties " << empties;
            }
        }
    }
}

// csr_merge splits rows between threads; those that are short enough to sum anew do not show it.
TEST(MxvByRows, SumsAreTheSameBitForBitWithAnyNumberOfThreads) {
    std::mt19937 random(mxv_seed + 8);
    std::uniform_real_distribution<double> unit(0, 1);
    std::vector<index_t> rows, columns;
    std::vector<double> values, x(6000);
    index_t row = 0;
    for (int k = 0; k < 200; ++k, ++row) {
        const index_t length = k % 7 == 0 ? 0 : k % 11 == 0 ? 5000 - k : static_cast<index_t>(random() % 700);
        for (index_t j = 0; j < length; ++j) {
            rows.push_back(row);
            columns.push_back(j);
            values.push_back(unit(random));
        }
    }
    for (double& v : x) v = unit(random);
    for (const auto* kernel : {"csr_row", "csr_merge", "csr_row_masked"}) {
        std::vector<double> first, again;
        for (const int threads : {1, 2, 3, 4, 7}) {
            const context ctx({.backend = backend::cpu, .threads = threads});
            const matrix a = matrix::build<double>(ctx, {row, 6000, rows, columns, values});
            vector w(ctx, dtype::float64, row);
            std::vector<index_t> places;
            mxv(ctx, w, semiring("plus_times"), a, vector::dense<double>(ctx, x), {.kernel = kernel});
            w.extract_tuples(places, again);
            if (threads == 1) first = again;
            EXPECT_EQ(again, first) << kernel << ", " << threads << " threads";
        }
    }
}

// A row that is split where its first part meets no entry of u, which has gaps: lanes begin where the row does, not where a piece does.
TEST(MxvByRows, SumsOverGapsAreTheSameBitForBitWhereverRowsAreSplit) {
    std::mt19937 random(mxv_seed + 9);
    std::uniform_real_distribution<double> unit(0, 1);
    constexpr index_t columns = 60'000, absent = 20'000;
    std::vector<std::int32_t> offsets{0};
    std::vector<index_t> at;
    std::vector<double> values;
    const auto add_row = [&](index_t first, index_t last) {
        for (index_t j = first; j < last; ++j) at.push_back(j), values.push_back(unit(random));
        offsets.push_back(static_cast<std::int32_t>(at.size()));
    };
    add_row(0, 45'001);  // so that the next begins at no multiple of a lane's
    add_row(0, columns);
    add_row(0, 20'000);
    const auto rows = static_cast<index_t>(offsets.size()) - 1;
    vector u(context({.backend = backend::cpu}), dtype::float64, columns);
    for (index_t j = absent; j < columns; ++j) u.set(j, scalar(unit(random)));
    u.convert_to(vector_form::bitmap);
    for (const auto* kernel : {"csr_row", "csr_merge"}) {
        std::vector<double> first, again;
        for (const int threads : {1, 2, 3, 4, 5}) {
            const context ctx({.backend = backend::cpu, .threads = threads});
            const matrix a = matrix::from_csr(ctx, csr_view<double>{rows, columns, offsets, at, values});
            vector w(ctx, dtype::float64, rows);
            std::vector<index_t> places;
            mxv(ctx, w, semiring("plus_times"), a, u, {.kernel = kernel});
            w.extract_tuples(places, again);
            if (threads == 1) first = again;
            EXPECT_EQ(again, first) << kernel << ", " << threads << " threads";
        }
    }
}

class EveryKernel : public ::testing::TestWithParam<std::string_view> {};
INSTANTIATE_TEST_SUITE_P(Mxv, EveryKernel, ::testing::ValuesIn(mxv_kernels()),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(EveryKernel, WritesThroughMaskAccumulatorAndReplace) {
    std::mt19937 random(mxv_seed + 1);
    SCOPED_TRACE("seed " + std::to_string(mxv_seed + 1));
    const context ctx({.threads = 2});
    for (const auto* name : {"plus_times_fp64", "min_plus_int32", "lor_land_bool", "any_secondi_int32"}) {
        SCOPED_TRACE(name);
        const semiring s(name);
        const dtype type = *s.pinned_type();
        const dictionary a = random_dictionary(70, 40, 0.2, type, random);
        const matrix left = make_matrix(ctx, a);
        for (const vector_form form : every_form) {
            const dictionary u = random_input(40, form, type, random);
            const dictionary t = model_mxm(s, a, u);
            const vector right = make_vector(ctx, u, form);
            check_settings<vector>(
                ctx, 70, 1, type, random, [&](const auto& c, const auto& how) { return write(c, t, how); },
                [&](vector& w, vector_options options) {
                    options.kernel = GetParam();
                    options.determinism = pinned(GetParam()).determinism;
                    mxv(ctx, w, s, left, right, options);
                });
            if (HasFatalFailure()) return;
        }
    }
}

// Outputs in which every entry is present are written in place where the kernel can.
TEST_P(EveryKernel, ReplacesAndAddsInFullOutputs) {
    std::mt19937 random(mxv_seed + 3);
    for (const int threads : {1, 2}) {
        const context ctx({.threads = threads});
        for (const auto* name : {"plus_times_int64", "plus_second_fp64", "min_plus_int32", "lor_land_bool"}) {
            const semiring s(name);
            const dtype type = *s.pinned_type();
            const dictionary a = random_dictionary(200, 90, 0.02, type, random);
            const matrix left = make_matrix(ctx, a);
            for (const vector_form form : every_form)
                for (const binary_id accum : {binary_id::second, s.add().id(), binary_id::minus})
                    for (int masked = 0; masked < 6; ++masked) {
                        if (accum == binary_id::minus && type == dtype::boolean) continue;
                        const dictionary u = random_input(90, form, type, random),
                                         c = random_dictionary(200, 1, 1.1, type, random),
                                         m = random_dictionary(200, 1, 0.5, dtype::boolean, random);
                        const vector mask = make_vector(ctx, m, random);
                        vector_options o = pinned(GetParam());
                        writing how;
                        o.accum = binary_op(accum);
                        how.accum = binary_op(accum);
                        if (masked > 0) o.mask = &mask, how.mask = &m;
                        o.mask_complement = how.complement = masked == 2 || masked == 4;
                        o.mask_structure = how.structure = masked >= 3;
                        o.replace = how.replace = masked == 5;
                        vector w = make_vector(ctx, c, vector_form::dense);
                        const vector shared = w;
                        mxv(ctx, w, s, left, make_vector(ctx, u, form), o);
                        ASSERT_TRUE(same(write(c, model_mxm(s, a, u), how), w))
                            << name << ", " << binary_op(accum).name() << ", mask " << masked;
                        ASSERT_TRUE(same(c, shared)) << "a copy of the output changed";
                    }
        }
    }
}

TEST_P(EveryKernel, MayWriteToItsInput) {
    std::mt19937 random(mxv_seed + 2);
    const context ctx({.threads = 2});
    const semiring s("plus_times_int64");
    const dictionary a = random_dictionary(30, 30, 0.2, dtype::int64, random);
    const matrix left = make_matrix(ctx, a);
    const dictionary u = random_dictionary(30, 1, 0.6, dtype::int64, random);
    const dictionary t = model_mxm(s, a, u);
    check_aliased<vector>(
        ctx, u, random, [&](const auto& c, const auto& how) { return write(c, t, how); },
        [&](vector& w, vector_options options) {
            options.kernel = GetParam();
            options.determinism = pinned(GetParam()).determinism;
            mxv(ctx, w, s, left, w, options);
        });
}

TEST_P(EveryKernel, TransposesAndMultipliesFromTheLeft) {
    std::mt19937 random(mxv_seed + 3);
    const context ctx({.threads = 2});
    for (const auto* name :
         {"plus_times_fp64", "min_first_int64", "max_second_fp64", "any_secondi_int64", "plus_pair_int64"}) {
        SCOPED_TRACE(name);
        const semiring s(name);
        const dtype type = *s.pinned_type();
        const dictionary a = random_dictionary(33, 50, 0.2, type, random);
        const matrix m = make_matrix(ctx, a);
        const dictionary tall = random_dictionary(33, 1, 0.5, type, random),
                         wide = random_dictionary(50, 1, 0.5, type, random);
        const vector x = make_vector(ctx, tall, random), y = make_vector(ctx, wide, random);
        vector w(ctx, s.value_type(type, type), 50), v(ctx, s.value_type(type, type), 33);
        vector_options from_left = pinned(GetParam());
        from_left.transpose_a = true;
        mxv(ctx, w, s, m, x, from_left);
        EXPECT_TRUE(same(model_mxm(s, transposed(a), tall), w)) << "A^T x";
        vxm(ctx, w, s, x, m);
        EXPECT_TRUE(same(transposed(model_mxm(s, transposed(tall), a)), w)) << "x A";
        vxm(ctx, v, s, y, m, {.transpose_a = true});
        EXPECT_TRUE(same(transposed(model_mxm(s, transposed(wide), transposed(a))), v)) << "y A^T";
    }
}

TEST_P(EveryKernel, ConvertsOperandsOfOtherTypes) {
    std::mt19937 random(mxv_seed + 4);
    const context ctx({.threads = 2});
    const semiring s("plus_times");
    const dictionary a = random_dictionary(40, 30, 0.2, dtype::int8, random);
    const dictionary u = random_dictionary(30, 1, 0.5, dtype::float64, random);
    vector w(ctx, dtype::float32, 40);
    const mxv_plan plan =
        mxv(ctx, w, s, make_matrix(ctx, a), make_vector(ctx, u, random), pinned(GetParam()));
    EXPECT_TRUE(plan.converts_matrix);
    EXPECT_TRUE(same(converted(model_mxm(s, a, u), dtype::float32), w));
}

TEST_P(EveryKernel, ReadsWideOffsetsLikeNarrowOnes) {
    const context ctx({.threads = 2});
    const std::vector<std::int64_t> offsets = {0, 2, 2, 5};
    const std::vector<index_t> columns = {0, 3, 1, 2, 3};
    const std::vector<double> values = {1, 2, 3, 4, 5}, x = {1, 10, 100, 1000};
    const auto a = matrix::from_csr<double, std::int64_t>(ctx, {3, 4, offsets, columns, values});
    vector w(ctx, dtype::float64, 3);
    mxv(ctx, w, semiring("plus_times"), a, vector::dense<double>(ctx, x), pinned(GetParam()));
    EXPECT_EQ(w.get(0)->get<double>(), 2001);
    EXPECT_FALSE(w.get(1));
    EXPECT_EQ(w.get(2)->get<double>(), 5430);
}

TEST_P(EveryKernel, GivesTheSameBitsTwice) {
    std::mt19937 random(mxv_seed + 5);
    const context ctx({.threads = 2});
    const semiring s("plus_times_fp64");
    std::uniform_real_distribution<double> real(-1, 1);
    std::vector<index_t> rows, columns;
    std::vector<double> values;
    for (int k = 0; k < 60000; ++k) {
        rows.push_back(static_cast<index_t>(random() % 2000));
        columns.push_back(static_cast<index_t>(random() % 3000));
        values.push_back(real(random));
    }
    const auto a = matrix::build<double>(ctx, {2000, 3000, rows, columns, values});
    std::vector<index_t> places;
    std::vector<double> entries;
    for (index_t i = 0; i < 3000; i += 2) places.push_back(i), entries.push_back(real(random));
    const auto u = vector::build<double>(ctx, 3000, places, entries);
    vector first(ctx, dtype::float64, 2000), second(ctx, dtype::float64, 2000);
    mxv(ctx, first, s, a, u, pinned(GetParam()));
    mxv(ctx, second, s, a, u, pinned(GetParam()));
    if (ctx.backend() == backend::cuda && GetParam() == "csc_gather_scatter")
        EXPECT_THROW(mxv(ctx, second, s, a, u, {.kernel = GetParam()}), not_supported);
    else
        EXPECT_TRUE(same(read(first), second));
    vector exact(ctx, dtype::float64, 2000);
    mxv(ctx, exact, s, a, u, {.kernel = "reference"});
    EXPECT_TRUE(close(exact, first, row_bounds(a, u, dtype::float64)));
}

// Infinity times a place that is no entry would be no number.
TEST(EveryKernel, HasNoEntriesWhereTheMatrixHasNone) {
    const context ctx;
    const std::vector<index_t> rows = {0, 1, 3, 4}, columns = {1, 2, 4, 0};
    const std::vector<double> values = {2, 3, 4, 5};
    const matrix a = matrix::build<double>(ctx, {40, 40, rows, columns, values});
    const vector u =
        vector::dense<double>(ctx, std::vector<double>(40, std::numeric_limits<double>::infinity()));
    for (const auto kernel : mxv_kernels()) {
        vector w(ctx, dtype::float64, 40);
        mxv(ctx, w, semiring("plus_times"), a, u, pinned(kernel));
        EXPECT_EQ(w.count(), 4) << kernel;
        for (const index_t i : rows) {
            const auto found = w.get(i);
            ASSERT_TRUE(found) << kernel << ", row " << i;
            EXPECT_EQ(found->get<double>(), std::numeric_limits<double>::infinity()) << kernel;
        }
    }
}

TEST(Spmv, ScalesTheProductAndTheOldResult) {
    const context ctx({.threads = 2});
    const std::vector<index_t> rows = {0, 0, 2, 3}, columns = {0, 2, 1, 2}, held = {0, 1, 2};
    const std::vector<double> values = {1, 2, 3, 4}, x = {1, 10, 100}, old = {5, 6, 7};
    const auto a = matrix::build<double>(ctx, {4, 3, rows, columns, values});  // row 1 is empty
    const auto u = vector::dense<double>(ctx, x);
    const double products[] = {201, 0, 30, 400};
    for (const dtype type : {dtype::float64, dtype::float32})
        for (const double alpha : {1.0, -0.5, 0.0})
            for (const double beta : {0.0, 1.0, 4.0}) {
                SCOPED_TRACE(std::string(name_of(type)) + " " + std::to_string(alpha) + " " +
                             std::to_string(beta));
                vector y(ctx, type, 4);
                for (index_t i = 0; i < 3; ++i) y.set(i, scalar(old[i]));
                spmv(ctx, y, alpha, a, u, beta);
                for (index_t i = 0; i < 4; ++i) {
                    const double before = i < 3 ? old[i] : 0;
                    const auto found = y.get(i);
                    EXPECT_EQ(found ? found->get<double>() : 0, alpha * products[i] + beta * before) << i;
                }
                EXPECT_EQ(y.form(), vector_form::dense) << "row 1 is empty, and 0";
                y.validate();
            }
    vector counts(ctx, dtype::int32, 4), y(ctx, dtype::float64, 4);
    EXPECT_THROW(spmv(ctx, counts, 1, a, u, 0), domain_error);
    EXPECT_THROW(spmv(ctx, y, 1, a, u, 0, {.accum = binary_id::plus}), not_supported);
    const vector tall = vector::full(ctx, 4, scalar(1.0));
    vector wide(ctx, dtype::float64, 3);
    spmv(ctx, wide, 2, a, tall, 0, {.transpose_a = true});
    EXPECT_EQ(wide.get(2)->get<double>(), 12);
}

TEST(Spmv, ANaNThatIsNotReadDoesNoHarm) {
    const context ctx;
    const std::vector<index_t> at = {0};
    const std::vector<double> one = {1}, nan = {std::nan("")};
    const auto a = matrix::build<double>(ctx, {1, 1, at, at, one});
    vector y = vector::dense<double>(ctx, nan);
    spmv(ctx, y, 3, a, vector::dense<double>(ctx, one), 0);
    EXPECT_EQ(y.get(0)->get<double>(), 3);
}

TEST(CompiledPath, ServesOperatorsThatLookAtPlacesFromTheLeftToo) {
    const context ctx;
    std::mt19937 random(mxv_seed + 9);
    const dictionary a = random_dictionary(33, 50, 0.2, dtype::boolean, random),
                     x = random_dictionary(33, 1, 0.5, dtype::boolean, random),
                     b = random_dictionary(50, 20, 0.2, dtype::boolean, random);
    const matrix m = make_matrix(ctx, a);
    for (const auto* name :
         {"any_secondi_int64", "min_secondi_int32", "any_firstj_int32", "min_firstj_int64"}) {
        const semiring s(name);
        const dtype type = *s.pinned_type();
        vector w(ctx, type, 50);
        const vector u = make_vector(ctx, x, vector_form::sparse);
        EXPECT_EQ(vxm(ctx, w, s, u, m).tier, tier::compiled) << name;
        EXPECT_TRUE(same(transposed(model_mxm(s, transposed(x), a)), w)) << name;
        vector y(ctx, type, 50);
        EXPECT_EQ(mxv(ctx, y, s, m, u, {.transpose_a = true}).tier, tier::compiled) << name;
        EXPECT_TRUE(same(model_mxm(s, transposed(a), x), y)) << name;
        matrix c(ctx, type, 33, 20);
        EXPECT_EQ(mxm(ctx, c, s, m, make_matrix(ctx, b)).tier, tier::compiled) << name;
        EXPECT_TRUE(same(model_mxm(s, a, b), c)) << name;
    }
}

TEST(CompiledPath, OverBoolSumsAndProductsAreOrAndAnd) {
    const context ctx;
    const std::vector<index_t> i = {0, 0, 1, 2}, j = {0, 1, 1, 2}, all = {0, 1, 2};
    const auto a = matrix::build<bool>(ctx, {3, 3, i, j, std::array{true, true, true, false}});
    const auto u = vector::build<bool>(ctx, 3, all, std::array{true, false, true});
    vector expected(ctx, dtype::boolean, 3);
    mxv(ctx, expected, semiring("lor_land"), a, u);
    for (const auto* name : {"plus_times", "max_min", "plus_land"}) {
        vector w(ctx, dtype::boolean, 3);
        EXPECT_EQ(mxv(ctx, w, semiring(name), a, u).tier, tier::compiled) << name;
        for (index_t k = 0; k < 3; ++k) EXPECT_EQ(w.get(k)->get<bool>(), k == 0) << name << " " << k;
        EXPECT_EQ(expected.get(0)->get<bool>(), true);
    }
}

TEST(GenericPath, ServesAUsersOwnOperatorsAndSaysSo) {
    const context ctx;
    const auto hypot = binary_op::make<double>("hypot", [](double x, double y) { return std::hypot(x, y); });
    const auto times = binary_op::make<double>("own_times", [](double x, double y) { return x * y; });
    const semiring s(monoid(hypot, 0.0), times), half(monoid(hypot, 0.0), binary_id::times);
    const std::vector<index_t> i = {0, 0, 1}, j = {0, 1, 1};
    const std::vector<double> v = {3, 4, 5}, x = {1, 1};
    vector w(ctx, dtype::float64, 2);
    const auto a = matrix::build<double>(ctx, {2, 2, i, j, v});
    const mxv_plan plan = mxv(ctx, w, s, a, vector::dense<double>(ctx, x));
    EXPECT_EQ(plan.tier, tier::generic);
    EXPECT_EQ(plan.kernel, "generic");
    EXPECT_EQ(w.get(0)->get<double>(), 5);
    vector composed(ctx, dtype::float64, 2);
    EXPECT_EQ(mxv(ctx, composed, half, a, vector::dense<double>(ctx, x)).kernel, "composed");
    EXPECT_EQ(composed.get(0)->get<double>(), 5);
    EXPECT_THROW(mxv(ctx, w, s, a, vector::dense<double>(ctx, x), {.kernel = "csr_row"}), not_supported);
    try {
        mxv(ctx, w, s, a, vector::dense<double>(ctx, x), {.kernel = "csc_gather_bucket"});
        FAIL() << "no error";
    } catch (const not_supported& e) {  // no other backend would have it
        EXPECT_NE(std::string(e.what()).find("not compiled for"), std::string::npos) << e.what();
    }
}

TEST(GenericPath, ServesEverySemiringThatIsNotCompiled) {
    std::mt19937 random(mxv_seed + 6);
    const context ctx;
    const dictionary a = random_dictionary(12, 9, 0.4, dtype::uint16, random);
    const dictionary u = random_dictionary(9, 1, 0.6, dtype::uint16, random);
    for (const std::string& name : semiring_names()) {
        const semiring s(name);
        const matrix left = make_matrix(ctx, a);
        const vector right = make_vector(ctx, u, random);
        dictionary expected;
        try {
            expected = model_mxm(s, a, u);
        } catch (const domain_error&) {  // a bitwise monoid over truth values
            vector w(ctx, dtype::boolean, 12);
            EXPECT_THROW(mxv(ctx, w, s, left, right), domain_error) << name;
            continue;
        }
        vector w(ctx, expected.type, 12);
        mxv(ctx, w, s, left, right);
        ASSERT_TRUE(same(expected, w)) << name;
    }
}

TEST(MxvFaults, AWrongShapeNamesBoth) {
    const context ctx;
    const matrix a(ctx, dtype::float64, 3, 5);
    vector w(ctx, dtype::float64, 3);
    const vector u(ctx, dtype::float64, 4), mask(ctx, dtype::boolean, 2);
    try {
        mxv(ctx, w, semiring("plus_times"), a, u);
        FAIL() << "no error";
    } catch (const dimension_mismatch& e) {
        EXPECT_NE(std::string(e.what()).find("3 x 5"), std::string::npos) << e.what();
        EXPECT_NE(std::string(e.what()).find("u has 4"), std::string::npos) << e.what();
    }
    vector long_w(ctx, dtype::float64, 9);
    const vector fitting(ctx, dtype::float64, 5);
    EXPECT_THROW(mxv(ctx, long_w, semiring("plus_times"), a, fitting), dimension_mismatch);
    EXPECT_THROW(mxv(ctx, w, semiring("plus_times"), a, fitting, {.mask = &mask}), dimension_mismatch);
    EXPECT_THROW(mxv(ctx, w, semiring("plus_times"), a, fitting, {.kernel = "csr_rows"}), domain_error);
}

}  // namespace
}  // namespace nz::test
