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

/// C = A B of row-major SparseMatrix, by one thread, which is all that Eigen has for it.
class eigen_multiply {
public:
    eigen_multiply(const matrix& a, const matrix& b);
    ~eigen_multiply();
    void run();
    std::int64_t entries() const;

private:
    struct state;
    std::unique_ptr<state> state_;
};

/// C = A B for a dense B, given by rows; both dense matrices lie by rows or by columns inside Eigen.
class eigen_spmm {
public:
    eigen_spmm(const matrix& a, const std::vector<double>& b, index_t columns, bool by_rows, int threads);
    ~eigen_spmm();
    void run();
    double result(index_t i, index_t j) const;

private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace nz::bench
