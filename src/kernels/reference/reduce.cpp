#include "kernels/reference/reduce.hpp"

#include "algebra/bound.hpp"
#include "storage/vector_builder.hpp"

namespace nz::kernels::reference {
namespace {

// A running sum that may still be empty.
class running_sum {
public:
    running_sum(const monoid& add, dtype operand) : add_(add, operand), operand_(operand) {}
    void include(element x) {
        const element y = cast(x, operand_, add_.type());
        sum_ = empty_ ? y : add_(sum_, y);
        empty_ = false;
    }
    void restart() { empty_ = true; }
    bool empty() const { return empty_; }
    element value() const { return sum_; }
    dtype type() const { return add_.type(); }

private:
    algebra::bound_monoid add_;
    dtype operand_;
    element sum_{};
    bool empty_ = true;
};

scalar total(const running_sum& sum, const monoid& add, dtype type) {
    return scalar(type, cast(sum.empty() ? add.identity(sum.type()) : sum.value(), sum.type(), type));
}

}  // namespace

storage::vector_body reduce_rows(const context& ctx, const monoid& add, const storage::csr& a) {
    running_sum sum(add, a.type);
    storage::vector_builder t(ctx, sum.type(), a.rows);
    for (index_t i = 0; i < a.rows; ++i) {
        sum.restart();
        for (offset_t p = a.offset(i); p < a.offset(i + 1); ++p) sum.include(a.value(p));
        if (!sum.empty()) t.add(i, sum.value());
    }
    return std::move(t).finish();
}

scalar reduce(const monoid& add, const storage::vector_body& u) {
    running_sum sum(add, u.type);
    storage::for_each_entry(
        u, [&](index_t, offset_t k) { sum.include(storage::load(u.values.data(), u.type, k)); });
    return total(sum, add, u.type);
}

scalar reduce(const monoid& add, const storage::csr& a) {
    running_sum sum(add, a.type);
    for (offset_t p = 0; p < a.nnz; ++p) sum.include(a.value(p));
    return total(sum, add, a.type);
}

}  // namespace nz::kernels::reference
