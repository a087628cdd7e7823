#include "support/compare.hpp"

#include "storage/matrix_body.hpp"

#include <cmath>
#include <cstring>

namespace nz::test {

bool same_bits(const storage::csr& u, const storage::csr& v) {
    if (u.rows != v.rows || u.nnz != v.nnz || u.kind != v.kind || u.type != v.type ||
        u.offset_bytes != v.offset_bytes)
        return false;
    const auto equal = [](const buffer& s, const buffer& t, std::size_t bytes) {
        return bytes == 0 || std::memcmp(s.data(), t.data(), bytes) == 0;
    };
    const auto n = static_cast<std::size_t>(u.nnz);
    return equal(u.offsets, v.offsets,
                 (static_cast<std::size_t>(u.rows) + 1) * static_cast<std::size_t>(u.offset_bytes)) &&
           equal(u.indices, v.indices, n * sizeof(index_t)) &&
           equal(u.values, v.values, u.kind == value_kind::full ? n * size_of(u.type) : u.values.bytes());
}
bool same_bits(const matrix& x, const matrix& y) { return same_bits(x.body().rows(), y.body().rows()); }

::testing::AssertionResult same_entries(const storage::csr& expected, const storage::csr& found) {
    if (expected.rows != found.rows || expected.nnz != found.nnz)
        return ::testing::AssertionFailure() << found.nnz << " entries in " << found.rows << " rows";
    for (index_t i = 0; i <= expected.rows; ++i)
        if (expected.offset(i) != found.offset(i))
            return ::testing::AssertionFailure() << "row " << i << " begins at " << found.offset(i);
    for (offset_t k = 0; k < expected.nnz; ++k)
        if (expected.index_data()[k] != found.index_data()[k] ||
            expected.value(k).bits != found.value(k).bits)
            return ::testing::AssertionFailure() << "entry " << k << " differs";
    return ::testing::AssertionSuccess();
}

std::vector<double> row_bounds(const matrix& a, const vector& u, dtype type) {
    const double eps = type == dtype::float32 ? std::numeric_limits<float>::epsilon()
                                              : std::numeric_limits<double>::epsilon();
    std::vector<double> sums(static_cast<std::size_t>(a.rows())), products(sums.size());
    const dictionary entries = converted(read(a), dtype::float64), other = converted(read(u), dtype::float64);
    for (const auto& [at, x] : entries.entries) {
        const auto y = other.entries.find({at.second, 0});
        if (y == other.entries.end()) continue;
        sums[at.first] += std::fabs(from_element<double>(x)) * std::fabs(from_element<double>(y->second));
        products[at.first] += 1;
    }
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] *= eps * products[i];
    return sums;
}

::testing::AssertionResult close(const vector& expected, const vector& found,
                                 const std::vector<double>& bounds) {
    if (expected.size() != found.size() || expected.count() != found.count() ||
        expected.type() != found.type())
        return ::testing::AssertionFailure() << "expected " << expected.count() << " of " << expected.size()
                                             << " entries, found " << found.count() << " of " << found.size();
    const dictionary a = converted(read(expected), dtype::float64),
                     b = converted(read(found), dtype::float64);
    for (const auto& [at, bits] : a.entries) {
        const auto other = b.entries.find(at);
        if (other == b.entries.end())
            return ::testing::AssertionFailure() << "entry " << at.first << " is absent";
        const double x = from_element<double>(bits), y = from_element<double>(other->second);
        const bool agree = x == y || (std::isnan(x) && std::isnan(y)) || std::fabs(x - y) <= bounds[at.first];
        if (!agree)
            return ::testing::AssertionFailure() << "entry " << at.first << " is " << y << ", expected " << x
                                                 << " within " << bounds[at.first];
    }
    return ::testing::AssertionSuccess();
}

}  // namespace nz::test
