// extract/places and assign/places on every backend there is against the reference: vectors of every form, lists of every kind, and
// that a GPU's results stay there.
#include "core/device.hpp"
#include "support/battery.hpp"
#include "support/contexts.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace nz::test {
namespace {

constexpr unsigned listed_places_seed = 97;

// In order and not, some twice, none, and all.
std::vector<std::optional<std::vector<index_t>>> lists_of(index_t extent, std::mt19937& random) {
    std::vector<index_t> every(static_cast<std::size_t>(extent)), some, repeated;
    std::iota(every.begin(), every.end(), 0);
    for (const index_t i : every)
        if (random() % 3 == 0) some.push_back(i);
    std::vector<index_t> shuffled = every;
    std::shuffle(shuffled.begin(), shuffled.end(), random);
    for (index_t k = 0; k < extent + 70; ++k)
        repeated.push_back(static_cast<index_t>(random() % static_cast<unsigned>(extent)));
    return {std::nullopt, every, some, shuffled, repeated, std::vector<index_t>{}};
}
index_list list_of(const std::optional<std::vector<index_t>>& places) {
    return places ? index_list(*places) : index_list::all();
}

// On the GPU alone where the context has one.
vector placed(const context& ctx, const vector& v) { return ctx.gpu() ? there(ctx, v) : v; }

class VectorPlaces : public ::testing::Test {
protected:
    std::mt19937 random{listed_places_seed};
    // f(context, type, size, density) for all of them.
    template <class F>
    void each(F&& f) {
        for (const context& ctx : contexts())
            for (const dtype type : all_types)
                for (const index_t size : {1, 63, 64, 200, 5000})
                    for (const double density : {0.0, 0.01, 0.5, 2.0}) {
                        SCOPED_TRACE(std::string(name_of(type)) + " " + std::to_string(size) + " at " +
                                     std::to_string(density));
                        f(ctx, type, size, density);
                    }
    }
};

TEST_F(VectorPlaces, AreTakenAsTheReferenceTakesThem) {
    each([&](const context& ctx, dtype type, index_t size, double density) {
        const vector u = make_vector(ctx, random_dictionary(size, 1, density, type, random), random);
        for (const auto& places : lists_of(size, random)) {
            vector w(ctx, type, list_of(places).size(size)), expected = w;
            const auto plan = extract(ctx, w, placed(ctx, u), list_of(places), {.kernel = "places"});
            EXPECT_EQ(plan.kernel, "places");
            EXPECT_EQ(plan.on_device, ctx.gpu() != nullptr);
            extract(ctx, expected, u, list_of(places), {.kernel = "reference"});
            ASSERT_TRUE(same(read(expected), w));
        }
    });
}

TEST_F(VectorPlaces, ArePutAsTheReferencePutsThem) {
    each([&](const context& ctx, dtype type, index_t size, double density) {
        const vector old = make_vector(ctx, random_dictionary(size, 1, density, type, random), random);
        const scalar x(type, random_value(type, random));
        for (const auto& places : lists_of(size, random)) {
            const dtype given = random() % 2 ? type : dtype::int8;
            const vector u = make_vector(
                ctx,
                random_dictionary(static_cast<index_t>(list_of(places).size(size)), 1, 0.6, given, random),
                random);
            for (const bool accumulates : {false, true}) {
                if (random() % 3) continue;
                vector_options pinned{.kernel = "places"}, plain{.kernel = "reference"};
                if (accumulates)
                    pinned.accum = plain.accum = random() % 2 ? binary_id::first : binary_id::minus;
                vector w = placed(ctx, old), expected = old, w_one = w, expected_one = old;
                const auto plan = assign(ctx, w, u, list_of(places), pinned);
                EXPECT_EQ(plan.kernel, "places");
                EXPECT_EQ(plan.on_device, ctx.gpu() != nullptr);
                assign(ctx, expected, u, list_of(places), plain);
                ASSERT_TRUE(same(read(expected), w));
                assign(ctx, w_one, x, list_of(places), pinned);
                assign(ctx, expected_one, x, list_of(places), plain);
                ASSERT_TRUE(same(read(expected_one), w_one));
            }
        }
    });
}

TEST_F(VectorPlaces, HaveTheLastOfSeveral) {
    for (const context& ctx : contexts()) {
        const vector u =
            make_vector(ctx, {4, 1, dtype::float64, {{{0, 0}, to_element(1.0)}, {{2, 0}, to_element(3.0)}}},
                        vector_form::bitmap);
        vector w = placed(ctx, vector::full(ctx, 100, scalar(7.0)));
        const index_t list[] = {90, 90, 50, 51};
        assign(ctx, w, u, index_list(list));
        EXPECT_EQ(w.count(), 98);
        EXPECT_EQ(w.get(50), scalar(3.0));
        EXPECT_EQ(w.get(90), std::nullopt);
        vector t(ctx, dtype::float64, 4);
        extract(ctx, t, placed(ctx, w), index_list(list));
        EXPECT_EQ(t.count(), 1);
        EXPECT_EQ(t.get(2), scalar(3.0));
    }
}

TEST_F(VectorPlaces, ThatAreFewAreWrittenWhereTheyLie) {
    const context ctx({.backend = backend::cpu, .threads = 2});
    constexpr index_t size = 400;
    for (const dtype type : all_types)
        for (const double density : {0.3, 2.0})
            for (const bool accumulates : {false, true})
                for (const double given : {0.0, 0.6, 2.0}) {
                    const dictionary old = random_dictionary(size, 1, density, type, random);
                    const vector_form form = density > 1 ? vector_form::dense : vector_form::bitmap;
                    std::vector<index_t> list(1 + random() % 25);
                    for (index_t& i : list) i = static_cast<index_t>(random() % size);
                    const dtype other = random() % 2 ? type : any_type(random);
                    const auto places = static_cast<index_t>(list.size());
                    const vector u =
                        make_vector(ctx, random_dictionary(places, 1, given, other, random), random);
                    const scalar x(other, random_value(other, random));
                    vector_options options, plain{.kernel = "reference"};
                    if (accumulates)
                        options.accum = plain.accum = random() % 2 ? binary_id::first : binary_id::minus;
                    vector w = make_vector(ctx, old, form), one = make_vector(ctx, old, form), expected = w,
                           expected_one = w;
                    const auto before = [](const vector& v) { return v.body().values.data(); };
                    expected.mutable_body(), expected_one.mutable_body();
                    const void *const w_values = before(w), *const one_values = before(one);
                    assign(ctx, w, u, index_list(list), options);
                    assign(ctx, expected, u, index_list(list), plain);
                    ASSERT_TRUE(same(read(expected), w));
                    const bool stays_full =
                        form == vector_form::bitmap || accumulates || u.form() == vector_form::dense;
                    if (stays_full && w.form() == form) {
                        EXPECT_EQ(before(w), w_values);
                    }
                    assign(ctx, one, x, index_list(list), options);
                    assign(ctx, expected_one, x, index_list(list), plain);
                    ASSERT_TRUE(same(read(expected_one), one));
                    if (one.form() == form) {
                        EXPECT_EQ(before(one), one_values);
                    }
                }
    // What others hold stays, and so does w where it is u.
    vector w = vector::full(ctx, size, scalar(2.0));
    const vector shared = w;
    const index_t two[] = {7, 300};
    assign(ctx, w, scalar(5.0), index_list(two));
    EXPECT_EQ(shared.get(7), scalar(2.0));
    EXPECT_EQ(w.get(7), scalar(5.0));
    std::vector<index_t> turned(size);
    std::iota(turned.rbegin(), turned.rend(), 0);
    const void* const values = w.body().values.data();
    const auto plan = assign(ctx, w, scalar(6.0), index_list(two));
    EXPECT_EQ(plan.reason, "few places, written where they lie, one thread");
    EXPECT_EQ(w.body().values.data(), values);
    assign(ctx, w, w, index_list(turned));
    EXPECT_EQ(w.get(99), scalar(6.0)) << "300 turned";
}

TEST_F(VectorPlaces, OfASparseVectorAreSearchedForWhereTheListIsShort) {
    const context ctx;
    vector u =
        make_vector(ctx, {10000, 1, dtype::float64, {{{77, 0}, to_element(3.0)}}}, vector_form::sparse);
    const index_t list[] = {77, 5};
    vector w(ctx, dtype::float64, 2);
    EXPECT_EQ(extract(ctx, w, u, index_list(list)).kernel, "reference");
    EXPECT_EQ(w.get(0), scalar(3.0));
    EXPECT_EQ(assign(ctx, u, w, index_list(list)).kernel, "reference");
    const vector full = vector::full(ctx, 10000, scalar(1.0));
    EXPECT_EQ(extract(ctx, w, full, index_list(list)).kernel, "places");
    const matrix a(ctx, dtype::float64, 5, 5);
    matrix c = a;
    EXPECT_THROW(extract(ctx, c, a, index_list::all(), index_list::all(), {.kernel = "places"}),
                 not_supported);
    EXPECT_THROW(assign(ctx, c, a, index_list::all(), index_list::all(), {.kernel = "places"}),
                 not_supported);
}

}  // namespace
}  // namespace nz::test
