// A view into a matrix that is gone when the line ends.
// expect: use of deleted function .*csr
#include "nonzero/nonzero.hpp"

nz::index_t rows(const nz::context& ctx) { return nz::load(ctx, "rmat:10,8").matrix.csr<double>().rows; }
