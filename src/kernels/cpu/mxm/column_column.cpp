#include "kernels/cpu/mxm/column_column.hpp"

namespace nz::kernels::cpu {

// Places do not depend on whose values they hold.
void column_column_count(const mxm_arguments& k) { row_row_count(k); }

}  // namespace nz::kernels::cpu
