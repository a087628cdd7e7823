// The GraphBLAS peer: the same work through SuiteSparse:GraphBLAS's own API, as well as it can.
#pragma once

#include "nonzero/nonzero.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace nz::bench {

/// Whether this build found SuiteSparse:GraphBLAS.
bool have_graphblas();

/// A graph inside the peer. Levels of abstraction stay out of the timing: load once, search often.
class graphblas_graph {
public:
    /// Structure only (one iso value), with the transpose where the pattern is not symmetric.
    graphblas_graph(const matrix& a, bool symmetric, int threads);
    ~graphblas_graph();
    /// Push-pull breadth-first search for parents: any_secondi over int32; push is vxm on a sparse frontier, pull
    /// mxv on a bitmap one, under the complemented structural mask of the parents; alpha 8, beta1 8, beta2 512.
    void bfs(std::int64_t source);
    /// Parents of the last search, -1 where not reached.
    std::vector<std::int32_t> parents() const;

private:
    struct state;
    std::unique_ptr<state> state_;
};

/// y = A x over plus_times on double.
class graphblas_spmv {
public:
    graphblas_spmv(const matrix& a, const std::vector<double>& x, int threads);
    ~graphblas_spmv();
    void run();
    std::vector<double> result() const;

private:
    struct state;
    std::unique_ptr<state> state_;
};

/// C = A + B on double.
class graphblas_add {
public:
    graphblas_add(const matrix& a, const matrix& b, int threads);
    ~graphblas_add();
    void run();
    std::int64_t entries() const;

private:
    struct state;
    std::unique_ptr<state> state_;
};

/// C = A B over plus_times on double, columns sorted at the end as GrB_Matrix_wait leaves them.
class graphblas_multiply {
public:
    graphblas_multiply(const matrix& a, const matrix& b, int threads);
    ~graphblas_multiply();
    void run();
    std::int64_t entries() const;

private:
    struct state;
    std::unique_ptr<state> state_;
};

/// C = A B over plus_times on double for a full B, given and held by rows.
class graphblas_spmm {
public:
    graphblas_spmm(const matrix& a, const std::vector<double>& b, index_t columns, int threads);
    ~graphblas_spmm();
    void run();
    /// 0 where there is no entry.
    double result(index_t i, index_t j) const;

private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace nz::bench
