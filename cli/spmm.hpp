// nz spmm: C = A B for a dense random B; what the verb and its check share.
#pragma once

#include "common.hpp"
#include "core/buffer.hpp"
#include "nonzero/operations.hpp"

#include <string>

namespace nz::cli {

struct spmm_settings : settings {
    index_t columns = 32;
    std::string layout = "row";
    std::string semiring = "plus_times";
    std::string type;  // empty: double

    dense_order order() const { return layout == "row" ? dense_order::row_major : dense_order::column_major; }
};

/// A dense matrix in memory that counts against the context's limit.
struct dense_memory {
    dtype type;
    index_t rows, columns;
    dense_order order;
    buffer block;

    dense_memory(const context& ctx, dtype t, offset_t m, index_t n, dense_order o)
        : type(t),
          rows(static_cast<index_t>(m)),
          columns(n),
          order(o),
          block(ctx.memory(), static_cast<std::size_t>(m) * static_cast<std::size_t>(n) * size_of(t)) {}
    std::size_t size() const { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns); }
    dense_output view() const {
        return dispatch(type, [&]<class T>(std::type_identity<T>) {
            return dense_output(dense_view<T>{rows, columns, {block.as<T>(), size()}, order});
        });
    }
    scalar value(index_t i, index_t j) const;
};

/// A (its values in the type that the semiring computes in), B, and what became of them.
struct spmm {
    nz::semiring ring;
    nz::matrix a;
    dense_memory b, c;
    dense_plan plan;
    double ms = 0;  ///< median of the repeats
};

/// Compares m.c with a plain loop: exact for exact types, else within a bound for each place. Empty, or what is wrong.
std::string check_spmm(const spmm& m);

}  // namespace nz::cli
