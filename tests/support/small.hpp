// Hand-made matrices and vectors as one writes them on paper.
#pragma once

#include "nonzero/nonzero.hpp"

#include <initializer_list>
#include <vector>

namespace nz::test {

template <class T>
struct triple {
    index_t row, column;
    T value;
};
template <class T>
matrix matrix_of(const context& ctx, offset_t rows, offset_t columns,
                 std::initializer_list<triple<T>> entries) {
    matrix a(ctx, dtype_of<T>, rows, columns);
    for (const auto& [i, j, x] : entries) a.set(i, j, x);
    return a;
}
template <class T>
vector vector_of(const context& ctx, offset_t size, std::initializer_list<std::pair<index_t, T>> entries) {
    vector v(ctx, dtype_of<T>, size);
    for (const auto& [i, x] : entries) v.set(i, x);
    return v;
}

/// All entries as text: "(0,1)=5 (2,2)=7" or "1=5 3=7".
std::string text(const matrix& a);
std::string text(const vector& v);

}  // namespace nz::test
