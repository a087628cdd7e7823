#include "kernels/cpu/mxm/column_row.hpp"

namespace nz::kernels::cpu {
namespace {

/// Counts the places of a block.
class counted {
public:
    struct scaled {};
    counted(const mxm_arguments& k, plan::workspace_parts&) : k_(k) {}
    void begin_block(index_t first, index_t rows) {
        rows_ = k_.counts + first;
        std::fill_n(rows_, rows, 0);
    }
    void end_block(index_t, index_t) {}
    scaled scale(index_t, offset_t, index_t, index_t) const { return {}; }
    void add(scaled, index_t, offset_t, bool) {}
    void take(index_t row, index_t, index_t, bits::word word) { rows_[row] += std::popcount(word); }

private:
    const mxm_arguments& k_;
    index_t* rows_ = nullptr;
};

}  // namespace

void column_row_count(const mxm_arguments& k) {
    for_runs_of_rows(k, [&](int t) { return column_row_detail::blocks<counted>(k, t); });
}

}  // namespace nz::kernels::cpu
