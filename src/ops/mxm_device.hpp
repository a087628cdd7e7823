// Products of matrices on a GPU.
#pragma once

#include "nonzero/algebra.hpp"
#include "nonzero/plan.hpp"
#include "ops/checks.hpp"
#include "plan/mxm.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace nz::ops {

struct device_factors {
    const semiring& ring;
    const operand &left, &right;
    dtype operand_type, value_type;
    const matrix_options* mask = nullptr;  ///< the options that name one, or a kernel
};
struct device_product {
    mxm_plan plan;
    matrix result;
};

/// Whether the plan of these facts, completed with the GPU's, takes the product there.
bool goes_to_device(const context& ctx, const device_factors& f, plan::mxm_facts facts);

/// A B by the planned kernel of mxm on the context's GPU, where the result stays, or nothing where the plan of these facts
/// (completed with the GPU's) does not take it there. The result is of context `own`. Waits for the rows' bins and for the
/// result's size. Throws out_of_memory where the factors do not fit (mxm_strips.hpp).
std::optional<device_product> mxm_on_device(const context& ctx, const context& own, const device_factors& f,
                                            plan::mxm_facts facts);

/// A product counted on a GPU, whose rows are filled there some at a time and come to the host. Values go there when the first begins.
class counted_rows {
public:
    virtual ~counted_rows() = default;
    virtual const mxm_plan& plan() const = 0;
    /// Whether each send brings factors over the link again.
    virtual bool in_parts() const { return false; }
    /// Where its rows begin, and their end.
    virtual std::span<const offset_t> starts() const = 0;
    /// Before the first send: how many entries go together at most, and the number of the first column. Returns how many do, fewer where
    /// memory is short, but a row's.
    virtual offset_t begin(offset_t entries, index_t first_column) = 0;
    /// Rows [first, last) into c. Returns when the rows before those under way are there, no more than two chunks.
    virtual void send(index_t first, index_t last, storage::csr& c) = 0;
    virtual void finish() = 0;
};
/// By mxm/hash, dia_dia, masked_row or masked_dot, or nothing where the plan of these facts does not take it there. masked_dot's result
/// is there as a whole before it is sent.
std::unique_ptr<counted_rows> count_on_device(const context& ctx, const device_factors& f,
                                              plan::mxm_facts facts);

/// A result of rows that begin there, in `memory` of the host's that the GPU may write to; offsets are filled in.
storage::csr host_result(const context& ctx, const std::shared_ptr<memory_resource>& memory, dtype type,
                         index_t columns, std::span<const offset_t> starts);

/// Milliseconds between two events around each of `repeats` runs of all steps, operands resident, memory taken and sizes
/// known; and of fill alone. Throws not_supported where this does not run on a GPU.
struct mxm_kernel_times {
    std::vector<double> all_ms, fill_ms;
};
mxm_kernel_times mxm_kernel_ms(const context& ctx, const device_factors& f, int repeats);

}  // namespace nz::ops
