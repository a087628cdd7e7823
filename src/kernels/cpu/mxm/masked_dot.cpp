#include "kernels/cpu/mxm/masked_dot.hpp"

namespace nz::kernels::cpu {

void masked_dot_count(const mxm_arguments& k) {
    for_runs_of_rows(k, [&](int) {
        return [&k](index_t first, index_t last) {
            for (index_t i = first; i < last; ++i) {
                const span_of_row a = row_of(k.a.offsets, i);
                index_t n = 0;
                if (a.size() > 0)
                    masked_dot_detail::for_allowed(k, i, [&](index_t j) {
                        masked_dot_detail::for_common(k.a.columns, a, k.b.columns, row_of(k.b.offsets, j),
                                                      [&](offset_t, offset_t) {
                                                          ++n;
                                                          return false;
                                                      });
                    });
                k.counts[i] = n;
            }
        };
    });
}

}  // namespace nz::kernels::cpu
