// assign, extract and transpose against the dictionary model.
#include "support/battery.hpp"
#include "support/settings.hpp"

#include <numeric>

namespace nz::test {
namespace {

constexpr unsigned places_seed = 4711;

class Places : public ::testing::TestWithParam<dtype> {
protected:
    std::mt19937 random{places_seed};
    context ctx;
    ::testing::ScopedTrace trace{__FILE__, __LINE__, "seed " + std::to_string(places_seed)};

    // Indices below `extent`, some more than once; none where there are none to choose from.
    std::vector<index_t> some_of(index_t extent) {
        std::vector<index_t> list(extent == 0 ? 0 : random() % (extent + 3));
        for (index_t& i : list) i = static_cast<index_t>(random() % extent);
        return list;
    }
};
INSTANTIATE_TEST_SUITE_P(EveryType, Places, ::testing::ValuesIn(all_types),
                         [](const auto& info) { return std::string(name_of(info.param)); });

std::vector<index_t> all_of(index_t extent) {
    std::vector<index_t> list(static_cast<std::size_t>(extent));
    std::iota(list.begin(), list.end(), 0);
    return list;
}
dictionary filled(std::size_t rows, std::size_t columns, scalar x) {
    dictionary d{static_cast<index_t>(rows), static_cast<index_t>(columns), x.type(), {}};
    for (index_t i = 0; i < d.rows; ++i)
        for (index_t j = 0; j < d.columns; ++j) d.entries[{i, j}] = x.bits();
    return d;
}

TEST_P(Places, TransposeWritesAsTheModelSays) {
    for (const auto& [name, a] : matrix_battery(GetParam(), random)) {
        SCOPED_TRACE(name);
        const dictionary t = transposed(a);
        for (const std::string_view kernel : {"", "reference", "convert"}) {
            const matrix input = make_matrix(ctx, a, true);
            check_settings<matrix>(ctx, t.rows, t.columns, GetParam(), random, written(t),
                                   [&](matrix& c, matrix_options options) {
                                       options.kernel = kernel;
                                       transpose(ctx, c, input, options);
                                   });
            check_settings<matrix>(ctx, a.rows, a.columns, GetParam(), random, written(a),
                                   [&](matrix& c, matrix_options options) {
                                       options.transpose_a = true;
                                       transpose(ctx, c, input, options);
                                   });
            if (a.rows == a.columns)
                check_aliased<matrix>(
                    ctx, a, random, written(t),
                    [&](matrix& c, const matrix_options& options) { transpose(ctx, c, c, options); });
        }
        if (HasFatalFailure()) return;
    }
}

TEST_P(Places, ExtractWritesAsTheModelSays) {
    int turn = 0;
    for (const auto& [name, a] : matrix_battery(GetParam(), random)) {
        SCOPED_TRACE(name);
        const std::string_view kernel = turn++ % 3 == 0 ? "reference" : "rows";
        const matrix input = make_matrix(ctx, a, true), turned = make_matrix(ctx, transposed(a), true);
        const std::vector<index_t> rows = some_of(a.rows), columns = some_of(a.columns);
        const dictionary t = model_extract(a, rows, columns),
                         of_rows = model_extract(a, rows, all_of(a.columns));
        for (const std::string_view kernel : {"rows", "reference"})
            check_settings<matrix>(ctx, t.rows, t.columns, GetParam(), random, written(t),
                                   [&](matrix& c, matrix_options options) {
                                       options.transpose_a = true;
                                       options.kernel = kernel;
                                       extract(ctx, c, turned, index_list(rows), index_list(columns),
                                               options);
                                   });
        check_settings<matrix>(ctx, of_rows.rows, of_rows.columns, GetParam(), random, written(of_rows),
                               [&](matrix& c, const matrix_options& options) {
                                   extract(ctx, c, input, index_list(rows), index_list::all(), options);
                               });
        if (a.columns == 0) continue;
        const auto column = static_cast<index_t>(random() % a.columns);
        const dictionary line = model_extract(a, rows, {column});
        check_settings<vector>(ctx, line.rows, 1, GetParam(), random, written(line),
                               [&](vector& w, vector_options options) {
                                   options.kernel = kernel == "rows" ? "" : kernel;
                                   extract_column(ctx, w, input, index_list(rows), column, options);
                               });
        check_settings<vector>(ctx, line.rows, 1, GetParam(), random, written(line),
                               [&](vector& w, vector_options options) {
                                   options.transpose_a = true;
                                   extract_column(ctx, w, turned, index_list(rows), column, options);
                               });
        if (HasFatalFailure()) return;
    }
}

TEST_P(Places, ExtractOfVectorsWritesAsTheModelSays) {
    for (const index_t size : {0, 1, 30, 100}) {
        const dictionary u = random_dictionary(size, 1, 0.4, GetParam(), random);
        const std::vector<index_t> list = some_of(size), everything = all_of(size);
        const std::vector<index_t> reversed(everything.rbegin(), everything.rend());
        const vector input = make_vector(ctx, u, random);
        const dictionary t = model_extract(u, list, {0}), back = model_extract(u, reversed, {0});
        for (const std::string_view kernel : {"places", "reference"})
            check_settings<vector>(ctx, t.rows, 1, GetParam(), random, written(t),
                                   [&](vector& w, vector_options options) {
                                       options.kernel = kernel;
                                       extract(ctx, w, input, index_list(list), options);
                                   });
        check_aliased<vector>(ctx, u, random, written(back), [&](vector& w, const vector_options& options) {
            extract(ctx, w, w, index_list(reversed), options);
        });
    }
}

TEST_P(Places, AssignOfVectorsWritesAsTheModelSays) {
    for (const index_t size : {1, 7, 40, 100}) {
        const std::vector<index_t> list = some_of(size), everything = all_of(size);
        const std::vector<index_t> reversed(everything.rbegin(), everything.rend());
        const dictionary u =
            random_dictionary(static_cast<index_t>(list.size()), 1, 0.6, any_type(random), random);
        const vector input = make_vector(ctx, u, random);
        const scalar x(GetParam(), random_value(GetParam(), random));
        const auto expect = [](const dictionary& a, const std::vector<index_t>& where) {
            return [&a, &where](const dictionary& c, const writing& how) {
                return model_assign(c, a, where, {0}, how);
            };
        };
        const dictionary constant = filled(list.size(), 1, x), all_constant = filled(everything.size(), 1, x);
        for (const std::string_view kernel : {"places", "reference"}) {
            const auto pinned = [&](vector_options options) {
                options.kernel = kernel;
                return options;
            };
            check_settings<vector>(ctx, size, 1, GetParam(), random, expect(u, list),
                                   [&](vector& w, const vector_options& options) {
                                       assign(ctx, w, input, index_list(list), pinned(options));
                                   });
            check_settings<vector>(ctx, size, 1, GetParam(), random, expect(constant, list),
                                   [&](vector& w, const vector_options& options) {
                                       assign(ctx, w, x, index_list(list), pinned(options));
                                   });
        }
        check_settings<vector>(
            ctx, size, 1, GetParam(), random, expect(all_constant, everything),
            [&](vector& w, const vector_options& options) { assign(ctx, w, x, index_list::all(), options); });
        const dictionary v = random_dictionary(size, 1, 0.5, GetParam(), random);
        const vector other = make_vector(ctx, v, random);
        check_settings<vector>(ctx, size, 1, GetParam(), random, expect(v, everything),
                               [&](vector& w, const vector_options& options) {
                                   assign(ctx, w, other, index_list::all(), options);
                               });
        check_aliased<vector>(ctx, v, random, expect(v, reversed),
                              [&](vector& w, const vector_options& options) {
                                  assign(ctx, w, w, index_list(reversed), options);
                              });
        if (HasFatalFailure()) return;
    }
}

TEST_P(Places, AssignOfMatricesWritesAsTheModelSays) {
    int turn = 0;
    for (const auto& [name, shape] : matrix_battery(GetParam(), random)) {
        SCOPED_TRACE(name);
        const std::string_view kernel = turn++ % 3 == 0 ? "reference" : "rows";
        const index_t m = shape.rows, n = shape.columns;
        const std::vector<index_t> rows = some_of(m), columns = some_of(n), every_row = all_of(m),
                                   every_column = all_of(n);
        const dictionary a =
            random_dictionary(static_cast<index_t>(rows.size()), static_cast<index_t>(columns.size()), 0.5,
                              any_type(random), random);
        const matrix input = make_matrix(ctx, a, true), turned = make_matrix(ctx, transposed(a), true),
                     whole = make_matrix(ctx, shape, true);
        const auto expect = [](const dictionary& d, const std::vector<index_t>& i,
                               const std::vector<index_t>& j) {
            return [&d, &i, &j](const dictionary& c, const writing& how) {
                return model_assign(c, d, i, j, how);
            };
        };
        check_settings<matrix>(ctx, m, n, GetParam(), random, expect(a, rows, columns),
                               [&](matrix& c, matrix_options options) {
                                   options.kernel = kernel;
                                   assign(ctx, c, input, index_list(rows), index_list(columns), options);
                               });
        check_settings<matrix>(ctx, m, n, GetParam(), random, expect(a, rows, columns),
                               [&](matrix& c, matrix_options options) {
                                   options.transpose_a = true;
                                   assign(ctx, c, turned, index_list(rows), index_list(columns), options);
                               });
        check_settings<matrix>(ctx, m, n, GetParam(), random, expect(shape, every_row, every_column),
                               [&](matrix& c, const matrix_options& options) {
                                   assign(ctx, c, whole, index_list::all(), index_list::all(), options);
                               });
        const scalar x(GetParam(), random_value(GetParam(), random));
        const dictionary part = filled(rows.size(), every_column.size(), x);
        check_settings<matrix>(ctx, m, n, GetParam(), random, expect(part, rows, every_column),
                               [&](matrix& c, matrix_options options) {
                                   options.kernel = kernel;
                                   assign(ctx, c, x, index_list(rows), index_list::all(), options);
                               });
        if (m == n) {
            const std::vector<index_t> reversed(every_row.rbegin(), every_row.rend());
            check_aliased<matrix>(ctx, shape, random, expect(shape, reversed, reversed),
                                  [&](matrix& c, const matrix_options& options) {
                                      assign(ctx, c, c, index_list(reversed), index_list(reversed), options);
                                  });
        }
        if (HasFatalFailure()) return;
    }
}

// A row or column changes as a vector of its own: mask and replace do not reach beyond it.
TEST_P(Places, AssignOfRowsAndColumnsTouchesOnlyThem) {
    for (const bool by_row : {true, false})
        for (const setting& s : all_settings()) {
            SCOPED_TRACE(s.name() + (by_row ? ", row" : ", column"));
            const dictionary c = random_dictionary(7, 9, 0.4, GetParam(), random);
            const index_t length = by_row ? 9 : 7, at = static_cast<index_t>(random() % (by_row ? 7 : 9));
            const std::vector<index_t> list = some_of(length);
            const dictionary u =
                random_dictionary(static_cast<index_t>(list.size()), 1, 0.6, any_type(random), random);
            const dictionary m = random_dictionary(length, 1, 0.5, any_type(random), random);
            const vector mask = make_vector(ctx, m, random), input = make_vector(ctx, u, random);
            dictionary line{length, 1, GetParam(), {}}, expected = c;
            for (const auto& [ij, x] : c.entries)
                if ((by_row ? ij.first : ij.second) == at) {
                    line.entries[{by_row ? ij.second : ij.first, 0}] = x;
                    expected.entries.erase(ij);
                }
            for (const auto& [k, x] : model_assign(line, u, list, {0}, writing_of(s, m)).entries)
                expected.entries[by_row ? place{at, k.first} : place{k.first, at}] = x;
            for (const std::string_view kernel : {"", "reference"}) {
                matrix out = make_matrix(ctx, c, true);
                vector_options options = options_of(s, mask);
                options.kernel = kernel;
                if (by_row)
                    assign_row(ctx, out, input, at, index_list(list), options);
                else
                    assign_column(ctx, out, input, index_list(list), at, options);
                ASSERT_TRUE(same(expected, out));
            }
        }
}

}  // namespace
}  // namespace nz::test
