// The plain loop that matvec results are compared with. It shares nothing with the kernels but the operators.
#include "algebra/bound.hpp"
#include "matvec.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>

namespace nz::cli {
namespace {

// A vector spread out: `present` says where there is an entry.
struct spread {
    std::vector<char> present;
    std::vector<element> values;
};

spread spread_out(const vector& v) {
    const auto n = static_cast<std::size_t>(v.size());
    spread s{std::vector<char>(n), std::vector<element>(n)};
    dispatch(v.type(), [&]<class T>(std::type_identity<T>) {
        std::vector<index_t> at;
        std::vector<T> values;
        v.extract_tuples<T>(at, values);
        for (std::size_t k = 0; k < at.size(); ++k) {
            s.present[at[k]] = 1;
            s.values[at[k]] = to_element<T>(values[k]);
        }
    });
    return s;
}

double number(element x, dtype type) { return scalar(type, x).get<double>(); }

// What a row should hold, and how far floating sums may stray from it.
struct expected_row {
    std::optional<element> sum;
    double magnitude = 0;  // of the products, added up
    offset_t terms = 0;
    bool picked = false;  // the result is one of the products
};

class checker {
public:
    checker(const matvec& m, bool any_order)
        : m_(m), ring_(m.ring, m.a.type(), m.x.type()), rows_(m.a), x_(spread_out(m.x)), y_(spread_out(m.y)) {
        const monoid& add = m.ring.add();
        exact_ = add.exact(ring_.type());
        any_ = any_order && add.always_terminal();
        relative_ = add.id() == binary_id::times;
        epsilon_ = ring_.type() == dtype::float32 ? std::numeric_limits<float>::epsilon()
                                                  : std::numeric_limits<double>::epsilon();
    }

    template <class T>
    std::string check(std::span<const T> values) const {
        for (index_t i = 0; i < rows_.rows(); ++i) {
            const expected_row row = expect(i, values);
            const auto at = static_cast<std::size_t>(i);
            if (row.sum.has_value() != (y_.present[at] != 0))
                return fmt::format("y({}) is {}, but {}", i, y_.present[at] ? "present" : "absent",
                                   row.sum ? "some entry of x meets its row" : "no entry of x meets its row");
            if (row.sum && !agrees(row, y_.values[at]))
                return fmt::format("y({}) is {}, expected {}", i, number(y_.values[at], ring_.type()),
                                   number(*row.sum, ring_.type()));
        }
        return {};
    }

private:
    template <class T>
    expected_row expect(index_t i, std::span<const T> values) const {
        expected_row row;
        auto p = static_cast<std::size_t>(rows_.begin(i));
        for (const index_t k : rows_.row(i)) {
            const T a = values.empty() ? T(1) : values[values.size() == 1 ? 0 : p];
            ++p;
            if (!x_.present[k]) continue;
            const element z = ring_.product(to_element<T>(a), x_.values[k], {i, k, k, 0});
            row.sum = row.sum ? ring_.sum(*row.sum, z) : z;
            row.magnitude += std::abs(number(z, ring_.type()));
            row.picked = row.picked || z == y_.values[static_cast<std::size_t>(i)];
            ++row.terms;
        }
        return row;
    }

    bool agrees(const expected_row& row, element y) const {
        if (any_) return row.picked;
        if (exact_ || y == *row.sum) return y == *row.sum || both_nan(y, *row.sum);
        const double got = number(y, ring_.type()), want = number(*row.sum, ring_.type());
        if (both_nan(y, *row.sum) || got == want) return true;
        const double scale = relative_ ? std::abs(want) : row.magnitude;
        return std::abs(got - want) <= epsilon_ * static_cast<double>(row.terms) * scale;
    }
    bool both_nan(element y, element want) const {
        return is_floating(ring_.type()) && std::isnan(number(y, ring_.type())) &&
               std::isnan(number(want, ring_.type()));
    }

    const matvec& m_;
    algebra::bound_semiring ring_;
    structure rows_;
    spread x_, y_;
    bool exact_ = false, any_ = false, relative_ = false;
    double epsilon_ = 0;
};

}  // namespace

std::string check_matvec(const matvec& m, bool any_order) {
    const checker plain(m, any_order);
    const bool narrow = structure(m.a).offset_bytes() == 4;
    return dispatch(m.a.type(), [&]<class T>(std::type_identity<T>) {
        return plain.check<T>(narrow ? m.a.csr<T, std::int32_t>().values : m.a.csr<T, std::int64_t>().values);
    });
}

}  // namespace nz::cli
