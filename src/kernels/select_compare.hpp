// What select's built-in functions keep: entries whose place or value compares with a number as asked.
#pragma once

#include "nonzero/algebra.hpp"

namespace nz::kernels {

struct place_compares {
    index_unary_id op;
    offset_t with;
    constexpr bool operator()(offset_t i, offset_t, offset_t j) const {
        using enum index_unary_id;
        switch (op) {
            case tril:
                return j - i <= with;  // which no number overflows
            case triu:
                return j - i >= with;
            case diag:
                return j - i == with;
            case offdiag:
                return j - i != with;
            case rowle:
                return i <= with;
            case rowgt:
                return i > with;
            case colle:
                return j <= with;
            default:
                return j > with;
        }
    }
};

template <class T>
struct value_compares {
    index_unary_id op;
    T with;
    const T* values;
    constexpr bool operator()(offset_t, offset_t p, offset_t) const {
        using enum index_unary_id;
        const T x = values[p];
        switch (op) {
            case valueeq:
                return x == with;
            case valuene:
                return x != with;
            case valuelt:
                return x < with;
            case valuele:
                return x <= with;
            case valuegt:
                return x > with;
            default:
                return x >= with;
        }
    }
};

}  // namespace nz::kernels
