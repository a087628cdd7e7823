// mxv/csr_row_masked on a GPU: the rows of w = A u that the mask lets through, and no others (yang2018, algorithm 2).
//
// Who owns what: as csr_row, a warp owns 32 consecutive rows, of which it looks only at those whose mask bit is set;
//   a warp none of whose bits is set ends after reading one word.
// Memory: mask and presence bitmap once; offsets, indices and values of allowed rows only. No workspace.
// Early exit: a row ends at the monoid's terminal value, as many entries at a time as it has lanes. `any` is the entry
//   that comes first.
// Determinism: a row's sum depends on its length alone, early exit included.
// Cost: rows / 32 words of mask, and the entries of allowed rows up to the terminal value.
// Distance to the limit: not timed alone; the two pulls of the loop form of breadth-first search on rmat:20,16 took 189 and
//   295 us on an H200, launches, write-back and the count of the frontier included.
// Why csr_row was not enough: it reads every row, also those whose result is thrown away.
#pragma once

#include "kernels/cuda/mxv/common_row.cuh"

namespace nz::kernels::cuda {

constexpr unsigned masked_block = 256;

template <class Cell, class Reader>
__global__ void __launch_bounds__(masked_block)
    csr_row_masked_kernel(Reader reader, device_offsets offsets, index_t rows, const std::uint32_t* mask,
                          bool complement, bool early_exit, typename Cell::value* out,
                          std::uint32_t* present) {
    const index_t word = static_cast<index_t>((blockIdx.x * masked_block + threadIdx.x) / 32);
    const index_t first = word * 32;
    if (word >= half_words(rows)) return;
    const std::uint32_t allowed = allowed_word(mask, complement, rows, word);
    unsigned met = 0;
    if (allowed) {
        const auto sum = sum_rows<Cell>(reader, offsets, first, allowed, early_exit, ~(offset_t{1} << 63));
        if (sum.met) out[first + static_cast<index_t>(threadIdx.x % 32)] = sum.value;
        met = __ballot_sync(full_warp, sum.met);
    }
    if (threadIdx.x % 32 == 0) present[word] = met;
}

template <class Cell>
void csr_row_masked(const device_mxv_arguments& a, void* stream) {
    const mxv_arguments& c = a.common;
    if (c.output_size == 0) return;
    with_reader_kind<Cell>(c, [&]<bool Constant, bool Gaps>() {
        using reader_type = device_row_reader<Cell, Constant, Gaps>;
        csr_row_masked_kernel<Cell><<<blocks_for(half_words(c.output_size) * 32, masked_block), masked_block,
                                      0, static_cast<cudaStream_t>(stream)>>>(
            reader_type(c), device_offsets{c.offsets.data, c.offsets.wide}, c.output_size,
            reinterpret_cast<const std::uint32_t*>(c.mask), c.complement, c.early_exit,
            static_cast<typename Cell::value*>(c.out_values),
            reinterpret_cast<std::uint32_t*>(c.out_present));
    });
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
