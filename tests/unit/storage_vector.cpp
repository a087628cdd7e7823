// Vectors: forms, conversions between them, single entries, and each rule broken once.
#include "storage/vector_body.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <map>

namespace nz::test {
namespace {

constexpr vector_form forms[] = {vector_form::dense, vector_form::bitmap, vector_form::sparse};

TEST(VectorForms, ConvertIntoEachOtherForEveryType) {
    std::mt19937 random(1);
    const context ctx;
    for (const dtype type : all_types)
        for (const index_t size : {0, 1, 63, 64, 65, 200})
            for (const double density : {0.0, 0.3, 1.0}) {
                const dictionary d = random_dictionary(size, 1, density, type, random);
                const bool full = d.entries.size() == static_cast<std::size_t>(size);
                for (const vector_form from : forms)
                    for (const vector_form to : forms) {
                        if (!full && (from == vector_form::dense || to == vector_form::dense)) continue;
                        vector v = make_vector(ctx, d, from);
                        ASSERT_EQ(v.form(), from);
                        v.convert_to(to);
                        EXPECT_EQ(v.form(), to);
                        EXPECT_EQ(v.count(), static_cast<offset_t>(d.entries.size()));
                        EXPECT_TRUE(same(d, v)) << name_of(from) << " to " << name_of(to);
                    }
            }
}

TEST(VectorForms, ThatAreNotFullCannotBeDense) {
    const context ctx;
    vector v(ctx, dtype::int8, 5);
    v.set(2, std::int8_t{1});
    EXPECT_THROW(v.convert_to(vector_form::dense), domain_error);
    EXPECT_THROW(v.values<std::int8_t>(), domain_error) << "the values of a dense vector only";
    const vector full = vector::full(ctx, 3, scalar(2.5));
    EXPECT_EQ(full.values<double>()[2], 2.5);
    EXPECT_THROW(full.values<float>(), domain_error);
}

TEST(VectorEntries, RandomChangesAgreeWithADictionary) {
    const unsigned seed = 11;
    std::mt19937 random(seed);
    const context ctx;
    for (const vector_form form : forms) {
        dictionary d =
            random_dictionary(70, 1, form == vector_form::dense ? 1.0 : 0.2, dtype::float32, random);
        vector v = make_vector(ctx, d, form);
        const vector original = v;
        const dictionary before = d;
        for (int step = 0; step < 1000; ++step) {
            const auto i = static_cast<index_t>(random() % 70);
            const element x = random_value(dtype::float32, random);
            if (random() % 2) {
                v.set(i, scalar(dtype::float32, x));
                d.entries[{i, 0}] = x;
            } else {
                v.remove(i);
                d.entries.erase({i, 0});
            }
            ASSERT_EQ(v.contains(i), d.entries.contains({i, 0}));
        }
        EXPECT_TRUE(same(d, v)) << "seed " << seed;
        EXPECT_TRUE(same(before, original)) << "a copy does not change with it";
    }
}

// A bitmap of this one would take 8 GB.
TEST(VectorEntries, OfAVectorThatIsAlmostEmptyStayFew) {
    std::mt19937 random(5);
    context ctx;
    constexpr offset_t size = 1'000'000'000;
    ctx.reset_peak();
    vector v(ctx, dtype::float64, size);
    std::map<offset_t, double> model;
    for (int step = 0; step < 400; ++step) {
        const auto i = static_cast<offset_t>(random() % 60) * 16'000'000;
        if (random() % 3) {
            v.set(i, scalar(1.0 * step));
            model[i] = step;
        } else {
            v.remove(i);
            model.erase(i);
        }
        ASSERT_EQ(v.count(), std::ssize(model));
        ASSERT_EQ(v.contains(i), model.contains(i));
    }
    v.validate();
    EXPECT_EQ(v.form(), vector_form::sparse);
    for (const auto& [i, x] : model) EXPECT_EQ(v.get(i), scalar(x)) << i;
    const vector copied = v;
    v.remove(model.begin()->first);
    EXPECT_TRUE(copied.contains(model.begin()->first));
    EXPECT_LT(ctx.peak_bytes(), std::size_t{1} << 20);
}

TEST(VectorEntries, OutsideAreRefused) {
    const context ctx;
    vector v(ctx, dtype::int8, 5);
    EXPECT_THROW(v.set(5, std::int8_t{1}), index_out_of_bounds);
    EXPECT_THROW(v.remove(-1), index_out_of_bounds);
    EXPECT_THROW((void)v.get(7), index_out_of_bounds);
    EXPECT_THROW(vector(ctx, dtype::int8, -1), domain_error);
}

TEST(VectorEntries, ClearAndResizeDropEntries) {
    const context ctx;
    for (const vector_form form : forms) {
        vector v = vector::full(ctx, 10, scalar(3));
        v.convert_to(form);
        v.resize(4);
        EXPECT_EQ(v.count(), 4);
        v.resize(12);
        EXPECT_EQ(v.count(), 4);
        EXPECT_EQ(v.size(), 12);
        v.validate();
        v.clear();
        EXPECT_EQ(v.count(), 0);
        EXPECT_EQ(v.size(), 12);
        EXPECT_EQ(v.type(), dtype::int32);
    }
}

TEST(VectorBuild, CombinesRepeatsInInputOrder) {
    const context ctx;
    const std::vector<index_t> indices{4, 1, 4, 4};
    const std::vector<std::int32_t> values{10, 5, 3, 2};
    EXPECT_EQ(vector::build<std::int32_t>(ctx, 6, indices, values).get(4), scalar(15));
    EXPECT_EQ(vector::build<std::int32_t>(ctx, 6, indices, values, binary_id::minus).get(4), scalar(5));
    EXPECT_EQ(vector::build<std::int32_t>(ctx, 6, indices, values, binary_id::second).get(4), scalar(2));
    EXPECT_EQ(vector::build<std::int32_t>(ctx, 6, indices, values).count(), 2);
    EXPECT_THROW(vector::build<std::int32_t>(ctx, 4, indices, values), index_out_of_bounds);
    EXPECT_THROW(vector::build<std::int32_t>(ctx, 6, indices, std::span(values).first(3)),
                 dimension_mismatch);
}

TEST(VectorCopies, ShareStorageUntilOneChanges) {
    const context ctx;
    vector a = vector::full(ctx, 100, scalar(1.0));
    const std::size_t bytes = ctx.bytes_in_use();
    vector b = a;
    EXPECT_EQ(ctx.bytes_in_use(), bytes);
    EXPECT_EQ(a.values<double>().data(), b.values<double>().data());
    b.set(3, 2.0);
    EXPECT_EQ(a.get(3), scalar(1.0));
    EXPECT_EQ(b.get(3), scalar(2.0));
}

std::string fault(const vector& v) {
    try {
        v.validate();
    } catch (const invalid_format& e) {
        return e.what();
    }
    return "valid";
}

TEST(VectorValidate, NamesEachRuleThatIsBroken) {
    const context ctx;
    std::mt19937 random(3);
    dictionary d{70, 1, dtype::int8, {}};
    for (const index_t i : {3, 10, 69}) d.entries[{i, 0}] = {1};
    vector v = make_vector(ctx, d, vector_form::bitmap);
    EXPECT_EQ(fault(v), "valid");
    v.mutable_body().count = 4;
    EXPECT_EQ(fault(v), "bitmap holds 3 bits, the count is 4");
    v = make_vector(ctx, d, vector_form::bitmap);
    v.mutable_body().words()[1] |= bits::word{1} << 63;
    EXPECT_NE(fault(v).find("beyond size 70"), std::string::npos) << fault(v);
    v = make_vector(ctx, d, vector_form::sparse);
    v.mutable_body().indices.as<index_t>()[1] = 3;
    EXPECT_NE(fault(v).find("index 3 at position 1"), std::string::npos) << fault(v);
    v = make_vector(ctx, d, vector_form::sparse);
    v.mutable_body().indices.as<index_t>()[2] = 70;
    EXPECT_NE(fault(v).find("index 70 at position 2"), std::string::npos) << fault(v);
    v = make_vector(ctx, d, vector_form::sparse);
    v.mutable_body().count = 30;
    EXPECT_NE(fault(v).find("shorter"), std::string::npos) << fault(v);
    v = vector::full(ctx, 8, scalar(1));
    v.mutable_body().count = 7;
    EXPECT_EQ(fault(v), "dense vector of size 8 says it has 7 entries");
}

// A bitmap would take 1 GB.
TEST(VectorEntries, SetInAscendingOrderOrWithoutRoomForABitmapStaySparse) {
    const context ctx, tight({.backend = backend::cpu, .memory_limit = 4'000'000});
    constexpr offset_t size = 1'000'000'000;
    constexpr int entries =
        70'000;  // so many would have moved four times the bitmap's bytes, half of them each
    vector ascending(ctx, dtype::int8, size);
    for (int k = 0; k < entries; ++k) ascending.set(offset_t{k} * 10'000, std::int8_t{1});
    EXPECT_EQ(ascending.form(), vector_form::sparse);
    EXPECT_EQ(ascending.count(), entries);
    vector v(tight, dtype::int8, size);
    for (int k = 0; k < entries; ++k) v.set(offset_t{k} * 10'000 + 1, std::int8_t{1});
    for (int k = 0; k < 100; ++k) v.set(offset_t{k} * 10'000, std::int8_t{2});
    for (int k = 0; k < 100; ++k) v.remove(offset_t{k} * 10'000 + 1);
    v.validate();
    EXPECT_EQ(v.form(), vector_form::sparse);
    EXPECT_EQ(v.count(), entries);
    EXPECT_EQ(v.get(990'000), scalar(std::int8_t{2}));
}

}  // namespace
}  // namespace nz::test
