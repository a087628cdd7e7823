#include "kernels/cpu/ewise/balanced_path.hpp"

namespace nz::kernels::cpu {
namespace {

offset_t common_places(const index_t* a, offset_t i, offset_t a_end, const index_t* b, offset_t j,
                       offset_t b_end, bool windows) {
    offset_t common = 0;
    if constexpr (have_masked_lanes)
        if (windows) common = count_windows<masked_lanes>(a, i, a_end, b, j, b_end);
    while (i < a_end && j < b_end) {
        const index_t x = a[i], y = b[j];
        common += x == y;
        i += x <= y;
        j += y <= x;
    }
    return common;
}

}  // namespace

void balanced_path_count(const ewise_arguments& k) {
    using enum set_operation;
    const bool windows = k.width <= window_columns;
    k.piece_counts[0] = 0;
    parallel::run(k.threads, [&](int t, int) {
        offset_t count = 0;
        balanced_detail::walk_piece(
            k, t, k.threads,
            [&](index_t, offset_t, offset_t, offset_t length) {
                if (k.operation == unite || k.operation == intersect) count += length;
            },
            [&](offset_t i, offset_t a_end, offset_t j, offset_t b_end) {
                const offset_t of_a = a_end - i, of_b = b_end - j,
                               common = common_places(k.a.columns, i, a_end, k.b.columns, j, b_end, windows);
                count += k.operation == unite       ? of_a + of_b - common
                         : k.operation == intersect ? common
                         : k.operation == subtract  ? of_a - common
                                                    : of_a + of_b - 2 * common;
            },
            [](index_t) {});
        k.piece_counts[t + 1] = count;
    });
    for (int t = 0; t < k.threads; ++t) k.piece_counts[t + 1] += k.piece_counts[t];
}

}  // namespace nz::kernels::cpu
