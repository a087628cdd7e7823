#include "papers/shared/runs.hpp"

#include "core/device.hpp"
#include "inputs.hpp"
#include "kernels/kernel_ids.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace nz::bench::papers {
namespace {

// Short work is repeated for so long: a shared machine takes its threads away for several milliseconds at a time.
constexpr double sought_ms = 300;

}  // namespace

context choose_context(const options& o) {
    context ctx({.backend = wanted_backend(o), .threads = o.threads});
    fmt::print("{}\n",
               ctx.backend() == backend::cuda ? ctx.device() : fmt::format("CPU, {} threads", ctx.threads()));
    return ctx;
}

timing timed(const context& ctx, int repeats, const std::function<void()>& work) {
    const auto waited = [&] {
        work();
        if (ctx.gpu()) ctx.gpu()->wait();
    };
    const double once = time_ms(1, waited).best;
    return time_ms(static_cast<int>(std::clamp<double>(sought_ms / once, repeats, 20.0 * repeats)), waited);
}

std::vector<std::string> kernels_here(const context& ctx, std::string_view operation,
                                      const std::vector<std::string>& wanted) {
    const bool gpu = ctx.backend() == backend::cuda;
    std::vector<std::string> here;
    for (const auto& id : wanted) {
        if (gpu ? kernels::known_on_cuda(operation, id) : kernels::known_on_cpu(operation, id)) {
            here.push_back(id);
            continue;
        }
        std::string_view reason = "no such kernel";
        for (const auto& k : kernels::kernel_ids)
            if (k.operation == operation && k.id == id) reason = gpu ? k.cuda_reason : k.cpu_reason;
        fmt::print("{}/{} is left out: absent on the {} ({})\n", operation, id, gpu ? "GPU" : "CPU", reason);
    }
    return here;
}

const measurement* find(const std::map<std::string, measurement>& results, const std::string& name) {
    const auto it = results.find(name);
    return it == results.end() ? nullptr : &it->second;
}

double counter(const measurement* m, const char* key) {
    if (!m) return 0;
    const auto it = m->counters.find(key);
    return it == m->counters.end() ? 0 : it->second;
}

std::string best_ms(const measurement* m, int digits) {
    return m ? fmt::format("{:.{}f}", counter(m, "best_ms"), digits) : std::string("-");
}

void print_correlation(const std::string& who, const std::vector<double>& ms, const std::vector<double>& work,
                       const char* unit) {
    if (ms.size() < 3) return;
    double low = 1e300, high = 0;
    for (std::size_t k = 0; k < ms.size(); ++k) {
        low = std::min(low, 1e6 * ms[k] / work[k]);
        high = std::max(high, 1e6 * ms[k] / work[k]);
    }
    fmt::print("{}: correlation of time with {} {:.4f} over {} matrices; {:.2f} to {:.2f} ns each\n", who,
               unit, correlation(ms, work), ms.size(), low, high);
}

matrix load_ones(const context& ctx, const std::string& source) {
    const matrix given = load_structure(ctx, source);
    matrix ones(ctx, dtype::float64, given.rows(), given.columns());
    apply(ctx, ones, binary_op(binary_id::pair), given, scalar(1.0));
    return ones;
}

matrix load_valued(const context& ctx, const std::string& source) {
    const context cpu({.backend = backend::cpu, .threads = ctx.threads()});
    const matrix given = load_input(cpu, source);
    if (given.nnz() == 0) throw domain_error(source + " has no entries");
    csr_view<double> view = given.csr<double>();
    std::vector<double> values(view.columns.size());
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = 1.0 / static_cast<double>(1 + k % 97);
    view.values = values;
    return matrix::from_csr<double>(ctx, view);
}

std::vector<double> plain_spmv(const matrix& a, std::span<const double> x) {
    const auto v = a.csr<double>();
    std::vector<double> y(static_cast<std::size_t>(v.rows));
    for (std::size_t i = 0; i < y.size(); ++i)
        for (auto k = static_cast<std::size_t>(v.offsets[i]); k < static_cast<std::size_t>(v.offsets[i + 1]);
             ++k)
            y[i] += v.values[k] * x[static_cast<std::size_t>(v.columns[k])];
    return y;
}

plain_csr plain_sum(const matrix& a, const matrix& b) {
    const auto x = a.csr<double>(), y = b.csr<double>();
    plain_csr c{x.rows, x.columns_count, {0}, {}, {}};
    c.offsets.reserve(x.offsets.size());
    c.indices.reserve(x.columns.size() + y.columns.size());
    c.values.reserve(x.columns.size() + y.columns.size());
    for (std::size_t i = 0; i < static_cast<std::size_t>(x.rows); ++i) {
        auto k = static_cast<std::size_t>(x.offsets[i]), m = static_cast<std::size_t>(y.offsets[i]);
        const auto k_end = static_cast<std::size_t>(x.offsets[i + 1]),
                   m_end = static_cast<std::size_t>(y.offsets[i + 1]);
        while (k < k_end || m < m_end) {
            const bool left = m == m_end || (k < k_end && x.columns[k] <= y.columns[m]);
            const bool right = k == k_end || (m < m_end && y.columns[m] <= x.columns[k]);
            c.indices.push_back(left ? x.columns[k] : y.columns[m]);
            c.values.push_back(left && right ? x.values[k] + y.values[m] : left ? x.values[k] : y.values[m]);
            k += left;
            m += right;
        }
        c.offsets.push_back(static_cast<std::int32_t>(c.indices.size()));
    }
    return c;
}

plain_csr plain_product(const csr_view<double>& a, const csr_view<double>& b) {
    plain_csr c{a.rows, b.columns_count, {0}, {}, {}};
    std::vector<double> sums(static_cast<std::size_t>(b.columns_count));
    std::vector<index_t> last(sums.size(), -1), met;
    for (index_t i = 0; i < a.rows; ++i) {
        met.clear();
        const auto row = static_cast<std::size_t>(i);
        for (auto k = static_cast<std::size_t>(a.offsets[row]);
             k < static_cast<std::size_t>(a.offsets[row + 1]); ++k) {
            const auto at = static_cast<std::size_t>(a.columns[k]);
            for (auto m = static_cast<std::size_t>(b.offsets[at]);
                 m < static_cast<std::size_t>(b.offsets[at + 1]); ++m) {
                const auto j = static_cast<std::size_t>(b.columns[m]);
                const double product = a.values[k] * b.values[m];
                if (last[j] == i) {
                    sums[j] += product;
                    continue;
                }
                last[j] = i;
                sums[j] = product;
                met.push_back(b.columns[m]);
            }
        }
        std::ranges::sort(met);
        for (const index_t j : met) {
            c.indices.push_back(j);
            c.values.push_back(sums[static_cast<std::size_t>(j)]);
        }
        if (c.indices.size() > static_cast<std::size_t>(INT32_MAX))
            throw not_supported("the product has 2^31 entries or more: the bench takes smaller ones");
        c.offsets.push_back(static_cast<std::int32_t>(c.indices.size()));
    }
    return c;
}

plain_csr plain_transpose(const csr_view<double>& a) {
    const auto n = static_cast<std::size_t>(a.columns_count);
    plain_csr t{a.columns_count, a.rows, std::vector<std::int32_t>(n + 1), {}, {}};
    t.indices.resize(a.columns.size());
    t.values.resize(a.columns.size());
    for (const index_t j : a.columns) ++t.offsets[static_cast<std::size_t>(j) + 1];
    for (std::size_t j = 0; j < n; ++j) t.offsets[j + 1] += t.offsets[j];
    std::vector<std::int32_t> next(t.offsets.begin(), t.offsets.end() - 1);
    for (std::size_t i = 0; i < static_cast<std::size_t>(a.rows); ++i)
        for (auto k = static_cast<std::size_t>(a.offsets[i]); k < static_cast<std::size_t>(a.offsets[i + 1]);
             ++k) {
            const auto place = static_cast<std::size_t>(next[static_cast<std::size_t>(a.columns[k])]++);
            t.indices[place] = static_cast<index_t>(i);
            t.values[place] = a.values[k];
        }
    return t;
}

csr_view<double> view_of(const plain_csr& a) { return {a.rows, a.columns, a.offsets, a.indices, a.values}; }

void expect_same(const plain_csr& expected, const matrix& found, const std::string& who, double tolerance) {
    const auto c = found.csr<double>();
    const auto near = [=](double x, double y) { return std::abs(x - y) <= tolerance * std::abs(x); };
    if (!std::ranges::equal(expected.offsets, c.offsets) ||
        !std::ranges::equal(expected.indices, c.columns) ||
        !std::ranges::equal(expected.values, c.values, near))
        throw error(who + ": other entries than a plain loop's");
}

}  // namespace nz::bench::papers
