// Matrices from coordinates in a GPU's memory: the host's, for every type and operator, with repeats and without, keys of either
// width, one value for all or none, in every order, by every way that buckets of rows are sorted, and what is wrong said as on the
// host. Skips where there is no GPU.
#include "core/buffer.hpp"
#include "core/device.hpp"
#include "storage/matrix_body.hpp"
#include "support/battery.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace nz::test {
namespace {

constexpr unsigned build_device_seed = 20261125;

class BuildOnDevice : public ::testing::Test {
protected:
    void SetUp() override {
        if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
    }
    std::mt19937 random{build_device_seed};
};

template <class T>
struct coordinates {
    using stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
    index_t rows, columns;
    std::vector<index_t> i, j;
    std::vector<stored> x;

    std::span<const T> values() const { return {reinterpret_cast<const T*>(x.data()), x.size()}; }
    coo_view<T> view() const { return {rows, columns, i, j, values()}; }
};

template <class T>
coordinates<T> random_coordinates(index_t rows, index_t columns, std::size_t n, std::mt19937& random) {
    coordinates<T> c{rows, columns, {}, {}, {}};
    for (std::size_t k = 0; k < n; ++k) {
        c.i.push_back(static_cast<index_t>(random() % static_cast<unsigned>(rows)));
        c.j.push_back(static_cast<index_t>(random() % static_cast<unsigned>(columns)));
        auto x = static_cast<T>(static_cast<int>(random() % 200) - 100);
        if constexpr (std::is_same_v<T, bool>) x = random() % 2;
        if constexpr (std::is_floating_point_v<T>)
            x = k % 37 == 5 ? std::numeric_limits<T>::quiet_NaN() : x / 7;
        c.x.push_back(x);
    }
    return c;
}

// The same in the GPU's memory.
template <class T>
class lent_coordinates {
public:
    lent_coordinates(const context& gpu, const coordinates<T>& c, bool with_values = true)
        : rows_(c.rows), columns_(c.columns), n_(c.i.size()), with_values_(with_values) {
        i_ = there(gpu, c.i.data(), n_ * sizeof(index_t));
        j_ = there(gpu, c.j.data(), n_ * sizeof(index_t));
        if (with_values) x_ = there(gpu, c.x.data(), n_ * sizeof(T));
        gpu.gpu()->wait();
    }
    coo_view<T> view() const {
        return {rows_,
                columns_,
                {i_.as<index_t>(), n_},
                {j_.as<index_t>(), n_},
                with_values_ ? std::span<const T>(x_.as<T>(), n_) : std::span<const T>()};
    }

private:
    static buffer there(const context& gpu, const void* from, std::size_t bytes) {
        buffer to(gpu.device_memory(), bytes);
        gpu.gpu()->upload(to.data(), from, bytes);
        return to;
    }
    index_t rows_, columns_;
    std::size_t n_;
    bool with_values_;
    buffer i_, j_, x_;
};

// Offsets, columns and the bits of values.
void expect_same(const matrix& expected, const matrix& found) {
    const storage::csr &a = expected.body().rows(), &b = found.body().rows();
    ASSERT_EQ(a.nnz, b.nnz);
    ASSERT_EQ(a.type, b.type);
    ASSERT_EQ(std::memcmp(a.offsets.data(), b.offsets.data(), a.offsets.bytes()), 0);
    ASSERT_EQ(std::memcmp(a.index_data(), b.index_data(), static_cast<std::size_t>(a.nnz) * sizeof(index_t)),
              0);
    for (offset_t k = 0; k < a.nnz; ++k) {
        const element x = a.value(k), y = b.value(k);
        if (x.bits == y.bits) continue;
        dispatch(a.type, [&]<class T>(std::type_identity<T>) {  // a NaN is a NaN
            if constexpr (std::is_floating_point_v<T>)
                ASSERT_TRUE(from_element<T>(x) != from_element<T>(x) &&
                            from_element<T>(y) != from_element<T>(y))
                    << "entry " << k;
            else
                FAIL() << "entry " << k;
        });
    }
}

class BuildOnDeviceOfType : public ::testing::TestWithParam<dtype> {};
INSTANTIATE_TEST_SUITE_P(Every, BuildOnDeviceOfType, ::testing::ValuesIn(all_types),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST_P(BuildOnDeviceOfType, IsTheHostsWithEveryOperatorAndShape) {
    if (const std::string why = device::why_absent(); !why.empty()) GTEST_SKIP() << why;
    std::mt19937 random(build_device_seed + 1);
    const context gpu({.backend = backend::cuda}), cpu({.backend = backend::cpu, .threads = 2});
    struct {
        index_t rows, columns;
        std::size_t n;
    } const shapes[] = {{1, 1, 1},      {1, 1, 40},          {1, 900, 300},           {900, 1, 300},
                        {30, 40, 5000}, {3000, 2000, 20000}, {2000000, 1500000, 9000}};
    dispatch(GetParam(), [&]<class T>(std::type_identity<T>) {
        for (const auto& [rows, columns, n] : shapes) {
            const auto c = random_coordinates<T>(rows, columns, n, random);
            const lent_coordinates<T> there(gpu, c);
            for (const binary_id op :
                 {binary_id::plus, binary_id::times, binary_id::min, binary_id::max, binary_id::first,
                  binary_id::second, binary_id::any, binary_id::minus}) {
                SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns) + " " +
                             std::string(binary_op(op).name()));
                const matrix found = matrix::build<T>(gpu, there.view(), op);
                EXPECT_EQ(found.on_device(), op != binary_id::minus) << "the others are the host's";
                expect_same(matrix::build<T>(cpu, c.view(), op), found);
            }
        }
    });
}

TEST_F(BuildOnDevice, OfOneValueOrNoneAndOfNoRepeats) {
    const context gpu({.backend = backend::cuda}), cpu({.backend = backend::cpu, .threads = 2});
    auto c = random_coordinates<double>(500, 400, 4000, random);
    const double seven = 7;
    for (const std::size_t values : {std::size_t{0}, std::size_t{1}}) {
        const lent_coordinates<double> there(gpu, c, false);
        const std::span<const double> given(&seven, values);
        coo_view<double> here = c.view(), lying = there.view();
        here.values = lying.values = given;
        const matrix found = matrix::build<double>(gpu, lying);
        EXPECT_TRUE(found.on_device());
        expect_same(matrix::build<double>(cpu, here), found);
        for (const binary_id op : {binary_id::plus, binary_id::first, binary_id::min}) {
            const matrix first = matrix::build<double>(gpu, lying, op),
                         expected = matrix::build<double>(cpu, here, op);
            EXPECT_EQ(first.values_held(), expected.values_held()) << binary_op(op).name();
            EXPECT_TRUE(first.on_device());
            matrix twice(gpu, dtype::float64, 500, 400);  // the one value is read there, too
            ewise_add(gpu, twice, binary_id::plus, first, first);
            EXPECT_EQ(reduce(gpu, binary_id::plus, twice),
                      scalar(2 * reduce(cpu, binary_id::plus, expected).get<double>()));
            expect_same(expected, first);
        }
    }
    const buffer lying_value(gpu.device_memory(), sizeof seven);
    gpu.gpu()->upload(lying_value.data(), &seven, sizeof seven);
    gpu.wait();
    coo_view<double> apart = c.view();
    apart.values = {lying_value.as<const double>(), 1};
    coo_view<double> here = c.view();
    here.values = {&seven, 1};
    expect_same(matrix::build<double>(cpu, here), matrix::build<double>(gpu, apart));
    // Every place of a 40 x 50 matrix once, from the last to the first.
    coordinates<double> once{40, 50, {}, {}, {}};
    for (index_t k = 1999; k >= 0; --k) {
        once.i.push_back(k / 50);
        once.j.push_back(k % 50);
        once.x.push_back(k);
    }
    const lent_coordinates<double> there(gpu, once);
    const matrix found = matrix::build<double>(gpu, there.view());
    EXPECT_TRUE(found.on_device());
    expect_same(matrix::build<double>(cpu, once.view()), found);
    vector x(gpu, dtype::float64, 50);
    for (index_t k = 0; k < 50; ++k) x.set(k, 1.0);
    vector y(gpu, dtype::float64, 40);
    mxv(gpu, y, semiring("plus_times"), found, x);
    EXPECT_EQ(y.get(1)->get<double>(), (50 + 99) * 25) << "used where it lies";
}

using places = std::vector<std::pair<index_t, index_t>>;

// Values are the coordinates' numbers, so that nothing is left out or taken twice unseen.
template <class T>
coordinates<T> numbered(index_t rows, index_t columns, const places& given) {
    coordinates<T> c{rows, columns, {}, {}, {}};
    for (const auto& [i, j] : given) {
        c.x.push_back(static_cast<typename coordinates<T>::stored>(c.i.size() * 2654435761u >> 7));
        c.i.push_back(i);
        c.j.push_back(j);
    }
    return c;
}
void expect_the_hosts(index_t rows, index_t columns, const places& given) {
    const context gpu({.backend = backend::cuda}), cpu({.backend = backend::cpu, .threads = 2});
    const auto of_type = [&]<class T>(std::type_identity<T>, binary_id op) {
        SCOPED_TRACE(name_of(dtype_of<T>));
        const auto c = numbered<T>(rows, columns, given);
        const lent_coordinates<T> there(gpu, c);
        const matrix found = matrix::build<T>(gpu, there.view(), op);
        EXPECT_TRUE(found.on_device());
        expect_same(matrix::build<T>(cpu, c.view(), op), found);
    };
    of_type(std::type_identity<double>(), binary_id::plus);
    of_type(std::type_identity<float>(), binary_id::second);
    of_type(std::type_identity<std::int16_t>(), binary_id::plus);
    of_type(std::type_identity<std::uint8_t>(), binary_id::first);
}

places scattered(index_t rows, index_t columns, std::size_t n, std::mt19937& random) {
    places p(n);
    for (auto& [i, j] : p) {
        i = static_cast<index_t>(random() % static_cast<unsigned>(rows));
        j = static_cast<index_t>(random() % static_cast<unsigned>(columns));
    }
    return p;
}

TEST_F(BuildOnDevice, InOrderAndInReverse) {
    for (const std::size_t n : {std::size_t{100}, std::size_t{20481}, std::size_t{300000}}) {
        SCOPED_TRACE(n);
        places p = scattered(20000, 30000, n, random);
        std::sort(p.begin(), p.end());
        expect_the_hosts(20000, 30000, p);
        std::reverse(p.begin(), p.end());
        expect_the_hosts(20000, 30000, p);
    }
}

TEST_F(BuildOnDevice, RowsAndColumnsThatHaveMostOfThem) {
    // In a block of its own, nearly filling it, in none; sorted as a list there by keys of 8 bytes, 8 and 4.
    for (const auto& [hub, columns] : {std::pair<std::size_t, index_t>{2000, 3000000},
                                       {12000, 3000000},
                                       {40000, 3000000},
                                       {40000, 1000000},
                                       {40000, 5000}}) {
        SCOPED_TRACE(std::to_string(hub) + ", " + std::to_string(columns));
        places p = scattered(20000, columns, 60000, random);
        for (std::size_t k = 0; k < hub; ++k) p[k].first = 77;
        for (const auto& more : scattered(20000, columns, 40000, random)) p.push_back(more);
        std::shuffle(p.begin(), p.end(), random);
        expect_the_hosts(20000, columns, p);
    }
    places row = scattered(5000, 300000, 50000, random), column = row;
    for (auto& at : row) at.first = 4321;
    for (auto& at : column) at.second = 4321;
    expect_the_hosts(5000, 300000, row);
    expect_the_hosts(5000, 300000, column);
}

TEST_F(BuildOnDevice, ManyAreDealtTwiceUnlessTheirRowsAscend) {
    places p = scattered(400000, 300000, 1000000, random);
    for (std::size_t k = 0; k < 40000; ++k) p[k].first = k < 6000 ? 77 : k < 20000 ? 300001 : 399999;
    std::shuffle(p.begin(), p.end(), random);
    expect_the_hosts(400000, 300000, p);
    std::stable_sort(p.begin(), p.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    expect_the_hosts(400000, 300000, p);
    std::swap(p[500000], p[500031]);  // at a warp's first and last
    std::swap(p.front(), p.back());
    expect_the_hosts(400000, 300000, p);
}

TEST_F(BuildOnDevice, ColumnsOfARowThatLieTogether) {
    for (const index_t run : {40, 300, 3000}) {
        SCOPED_TRACE(run);
        places p;
        for (index_t i = 0; i < 90000 / run; ++i)
            for (index_t k = 0; k < run; ++k) p.emplace_back(i * 7, i * 1000 + k);
        std::shuffle(p.begin(), p.end(), random);
        expect_the_hosts(16000, 5000000, p);
    }
}

TEST_F(BuildOnDevice, ManyRepeats) {
    expect_the_hosts(40, 50, scattered(40, 50, 200000, random));
    expect_the_hosts(30, 2, scattered(30, 2, 90000, random));
    expect_the_hosts(9000, 1, scattered(9000, 1, 90000, random));
    places pairs = scattered(50000, 60000, 50000, random);
    for (std::size_t k = 0; k < 50000; ++k) pairs.push_back(pairs[k]);
    expect_the_hosts(50000, 60000, pairs);
}

TEST_F(BuildOnDevice, SoManyRowsAndColumnsThatKeysAreWideOrBucketsTooMany) {
    constexpr index_t most = std::numeric_limits<index_t>::max();
    expect_the_hosts(3000000, most, scattered(3000000, most, 50000, random));
    expect_the_hosts(20000000, 20000000, scattered(20000000, 20000000, 30000, random));
    expect_the_hosts(34000000, 5, scattered(34000000, 5, 30000, random));
}

TEST_F(BuildOnDevice, OfNoCoordinates) {
    const context gpu({.backend = backend::cuda});
    const matrix found = matrix::build<double>(gpu, {5, 7, {}, {}, {}});
    EXPECT_EQ(found.nnz(), 0);
    EXPECT_EQ(found.rows(), 5);
}

TEST_F(BuildOnDevice, SaysWhatIsWrongAsTheHostDoes) {
    const context gpu({.backend = backend::cuda});
    auto c = random_coordinates<float>(50, 40, 1000, random);
    c.j[700] = 40;
    c.i[800] = -1;
    std::string on_host, there;
    try {
        matrix::build<float>(gpu, c.view());
    } catch (const index_out_of_bounds& e) {
        on_host = e.what();
    }
    const lent_coordinates<float> given(gpu, c);
    try {
        matrix::build<float>(gpu, given.view());
    } catch (const index_out_of_bounds& e) {
        there = e.what();
    }
    EXPECT_NE(on_host.find("entry 700"), std::string::npos) << on_host;
    EXPECT_EQ(on_host, there);
    std::sort(c.i.begin(), c.i.end(), [](index_t a, index_t b) { return unsigned(a) < unsigned(b); });
    c.j[700] = 3;
    c.j[400] = -7;
    for (const index_t last : {49, 50, -1}) {  // rows ascend
        c.i.back() = last;
        const lent_coordinates<float> ascending(gpu, c);
        try {
            matrix::build<float>(gpu, ascending.view());
            FAIL() << "entry 400 is outside";
        } catch (const index_out_of_bounds& e) {
            EXPECT_NE(std::string(e.what()).find("entry 400 "), std::string::npos) << e.what();
        }
    }
    coo_view<float> mixed = given.view();
    mixed.values = c.values();
    EXPECT_THROW(matrix::build<float>(gpu, mixed), domain_error);
}

}  // namespace
}  // namespace nz::test
