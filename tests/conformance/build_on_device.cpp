// Matrices from coordinates in a GPU's memory: the host's, for every type and operator, with repeats and without, keys of either
// width, one value for all or none, and what is wrong said as on the host. Skips where there is no GPU.
#include "core/buffer.hpp"
#include "core/device.hpp"
#include "storage/matrix_body.hpp"
#include "support/battery.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <limits>

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
    }
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
    coo_view<float> mixed = given.view();
    mixed.values = c.values();
    EXPECT_THROW(matrix::build<float>(gpu, mixed), domain_error);
}

}  // namespace
}  // namespace nz::test
