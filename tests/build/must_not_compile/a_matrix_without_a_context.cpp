// There is no hidden context.
// expect: no matching function for call to .*matrix::matrix
#include "nonzero/nonzero.hpp"

nz::matrix empty() { return nz::matrix(nz::dtype::float64, 3, 3); }
