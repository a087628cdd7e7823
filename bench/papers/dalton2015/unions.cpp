// Figure 2: the union of two sorted sets by the balanced path, over sizes and types of values. A set is a row of a matrix with
// one row: its columns are the keys. Beside it one thread of the standard library on the same keys, without values.
#include "papers/dalton2015/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace nz::bench::dalton2015 {
namespace {

constexpr int repeats = 9;

// Every place below the size is in either set with a half chance: as many entries together as places, a third of them met twice.
std::vector<index_t> random_set(index_t places, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<index_t> keys;
    std::uint64_t bits = 0;
    for (index_t k = 0; k < places; ++k, bits >>= 1) {
        if (k % 64 == 0) bits = random();
        if (bits & 1) keys.push_back(k);
    }
    return keys;
}

// Values that tell the sets apart.
template <class T>
std::vector<T> values_of(std::span<const index_t> keys, int set) {
    std::vector<T> values;
    values.reserve(keys.size());
    for (const index_t k : keys) values.push_back(static_cast<T>(2 * (k % 1000) + set));
    return values;
}

template <class T>
matrix set_matrix(const context& ctx, index_t places, std::span<const index_t> keys,
                  std::span<const T> values) {
    const std::vector<std::int32_t> offsets = {0, static_cast<std::int32_t>(keys.size())};
    return matrix::from_csr<T>(ctx, csr_view<T>{1, places, offsets, keys, values});
}

template <class T>
void check(const matrix& c, std::span<const index_t> x, std::span<const index_t> keys) {
    const auto found = c.csr<T>();
    bool same = std::ranges::equal(found.columns, keys);
    for (std::size_t k = 0; same && k < keys.size(); ++k)
        same = found.values[k] ==
               static_cast<T>(2 * (keys[k] % 1000) + (std::ranges::binary_search(x, keys[k]) ? 0 : 1));
    if (!same) throw error("the union has other entries than the standard library's");
}

template <class T>
measurement measure(const context& ctx, index_t places) {
    const auto x = random_set(places, 1), y = random_set(places, 2);
    const auto u = values_of<T>(x, 0), v = values_of<T>(y, 1);
    const matrix a = set_matrix<T>(ctx, places, x, u), b = set_matrix<T>(ctx, places, y, v);
    matrix c(ctx, dtype_of<T>, 1, places);
    const operation_plan plan = ewise_add(ctx, c, binary_id::first, a, b);
    if (plan.kernel != "balanced_path") throw error("the union ran by " + std::string(plan.kernel));
    std::vector<index_t> expected(x.size() + y.size());
    const timing one = time_ms(repeats, [&] {
        const auto end = std::ranges::set_union(x, y, expected.begin()).out;
        expected.resize(static_cast<std::size_t>(end - expected.begin()));
        expected.resize(x.size() + y.size());
    });
    expected.resize(
        static_cast<std::size_t>(std::ranges::set_union(x, y, expected.begin()).out - expected.begin()));
    check<T>(c, x, expected);
    const timing t = timed(ctx, repeats, [&] { ewise_add(ctx, c, binary_id::first, a, b); });
    const auto entries = static_cast<double>(x.size() + y.size());
    return {t.median,
            {{"best_ms", t.best},
             {"work", entries},
             {"gentries_per_s", entries / t.best / 1e6},
             {"one_thread_gentries_per_s", entries / one.best / 1e6}}};
}

struct value_type {
    const char* name;
    measurement (*measure)(const context&, index_t);
};
constexpr value_type types[] = {{"int32", measure<std::int32_t>},
                                {"int64", measure<std::int64_t>},
                                {"float32", measure<float>},
                                {"float64", measure<double>}};

std::string name_of(index_t places, const char* type) {
    return fmt::format("dalton2015/union/{}/{}", places, type);
}

}  // namespace

int unions(const options& o, const context& ctx) {
    if (kernels_here(ctx, "ewise", {"balanced_path"}).empty()) return 0;
    std::vector<index_t> sizes;
    for (int power = 10; power <= (o.quick ? 14 : 24); power += 2) sizes.push_back(index_t{1} << power);
    for (const index_t places : sizes)
        for (const value_type& type : types)
            add(name_of(places, type.name), [=, &type] { return type.measure(ctx, places); });
    const auto results = run(o, "^dalton2015/union/");
    fmt::print("\n{:>12}", "Gentries/s");
    for (const value_type& type : types) fmt::print(" {:>9}", type.name);
    fmt::print(" {:>22}\n", "keys alone, one thread");
    std::vector<double> ms, work;
    for (const index_t places : sizes) {
        fmt::print("{:>12}", places);
        for (const value_type& type : types)
            fmt::print(" {:>9.4f}", counter(find(results, name_of(places, type.name)), "gentries_per_s"));
        const auto* wide = find(results, name_of(places, "float64"));
        fmt::print(" {:>22.4f}\n", counter(wide, "one_thread_gentries_per_s"));
        if (!wide) continue;
        ms.push_back(counter(wide, "best_ms"));
        work.push_back(counter(wide, "work"));
    }
    print_correlation("float64", ms, work, "entries");
    return 0;
}

}  // namespace nz::bench::dalton2015
