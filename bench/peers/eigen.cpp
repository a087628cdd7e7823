#include "peers/eigen.hpp"

#ifdef NONZERO_HAVE_EIGEN
#include <Eigen/SparseCore>

namespace nz::bench {

bool have_eigen() { return true; }

namespace {

using sparse = Eigen::SparseMatrix<double, Eigen::RowMajor, int>;

sparse to_eigen(const matrix& m) {
    const auto view = m.csr<double>();
    // Entries beyond the first value stand for themselves; pattern and iso matrices are spread out.
    std::vector<double> values(view.columns.size());
    for (std::size_t k = 0; k < values.size(); ++k)
        values[k] = view.values.empty() ? 1 : view.values[view.values.size() == 1 ? 0 : k];
    return Eigen::Map<const sparse>(view.rows, view.columns_count, static_cast<Eigen::Index>(values.size()),
                                    view.offsets.data(), view.columns.data(), values.data());
}

}  // namespace

struct eigen_spmv::state {
    sparse a;
    Eigen::VectorXd x, y;
};

eigen_spmv::eigen_spmv(const matrix& m, const std::vector<double>& x, int threads)
    : state_(std::make_unique<state>()) {
    Eigen::setNbThreads(threads);
    state_->a = to_eigen(m);
    state_->x = Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
    state_->y.resize(state_->a.rows());
}
eigen_spmv::~eigen_spmv() = default;
void eigen_spmv::run() { state_->y.noalias() = state_->a * state_->x; }
std::vector<double> eigen_spmv::result() const { return {state_->y.begin(), state_->y.end()}; }

struct eigen_multiply::state {
    sparse a, b, c;
};
eigen_multiply::eigen_multiply(const matrix& a, const matrix& b)
    : state_(std::make_unique<state>(state{to_eigen(a), to_eigen(b), {}})) {}
eigen_multiply::~eigen_multiply() = default;
void eigen_multiply::run() { state_->c = state_->a * state_->b; }
std::int64_t eigen_multiply::entries() const { return state_->c.nonZeros(); }

using dense_by_rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct eigen_spmm::state {
    bool by_rows;
    sparse a;
    dense_by_rows b, c;
    Eigen::MatrixXd b_columns, c_columns;
};
eigen_spmm::eigen_spmm(const matrix& a, const std::vector<double>& b, index_t columns, bool by_rows,
                       int threads)
    : state_(std::make_unique<state>(state{by_rows, to_eigen(a), {}, {}, {}, {}})) {
    Eigen::setNbThreads(threads);
    const Eigen::Map<const dense_by_rows> given(b.data(), a.columns(), columns);
    if (by_rows) {
        state_->b = given;
        state_->c.resize(a.rows(), columns);
    } else {
        state_->b_columns = given;
        state_->c_columns.resize(a.rows(), columns);
    }
}
eigen_spmm::~eigen_spmm() = default;
void eigen_spmm::run() {
    if (state_->by_rows)
        state_->c.noalias() = state_->a * state_->b;
    else
        state_->c_columns.noalias() = state_->a * state_->b_columns;
}
double eigen_spmm::result(index_t i, index_t j) const {
    return state_->by_rows ? state_->c(i, j) : state_->c_columns(i, j);
}

}  // namespace nz::bench

#else

namespace nz::bench {

struct eigen_spmv::state {};
bool have_eigen() { return false; }
eigen_spmv::eigen_spmv(const matrix&, const std::vector<double>&, int) {}
eigen_spmv::~eigen_spmv() = default;
void eigen_spmv::run() {}
std::vector<double> eigen_spmv::result() const { return {}; }
struct eigen_multiply::state {};
eigen_multiply::eigen_multiply(const matrix&, const matrix&) {}
eigen_multiply::~eigen_multiply() = default;
void eigen_multiply::run() {}
std::int64_t eigen_multiply::entries() const { return 0; }
struct eigen_spmm::state {};
eigen_spmm::eigen_spmm(const matrix&, const std::vector<double>&, index_t, bool, int) {}
eigen_spmm::~eigen_spmm() = default;
void eigen_spmm::run() {}
double eigen_spmm::result(index_t, index_t) const { return 0; }

}  // namespace nz::bench
#endif
