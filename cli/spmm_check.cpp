// The plain loop that spmm's results are compared with. It shares nothing with the kernels but the operators.
#include "algebra/bound.hpp"
#include "spmm.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace nz::cli {

scalar dense_memory::value(index_t i, index_t j) const {
    const offset_t at = order == dense_order::row_major ? static_cast<offset_t>(i) * columns + j
                                                        : static_cast<offset_t>(j) * rows + i;
    return dispatch(type, [&]<class T>(std::type_identity<T>) { return scalar(block.as<const T>()[at]); });
}

namespace {

class checker {
public:
    explicit checker(const spmm& m) : m_(m), ring_(m.ring, m.a.type(), m.b.type), rows_(m.a) {
        exact_ = m.ring.add().exact(ring_.type());
        epsilon_ = ring_.type() == dtype::float32 ? std::numeric_limits<float>::epsilon()
                                                  : std::numeric_limits<double>::epsilon();
    }

    template <class T>
    std::string check(std::span<const T> values) const {
        for (index_t i = 0; i < rows_.rows(); ++i)
            for (index_t j = 0; j < m_.c.columns; ++j) {
                double magnitude = 0;
                const scalar want(ring_.type(), expected(i, j, values, magnitude)), got = m_.c.value(i, j);
                if (!agree(got, want, epsilon_ * static_cast<double>(rows_.length(i)) * magnitude))
                    return fmt::format("C({},{}) is {}, expected {}", i, j, got.get<double>(),
                                       want.get<double>());
            }
        return {};
    }

private:
    template <class T>
    element expected(index_t i, index_t j, std::span<const T> values, double& magnitude) const {
        element sum = m_.ring.add().identity(ring_.type());
        bool first = true;
        auto p = static_cast<std::size_t>(rows_.begin(i));
        for (const index_t k : rows_.row(i)) {
            const T a = values.empty() ? T(1) : values[values.size() == 1 ? 0 : p];
            ++p;
            const element z = ring_.product(to_element<T>(a), m_.b.value(k, j).bits(), {i, k, k, j});
            sum = first ? z : ring_.sum(sum, z);
            first = false;
            magnitude += std::abs(scalar(ring_.type(), z).get<double>());
        }
        // A product of sums has a relative bound.
        if (m_.ring.add().id() == binary_id::times)
            magnitude = std::abs(scalar(ring_.type(), sum).get<double>());
        return sum;
    }
    bool agree(const scalar& got, const scalar& want, double bound) const {
        if (got == want) return true;
        const double x = got.get<double>(), y = want.get<double>();
        if (!is_floating(ring_.type())) return false;
        if (std::isnan(x) && std::isnan(y)) return true;
        return x == y || (!exact_ && std::abs(x - y) <= bound);
    }

    const spmm& m_;
    algebra::bound_semiring ring_;
    structure rows_;
    bool exact_ = false;
    double epsilon_ = 0;
};

}  // namespace

std::string check_spmm(const spmm& m) {
    const checker plain(m);
    const bool narrow = structure(m.a).offset_bytes() == 4;
    return dispatch(m.a.type(), [&]<class T>(std::type_identity<T>) {
        return plain.check<T>(narrow ? m.a.csr<T, std::int32_t>().values : m.a.csr<T, std::int64_t>().values);
    });
}

}  // namespace nz::cli
