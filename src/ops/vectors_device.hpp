// Whole vectors on a GPU: their write-back, and the compiled kernels over them where one of them is there already. Each says
// nothing where it does not serve, and the caller goes on by way of the host.
#pragma once

#include "kernels/device_vectors.hpp"
#include "kernels/vector_arguments.hpp"
#include "nonzero/operations.hpp"
#include "storage/vector_body.hpp"

#include <optional>

namespace nz::ops {

kernels::device_entries entries_of(const storage::vector_body& v, const storage::device_vector& on);
/// Whether work on v belongs on the GPU: its content is there, and nowhere else.
bool lives_there(const context& ctx, const vector& v);
/// A dense or bitmap copy there of what may be sparse.
struct placed_vector {
    std::shared_ptr<const storage::device_vector> on;
    storage::device_vector converted;
    kernels::device_entries entries;
};
placed_vector place_on_device(const context& ctx, const storage::vector_body& b);
/// A vector of values and presence, dense where every entry is there. Who asks for their number waits for it, not this call.
vector from_bitmap(const context& ctx, dtype type, index_t size, storage::device_vector content);
/// The words of the options' mask; empty without one.
buffer mask_on_device(const context& ctx, const vector_options& options);

/// As find_compiled on the host.
struct compiled_on_device {
    kernels::device_words_kernel kernel = nullptr;
    dtype operands = dtype::float64, result = dtype::float64, type = dtype::float64;
};
compiled_on_device find_compiled_on_device(const binary_op& op, dtype type);

/// The vector on the GPU with values of that type: itself where it has them.
vector in_type_on_device(const context& ctx, const vector& v, dtype type);

/// w<mask, replace> = accum(w, t) on the GPU where types and operator allow, else on the host; `masked`: t holds only
/// what the mask lets through.
void write_back_on_device(const context& ctx, vector& w, vector t, const vector_options& options,
                          const bits::word* mask, bool masked);

/// A dense vector of one value, on the GPU where the context has one.
vector full(const context& ctx, offset_t size, scalar value);
/// The same for a t of any type that knows nothing of the mask.
void write_back_from_device(const context& ctx, vector& w, vector t, const vector_options& options);

/// The values of a dense w on the GPU for a kernel that writes them in place: they become a copy of w's own where others have them too.
void* writable_on_device(const context& ctx, vector& w);

/// y = alpha t + beta y for float32 or float64, both of that type: dense.
void combine_on_device(const context& ctx, double alpha, const vector& t, double beta, vector& y);

/// A vector of f's entries, all of them `value`, where f is.
vector same_entries_on_device(const context& ctx, const vector& f, scalar value);

/// u op v as union or intersection; op(x, u) or op(u, x) and f(u) at every entry of u.
std::optional<vector> join_words_on_device(const context& ctx, kernels::set_operation operation,
                                           const binary_op& op, const vector& u, const vector& v);
std::optional<vector> apply_words_on_device(const context& ctx, const binary_op& op, scalar x,
                                            const vector& u);
std::optional<vector> apply_words_on_device(const context& ctx, const binary_op& op, const vector& u,
                                            scalar x);
std::optional<vector> apply_words_on_device(const context& ctx, const unary_op& f, const vector& u);
/// The sum of u's entries in u's type, the identity where there is none.
std::optional<scalar> reduce_blocks_on_device(const context& ctx, const monoid& add, const vector& u);
std::optional<scalar> reduce_blocks_on_device(const context& ctx, const monoid& add, const matrix& a);

}  // namespace nz::ops
