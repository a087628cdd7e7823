#include "kernels/cpu/mxm/row_row.hpp"

namespace nz::kernels::cpu {
namespace {

/// Counts the places of a strip.
class counted {
public:
    struct scaled {};
    counted(const mxm_arguments& k, plan::workspace_parts&) : k_(k) {}
    void begin_row(index_t) { n_ = 0; }
    void end_row(index_t i) { k_.counts[i] = n_; }
    scaled scale(index_t, offset_t, index_t) const { return {}; }
    void add(scaled, index_t, offset_t, bool) {}
    void take(index_t, index_t, bits::word word) { n_ += std::popcount(word); }

private:
    const mxm_arguments& k_;
    index_t n_ = 0;
};

}  // namespace

void row_row_count(const mxm_arguments& k) {
    for_runs_of_rows(k, [&](int t) { return row_row_detail::strips<counted>(k, t, 0); });
}

}  // namespace nz::kernels::cpu
