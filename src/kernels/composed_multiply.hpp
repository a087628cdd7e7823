// A semiring's multiply operator by itself, compiled for whole arrays: with a loop that sums, products over semirings that are not compiled.
#pragma once

#include "kernels/vector_arguments.hpp"
#include "storage/csr.hpp"

namespace nz::kernels {

struct composed_multiply {
    words_kernel kernel = nullptr;
    dtype x, y;      ///< types of the matrix's values and of the other operand's
    dtype operand;   ///< what the semiring takes both in,
    dtype operands;  ///< and the kernel, which is exact for it
    dtype result;    ///< what that gives,
    dtype type;      ///< what the operator's own results are, these cast,
    dtype value;     ///< and what a product is, cast once more
    bool ignores_x = false, ignores_y = false;
};

/// The products of so many pairs at a time, by one thread.
class composed_block {
public:
    composed_block(const context& ctx, const composed_multiply& multiply, offset_t capacity)
        : ctx_(ctx),
          multiply_(multiply),
          x_(ctx.memory(), static_cast<std::size_t>(capacity) * size_of(multiply.x)),
          y_(ctx.memory(), static_cast<std::size_t>(capacity) * size_of(multiply.y)),
          out_(ctx.memory(), static_cast<std::size_t>(capacity) * size_of(multiply.result)) {}

    /// Room for operands as they are stored.
    void* x() const { return x_.data(); }
    void* y() const { return y_.data(); }

    /// The products of x and y, of which one that is ignored is not looked at; valid until the next call.
    const void* multiply(const void* x, const void* y, offset_t count) {
        const composed_multiply& m = multiply_;
        words_arguments k;
        if (!m.ignores_x) k.a.values = in_type(own_x_, x, m.x, m.operand, m.operands, count);
        if (!m.ignores_y) k.b.values = in_type(own_y_, y, m.y, m.operand, m.operands, count);
        if (m.ignores_x) k.a.values = k.b.values;
        if (m.ignores_y) k.b.values = k.a.values;
        k.size = count;
        k.values = out_.data();
        m.kernel(k);
        return in_type(own_out_, out_.data(), m.result, m.type, m.value, count);
    }

private:
    // Values of the last of three types, which they go through one after the other.
    const void* in_type(buffer& own, const void* values, dtype from, dtype through, dtype to,
                        offset_t count) const {
        for (const dtype next : {through, to}) {
            if (from == next) continue;
            own = storage::convert_array(
                ctx_, buffer::borrow(values, static_cast<std::size_t>(count) * size_of(from)), from, next,
                count);
            values = own.data();
            from = next;
        }
        return values;
    }

    const context& ctx_;
    const composed_multiply& multiply_;
    buffer x_, y_, out_, own_x_, own_y_, own_out_;
};

}  // namespace nz::kernels
