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

/// A B by the planned kernel of mxm on the context's GPU, where the result stays, or nothing where the plan of these facts
/// (completed with the GPU's) does not take it there. The result is of context `own`. Waits for the rows' bins and for the
/// result's size.
std::optional<device_product> mxm_on_device(const context& ctx, const context& own, const device_factors& f,
                                            plan::mxm_facts facts);

/// A product counted on a GPU, whose rows are filled there some at a time and come to the host.
class counted_rows {
public:
    virtual ~counted_rows() = default;
    virtual const mxm_plan& plan() const = 0;
    /// Memory of the host's that the GPU may write to, offsets filled in.
    virtual storage::csr host_result() const = 0;
    /// Before the first send: how many entries go together.
    virtual void begin(offset_t entries) = 0;
    /// Rows [first, last) into c. Returns when the rows before those under way are there, no more than two chunks.
    virtual void send(index_t first, index_t last, storage::csr& c) = 0;
    virtual void finish() = 0;
};
/// By mxm/hash or dia_dia without a mask, or nothing where the plan of these facts does not take it there.
std::unique_ptr<counted_rows> count_on_device(const context& ctx, const device_factors& f,
                                              plan::mxm_facts facts);

/// Milliseconds between two events around each of `repeats` runs of all steps, operands resident, memory taken and sizes
/// known; and of fill alone. Throws not_supported where this does not run on a GPU.
struct mxm_kernel_times {
    std::vector<double> all_ms, fill_ms;
};
mxm_kernel_times mxm_kernel_ms(const context& ctx, const device_factors& f, int repeats);

}  // namespace nz::ops
