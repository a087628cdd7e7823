// The cuSPARSE peer of a build that has not seen its header (left out of the others).
#include "peers/cusparse.hpp"

namespace nz::bench {

std::string why_no_cusparse() { return "this build has not seen cusparse.h"; }
std::string cusparse_version() { return {}; }
std::vector<cusparse_variant> cusparse_variants() { return {}; }
cusparse_time cusparse_spmv(const context&, const device_spmv&, const cusparse_variant&, int) {
    throw not_supported("no cuSPARSE: " + why_no_cusparse());
}
std::optional<double> cusparse_bsr_ms(const context&, const device_spmv&, int, int) {
    throw not_supported("no cuSPARSE: " + why_no_cusparse());
}
double cusparse_add_ms(const context&, const device_add&, int, offset_t&) {
    throw not_supported("no cuSPARSE: " + why_no_cusparse());
}
double cusparse_multiply_ms(const context&, const device_multiply&, int, offset_t&) {
    throw not_supported("no cuSPARSE: " + why_no_cusparse());
}
double cusparse_spmm_ms(const context&, const device_spmm&, int) {
    throw not_supported("no cuSPARSE: " + why_no_cusparse());
}
double cusparse_sddmm_ms(const context&, const device_sddmm&, int) {
    throw not_supported("no cuSPARSE: " + why_no_cusparse());
}

}  // namespace nz::bench
