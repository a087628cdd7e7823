// The operations, with GraphBLAS meaning: w<mask, replace> = accum(w, result). Every call checks, collects
// facts, plans, runs, writes back, and returns the plan. Outputs may alias inputs. Dimensions that do not fit
// throw dimension_mismatch; operators on types they are not defined for throw domain_error.
#pragma once

#include "nonzero/algebra.hpp"
#include "nonzero/context.hpp"
#include "nonzero/matrix.hpp"
#include "nonzero/plan.hpp"
#include "nonzero/vector.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace nz {

/// How a result reaches its output, and requests to the plan. `mask` has the output's shape: entry i may be
/// written where mask(i) is present and, unless mask_structure, not 0 (mask_complement: where it is not).
/// Without a mask every entry may be written, and none when that is complemented. Where it may not be written
/// the old entry stays, or goes with `replace`. With `accum`, entries of the old output and of the result are
/// combined; without, the result stands alone.
template <class Object>
struct operation_options {
    const Object* mask = nullptr;
    bool mask_structure = false;
    bool mask_complement = false;
    bool replace = false;
    std::optional<binary_op> accum{};
    bool transpose_a = false;  ///< use A^T (the first matrix operand)
    bool transpose_b = false;  ///< use B^T (the second)
    std::string_view
        kernel{};  ///< pinned id; empty: the plan chooses. One that cannot serve throws not_supported.
    nz::determinism determinism = nz::determinism::strict;
    tiling tiles{};  ///< for mxv's tile_row and tile_column
};
using vector_options = operation_options<vector>;
using matrix_options = operation_options<matrix>;

/// What mxd and sddmm are asked beside their operands.
struct dense_options {
    std::optional<binary_op> accum{};
    bool mask_structure = false;  ///< sddmm: every entry of the mask counts, whatever its value
    bool replace = false;         ///< sddmm: entries of C outside the mask go
    bool transpose_a = false;     ///< mxd: use A^T; sddmm: X^T
    bool transpose_b = false;     ///< use B^T; sddmm: Y^T
    std::string_view kernel{};    ///< as in operation_options
    nz::determinism determinism = nz::determinism::strict;
};

/// Rows or columns to assign to or extract from: all of them, or a list (which may repeat in extract).
class index_list {
public:
    static index_list all() { return {}; }
    index_list(std::span<const index_t> list) : list_(list) {}  // NOLINT: a list is a list
    bool is_all() const { return !list_; }
    /// The list itself; nothing where all are meant.
    std::span<const index_t> listed() const { return list_ ? *list_ : std::span<const index_t>(); }
    offset_t size(offset_t extent) const { return list_ ? static_cast<offset_t>(list_->size()) : extent; }
    index_t operator[](offset_t k) const {
        return list_ ? (*list_)[static_cast<std::size_t>(k)] : static_cast<index_t>(k);
    }

private:
    index_list() = default;
    std::optional<std::span<const index_t>> list_;
};

/// w = A (+).(x) u over a semiring: w(i) = sum over k of A(i,k) x u(k). A is m x n, u has n entries, w has m.
/// Kernels: csr_row, csr_merge (dalton2015), csr_row_masked (yang2018), csc_gather_scatter, _radix, _merge, _bucket (yang2015), csr_ranked,
/// csr_binned, dia_slice, bsr_row, ell_slice, tile_row, tile_column (ji2022), reference: docs/operations/mxv.md.
mxv_plan mxv(const context& ctx, vector& w, const semiring& s, const matrix& a, const vector& u,
             const vector_options& options = {});
/// w = u (+).(x) A: w(j) = sum over k of u(k) x A(k,j). transpose_a refers to A.
mxv_plan vxm(const context& ctx, vector& w, const semiring& s, const vector& u, const matrix& a,
             const vector_options& options = {});

/// y = alpha A x + beta y in the arithmetic of y's type, float32 or float64: A is m x n, x has n entries, y has m and is dense
/// afterwards; absent entries count as 0, and y is not read when beta is 0. Of the options only transpose_a, kernel and
/// determinism. Throws domain_error for other types of y, not_supported for masks and accumulators.
mxv_plan spmv(const context& ctx, vector& y, double alpha, const matrix& a, const vector& x, double beta,
              const vector_options& options = {});

/// C = A (+).(x) B: C(i,j) = sum over k of A(i,k) x B(k,j), added in the order of k.
/// Kernels: hash, dense_row, row_row, column_row, column_column (matam2012), two_level_sort (dalton2015), masked_dot, masked_row,
/// dia_dia (matam2012), reference.
mxm_plan mxm(const context& ctx, matrix& c, const semiring& s, const matrix& a, const matrix& b,
             const matrix_options& options = {});

/// C = A (+).(x) B for a sparse A and dense B and C in the caller's memory: C(i,j) = sum over k of A(i,k) x B(k,j), added
/// in the order of k (csr_merge: rows that it splits are added in parts). A is m x n, B n x p, C m x p. Where row i of A has no
/// entry C(i,j) becomes the monoid's identity, the empty sum (0 for `any`, which has none). With accum
/// C(i,j) = accum(C(i,j), sum), and rows without entries stay. Throws dimension_mismatch for shapes that do not agree and for
/// memory too small for its view, domain_error for memory of C that overlaps an operand's.
/// Kernels: csr_tiled, csr_merge, on a GPU csr_half_warp, reference (csrmm of matam2012, section V).
dense_plan mxd(const context& ctx, const dense_output& c, const semiring& s, const matrix& a,
               const dense_input& b, const dense_options& options = {});

/// C<M, replace> = accum(C, X (+).(x) Y) for dense X and Y, at the places of the sparse M alone: C(i,j) = sum over k of
/// X(i,k) x Y(k,j) for every (i,j) that M has with a value other than 0 (mask_structure: that it has). X is m x p, Y p x n, M and C
/// m x n; no entries where p is 0. Sums are taken in an order that p alone determines. Throws as mxd does.
/// Kernels: row_dot, reference.
dense_plan sddmm(const context& ctx, matrix& c, const semiring& s, const dense_input& x, const dense_input& y,
                 const matrix& m, const dense_options& options = {});

/// What mxm would take and give, without computing it: the products of every row, and the entries of up to 1024 rows
/// drawn by their products. Reads the options' transposes only. The same for every number of threads.
mxm_estimate estimate_mxm(const context& ctx, const semiring& s, const matrix& a, const matrix& b,
                          const matrix_options& options = {});

/// How a product's rows are divided between a CPU and a GPU (matam2012, section IV-B).
struct division {
    /// The first rows are the CPU's, those with so much of the products, 0 to 1 (the paper's heuristic I: 0.25; its heuristic II:
    /// t_gpu / (t_cpu + t_gpu) of each alone). Below 0: as it goes, each taking rows from its own end until they meet.
    double cpu_share = -1;
};
/// mxm for a result that is wanted on the host: the GPU counts, both fill, and what the GPU fills comes over while it goes on.
/// C equals mxm's bit for bit, whatever the division. The options' mask applies to the result. Kernels: hash, dia_dia. Throws
/// not_supported without a GPU and for what is not compiled, domain_error for a share beyond 1.
hybrid_report mxm_hybrid(const context& ctx, matrix& c, const semiring& s, const matrix& a, const matrix& b,
                         const division& how = {}, const matrix_options& options = {});

namespace ops {
struct mxm_symbolic;
}
/// The places of C = A B, counted once, for products of matrices with the same places and other values. Copies share it.
class mxm_pattern {
public:
    explicit mxm_pattern(std::shared_ptr<const ops::mxm_symbolic> body) : body_(std::move(body)) {}
    offset_t entries() const;
    const mxm_plan& plan() const;
    const ops::mxm_symbolic& body() const { return *body_; }

private:
    std::shared_ptr<const ops::mxm_symbolic> body_;
};
/// Plans and counts C = A B where it is computed. Of the options the transposes and the kernel. Throws not_supported under a mask and
/// for semirings that are not compiled.
mxm_pattern find_pattern(const context& ctx, const semiring& s, const matrix& a, const matrix& b,
                         const matrix_options& options = {});
/// mxm without counting: A and B have the places that `pattern` was found with (domain_error otherwise; they are read once to
/// see it), the semiring and the transposes are the same. The options' mask applies to the result. Equals mxm bit for bit.
mxm_plan mxm(const context& ctx, matrix& c, const semiring& s, const matrix& a, const matrix& b,
             const mxm_pattern& pattern, const matrix_options& options = {});

/// Kernels of the four that follow: balanced_path (dalton2015) for matrices and sparse vectors, words for others, reference.
/// Union: op where both are present; elsewhere the one that is present, converted to the type of op's result.
operation_plan ewise_add(const context& ctx, vector& w, const binary_op& op, const vector& u, const vector& v,
                         const vector_options& options = {});
operation_plan ewise_add(const context& ctx, matrix& c, const binary_op& op, const matrix& a, const matrix& b,
                         const matrix_options& options = {});
/// Intersection: op where both are present.
operation_plan ewise_mult(const context& ctx, vector& w, const binary_op& op, const vector& u,
                          const vector& v, const vector_options& options = {});
operation_plan ewise_mult(const context& ctx, matrix& c, const binary_op& op, const matrix& a,
                          const matrix& b, const matrix_options& options = {});
/// A without B: the entries of A at places where B has none. A and B have one shape; values of B do not matter.
operation_plan ewise_difference(const context& ctx, vector& w, const vector& u, const vector& v,
                                const vector_options& options = {});
operation_plan ewise_difference(const context& ctx, matrix& c, const matrix& a, const matrix& b,
                                const matrix_options& options = {});
/// The entries at places that exactly one of A and B has, in the type that both promote to.
operation_plan ewise_symmetric_difference(const context& ctx, vector& w, const vector& u, const vector& v,
                                          const vector_options& options = {});
operation_plan ewise_symmetric_difference(const context& ctx, matrix& c, const matrix& a, const matrix& b,
                                          const matrix_options& options = {});

/// Each entry x becomes op(x).
operation_plan apply(const context& ctx, vector& w, const unary_op& op, const vector& u,
                     const vector_options& options = {});
operation_plan apply(const context& ctx, matrix& c, const unary_op& op, const matrix& a,
                     const matrix_options& options = {});
/// Each entry x becomes op(x, i, j, thunk).
operation_plan apply(const context& ctx, vector& w, const index_unary_op& op, const vector& u, scalar thunk,
                     const vector_options& options = {});
operation_plan apply(const context& ctx, matrix& c, const index_unary_op& op, const matrix& a, scalar thunk,
                     const matrix_options& options = {});
/// Each entry y becomes op(x, y) for a fixed x, or x becomes op(x, y) for a fixed y.
operation_plan apply(const context& ctx, vector& w, const binary_op& op, scalar x, const vector& u,
                     const vector_options& options = {});
operation_plan apply(const context& ctx, matrix& c, const binary_op& op, scalar x, const matrix& a,
                     const matrix_options& options = {});
operation_plan apply(const context& ctx, vector& w, const binary_op& op, const vector& u, scalar y,
                     const vector_options& options = {});
operation_plan apply(const context& ctx, matrix& c, const binary_op& op, const matrix& a, scalar y,
                     const matrix_options& options = {});

/// Keeps the entries for which op(x, i, j, thunk) is not 0, values unchanged.
operation_plan select(const context& ctx, vector& w, const index_unary_op& op, const vector& u, scalar thunk,
                      const vector_options& options = {});
operation_plan select(const context& ctx, matrix& c, const index_unary_op& op, const matrix& a, scalar thunk,
                      const matrix_options& options = {});

/// w(i) = sum of row i of A (of column i with transpose_a); empty rows have no entry.
operation_plan reduce(const context& ctx, vector& w, const monoid& add, const matrix& a,
                      const vector_options& options = {});
/// The sum of all entries, of the object's type; the identity when there is none.
scalar reduce(const context& ctx, const monoid& add, const vector& u);
scalar reduce(const context& ctx, const monoid& add, const matrix& a);

/// w(I) = u, entries of u absent delete, places outside I stay (GrB_assign: the mask has w's size). Where a
/// list names a place more than once, its last position wins; GraphBLAS leaves that open.
operation_plan assign(const context& ctx, vector& w, const vector& u, const index_list& indices,
                      const vector_options& options = {});
operation_plan assign(const context& ctx, vector& w, scalar x, const index_list& indices,
                      const vector_options& options = {});
/// C(I, J) = A; C(I, J) = x.
operation_plan assign(const context& ctx, matrix& c, const matrix& a, const index_list& rows,
                      const index_list& columns, const matrix_options& options = {});
operation_plan assign(const context& ctx, matrix& c, scalar x, const index_list& rows,
                      const index_list& columns, const matrix_options& options = {});
/// C(i, J) = u and C(I, j) = u; the mask is a vector over the whole row or column.
operation_plan assign_row(const context& ctx, matrix& c, const vector& u, index_t row,
                          const index_list& columns, const vector_options& options = {});
operation_plan assign_column(const context& ctx, matrix& c, const vector& u, const index_list& rows,
                             index_t column, const vector_options& options = {});

/// w = u(I); C = A(I, J); w = A(I, j).
operation_plan extract(const context& ctx, vector& w, const vector& u, const index_list& indices,
                       const vector_options& options = {});
operation_plan extract(const context& ctx, matrix& c, const matrix& a, const index_list& rows,
                       const index_list& columns, const matrix_options& options = {});
operation_plan extract_column(const context& ctx, vector& w, const matrix& a, const index_list& rows,
                              index_t column, const vector_options& options = {});

/// C = A^T (C = A with transpose_a, as GrB_transpose has it).
operation_plan transpose(const context& ctx, matrix& c, const matrix& a, const matrix_options& options = {});
/// A^T, made at the first call and kept with the matrix, as much memory again, until its entries change: for products with
/// A^T that follow each other. What comes back is the caller's to change; the kept one stays. Under a memory limit none is kept.
matrix transposed(const context& ctx, const matrix& a);
/// D with D(i, i + k) = v(i) for k >= 0, D(i - k, i) = v(i) below: square, of size |k| more than v's (GrB_Matrix_diag). Throws
/// domain_error when so many rows are too many.
matrix diag(const context& ctx, const vector& v, offset_t k = 0);
/// The k-th diagonal of A, d(i) = A(i, i + k) for k >= 0, A(i - k, i) below; as many places as A has there, none far outside.
vector diagonal(const context& ctx, const matrix& a, offset_t k = 0);
/// C = A (x) B: block (i,j) of C is op(A(i,j), B). C is (rows A * rows B) x (columns A * columns B).
operation_plan kronecker(const context& ctx, matrix& c, const binary_op& op, const matrix& a, const matrix& b,
                         const matrix_options& options = {});

}  // namespace nz
