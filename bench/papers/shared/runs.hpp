// What the papers' benches share: where they run, which kernels there are, times, correlations, the plain loops that
// results are checked against, and products of matrices.
#pragma once

#include "suites.hpp"

#include <optional>

namespace nz::bench::papers {

/// The GPU where one is wanted and there. Prints which it is.
context choose_context(const options& o);
/// time_ms, with results on a GPU waited for; short work up to twenty times as often.
timing timed(const context& ctx, int repeats, const std::function<void()>& work);

/// Those of an operation's kernels that the context's backend has; prints a line for each that it has not.
std::vector<std::string> kernels_here(const context& ctx, std::string_view operation,
                                      const std::vector<std::string>& wanted);

const measurement* find(const std::map<std::string, measurement>& results, const std::string& name);
/// A counter of a result, or 0.
double counter(const measurement* m, const char* key);
/// "12.345", or "-" where there is no result.
std::string best_ms(const measurement* m, int digits = 3);

/// Times and work of the same matrices, and what a unit of work took.
void print_correlation(const std::string& who, const std::vector<double>& ms, const std::vector<double>& work,
                       const char* unit);

/// The input in the context, entry k being 1 / (1 + k mod 97): values that are neither all alike nor exact in sums.
matrix load_valued(const context& ctx, const std::string& source);

/// The input in the context, every entry 1.
matrix load_ones(const context& ctx, const std::string& source);

/// A matrix as plain loops make it.
struct plain_csr {
    index_t rows = 0, columns = 0;
    std::vector<std::int32_t> offsets;
    std::vector<index_t> indices;
    std::vector<double> values;
};
std::vector<double> plain_spmv(const matrix& a, std::span<const double> x);
/// A + A as if they were two, a step an entry of either.
plain_csr plain_sum(const matrix& a, const matrix& b);
/// A B by rows with a dense row of sums, columns sorted, products added in the order of k. Throws not_supported beyond 2^31
/// entries.
plain_csr plain_product(const csr_view<double>& a, const csr_view<double>& b);
plain_csr plain_transpose(const csr_view<double>& a);
csr_view<double> view_of(const plain_csr& a);
/// Throws unless they are the same bit for bit, or up to so much of each value where sums may be taken in parts.
void expect_same(const plain_csr& expected, const matrix& found, const std::string& who,
                 double tolerance = 0);

/// The matrix at hand: benchmarks come one matrix after another.
template <class Problem>
class slot {
public:
    explicit slot(std::function<Problem(const std::string&)> make) : make_(std::move(make)) {}
    Problem& of(const std::string& source) {
        if (source != source_ || !problem_) {
            problem_.reset();
            source_ = source;
            problem_.emplace(make_(source));
        }
        return *problem_;
    }

private:
    std::function<Problem(const std::string&)> make_;
    std::string source_;
    std::optional<Problem> problem_;
};

/// A * A, or A * A^T where A is not square, with the result by a plain loop and that loop's time.
struct product_problem {
    matrix a;
    bool transposed = false;
    plain_csr expected;
    double sequential_ms = 0;
    offset_t products = 0;
};
product_problem make_product(const context& ctx, const std::string& source);
mxm_plan multiply(const context& ctx, const product_problem& p, matrix& c, std::string_view kernel);
/// Checks a kernel's result (empty: the planned one's), then times whole calls, the result's memory taken in each.
measurement measure_product(const context& ctx, const product_problem& p, const std::string& kernel,
                            int repeats);
/// SuiteSparse:GraphBLAS and Eigen beside them, on a CPU: `HEAD/graphblas`, `HEAD/eigen`.
void add_product_peers(const context& ctx, const std::shared_ptr<slot<product_problem>>& at,
                       const std::string& source, const std::string& head, int repeats);

}  // namespace nz::bench::papers
