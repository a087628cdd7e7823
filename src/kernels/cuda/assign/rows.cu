// assign/rows on a GPU: what of a matrix lies within a region of rows x columns, or outside it.
//
// As select/rows, with a bit for every row and column that the region names. C(I,J) = A is what of C lies outside, united (ewise/balanced_path)
// with A spread over C's shape (extract/rows): three steps of a copy's kind. Of a mask that a scalar is assigned by, what lies within.
// Distance to the limit (H200, whole calls): docs/measurements/conversions.md (extract, assign and sums of rows).
// Why the CPU's was not enough: it has a row's merge in one thread, and the matrices would go to the host and back.
#include "kernels/cuda/assign/rows.cuh"
#include "kernels/cuda/select/common_flags.cuh"

namespace nz::kernels::cuda {
namespace {

template <bool Rows, bool Columns>
struct in_region {
    static constexpr bool needs_row = Rows, needs_column = Columns;
    const bits::word *rows, *columns;
    bool within;
    __device__ static bool named(const bits::word* words, index_t i) {
        return __ldg(reinterpret_cast<const std::uint32_t*>(words) + i / 32) >> i % 32 & 1;
    }
    __device__ bool operator()(index_t i, offset_t, index_t j) const {
        bool in = true;
        if constexpr (Rows) in = named(rows, i);
        if constexpr (Columns) in = in && named(columns, j);
        return in == within;
    }
};

}  // namespace

void assign_region_count(const device_select_arguments& k, void* stream) {
    if (k.row_words && k.column_words)
        select_detail::count(k, in_region<true, true>{k.row_words, k.column_words, k.within}, stream);
    else if (k.row_words)
        select_detail::count(k, in_region<true, false>{k.row_words, nullptr, k.within}, stream);
    else
        select_detail::count(k, in_region<false, true>{nullptr, k.column_words, k.within}, stream);
}

}  // namespace nz::kernels::cuda
