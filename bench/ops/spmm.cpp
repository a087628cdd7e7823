// SpMM: C = A B in double for a dense B of 8 to 64 columns, planned, by every kernel and with B and C by columns, beside Eigen,
// SuiteSparse:GraphBLAS and one SpMV a column. Two columns of every result are checked against a plain loop. The floor is the
// bytes of A, B and C once over the rate of a copy, which this run measures.
#include "inputs.hpp"
#include "kernels/kernel_ids.hpp"
#include "limits/cpu.hpp"
#include "peers/eigen.hpp"
#include "peers/graphblas.hpp"
#include "suites.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <cmath>

namespace nz::bench {
namespace {

constexpr int repeats = 7;
constexpr index_t widths[] = {8, 16, 32, 64};

struct problem {
    std::string name;
    matrix a;
};

problem make(const context& ctx, const std::string& source) {
    const matrix given = load_structure(ctx, source);
    std::vector<index_t> rows, columns;
    std::vector<double> values;
    given.extract_tuples(rows, columns, values);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = 1.0 / static_cast<double>(1 + k % 97);
    const auto m = static_cast<index_t>(given.rows()), n = static_cast<index_t>(given.columns());
    return {input_name(source), matrix::build<double>(ctx, {m, n, rows, columns, values})};
}

double b_value(offset_t k, offset_t j) { return static_cast<double>((k * 7 + j * 13) % 1024) / 1024; }

// B and C in memory that the context's own blocks are made of (huge pages where they are large).
struct operands {
    std::shared_ptr<vector> b_memory, c_memory;
    dense_view<const double> b;
    dense_view<double> c;

    operands(const context& ctx, const matrix& a, index_t columns, dense_order order) {
        const auto m = static_cast<index_t>(a.rows()), n = static_cast<index_t>(a.columns());
        const auto filled = [&](offset_t size) {
            return std::make_shared<vector>(vector::full(ctx, size, scalar(0.0)));
        };
        b_memory = filled(static_cast<offset_t>(n) * columns);
        c_memory = filled(static_cast<offset_t>(m) * columns);
        auto* values = const_cast<double*>(b_memory->values<double>().data());
        for (index_t k = 0; k < n; ++k)
            for (index_t j = 0; j < columns; ++j)
                values[order == dense_order::row_major ? static_cast<offset_t>(k) * columns + j
                                                       : static_cast<offset_t>(j) * n + k] = b_value(k, j);
        b = {n, columns, b_memory->values<double>(), order};
        c = {m,
             columns,
             {const_cast<double*>(c_memory->values<double>().data()),
              static_cast<std::size_t>(c_memory->size())},
             order};
    }
    double result(index_t i, index_t j) const {
        return c.values[static_cast<std::size_t>(c.order == dense_order::row_major
                                                     ? static_cast<offset_t>(i) * c.columns + j
                                                     : static_cast<offset_t>(j) * c.rows + i)];
    }
};

// Columns 0 and the last, and their sums.
template <class Result>
void check(const problem& p, index_t columns, const char* who, Result result) {
    const auto a = p.a.csr<double>();
    for (const index_t j : {0, columns - 1})
        for (index_t i = 0; i < a.rows; ++i) {
            double sum = 0;
            for (auto k = a.offsets[i]; k < a.offsets[i + 1]; ++k)
                sum += a.values[k] * b_value(a.columns[k], j);
            if (!(std::abs(sum - result(i, j)) <= 1e-9 * (1 + std::abs(sum))))
                throw error(
                    fmt::format("{}, {}: C({},{}) is {}, not {}", p.name, who, i, j, result(i, j), sum));
        }
}

double pass_bytes(const matrix& a, index_t columns) {
    return static_cast<double>(a.nnz()) * (sizeof(index_t) + sizeof(double)) +
           static_cast<double>(a.rows()) * sizeof(std::int32_t) +
           static_cast<double>(a.rows() + a.columns()) * columns * sizeof(double);
}

measurement rated(const problem& p, index_t columns, double rate, const timing& t) {
    const double bytes = pass_bytes(p.a, columns);
    return {t.median,
            {{"best_ms", t.best},
             {"gflops", 2e-6 * static_cast<double>(p.a.nnz()) * columns / t.median},
             {"gbytes_per_s", bytes / t.best / 1e6},
             {"share_of_floor", bytes / (t.best / 1e3) / rate}}};
}

void add_ours(const context& ctx, const std::shared_ptr<problem>& p, index_t columns, double rate) {
    const auto measured = [=](std::string_view kernel, dense_order order) {
        const operands o(ctx, p->a, columns, order);
        const auto run = [&] { return mxd(ctx, o.c, semiring("plus_times"), p->a, o.b, {.kernel = kernel}); };
        const dense_plan plan = run();
        fmt::print("{}, {} columns: {}\n", p->name, columns, to_string(plan));
        check(*p, columns, plan.kernel.data(), [&](index_t i, index_t j) { return o.result(i, j); });
        return rated(*p, columns, rate, time_ms(repeats, run));
    };
    const std::string head = fmt::format("spmm/{}/{}/", p->name, columns);
    add(head + "planned", [=] { return measured("", dense_order::row_major); });
    add(head + "by_columns", [=] { return measured("", dense_order::column_major); });
    for (const auto& id : kernels::kernel_ids)
        if (id.operation == "mxd" && id.cpu == kernels::presence::here)
            add(head + std::string(id.id),
                [=, kernel = id.id] { return measured(kernel, dense_order::row_major); });
    add(head + "mxv", [=] {
        std::vector<vector> x;
        for (index_t j = 0; j < columns; ++j) {
            std::vector<double> values(static_cast<std::size_t>(p->a.columns()));
            for (std::size_t k = 0; k < values.size(); ++k) values[k] = b_value(static_cast<offset_t>(k), j);
            x.push_back(vector::dense<double>(ctx, values));
        }
        p->a.facts();
        vector y(ctx, dtype::float64, p->a.rows());
        return rated(*p, columns, rate, time_ms(repeats, [&] {
            for (const vector& column : x) mxv(ctx, y, semiring("plus_times"), p->a, column);
        }));
    });
}

void add_peers(const std::shared_ptr<problem>& p, index_t columns, double rate, int threads) {
    const std::string head = fmt::format("spmm/{}/{}/", p->name, columns);
    const auto values = [=] {
        std::vector<double> b(static_cast<std::size_t>(p->a.columns()) * static_cast<std::size_t>(columns));
        for (std::size_t k = 0; k < b.size(); ++k)
            b[k] = b_value(static_cast<offset_t>(k) / columns, static_cast<offset_t>(k) % columns);
        return b;
    };
    if (have_eigen())
        for (const bool by_rows : {true, false})
            add(head + (by_rows ? "eigen" : "eigen_by_columns"), [=] {
                eigen_spmm peer(p->a, values(), columns, by_rows, threads);
                peer.run();
                check(*p, columns, "Eigen", [&](index_t i, index_t j) { return peer.result(i, j); });
                return rated(*p, columns, rate, time_ms(repeats, [&] { peer.run(); }));
            });
    if (have_graphblas())
        add(head + "graphblas", [=] {
            graphblas_spmm peer(p->a, values(), columns, threads);
            peer.run();
            check(*p, columns, "GraphBLAS", [&](index_t i, index_t j) { return peer.result(i, j); });
            return rated(*p, columns, rate, time_ms(repeats, [&] { peer.run(); }));
        });
}

void report(const std::vector<std::shared_ptr<problem>>& problems, double rate,
            const std::map<std::string, measurement>& results) {
    fmt::print("\ncopy {:.1f} GB/s\n{:28} {:>4} {:>9} {:>6} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n",
               rate / 1e9, "median ms", "cols", "planned", "floor", "GFLOP/s", "by cols", "tiled", "merge",
               "mxv", "eigen", "graphblas");
    for (const auto& p : problems)
        for (const index_t columns : widths) {
            const auto at = [&](const char* label) -> const measurement* {
                const auto it = results.find(fmt::format("spmm/{}/{}/{}", p->name, columns, label));
                return it == results.end() ? nullptr : &it->second;
            };
            const measurement* planned = at("planned");
            if (!planned) continue;
            const auto ms = [&](const char* label) {
                return at(label) ? fmt::format("{:.2f}", at(label)->ms) : std::string("-");
            };
            const bool by_rows =
                at("eigen") && (!at("eigen_by_columns") || at("eigen")->ms < at("eigen_by_columns")->ms);
            fmt::print("{:28} {:>4} {:>9.2f} {:>5.0f}% {:>8.2f} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n",
                       p->name, columns, planned->ms, 100 * planned->counters.at("share_of_floor"),
                       planned->counters.at("gflops"), ms("by_columns"), ms("csr_tiled"), ms("csr_merge"),
                       ms("mxv"), ms(by_rows ? "eigen" : "eigen_by_columns"), ms("graphblas"));
        }
}

}  // namespace

int spmm_suite(const options& o) {
    if (o.backend != "cpu") {
        const context gpu(
            {.backend = o.backend == "cuda" ? backend::cuda : backend::automatic, .threads = o.threads});
        if (gpu.backend() == backend::cuda) return spmm_suite_on_gpu(o, gpu);
    }
    const int threads = o.threads ? o.threads : omp_get_max_threads();
    const context ctx({.backend = backend::cpu, .threads = threads});
    std::vector<std::string> sources = o.inputs;
    if (sources.empty())
        sources = {"laplace3d:60",     "laplace2d:1500",     "banded:500000,21",
                   "random:1000000,8", "rmat_directed:17,8", "lp:4284,300000,3000000"};
    if (o.quick) sources = {"laplace3d:20", "random:20000,8"};
    const double rate = copy_bandwidth(threads);
    std::vector<std::shared_ptr<problem>> problems;
    for (const auto& source : sources) {
        const auto p = problems.emplace_back(std::make_shared<problem>(make(ctx, source)));
        for (const index_t columns : widths) {
            add_ours(ctx, p, columns, rate);
            add_peers(p, columns, rate, threads);
        }
    }
    report(problems, rate, run(o, "^spmm/"));
    return 0;
}

}  // namespace nz::bench
