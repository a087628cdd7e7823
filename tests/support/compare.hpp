// Comparing results: exact where arithmetic is, by a bound per row where floating sums may be reordered.
#pragma once

#include "storage/csr.hpp"
#include "support/model.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace nz::test {

/// Exactly the same entries, and storage that keeps its rules.
template <class Object>
::testing::AssertionResult same(const dictionary& expected, const Object& found) {
    try {
        found.validate();
    } catch (const error& e) {
        return ::testing::AssertionFailure() << "the result is not valid: " << e.what();
    }
    const std::string text = difference(expected, read(found));
    if (text.empty()) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << text;
}

/// The same arrays, bit for bit.
bool same_bits(const storage::csr& x, const storage::csr& y);
bool same_bits(const matrix& x, const matrix& y);
/// The same entries in the same order, values as bits, however they are held.
::testing::AssertionResult same_entries(const storage::csr& expected, const storage::csr& found);

/// eps * n * sum of |a||b| for each row of A u, where n counts the row's products: how far two orders of
/// summation of a plus_times product may lie apart. eps is that of `type`.
std::vector<double> row_bounds(const matrix& a, const vector& u, dtype type);
/// The same entries, values within bounds[i] of each other (NaN and equal infinities agree).
::testing::AssertionResult close(const vector& expected, const vector& found,
                                 const std::vector<double>& bounds);

}  // namespace nz::test
