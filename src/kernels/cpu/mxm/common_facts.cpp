#include "kernels/cpu/mxm/common_facts.hpp"

#include "core/parallel.hpp"

#include <vector>

namespace nz::kernels::cpu {
namespace {

// Rows below which a second thread costs more than it brings.
constexpr offset_t parallel_rows = 4096;

// Makes running totals of before[1..rows]; false when they do not fit.
bool add_up(index_t rows, offset_t* before) {
    before[0] = 0;
    for (offset_t i = 0; i < rows; ++i)
        if (__builtin_add_overflow(before[i], before[i + 1], &before[i + 1])) return false;
    return true;
}

}  // namespace

mxm_work count_products(const mxm_side& a, const mxm_side& b, index_t rows, int threads, offset_t* before) {
    std::vector<mxm_work> parts(static_cast<std::size_t>(threads));
    parallel::run(rows < parallel_rows ? 1 : threads, [&](int t, int count) {
        const auto [first, last] = parallel::piece(rows, t, count);
        mxm_work mine;
        const offset_t end = a.offsets[rows];
        constexpr offset_t ahead = 16;  // entries of A between asking for a row's offsets and reading them
        for (offset_t i = first; i < last; ++i) {
            offset_t products = 0;
            const offset_t p_end = a.offsets[i + 1];
            mine.most_entries = std::max(mine.most_entries, p_end - a.offsets[i]);
            for (offset_t p = a.offsets[i]; p < p_end; ++p) {
                if (p + ahead < end) b.offsets.prefetch(a.columns[p + ahead]);
                const index_t k = a.columns[p];
                mine.overflow |=
                    __builtin_add_overflow(products, b.offsets[k + offset_t{1}] - b.offsets[k], &products);
            }
            before[i + 1] = products;
            mine.most_products = std::max(mine.most_products, products);
            mine.squares += static_cast<double>(products) * static_cast<double>(products);
        }
        parts[static_cast<std::size_t>(t)] = mine;
    });
    mxm_work all;
    for (const mxm_work& part : parts) {
        all.overflow |= part.overflow;
        all.most_products = std::max(all.most_products, part.most_products);
        all.squares += part.squares;
        all.most_entries = std::max(all.most_entries, part.most_entries);
    }
    all.overflow = all.overflow || !add_up(rows, before);
    return all;
}

void count_words(const mxm_side& b, index_t rows, int threads, offset_t* before) {
    parallel::run(rows < parallel_rows ? 1 : threads, [&](int t, int count) {
        const auto [first, last] = parallel::piece(rows, t, count);
        for (offset_t i = first; i < last; ++i) {
            const offset_t begin = b.offsets[i], end = b.offsets[i + 1];
            offset_t words = begin < end;
            for (offset_t q = begin + 1; q < end; ++q) words += b.columns[q] >> 6 != b.columns[q - 1] >> 6;
            before[i + 1] = words;
        }
    });
    add_up(rows, before);
}

}  // namespace nz::kernels::cpu
