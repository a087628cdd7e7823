#include "peers/graphblas.hpp"

#ifdef NONZERO_HAVE_GRAPHBLAS
// The header declares C functions without saying so to C++; what it includes itself must come first, outside.
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <complex>
// clang-format off
extern "C" {
#include <GraphBLAS.h>
}
// clang-format on

#include <stdexcept>

namespace nz::bench {

namespace {

void check(GrB_Info info) {
    if (info != GrB_SUCCESS && info != GrB_NO_VALUE)
        throw std::runtime_error("GraphBLAS returned " + std::to_string(info));
}

void start(int threads) {
    static const bool once = [] {
        check(GrB_init(GrB_NONBLOCKING));
        return true;
    }();
    (void)once;
    check(GxB_Global_Option_set(GxB_GLOBAL_NTHREADS, threads));
}

struct tuples {
    std::vector<index_t> rows, columns;
    std::vector<double> values;
    std::vector<GrB_Index> i, j;
    explicit tuples(const matrix& a) {
        a.extract_tuples(rows, columns, values);
        i.assign(rows.begin(), rows.end());
        j.assign(columns.begin(), columns.end());
    }
};

}  // namespace

bool have_graphblas() { return true; }

struct graphblas_graph::state {
    GrB_Matrix a = nullptr, at = nullptr;
    GrB_Vector degree = nullptr, parent = nullptr;
    GrB_Index n = 0, nnz = 0;
    bool own_transpose = false;
};

graphblas_graph::graphblas_graph(const matrix& m, bool symmetric, int threads)
    : state_(std::make_unique<state>()) {
    start(threads);
    state& s = *state_;
    s.n = static_cast<GrB_Index>(m.rows());
    s.nnz = static_cast<GrB_Index>(m.nnz());
    {
        const tuples t(m);
        GrB_Scalar one = nullptr;
        check(GrB_Scalar_new(&one, GrB_BOOL));
        check(GrB_Scalar_setElement_BOOL(one, true));
        check(GrB_Matrix_new(&s.a, GrB_BOOL, s.n, s.n));
        check(GxB_Matrix_build_Scalar(s.a, t.i.data(), t.j.data(), one, t.i.size()));
        check(GrB_Scalar_free(&one));
    }
    s.at = s.a;
    if (!symmetric) {
        check(GrB_Matrix_new(&s.at, GrB_BOOL, s.n, s.n));
        check(GrB_transpose(s.at, nullptr, nullptr, s.a, nullptr));
        s.own_transpose = true;
        check(GrB_Matrix_wait(s.at, GrB_MATERIALIZE));
    }
    check(GrB_Matrix_wait(s.a, GrB_MATERIALIZE));
    GrB_Vector ones = nullptr;
    check(GrB_Vector_new(&ones, GrB_INT64, s.n));
    check(GrB_Vector_assign_INT64(ones, nullptr, nullptr, 0, GrB_ALL, s.n, nullptr));
    check(GrB_Vector_new(&s.degree, GrB_INT64, s.n));
    check(GrB_mxv(s.degree, nullptr, nullptr, GxB_PLUS_PAIR_INT64, s.a, ones, nullptr));
    check(GrB_Vector_wait(s.degree, GrB_MATERIALIZE));
    check(GrB_Vector_free(&ones));
}

graphblas_graph::~graphblas_graph() {
    state& s = *state_;
    GrB_Vector_free(&s.degree);
    GrB_Vector_free(&s.parent);
    if (s.own_transpose) GrB_Matrix_free(&s.at);
    GrB_Matrix_free(&s.a);
}

void graphblas_graph::bfs(std::int64_t source) {
    constexpr double alpha = 8, beta1 = 8, beta2 = 512;
    state& s = *state_;
    GrB_Vector q = nullptr, w = nullptr;
    GrB_Vector_free(&s.parent);
    check(GrB_Vector_new(&s.parent, GrB_INT32, s.n));
    check(GxB_Vector_Option_set(s.parent, GxB_SPARSITY_CONTROL, GxB_BITMAP + GxB_FULL));
    check(GrB_Vector_setElement_INT32(s.parent, static_cast<std::int32_t>(source),
                                      static_cast<GrB_Index>(source)));
    check(GrB_Vector_new(&q, GrB_INT32, s.n));
    check(GrB_Vector_setElement_INT32(q, static_cast<std::int32_t>(source), static_cast<GrB_Index>(source)));
    check(GrB_Vector_new(&w, GrB_INT64, s.n));
    GrB_Index frontier = 1, previous = 0;
    auto unexplored = static_cast<double>(s.nnz);
    bool push = true, pulled = false, may_pull = true;
    while (frontier > 0) {
        if (push && may_pull) {
            const bool growing = frontier > previous;
            if (unexplored < static_cast<double>(s.n)) {
                may_pull = false;  // too little is left for a pull to pay
            } else if (pulled) {
                push = !(growing && static_cast<double>(frontier) > static_cast<double>(s.n) / beta1);
            } else {
                std::int64_t edges = 0;
                check(GrB_Vector_assign(w, q, nullptr, s.degree, GrB_ALL, s.n, GrB_DESC_RS));
                check(GrB_Vector_reduce_INT64(&edges, nullptr, GrB_PLUS_MONOID_INT64, w, nullptr));
                unexplored -= static_cast<double>(edges);
                push = !(growing && static_cast<double>(edges) > unexplored / alpha);
            }
        } else if (!push) {
            push = frontier < previous && static_cast<double>(frontier) <= static_cast<double>(s.n) / beta2;
        }
        check(GxB_Vector_Option_set(q, GxB_SPARSITY_CONTROL, push ? GxB_SPARSE : GxB_BITMAP));
        if (push) {
            check(GrB_vxm(q, s.parent, nullptr, GxB_ANY_SECONDI_INT32, q, s.a, GrB_DESC_RSC));
        } else {
            check(GrB_mxv(q, s.parent, nullptr, GxB_ANY_SECONDI_INT32, s.at, q, GrB_DESC_RSC));
            pulled = true;
        }
        previous = frontier;
        check(GrB_Vector_nvals(&frontier, q));
        if (frontier > 0) check(GrB_Vector_assign(s.parent, q, nullptr, q, GrB_ALL, s.n, GrB_DESC_S));
    }
    check(GrB_Vector_wait(s.parent, GrB_MATERIALIZE));
    check(GrB_Vector_free(&q));
    check(GrB_Vector_free(&w));
}

std::vector<std::int32_t> graphblas_graph::parents() const {
    GrB_Index count = 0;
    check(GrB_Vector_nvals(&count, state_->parent));
    std::vector<GrB_Index> i(count);
    std::vector<std::int32_t> v(count), all(state_->n, -1);
    check(GrB_Vector_extractTuples_INT32(i.data(), v.data(), &count, state_->parent));
    for (GrB_Index k = 0; k < count; ++k) all[i[k]] = v[k];
    return all;
}

struct graphblas_spmv::state {
    GrB_Matrix a = nullptr;
    GrB_Vector x = nullptr, y = nullptr;
};

graphblas_spmv::graphblas_spmv(const matrix& m, const std::vector<double>& x, int threads)
    : state_(std::make_unique<state>()) {
    start(threads);
    const tuples t(m);
    check(GrB_Matrix_new(&state_->a, GrB_FP64, static_cast<GrB_Index>(m.rows()),
                         static_cast<GrB_Index>(m.columns())));
    check(
        GrB_Matrix_build_FP64(state_->a, t.i.data(), t.j.data(), t.values.data(), t.i.size(), GrB_PLUS_FP64));
    check(GrB_Matrix_wait(state_->a, GrB_MATERIALIZE));
    check(GrB_Vector_new(&state_->x, GrB_FP64, x.size()));
    for (std::size_t k = 0; k < x.size(); ++k) check(GrB_Vector_setElement_FP64(state_->x, x[k], k));
    check(GxB_Vector_Option_set(state_->x, GxB_SPARSITY_CONTROL, GxB_FULL));
    check(GrB_Vector_wait(state_->x, GrB_MATERIALIZE));
    check(GrB_Vector_new(&state_->y, GrB_FP64, static_cast<GrB_Index>(m.rows())));
}

graphblas_spmv::~graphblas_spmv() {
    GrB_Matrix_free(&state_->a);
    GrB_Vector_free(&state_->x);
    GrB_Vector_free(&state_->y);
}

void graphblas_spmv::run() {
    check(GrB_mxv(state_->y, nullptr, nullptr, GrB_PLUS_TIMES_SEMIRING_FP64, state_->a, state_->x, nullptr));
    check(GrB_Vector_wait(state_->y, GrB_MATERIALIZE));
}

std::vector<double> graphblas_spmv::result() const {
    GrB_Index size = 0, count = 0;
    check(GrB_Vector_size(&size, state_->y));
    check(GrB_Vector_nvals(&count, state_->y));
    std::vector<GrB_Index> i(count);
    std::vector<double> v(count), all(size, 0);
    check(GrB_Vector_extractTuples_FP64(i.data(), v.data(), &count, state_->y));
    for (GrB_Index k = 0; k < count; ++k) all[i[k]] = v[k];
    return all;
}

struct graphblas_add::state {
    GrB_Matrix a = nullptr, b = nullptr, c = nullptr;
    GrB_Index rows = 0, columns = 0;
};

graphblas_add::graphblas_add(const matrix& a, const matrix& b, int threads)
    : state_(std::make_unique<state>()) {
    start(threads);
    state_->rows = static_cast<GrB_Index>(a.rows());
    state_->columns = static_cast<GrB_Index>(a.columns());
    const auto load = [&](const matrix& m, GrB_Matrix* to) {
        const tuples t(m);
        check(GrB_Matrix_new(to, GrB_FP64, state_->rows, state_->columns));
        check(GrB_Matrix_build_FP64(*to, t.i.data(), t.j.data(), t.values.data(), t.i.size(), GrB_PLUS_FP64));
        check(GrB_Matrix_wait(*to, GrB_MATERIALIZE));
    };
    load(a, &state_->a);
    load(b, &state_->b);
}
graphblas_add::~graphblas_add() {
    GrB_Matrix_free(&state_->a);
    GrB_Matrix_free(&state_->b);
    GrB_Matrix_free(&state_->c);
}
void graphblas_add::run() {
    GrB_Matrix_free(&state_->c);
    check(GrB_Matrix_new(&state_->c, GrB_FP64, state_->rows, state_->columns));
    check(GrB_Matrix_eWiseAdd_BinaryOp(state_->c, nullptr, nullptr, GrB_PLUS_FP64, state_->a, state_->b,
                                       nullptr));
    check(GrB_Matrix_wait(state_->c, GrB_MATERIALIZE));
}
std::int64_t graphblas_add::entries() const {
    GrB_Index count = 0;
    check(GrB_Matrix_nvals(&count, state_->c));
    return static_cast<std::int64_t>(count);
}

struct graphblas_multiply::state {
    GrB_Matrix a = nullptr, b = nullptr, c = nullptr;
};
graphblas_multiply::graphblas_multiply(const matrix& a, const matrix& b, int threads)
    : state_(std::make_unique<state>()) {
    start(threads);
    const auto load = [&](const matrix& m, GrB_Matrix* to) {
        const tuples t(m);
        check(GrB_Matrix_new(to, GrB_FP64, static_cast<GrB_Index>(m.rows()),
                             static_cast<GrB_Index>(m.columns())));
        check(GrB_Matrix_build_FP64(*to, t.i.data(), t.j.data(), t.values.data(), t.i.size(), GrB_PLUS_FP64));
        check(GrB_Matrix_wait(*to, GrB_MATERIALIZE));
    };
    load(a, &state_->a);
    load(b, &state_->b);
}
graphblas_multiply::~graphblas_multiply() {
    GrB_Matrix_free(&state_->a);
    GrB_Matrix_free(&state_->b);
    GrB_Matrix_free(&state_->c);
}
void graphblas_multiply::run() {
    GrB_Index rows = 0, columns = 0;
    check(GrB_Matrix_nrows(&rows, state_->a));
    check(GrB_Matrix_ncols(&columns, state_->b));
    GrB_Matrix_free(&state_->c);
    check(GrB_Matrix_new(&state_->c, GrB_FP64, rows, columns));
    check(GrB_mxm(state_->c, nullptr, nullptr, GrB_PLUS_TIMES_SEMIRING_FP64, state_->a, state_->b, nullptr));
    check(GrB_Matrix_wait(state_->c, GrB_MATERIALIZE));
}
std::int64_t graphblas_multiply::entries() const {
    GrB_Index count = 0;
    check(GrB_Matrix_nvals(&count, state_->c));
    return static_cast<std::int64_t>(count);
}

struct graphblas_spmm::state {
    GrB_Matrix a = nullptr, b = nullptr, c = nullptr;
    GrB_Index rows = 0, columns = 0;
};
graphblas_spmm::graphblas_spmm(const matrix& m, const std::vector<double>& b, index_t columns, int threads)
    : state_(std::make_unique<state>()) {
    start(threads);
    const tuples t(m);
    state_->rows = static_cast<GrB_Index>(m.rows());
    state_->columns = static_cast<GrB_Index>(columns);
    const auto inner = static_cast<GrB_Index>(m.columns());
    check(GrB_Matrix_new(&state_->a, GrB_FP64, state_->rows, inner));
    check(
        GrB_Matrix_build_FP64(state_->a, t.i.data(), t.j.data(), t.values.data(), t.i.size(), GrB_PLUS_FP64));
    check(GrB_Matrix_wait(state_->a, GrB_MATERIALIZE));
    check(GrB_Matrix_new(&state_->b, GrB_FP64, inner, state_->columns));
    // The matrix takes the block over.
    void* block = std::malloc(b.size() * sizeof(double));
    std::memcpy(block, b.data(), b.size() * sizeof(double));
    check(GxB_Matrix_pack_FullR(state_->b, &block, b.size() * sizeof(double), false, nullptr));
}
graphblas_spmm::~graphblas_spmm() {
    GrB_Matrix_free(&state_->a);
    GrB_Matrix_free(&state_->b);
    GrB_Matrix_free(&state_->c);
}
void graphblas_spmm::run() {
    GrB_Matrix_free(&state_->c);
    check(GrB_Matrix_new(&state_->c, GrB_FP64, state_->rows, state_->columns));
    check(GrB_mxm(state_->c, nullptr, nullptr, GrB_PLUS_TIMES_SEMIRING_FP64, state_->a, state_->b, nullptr));
    check(GrB_Matrix_wait(state_->c, GrB_MATERIALIZE));
}
double graphblas_spmm::result(index_t i, index_t j) const {
    double value = 0;
    check(GrB_Matrix_extractElement_FP64(&value, state_->c, static_cast<GrB_Index>(i),
                                         static_cast<GrB_Index>(j)));
    return value;
}

}  // namespace nz::bench

#else

namespace nz::bench {

struct graphblas_graph::state {};
struct graphblas_spmv::state {};
bool have_graphblas() { return false; }
graphblas_graph::graphblas_graph(const matrix&, bool, int) {}
graphblas_graph::~graphblas_graph() = default;
void graphblas_graph::bfs(std::int64_t) {}
std::vector<std::int32_t> graphblas_graph::parents() const { return {}; }
graphblas_spmv::graphblas_spmv(const matrix&, const std::vector<double>&, int) {}
graphblas_spmv::~graphblas_spmv() = default;
void graphblas_spmv::run() {}
std::vector<double> graphblas_spmv::result() const { return {}; }
struct graphblas_add::state {};
graphblas_add::graphblas_add(const matrix&, const matrix&, int) {}
graphblas_add::~graphblas_add() = default;
void graphblas_add::run() {}
std::int64_t graphblas_add::entries() const { return 0; }
struct graphblas_multiply::state {};
graphblas_multiply::graphblas_multiply(const matrix&, const matrix&, int) {}
graphblas_multiply::~graphblas_multiply() = default;
void graphblas_multiply::run() {}
std::int64_t graphblas_multiply::entries() const { return 0; }
struct graphblas_spmm::state {};
graphblas_spmm::graphblas_spmm(const matrix&, const std::vector<double>&, index_t, int) {}
graphblas_spmm::~graphblas_spmm() = default;
void graphblas_spmm::run() {}
double graphblas_spmm::result(index_t, index_t) const { return 0; }

}  // namespace nz::bench
#endif
