// The Eigen peer: row-major SparseMatrix times VectorXd, with OpenMP.
#pragma once

#include "nonzero/nonzero.hpp"

#include <memory>
#include <vector>

namespace nz::bench {

bool have_eigen();

class eigen_spmv {
public:
    eigen_spmv(const matrix& a, const std::vector<double>& x, int threads);
    ~eigen_spmv();
    void run();
    std::vector<double> result() const;

private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace nz::bench
