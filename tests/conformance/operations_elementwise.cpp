// ewise_add, ewise_mult, apply, select and reduce against the dictionary model.
#include "support/battery.hpp"
#include "support/contexts.hpp"
#include "support/settings.hpp"

#include <algorithm>

namespace nz::test {
namespace {

constexpr unsigned elementwise_seed = 77;

class Elementwise : public ::testing::TestWithParam<dtype> {
protected:
    std::mt19937 random{elementwise_seed};
    context ctx;
    ::testing::ScopedTrace trace{__FILE__, __LINE__, "seed " + std::to_string(elementwise_seed)};
};
INSTANTIATE_TEST_SUITE_P(EveryType, Elementwise, ::testing::ValuesIn(all_types),
                         [](const auto& info) { return std::string(name_of(info.param)); });

template <class Object>
void join(const context& ctx, Object& c, bool intersection, const binary_op& op, const Object& a,
          const Object& b, const operation_options<Object>& options) {
    if (intersection)
        ewise_mult(ctx, c, op, a, b, options);
    else
        ewise_add(ctx, c, op, a, b, options);
}

TEST_P(Elementwise, MatricesJoinAsTheModelSays) {
    for (const auto& [name, a] : matrix_battery(GetParam(), random)) {
        SCOPED_TRACE(name);
        const dictionary b = random_dictionary(a.rows, a.columns, 0.4, GetParam(), random);
        const matrix left = make_matrix(ctx, a, true), right = make_matrix(ctx, transposed(b), true);
        for (const bool intersection : {false, true}) {
            const dictionary t = model_ewise(binary_id::minus, a, b, intersection);
            check_settings<matrix>(ctx, t.rows, t.columns, GetParam(), random, written(t),
                                   [&](matrix& c, matrix_options options) {
                                       options.transpose_b = true;
                                       join(ctx, c, intersection, binary_id::minus, left, right, options);
                                   });
            check_aliased<matrix>(ctx, a, random, written(t), [&](matrix& c, matrix_options options) {
                options.transpose_b = true;
                join(ctx, c, intersection, binary_id::minus, c, right, options);
            });
        }
        if (HasFatalFailure()) return;
    }
}

TEST_P(Elementwise, VectorsJoinAsTheModelSays) {
    for (const index_t size : {0, 1, 5, 64, 65, 130})
        for (const double density : {0.0, 0.05, 0.5, 1.0}) {
            const dictionary a = random_dictionary(size, 1, density, GetParam(), random),
                             b = random_dictionary(size, 1, 0.4, GetParam(), random);
            const vector left = make_vector(ctx, a, random), right = make_vector(ctx, b, random);
            for (const bool intersection : {false, true}) {
                const dictionary t = model_ewise(binary_id::minus, a, b, intersection);
                check_settings<vector>(ctx, t.rows, 1, GetParam(), random, written(t),
                                       [&](vector& w, const vector_options& options) {
                                           join(ctx, w, intersection, binary_id::minus, left, right, options);
                                       });
                check_aliased<vector>(ctx, a, random, written(t),
                                      [&](vector& w, const vector_options& options) {
                                          join(ctx, w, intersection, binary_id::minus, w, right, options);
                                      });
            }
            if (HasFatalFailure()) return;
        }
}

// The model of A without B and of the entries of exactly one.
dictionary model_unmatched(const dictionary& a, const dictionary& b, bool both_sides) {
    dictionary t{a.rows, a.columns, both_sides ? promote(a.type, b.type) : a.type, {}};
    for (const auto& [at, x] : a.entries)
        if (!b.entries.contains(at)) t.entries[at] = cast(x, a.type, t.type);
    for (const auto& [at, x] : b.entries)
        if (both_sides && !a.entries.contains(at)) t.entries[at] = cast(x, b.type, t.type);
    return t;
}

TEST_P(Elementwise, DifferencesAreAsTheModelSays) {
    for (const auto& [name, a] : matrix_battery(GetParam(), random))
        for (const auto* kernel : {"balanced_path", "reference"}) {
            SCOPED_TRACE(name + std::string(", ") + kernel);
            const dictionary b = random_dictionary(a.rows, a.columns, 0.4, GetParam(), random);
            const matrix left = make_matrix(ctx, a, true), right = make_matrix(ctx, b, true);
            for (const bool symmetric : {false, true}) {
                const dictionary t = model_unmatched(a, b, symmetric);
                check_settings<matrix>(ctx, t.rows, t.columns, GetParam(), random, written(t),
                                       [&](matrix& c, matrix_options options) {
                                           options.kernel = kernel;
                                           if (symmetric)
                                               ewise_symmetric_difference(ctx, c, left, right, options);
                                           else
                                               ewise_difference(ctx, c, left, right, options);
                                       });
            }
            if (HasFatalFailure()) return;
        }
}

TEST_P(Elementwise, DifferencesOfVectorsAreAsTheModelSays) {
    for (const context& on : sides())
        for (const vector_form left_form : every_form)
            for (const vector_form right_form : every_form) {
                SCOPED_TRACE(std::string(name_of(left_form)) + " without " +
                             std::string(name_of(right_form)));
                const double full = 1, gaps = 0.4;
                const dictionary a = random_dictionary(70, 1, left_form == vector_form::dense ? full : gaps,
                                                       GetParam(), random),
                                 b = random_dictionary(70, 1, right_form == vector_form::dense ? full : gaps,
                                                       dtype::int16, random);
                const vector left = make_vector(on, a, left_form), right = make_vector(on, b, right_form);
                const bool lists = left_form == vector_form::sparse && right_form == vector_form::sparse;
                for (const bool symmetric : {false, true})
                    for (const std::string_view kernel :
                         {std::string_view{}, std::string_view("reference")}) {
                        const dictionary t = model_unmatched(a, b, symmetric);
                        check_settings<vector>(
                            on, 70, 1, GetParam(), random, written(t),
                            [&](vector& w, vector_options options) {
                                options.kernel = kernel;
                                const auto plan =
                                    symmetric ? ewise_symmetric_difference(on, w, left, right, options)
                                              : ewise_difference(on, w, left, right, options);
                                EXPECT_EQ(plan.kernel, !kernel.empty() ? kernel
                                                       : lists         ? "balanced_path"
                                                                       : "words");
                                if (symmetric) return;
                                vector none(on, GetParam(), 70);
                                ewise_difference(on, none, left, left, {});
                                EXPECT_EQ(none.count(), 0);
                            });
                    }
                if (HasFatalFailure()) return;
            }
}

// The output is an operand, one of the two alone is on the GPU, or both are.
TEST_P(Elementwise, DifferencesOfVectorsThatLieOnAGpu) {
    const context gpu;
    if (!gpu.gpu()) GTEST_SKIP() << "no GPU here";
    for (const vector_form form : every_form) {
        const dictionary a = random_dictionary(300, 1, form == vector_form::dense ? 1 : 0.3, GetParam(),
                                               random),
                         b = random_dictionary(300, 1, 0.5, GetParam(), random);
        for (const bool left_there : {false, true})
            for (const bool right_there : {false, true}) {
                if (!left_there && !right_there) continue;
                const vector x = make_vector(gpu, a, form), y = make_vector(gpu, b, vector_form::bitmap);
                vector u = left_there ? there(gpu, x) : x;
                const vector v = right_there ? there(gpu, y) : y;
                vector w(gpu, GetParam(), 300);
                const auto plan = ewise_symmetric_difference(gpu, w, u, v);
                EXPECT_TRUE(plan.on_device);
                EXPECT_TRUE(same(model_unmatched(a, b, true), w));
                EXPECT_TRUE(ewise_difference(gpu, u, u, v).on_device);
                EXPECT_TRUE(same(model_unmatched(a, b, false), u));
            }
    }
}

TEST(DifferencesOfVectors, RefuseWhatDoesNotFit) {
    const context ctx({.backend = backend::cpu});
    const vector u(ctx, dtype::float64, 4), v(ctx, dtype::float64, 5),
        full = vector::full(ctx, 4, scalar(1.0));
    vector w(ctx, dtype::float64, 4);
    EXPECT_THROW(ewise_difference(ctx, w, u, v), dimension_mismatch);
    EXPECT_THROW(ewise_symmetric_difference(ctx, w, u, v), dimension_mismatch);
    EXPECT_THROW(ewise_difference(ctx, w, u, full, {.kernel = "balanced_path"}), not_supported);
    EXPECT_THROW(ewise_difference(ctx, w, u, u, {.kernel = "words"}), not_supported);
    EXPECT_EQ(ewise_difference(ctx, w, full, u).kernel, "words");
    EXPECT_EQ(w.count(), 4);
    EXPECT_EQ(w.form(), vector_form::dense);
}

TEST(BalancedPath, AgreesWithTheReferenceOnEveryOperatorTypeAndNumberOfThreads) {
    std::mt19937 random(elementwise_seed + 7);
    for (const int threads : {1, 2, 3, 8}) {
        const context ctx({.backend = backend::cpu, .threads = threads});
        for (const dtype type : {dtype::boolean, dtype::int32, dtype::int64, dtype::float32, dtype::float64})
            for (auto& [name, a] : larger_matrices(type, random)) {
                const dictionary b = random_dictionary(a.rows, a.columns, 0.1, type, random);
                const matrix left = make_matrix(ctx, a), right = make_matrix(ctx, b);
                for (int id = 0; id <= static_cast<int>(binary_id::lxnor); ++id)
                    for (const bool intersection : {false, true}) {
                        const binary_op op(static_cast<binary_id>(id));
                        matrix c(ctx, type, a.rows, a.columns), expected(ctx, type, a.rows, a.columns);
                        try {
                            join(ctx, expected, intersection, op, left, right, {.kernel = "reference"});
                            join(ctx, c, intersection, op, left, right, {.kernel = "balanced_path"});
                        } catch (const domain_error&) {
                            continue;  // not defined on the type
                        } catch (const not_supported&) {
                            continue;  // not compiled for it
                        }
                        ASSERT_TRUE(same(read(expected), c))
                            << name << ", " << op.name() << " of " << name_of(type) << ", " << threads;
                    }
            }
    }
}

TEST(BalancedPath, MovesValuesForOperatorsThatItIsNotCompiledFor) {
    const context ctx;
    std::mt19937 random(elementwise_seed + 8);
    const dictionary a = random_dictionary(30, 40, 0.3, dtype::float64, random),
                     b = random_dictionary(30, 40, 0.3, dtype::int32, random);
    const matrix left = make_matrix(ctx, a), right = make_matrix(ctx, b);
    for (const auto id : {binary_id::div, binary_id::rdiv, binary_id::lt, binary_id::ne})
        for (const bool intersection : {false, true}) {
            const dictionary t = model_ewise(id, a, b, intersection);
            matrix c(ctx, t.type, 30, 40);
            const operation_plan plan =
                intersection ? ewise_mult(ctx, c, id, left, right) : ewise_add(ctx, c, id, left, right);
            EXPECT_EQ(plan.tier, tier::compiled) << binary_op(id).name();
            EXPECT_TRUE(same(t, c)) << binary_op(id).name();
        }
}

TEST(BalancedPath, SharesOutOneLongRowAndRepeatsOfAPlace) {
    // Every place up to 60 times on either side, rows of 0 to 40,000 entries: cuts fall into runs.
    std::mt19937 random(elementwise_seed + 8);
    const auto lent = [&](std::vector<std::int32_t>& offsets, std::vector<index_t>& columns,
                          std::vector<std::int64_t>& values) {
        offsets = {0};
        for (const int length : {0, 3, 40000, 0, 0, 700, 40000, 1, 0}) {
            std::vector<index_t> row;
            while (static_cast<int>(row.size()) < length) {
                const auto column = static_cast<index_t>(random() % 3000);
                for (int k = static_cast<int>(random() % 60); k >= 0 && static_cast<int>(row.size()) < length;
                     --k)
                    row.push_back(column);
            }
            std::ranges::sort(row);
            columns.insert(columns.end(), row.begin(), row.end());
            offsets.push_back(static_cast<std::int32_t>(columns.size()));
        }
        for (std::size_t k = 0; k < columns.size(); ++k)
            values.push_back(static_cast<std::int64_t>(random() % 1000));
    };
    std::vector<std::int32_t> a_offsets, b_offsets;
    std::vector<index_t> a_columns, b_columns;
    std::vector<std::int64_t> a_values, b_values;
    lent(a_offsets, a_columns, a_values);
    lent(b_offsets, b_columns, b_values);
    for (const int threads : {1, 2, 5}) {
        const context ctx({.backend = backend::cpu, .threads = threads});
        const auto a = matrix::from_csr<std::int64_t, std::int32_t>(
                       ctx, {9, 3000, a_offsets, a_columns, a_values}),
                   b = matrix::from_csr<std::int64_t, std::int32_t>(
                       ctx, {9, 3000, b_offsets, b_columns, b_values});
        matrix found(ctx, dtype::int64, 9, 3000), expected(ctx, dtype::int64, 9, 3000);
        const auto equal = [&] {
            const auto x = found.csr<std::int64_t>(), y = expected.csr<std::int64_t>();
            return std::ranges::equal(x.offsets, y.offsets) && std::ranges::equal(x.columns, y.columns) &&
                   std::ranges::equal(x.values, y.values);
        };
        for (const bool intersection : {false, true}) {
            join(ctx, found, intersection, binary_id::minus, a, b, {.kernel = "balanced_path"});
            join(ctx, expected, intersection, binary_id::minus, a, b, {.kernel = "reference"});
            EXPECT_TRUE(equal()) << threads << " threads, intersection " << intersection;
        }
        ewise_difference(ctx, found, a, b, {.kernel = "balanced_path"});
        ewise_difference(ctx, expected, a, b, {.kernel = "reference"});
        EXPECT_TRUE(equal()) << threads << " threads, difference";
        ewise_symmetric_difference(ctx, found, a, b, {.kernel = "balanced_path"});
        ewise_symmetric_difference(ctx, expected, a, b, {.kernel = "reference"});
        EXPECT_TRUE(equal()) << threads << " threads, symmetric difference";
    }
}

TEST(BalancedPath, APinThatCannotServeSaysWhy) {
    const context ctx;
    const matrix a(ctx, dtype::int8, 3, 3);
    matrix c(ctx, dtype::int8, 3, 3);
    EXPECT_THROW(ewise_add(ctx, c, binary_id::div, a, a, {.kernel = "balanced_path"}), not_supported);
    EXPECT_THROW(ewise_add(ctx, c, binary_id::plus, a, a, {.kernel = "balanced"}), domain_error);
    EXPECT_EQ(ewise_add(ctx, c, binary_id::div, a, a).kernel, "reference");
    const matrix d(ctx, dtype::float64, 3, 3);
    matrix e(ctx, dtype::float64, 3, 3);
    EXPECT_EQ(ewise_add(ctx, e, binary_id::plus, d, d).kernel, "balanced_path");
}

TEST(ElementwiseOfMixedTypes, EveryOperatorJoinsAsTheModelSays) {
    std::mt19937 random(elementwise_seed + 1);
    const context ctx;
    for (int id = 0; id < static_cast<int>(binary_id::user); ++id)
        for (int round = 0; round < 40; ++round) {
            const binary_op op(static_cast<binary_id>(id));
            const dictionary a = random_dictionary(5, 6, 0.5, any_type(random), random),
                             b = random_dictionary(5, 6, 0.5, any_type(random), random);
            SCOPED_TRACE(std::string(op.name()) + " of " + std::string(name_of(a.type)) + " and " +
                         std::string(name_of(b.type)) + ", seed " + std::to_string(elementwise_seed + 1));
            const matrix left = make_matrix(ctx, a, true), right = make_matrix(ctx, b, true);
            matrix c(ctx, any_type(random), 5, 6);
            dictionary t;
            try {
                t = model_ewise(op, a, b, round % 2 == 0);
            } catch (const domain_error&) {
                EXPECT_THROW(join(ctx, c, round % 2 == 0, op, left, right, {}), domain_error);
                continue;
            }
            join(ctx, c, round % 2 == 0, op, left, right, {});
            ASSERT_TRUE(same(converted(t, c.type()), c));
        }
}

TEST_P(Elementwise, ApplyWritesAsTheModelSays) {
    const dtype type = GetParam();
    const unary_op negate(unary_id::ainv);
    const index_unary_op row(index_unary_id::rowindex);
    for (const auto& [name, a] : matrix_battery(type, random)) {
        SCOPED_TRACE(name);
        const matrix input = make_matrix(ctx, a, true);
        const dictionary negated =
            model_apply(a, type, [&](element x, auto, auto) { return negate.resolve(type)(nullptr, x); });
        check_settings<matrix>(
            ctx, a.rows, a.columns, type, random, written(negated),
            [&](matrix& c, const matrix_options& options) { apply(ctx, c, negate, input, options); });
        check_aliased<matrix>(
            ctx, a, random, written(negated),
            [&](matrix& c, const matrix_options& options) { apply(ctx, c, negate, c, options); });
        const dictionary rows = model_apply(
            a, dtype::int64, [](element, index_t i, index_t) { return to_element<std::int64_t>(i + 2); });
        check_settings<matrix>(ctx, a.rows, a.columns, type, random, written(rows),
                               [&](matrix& c, const matrix_options& options) {
                                   apply(ctx, c, row, input, scalar(std::int64_t{2}), options);
                               });
        if (HasFatalFailure()) return;
    }
}

TEST_P(Elementwise, ApplyWithAFixedOperandWritesAsTheModelSays) {
    const dtype type = GetParam();
    const binary_op minus(binary_id::minus);
    const scalar fixed(std::int16_t{3});
    const dictionary a = random_dictionary(40, 1, 0.5, type, random);
    const vector input = make_vector(ctx, a, random);
    const dtype result = result_type(minus, type, fixed.type());
    const auto first = model_apply(a, result, [&](element x, auto, auto) {
        return compute(minus, fixed.bits(), fixed.type(), x, type);
    });
    const auto second = model_apply(a, result, [&](element x, auto, auto) {
        return compute(minus, x, type, fixed.bits(), fixed.type());
    });
    check_settings<vector>(
        ctx, 40, 1, type, random, written(first),
        [&](vector& w, const vector_options& options) { apply(ctx, w, minus, fixed, input, options); });
    check_settings<vector>(
        ctx, 40, 1, type, random, written(second),
        [&](vector& w, const vector_options& options) { apply(ctx, w, minus, input, fixed, options); });
    check_aliased<vector>(ctx, a, random, written(second), [&](vector& w, const vector_options& options) {
        apply(ctx, w, minus, w, fixed, options);
    });
}

TEST_P(Elementwise, SelectKeepsWhatEveryOperatorSays) {
    const dtype type = GetParam();
    for (const auto& [name, a] : matrix_battery(type, random)) {
        SCOPED_TRACE(name);
        const matrix input = make_matrix(ctx, a, true);
        for (int id = 0; id < static_cast<int>(index_unary_id::user); ++id) {
            const index_unary_op op(static_cast<index_unary_id>(id));
            const scalar thunk(std::int64_t{1});
            const dictionary t = model_select(a, [&](element x, index_t i, index_t j) {
                const element z = op.resolve(type)(op.context(), cast(x, type, op.input_type(type)), i, j,
                                                   thunk.as(op.input_type(type)));
                return from_element<bool>(cast(z, op.output_type(type), dtype::boolean));
            });
            matrix c(ctx, type, a.rows, a.columns);
            select(ctx, c, op, input, thunk);
            ASSERT_TRUE(same(t, c)) << op.name();
            matrix d(ctx, type, a.columns, a.rows);
            if (op.id() != index_unary_id::tril) continue;
            check_settings<matrix>(ctx, a.rows, a.columns, type, random, written(t),
                                   [&](matrix& out, const matrix_options& options) {
                                       select(ctx, out, op, input, thunk, options);
                                   });
            check_aliased<matrix>(ctx, a, random, written(t),
                                  [&](matrix& out, const matrix_options& options) {
                                      select(ctx, out, op, out, thunk, options);
                                  });
        }
        if (HasFatalFailure()) return;
    }
}

TEST_P(Elementwise, ReduceSumsRowsAndColumnsAsTheModelSays) {
    const dtype type = GetParam();
    for (const binary_id id :
         {binary_id::plus, binary_id::min, binary_id::any, binary_id::lor, binary_id::eq}) {
        const monoid add(id);
        for (const auto& [name, a] : matrix_battery(type, random)) {
            SCOPED_TRACE(name);
            const matrix input = make_matrix(ctx, a, true);
            const dictionary by_row = model_reduce_rows(add, a),
                             by_column = model_reduce_rows(add, transposed(a));
            check_settings<vector>(
                ctx, a.rows, 1, type, random, written(by_row),
                [&](vector& w, const vector_options& options) { reduce(ctx, w, add, input, options); });
            check_settings<vector>(ctx, a.columns, 1, type, random, written(by_column),
                                   [&](vector& w, vector_options options) {
                                       options.transpose_a = true;
                                       reduce(ctx, w, add, input, options);
                                   });
            if (HasFatalFailure()) return;
        }
    }
}

TEST_P(Elementwise, ReduceToAScalarFoldsAllEntries) {
    const dtype type = GetParam();
    for (const binary_id id : {binary_id::plus, binary_id::times, binary_id::min, binary_id::max,
                               binary_id::lxor, binary_id::eq}) {
        const monoid add(id);
        for (const auto& [name, a] : matrix_battery(type, random)) {
            dictionary line{1, 1, type, {}};
            element sum = add.identity(add.value_type(type));
            bool first = true;
            for (const auto& [at, x] : a.entries) {
                const element y = cast(x, type, add.value_type(type));
                sum = first ? y : compute(add.op(), sum, add.value_type(type), y, add.value_type(type));
                first = false;
            }
            const scalar expected(type, cast(sum, add.value_type(type), type));
            EXPECT_EQ(show(expected.bits(), type),
                      show(reduce(ctx, add, make_matrix(ctx, a, true)).as(type), type))
                << name << " " << add.name();
            const dictionary u = random_dictionary(30, 1, 0.5, type, random);
            scalar total = reduce(ctx, add, make_vector(ctx, u, vector_form::bitmap));
            EXPECT_EQ(total, reduce(ctx, add, make_vector(ctx, u, vector_form::sparse)));
            EXPECT_EQ(total.type(), type);
        }
    }
}

// Numbers that the other operand's type does not hold.
TEST(ElementwiseTypes, AnOperandThatIsIgnoredHasNoSay) {
    const context ctx;
    const std::uint64_t large = ~std::uint64_t{1};
    const std::int64_t odd = (std::int64_t{1} << 53) + 1;
    const std::vector<index_t> at{0, 2}, all{0, 1, 2};
    const auto few = vector::build<std::int8_t>(ctx, 3, at, std::vector<std::int8_t>{-1, -1});
    for (const auto& [accum, expected] :
         {std::pair{binary_id::first, large}, {binary_id::second, ~std::uint64_t{0}}}) {
        auto w = vector::build<std::uint64_t>(ctx, 3, at, std::vector{large, large});
        apply(ctx, w, unary_id::identity, few, {.accum = accum});
        EXPECT_EQ(w.get(0)->get<std::uint64_t>(), expected) << binary_op(accum).name();
    }
    const auto halves = [&](const std::vector<index_t>& places) {
        return vector::build<double>(ctx, 3, places, std::vector(places.size(), 0.5));
    };
    const auto odds = [&](const std::vector<index_t>& places) {
        return vector::build<std::int64_t>(ctx, 3, places, std::vector(places.size(), odd));
    };
    for (const auto& u_places : {at, all})
        for (const auto& v_places : {at, all}) {
            vector w(ctx, dtype::int64, 3);
            ewise_mult(ctx, w, binary_id::first, odds(u_places), halves(v_places));
            EXPECT_EQ(w.get(2)->get<std::int64_t>(), odd);
            ewise_mult(ctx, w, binary_id::second, halves(u_places), odds(v_places));
            EXPECT_EQ(w.get(2)->get<std::int64_t>(), odd);
            vector either(ctx, dtype::float64, 3);
            ewise_add(ctx, either, binary_id::first, odds(at), halves(all));
            EXPECT_EQ(either.get(1)->get<double>(), 0.5) << "of a union both have entries";
        }
    vector w(ctx, dtype::int64, 3);
    apply(ctx, w, binary_id::first, odds(all), scalar(0.5));
    EXPECT_EQ(w.get(1)->get<std::int64_t>(), odd);
    const auto integers = matrix::build<std::int64_t>(ctx, {3, 3, all, all, std::vector(3, odd)});
    const auto numbers = matrix::build<double>(ctx, {3, 3, all, all, std::vector(3, 0.5)});
    matrix c(ctx, dtype::int64, 3, 3);
    ewise_mult(ctx, c, binary_id::first, integers, numbers);
    EXPECT_EQ(c.get(1, 1)->get<std::int64_t>(), odd);
    ewise_mult(ctx, c, binary_id::second, numbers, integers);
    EXPECT_EQ(c.get(1, 1)->get<std::int64_t>(), odd);
}

}  // namespace
}  // namespace nz::test
