// Dense operands of the caller's in a GPU's memory: turned and converted there, or as the host works on them.
#pragma once

#include "core/buffer.hpp"
#include "nonzero/context.hpp"
#include "storage/dense.hpp"

namespace nz::ops {

/// Whether the caller's memory is that of the context's GPU.
bool lies_there(const context& ctx, const storage::dense& d);

/// The same shape and order with its lines one behind another.
storage::dense without_gaps(dtype type, void* memory, const storage::dense& shape);

/// to(i,j) = from(i,j), converted, both in the GPU's memory; ordered on its stream. Takes, there, the values in each of two types
/// that differ.
void copy_dense_on_device(const context& ctx, const storage::dense& from, const storage::dense& to);

/// What the host reads and writes in place of a matrix in the GPU's memory: a copy without gaps. Elsewhere the matrix itself.
class dense_at_home {
public:
    /// What lies there is complete. Without `content` the copy is for results alone.
    dense_at_home(const context& ctx, const storage::dense& d, bool content);
    const storage::dense& here() const { return here_; }
    /// Writes a copy back; what lies between the lines stays as it is.
    void send_back() const;

private:
    const context& ctx_;
    storage::dense there_, here_;
    buffer copy_;
};

}  // namespace nz::ops
