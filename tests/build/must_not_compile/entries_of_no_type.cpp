// A type that entries cannot have.
// expect: no matching function for call to .*dense<long double>
#include "nonzero/nonzero.hpp"

nz::vector wide(const nz::context& ctx, const std::vector<long double>& x) {
    return nz::vector::dense<long double>(ctx, x);
}
