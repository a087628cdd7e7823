// The operands of the GPU's matvec suites: one structure, and values of either type over it, on both sides.
#pragma once

#include "core/buffer.hpp"
#include "nonzero/nonzero.hpp"
#include "peers/cusparse.hpp"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace nz::bench {

/// A generated matrix, of which the places of the entries are used. Values and vectors come from their positions, with
/// 24 bits, so that they are the same numbers in float and in double; all lie in [0.5, 1.5), so that sums do not
/// cancel and a relative bound holds for them.
struct structure {
    std::string name;
    matrix a;
    std::span<const std::int32_t> offsets;
    std::span<const index_t> indices;
    std::vector<double> expected;  ///< A x by a plain loop, in double
};

structure make_structure(const context& cpu, const std::string& source);

/// The value of entry (or of x at) k.
constexpr double value_at(offset_t k) {
    const auto mixed = static_cast<std::uint32_t>(static_cast<std::uint64_t>(k) * 2654435761u);
    return 0.5 + static_cast<double>(mixed >> 8) / (1 << 24);
}

/// Operands of one type. The structure outlives them.
struct operands {
    dtype type = dtype::float64;
    std::shared_ptr<const void> values;  ///< what `a` borrows
    matrix a;
    vector x;
    device_spmv on_device;
    std::vector<buffer> blocks;  ///< what on_device points to
};

operands make_operands(const context& gpu, const structure& s, dtype type);

/// Throws unless y is A x, row by row, but for the rounding of `type`.
void expect_product(const structure& s, dtype type, const vector& y, const std::string& name);
/// The same for on_device.y, which is spoilt afterwards, so that the next product has to write all of it.
void expect_device_product(const context& gpu, const structure& s, const operands& o,
                           const std::string& name);

}  // namespace nz::bench
