// A sparse times a dense matrix on a GPU.
#pragma once

#include "ops/mxd_product.hpp"

#include <memory>
#include <vector>

namespace nz::ops {

/// One planned product, its operands there and its memory taken. Made once, it may be run again and again: enqueue()
/// neither allocates nor waits.
class device_mxd {
public:
    device_mxd(const mxd_product& p, const dense_plan& plan);

    /// Computes A B on the context's stream.
    void enqueue() const;
    /// Brings the result to the caller's C, and waits for it.
    void finish();

private:
    storage::dense place(const storage::dense& d, buffer& block, bool with_content) const;
    storage::dense packed_second(std::byte* memory);
    void take_result(std::byte*& memory);
    void take_matrix();

    const mxd_product& p_;
    dense_plan plan_;
    bool pass_of_its_own_;  ///< a conversion, or an accumulator that the kernel does not know
    kernels::device_mxd_arguments k_;
    std::vector<std::shared_ptr<const void>> kept_;  // what the arguments point into
    buffer workspace_, b_block_, c_block_;
    storage::dense b_, t_, c_;
};

/// C = T, or accum(C, T) in the rows that have entries, for T in the GPU's memory; an accumulator is applied on the host.
void write_back_dense_from_device(const mxd_product& p, const storage::dense& t);

/// Milliseconds between two events around each of `repeats` runs of the kernel, operands resident. Throws not_supported where
/// the product does not run on a GPU.
std::vector<double> mxd_kernel_ms(const context& ctx, const dense_output& c, const semiring& s,
                                  const matrix& a, const dense_input& b, const dense_options& options,
                                  int repeats);

}  // namespace nz::ops
