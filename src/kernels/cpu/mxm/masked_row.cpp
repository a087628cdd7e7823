#include "kernels/cpu/mxm/masked_row.hpp"

namespace nz::kernels::cpu {
namespace {

/// Counts places.
class counted {
public:
    struct scaled {};
    counted(const mxm_arguments& k, plan::workspace_parts& parts) : k_(k) {
        parts.take<std::byte>(k.columns * static_cast<offset_t>(k.value_bytes));
    }
    void begin_run(index_t) {}
    void begin_row() { n_ = 0; }
    void end_row(index_t i) { k_.counts[i] = n_; }
    scaled scale(index_t, offset_t, index_t) const { return {}; }
    void put(scaled, index_t, offset_t, bool) const {}
    void take(index_t) { ++n_; }

private:
    const mxm_arguments& k_;
    index_t n_ = 0;
};

}  // namespace

void masked_row_count(const mxm_arguments& k) {
    for_runs_of_rows(k, [&](int t) { return masked_row_detail::rows<counted>(k, t, 0); });
}

}  // namespace nz::kernels::cpu
