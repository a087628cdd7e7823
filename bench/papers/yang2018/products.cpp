// Figure 2: products by rows and by columns, under a mask and not, on a Kronecker graph, over the entries of the vector or of the
// mask, which are random: by rows the time is the same for all vectors and grows with the mask, by columns it grows with the
// vector, mask or not. plus_times in double, so that nothing ends early; by columns under a mask of two thirds of the vector's size,
// as in the paper. Times are those of the operation as a caller sees it, the best of several. Table 1: what these products cost in accesses to
// the matrix, and how the times follow them.
#include "papers/shared/runs.hpp"
#include "papers/yang2018/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace nz::bench::yang2018 {
namespace {

constexpr int repeats = 5;
constexpr int shares = 12;  // of the vertices: 2^-11 to 1

enum class form : unsigned char { row, row_masked, column, column_masked };
constexpr struct {
    form f;
    const char* name;
    const char* cost;  // accesses to the matrix, as table 1 has them
} forms[] = {{form::row, "row", "d M"},
             {form::row_masked, "row_masked", "d nnz(m)"},
             {form::column, "column", "d nnz(f)"},
             {form::column_masked, "column_masked", "d nnz(f)"}};

std::string name_of(const std::string& source, index_t count, const char* who) {
    return fmt::format("yang2018/products/{}/{}/{}", source, count, who);
}
index_t count_of(const matrix& a, int step, bool quick) {
    return static_cast<index_t>(a.rows() >> (quick ? 4 * (2 - step) : shares - 1 - step));
}
int steps_of(bool quick) { return quick ? 3 : shares; }

/// So many random places, each once, with values of 1.
vector random_vector(const context& ctx, offset_t size, index_t count, unsigned seed) {
    std::vector<index_t> all(static_cast<std::size_t>(size));
    std::iota(all.begin(), all.end(), 0);
    std::mt19937_64 random(seed);
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k)
        std::swap(all[k], all[k + random() % (all.size() - k)]);
    all.resize(static_cast<std::size_t>(count));
    std::ranges::sort(all);
    return vector::build<double>(ctx, static_cast<index_t>(size), all, std::vector<double>(all.size(), 1.0));
}

// By columns the gather that the backend's plan takes for products too many to be sorted.
std::string_view column_kernel(const context& ctx) {
    return ctx.backend() == backend::cuda ? "csc_gather_bucket" : "csc_gather_scatter";
}

// What w has to hold: a plain loop over the entries.
void check(const matrix& a, const vector& u, const vector* mask, const vector& w, const std::string& name) {
    const auto v = a.csr<double>();
    for (index_t i = 0; i < v.rows; ++i) {
        double sum = 0;
        bool met = false;
        for (auto k = v.offsets[static_cast<std::size_t>(i)]; k < v.offsets[static_cast<std::size_t>(i) + 1];
             ++k)
            if (const auto x = u.get(v.columns[static_cast<std::size_t>(k)])) {
                sum += x->get<double>();
                met = true;
            }
        if (mask && !mask->get(i)) met = false;
        const auto found = w.get(i);
        if (found.has_value() != met || (met && found->get<double>() != sum))
            throw error(fmt::format("{}: row {} is not a plain loop's", name, i));
    }
}

/// Entries of the matrix that a product meets: all, those of the mask's rows, or those of the vector's columns.
double accesses(const matrix& a, form f, const vector& u, const vector& mask) {
    if (f == form::row) return static_cast<double>(a.nnz());
    const auto v = a.csr<double>();
    std::vector<index_t> places;
    std::vector<double> ones;
    (f == form::row_masked ? mask : u).extract_tuples(places, ones);
    double met = 0;
    if (f == form::row_masked) {
        for (const index_t i : places)
            met += static_cast<double>(v.offsets[static_cast<std::size_t>(i) + 1] -
                                       v.offsets[static_cast<std::size_t>(i)]);
        return met;
    }
    std::vector<bool> listed(static_cast<std::size_t>(a.columns()));
    for (const index_t j : places) listed[static_cast<std::size_t>(j)] = true;
    for (const index_t j : v.columns) met += listed[static_cast<std::size_t>(j)];
    return met;
}

measurement measure(const context& ctx, const matrix& a, form f, index_t count, bool checked,
                    const std::string& name) {
    const bool masked = f == form::row_masked || f == form::column_masked,
               by_rows = f == form::row || f == form::row_masked;
    const auto m = static_cast<index_t>(a.rows());
    const vector u = random_vector(ctx, a.columns(), f == form::row_masked ? m : count, 1),
                 mask =
                     random_vector(ctx, a.rows(),
                                   f == form::column_masked ? std::max<index_t>(1, count / 3 * 2) : count, 2);
    vector_options o;
    o.kernel = f == form::row ? "csr_row" : f == form::row_masked ? "csr_row_masked" : column_kernel(ctx);
    if (masked) {
        o.mask = &mask;
        o.mask_structure = true;
    }
    vector w(ctx, dtype::float64, m);
    const auto multiply = [&] {
        w = vector(ctx, dtype::float64, m);
        return mxv(ctx, w, semiring("plus_times_fp64"), a, u, o);
    };
    multiply();
    if (checked) check(a, u, masked ? &mask : nullptr, w, name);
    const timing t = papers::timed(ctx, repeats, multiply);
    return {t.best,
            {{by_rows && masked ? "mask_entries" : "vector_entries", static_cast<double>(count)},
             {"accesses", accesses(a, f, u, mask)}}};
}

}  // namespace

void add_products(const context& ctx, const std::string& source, const std::shared_ptr<matrix>& a,
                  bool quick) {
    for (int step = 0; step < steps_of(quick); ++step)
        for (const auto& [f, name, cost] : forms) {
            const index_t count = count_of(*a, step, quick);
            const std::string full = name_of(source, count, name);
            // Plain loops over gets are slow: small vectors and the last are checked.
            const bool checked = step < 2 || step + 1 == steps_of(quick);
            add(full, [=, f = f] { return measure(ctx, *a, f, count, checked, full); });
        }
}

void print_products(const std::string& source, const std::map<std::string, measurement>& results) {
    fmt::print("\n{}: ms by random vectors, or masks, of so many entries\n{:>10}", source, "entries");
    for (const auto& [f, name, cost] : forms) fmt::print(" {:>14}", name);
    fmt::print("\n");
    std::map<index_t, std::map<std::string, double>> table;
    const std::string head = fmt::format("yang2018/products/{}/", source);
    for (const auto& [name, m] : results)
        if (name.starts_with(head)) {
            const auto slash = name.rfind('/');
            table[std::stoi(name.substr(head.size(), slash - head.size()))][name.substr(slash + 1)] = m.ms;
        }
    for (const auto& [count, row] : table) {
        fmt::print("{:>10}", count);
        for (const auto& [f, name, cost] : forms)
            fmt::print(" {:>14}", row.contains(name) ? fmt::format("{:.3f}", row.at(name)) : "-");
        fmt::print("\n");
    }
}

namespace {

using results_by_name = std::map<std::string, measurement>;

results_by_name run_products(const options& o, const context& ctx, std::string& source) {
    source = !o.inputs.empty() ? o.inputs.front() : o.quick ? "rmat:11,16" : "rmat:18,48";
    const auto a = std::make_shared<matrix>(papers::load_ones(ctx, source));
    fmt::print("{}: {} vertices, {} entries\n", source, a->rows(), a->nnz());
    add_products(ctx, source, a, o.quick);
    return run(o, "^yang2018/products/");
}

}  // namespace

int products(const options& o, const context& ctx) {
    std::string source;
    const auto results = run_products(o, ctx, source);
    print_products(source, results);
    return 0;
}

int costs(const options& o, const context& ctx) {
    std::string source;
    const auto results = run_products(o, ctx, source);
    fmt::print(
        "\n{}: d entries a row, M rows, vectors f, masks m\n{:14} {:>10} {:>12} {:>12} {:>9} {:>9} {:>12}\n",
        source, "product", "accesses", "least", "most", "ms", "ms", "correlation");
    for (const auto& [f, name, cost] : forms) {
        std::vector<std::pair<double, double>> points;  // accesses, ms
        for (const auto& [full, m] : results)
            if (full.ends_with(fmt::format("/{}", name)))
                points.emplace_back(m.counters.at("accesses"), m.ms);
        if (points.empty()) continue;  // the filter left it out
        std::ranges::sort(points);
        std::vector<double> met, ms;
        for (const auto& [x, y] : points) met.push_back(x), ms.push_back(y);
        // By rows alone all are met whatever the vector: the least and the most of the times.
        if (f == form::row) std::ranges::sort(ms);
        fmt::print("{:14} {:>10} {:>12.0f} {:>12.0f} {:>9.3f} {:>9.3f} {:>12}\n", name, cost, met.front(),
                   met.back(), ms.front(), ms.back(),
                   f == form::row ? "-" : fmt::format("{:.3f}", correlation(met, ms)));
    }
    return 0;
}

}  // namespace nz::bench::yang2018
