// extract/rows and assign/rows on every backend there is against the reference: lists of every kind on every kind of values, and that a
// GPU's results stay there.
#include "core/device.hpp"
#include "storage/matrix_body.hpp"
#include "support/battery.hpp"
#include "support/contexts.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace nz::test {
namespace {

constexpr unsigned extract_rows_seed = 96;

struct named_list {
    const char* name;
    std::optional<std::vector<index_t>> places;  // none: all
    index_list list() const { return places ? index_list(*places) : index_list::all(); }
};

// Of `extent` lines: whole, in order and not, some, a few, none, some twice.
std::vector<named_list> lists_of(index_t extent, std::mt19937& random) {
    std::vector<index_t> every(static_cast<std::size_t>(extent)), some, few, repeated;
    std::iota(every.begin(), every.end(), 0);
    for (const index_t i : every)
        if (random() % 3 == 0) some.push_back(i);
    if (extent > 0)
        for (int k = 0; k < 5; ++k)
            few.push_back(static_cast<index_t>(random() % static_cast<unsigned>(extent)));
    std::vector<index_t> sorted_few = few, shuffled = every;
    std::sort(sorted_few.begin(), sorted_few.end());
    sorted_few.erase(std::unique(sorted_few.begin(), sorted_few.end()), sorted_few.end());
    std::shuffle(shuffled.begin(), shuffled.end(), random);
    repeated = some;
    repeated.insert(repeated.end(), some.begin(), some.end());
    return {{"all", std::nullopt},        {"every", every},       {"some", some},           {"few", few},
            {"few in order", sorted_few}, {"shuffled", shuffled}, {"some twice", repeated}, {"none", {{}}}};
}

// With columns that few of the lists name.
std::vector<named_dictionary> inputs(dtype type, std::mt19937& random) {
    auto all = larger_matrices(type, random);
    all.push_back({"uneven", uneven_rows(60, 20000, type, random)});
    all.push_back({"empty", dictionary{30, 20, type, {}}});
    all.push_back({"no rows", dictionary{0, 20, type, {}}});
    all.push_back({"no columns", dictionary{30, 0, type, {}}});
    return all;
}

// All of a matrix is the matrix itself, wherever it lies.
bool stays(const context& ctx, const operation_plan& plan, const matrix& c, const named_list& rows,
           const named_list& columns) {
    const bool whole = !rows.places && !columns.places;
    return plan.kernel == "rows" && plan.on_device == (ctx.gpu() != nullptr) &&
           (!ctx.gpu() || c.nnz() == 0 || whole || c.body().away());
}

TEST(ExtractRows, TakesWhatTheReferenceTakes) {
    std::mt19937 random(extract_rows_seed);
    for (const context& ctx : contexts())
        for (const dtype type : {dtype::boolean, dtype::int16, dtype::float32, dtype::int64})
            for (auto& [name, content] : inputs(type, random)) {
                const matrix a = make_matrix(ctx, content, true);
                for (const bool transposed : {false, true}) {
                    const auto extent = [&](bool first) {
                        return static_cast<index_t>(first != transposed ? a.rows() : a.columns());
                    };
                    const auto all_rows = lists_of(extent(true), random),
                               all_columns = lists_of(extent(false), random);
                    for (const named_list& rows : all_rows)
                        for (const named_list& columns : all_columns) {
                            if (random() % 3) continue;
                            SCOPED_TRACE(name + std::string(name_of(type)) + ", rows " + rows.name +
                                         ", columns " + columns.name + (transposed ? ", transposed" : ""));
                            matrix c(ctx, type, rows.list().size(extent(true)),
                                     columns.list().size(extent(false))),
                                expected = c;
                            const auto plan =
                                extract(ctx, c, a, rows.list(), columns.list(), {.transpose_a = transposed});
                            EXPECT_TRUE(stays(ctx, plan, c, rows, columns));
                            extract(ctx, expected, a, rows.list(), columns.list(),
                                    {.transpose_a = transposed, .kernel = "reference"});
                            c.validate();
                            ASSERT_TRUE(same(read(expected), c));
                        }
                }
            }
}

TEST(AssignRows, PutsWhatTheReferencePuts) {
    std::mt19937 random(extract_rows_seed);
    for (const context& ctx : contexts())
        for (const dtype type : {dtype::boolean, dtype::uint16, dtype::int32, dtype::float64})
            for (auto& [name, content] : inputs(type, random)) {
                const matrix old = make_matrix(ctx, content, true);
                const auto all_rows = lists_of(content.rows, random),
                           all_columns = lists_of(content.columns, random);
                for (const named_list& rows : all_rows)
                    for (const named_list& columns : all_columns) {
                        if (random() % 3) continue;
                        SCOPED_TRACE(name + std::string(name_of(type)) + ", rows " + rows.name +
                                     ", columns " + columns.name);
                        const auto m = static_cast<index_t>(rows.list().size(content.rows)),
                                   n = static_cast<index_t>(columns.list().size(content.columns));
                        const dtype given = random() % 2 ? type : dtype::int8;
                        const dictionary a = random_dictionary(m, n, 20.0 / (20 + n), given, random);
                        const matrix input = make_matrix(ctx, a, true);
                        matrix c = old, expected = old;
                        const auto plan = assign(ctx, c, input, rows.list(), columns.list());
                        EXPECT_TRUE(stays(ctx, plan, c, rows, columns));
                        assign(ctx, expected, input, rows.list(), columns.list(), {.kernel = "reference"});
                        c.validate();
                        ASSERT_TRUE(same(read(expected), c));
                    }
            }
}

TEST(AssignRows, PutsOneValueWhereTheReferencePutsIt) {
    std::mt19937 random(extract_rows_seed);
    for (const context& ctx : contexts())
        for (const dtype type : {dtype::boolean, dtype::int32, dtype::float64})
            for (auto& [name, content] : inputs(type, random)) {
                if (content.columns > 5000) continue;  // each place of a region is an entry
                const matrix old = make_matrix(ctx, content, true);
                const scalar x(type, random_value(type, random));
                const matrix mask = make_matrix(
                    ctx, random_dictionary(content.rows, content.columns, 0.1, dtype::int8, random), true);
                for (const named_list& rows : lists_of(content.rows, random))
                    for (const named_list& columns : lists_of(content.columns, random))
                        for (const matrix* m : {static_cast<const matrix*>(nullptr), &mask})
                            for (const bool structure : {false, true})
                                for (const bool accumulates : {false, true}) {
                                    if (random() % 12) continue;
                                    SCOPED_TRACE(name + std::string(name_of(type)) + ", rows " + rows.name +
                                                 ", columns " + columns.name + (m ? ", masked" : "") +
                                                 (structure ? " by places" : "") +
                                                 (accumulates ? ", accumulated" : ""));
                                    matrix_options options{.mask = m, .mask_structure = structure};
                                    if (accumulates) options.accum = binary_id::first;
                                    matrix c = old, expected = old;
                                    const auto plan = assign(ctx, c, x, rows.list(), columns.list(), options);
                                    EXPECT_TRUE(stays(ctx, plan, c, rows, columns));
                                    options.kernel = "reference";
                                    assign(ctx, expected, x, rows.list(), columns.list(), options);
                                    c.validate();
                                    ASSERT_TRUE(same(read(expected), c));
                                }
            }
}

TEST(ExtractRows, AreForMatrices) {
    const context ctx;
    const vector u(ctx, dtype::float64, 5);
    vector w = u;
    EXPECT_THROW(extract(ctx, w, u, index_list::all(), {.kernel = "rows"}), not_supported);
    EXPECT_THROW(assign(ctx, w, u, index_list::all(), {.kernel = "rows"}), not_supported);
}

TEST(ExtractRows, TakesRowsAndColumnsInAnyOrder) {
    for (const context& ctx : contexts()) {
        const matrix a = load(ctx, "grid2d:9,0.2").matrix;
        std::vector<index_t> order(81), some{3, 4, 60, 61, 80};
        for (index_t k = 0; k < 81; ++k) order[static_cast<std::size_t>(k)] = k * 40 % 81;
        for (const auto& [rows, columns] :
             {std::pair{order, order}, {some, order}, {order, some}, {some, some}}) {
            matrix c(ctx, a.type(), std::ssize(rows), std::ssize(columns)), expected = c;
            EXPECT_EQ(extract(ctx, c, a, index_list(rows), index_list(columns)).kernel, "rows");
            extract(ctx, expected, a, index_list(rows), index_list(columns), {.kernel = "reference"});
            c.validate();
            EXPECT_TRUE(same(read(expected), c));
        }
    }
}

// A list names the last of several values that go to one place.
TEST(AssignRows, LetsTheLastOfSeveralWin) {
    for (const context& ctx : contexts()) {
        const matrix a =
            make_matrix(ctx,
                        {3,
                         1,
                         dtype::float64,
                         {{{0, 0}, to_element(1.0)}, {{1, 0}, to_element(2.0)}, {{2, 0}, to_element(3.0)}}},
                        true);
        const index_t rows[] = {4, 2, 4}, columns[] = {1};
        matrix c(ctx, dtype::float64, 6, 2);
        assign(ctx, c, a, index_list(rows), index_list(columns));
        EXPECT_TRUE(same(
            dictionary{6, 2, dtype::float64, {{{2, 1}, to_element(2.0)}, {{4, 1}, to_element(3.0)}}}, c));
    }
}

// Of a matrix that lies on a GPU the line alone travels.
TEST(AssignRows, PutsLinesWhereTheMatrixLies) {
    std::mt19937 random(extract_rows_seed);
    for (const context& ctx : contexts())
        for (const dtype type : {dtype::int16, dtype::float64}) {
            const dictionary content = random_dictionary(90, 70, 0.2, type, random);
            for (const bool by_row : {true, false}) {
                matrix c = make_matrix(ctx, content, true), expected = c;
                const index_t size = by_row ? 70 : 90, list[] = {size - 1, 3, 30};
                const vector u = make_vector(ctx, random_dictionary(3, 1, 0.7, type, random), random);
                const index_list places{std::span<const index_t>(list)};
                const auto plan =
                    by_row ? assign_row(ctx, c, u, 5, places) : assign_column(ctx, c, u, places, 5);
                EXPECT_EQ(plan.kernel, "rows");
                EXPECT_EQ(plan.on_device, ctx.gpu() != nullptr);
                EXPECT_EQ(c.body().away(), ctx.gpu() != nullptr);
                if (by_row)
                    assign_row(ctx, expected, u, 5, places, {.kernel = "reference"});
                else
                    assign_column(ctx, expected, u, places, 5, {.kernel = "reference"});
                vector w(ctx, type, 90), w_expected = w;
                extract_column(ctx, w, c, index_list::all(), 5);
                extract_column(ctx, w_expected, expected, index_list::all(), 5, {.kernel = "reference"});
                ASSERT_TRUE(same(read(w_expected), w));
                ASSERT_TRUE(same(read(expected), c));
            }
        }
}

}  // namespace
}  // namespace nz::test
