// matam2012: SpGEMM by rows (row_row) and by columns against rows (column_row) with accumulators of bounded width, within a
// memory limit, of bands by diagonals, and sparse x dense. The paper, on a C2050 and four cores: row-row mostly the faster form,
// 3.5 times MKL; csrmm 2.5 times cuSPARSE. Times are whole calls, the best of several.
#include "papers/matam2012/figures.hpp"

#include <fmt/format.h>

namespace nz::bench {

int matam2012_suite(const options& o) {
    using namespace matam2012;
    switch (o.figure) {
        case 3:
        case 4: {
            const auto set = o.figure == 3 ? williams() : snap();
            print_stand_ins(inputs_of(o, set, size::full), set);
            fmt::print("\nfor A * A:\n");
            print_stand_ins(inputs_of(o, set, size::of_product), set);
            return 0;
        }
        case 5:
        case 6:
            return forms(o, choose_context(o));
        case 9:
            return bands(o, choose_context(o));
        case 10:
            return sparse_dense(o, choose_context(o));
        default:  // 7 and 8
            return divided(o, choose_context(o));
    }
}

}  // namespace nz::bench
