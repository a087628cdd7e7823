// What the generators share: their arguments, and building a CSR whose rows can be computed one by one.
#pragma once

#include "core/parallel.hpp"
#include "io/adjacency.hpp"
#include "io/random_stream.hpp"
#include "nonzero/context.hpp"
#include "storage/csr.hpp"

#include <functional>
#include <vector>

namespace nz::io {

/// A checked spec: what a generator is asked for.
struct generator_request {
    const context& ctx;
    std::vector<double>
        arguments;  ///< in the order of the usage line, defaults filled in; whole numbers fit exactly
    std::uint64_t seed;
    const std::function<void(double)>& progress;

    template <class T>
    T argument(std::size_t k) const {
        return static_cast<T>(arguments[k]);
    }
    void report(double share) const {
        if (progress) progress(share);
    }
};

using generator_function = storage::csr(const generator_request&);

// Graphs (generate_graphs.cpp): pattern matrices.
generator_function rmat, rmat_directed, uniform, grid2d;
/// The edges that rmat samples, loops and repeats among them: Graph500's edge list.
array<edge> kronecker_edges(const generator_request& r);
// Meshes and regular matrices (generate_meshes.cpp).
generator_function laplace2d, laplace3d, banded, dense;
// Irregular rows (generate_irregular.cpp).
generator_function random_rows, linear_program, powerlaw;

/// Rows that one thread takes at a time.
inline constexpr offset_t row_block = 1024;

/// A pattern from the length of each row, length(i), and its columns, which fill(i, columns) writes. Both are
/// called once a row, from any thread.
template <class Length, class Fill>
storage::csr by_rows(const context& ctx, index_t rows, index_t columns, Length&& length, Fill&& fill) {
    array<index_t> lengths(ctx, rows);
    parallel::for_pieces(ctx.threads(), rows, [&](offset_t begin, offset_t end) {
        for (offset_t i = begin; i < end; ++i) lengths[i] = length(static_cast<index_t>(i));
    });
    storage::csr a = storage::allocate_csr(ctx, dtype::boolean, value_kind::pattern, rows, columns,
                                           std::span<const index_t>(lengths.data(), lengths.size()));
    storage::with_offsets(a, [&](const auto* offsets) {
        index_t* indices = a.indices.template as<index_t>();
        parallel::for_chunks(ctx.threads(), rows, row_block, [&](offset_t begin, offset_t end) {
            for (offset_t i = begin; i < end; ++i)
                fill(static_cast<index_t>(i),
                     std::span<index_t>(indices + offsets[i], indices + offsets[i + 1]));
        });
    });
    return a;
}

/// The same for rows whose columns a walk(i, f) visits in order, calling f(j).
template <class Walk>
storage::csr by_walk(const context& ctx, index_t rows, index_t columns, Walk&& walk) {
    return by_rows(
        ctx, rows, columns,
        [&](index_t i) {
            index_t count = 0;
            walk(i, [&](index_t) { ++count; });
            return count;
        },
        [&](index_t i, std::span<index_t> row) {
            std::size_t place = 0;
            walk(i, [&](index_t j) { row[place++] = j; });
        });
}

/// Gives a pattern float64 values: value(i, j, position).
template <class Value>
void add_values(const context& ctx, storage::csr& a, Value&& value) {
    array<double> values(ctx, a.nnz);
    storage::with_offsets(a, [&](const auto* offsets) {
        const index_t* columns = a.index_data();
        parallel::for_chunks(ctx.threads(), a.rows, row_block, [&](offset_t begin, offset_t end) {
            for (offset_t i = begin; i < end; ++i)
                for (offset_t k = offsets[i]; k < offsets[i + 1]; ++k) values[k] = value(i, columns[k], k);
        });
    });
    a.type = dtype::float64;
    a.kind = value_kind::full;
    a.values = std::move(values).release();
}

/// Uniform in [0.5, 1.5).
inline void add_random_values(const context& ctx, storage::csr& a, std::uint64_t seed) {
    add_values(ctx, a, [key = key_of(seed, purpose::values)](offset_t, index_t, offset_t k) {
        return 0.5 + random_stream(key, static_cast<std::uint64_t>(k)).real();
    });
}

}  // namespace nz::io
