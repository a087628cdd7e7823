#include "ops/coordinates.hpp"

#include "harness.hpp"

#include <random>
#include <utility>

namespace nz::bench {

coordinates shuffled_coordinates(const context& ctx, const std::string& source) {
    coordinates p{load(ctx, source).matrix, {}, {}, {}};
    p.a.extract_tuples(p.rows, p.columns, p.values);
    for (std::size_t k = 0; k < p.values.size(); ++k) p.values[k] = static_cast<double>(k);
    p.a = matrix::build<double>(ctx, p.view());
    std::mt19937_64 random(1);
    for (std::size_t k = p.values.size(); k > 1; --k) {
        const std::size_t other = random() % k;
        std::swap(p.rows[k - 1], p.rows[other]);
        std::swap(p.columns[k - 1], p.columns[other]);
        std::swap(p.values[k - 1], p.values[other]);
    }
    return p;
}

}  // namespace nz::bench
