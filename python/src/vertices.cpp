// The algorithms that say something of each vertex: ranks, components, triangles, centrality, core numbers.
#include "bind.hpp"

namespace nz::python {
namespace {

nb::dict pagerank_(const context& ctx, const py_matrix& a, double damping, double tolerance,
                   int max_iterations, const std::string& type, const py_vector* personalisation,
                   bool weighted, bool adaptive, const std::string& kernel) {
    const pagerank_options options{.damping = damping,
                                   .tolerance = tolerance,
                                   .max_iterations = max_iterations,
                                   .type = parse_dtype(type),
                                   .personalisation = personalisation ? &personalisation->value : nullptr,
                                   .weighted = weighted,
                                   .adaptive = adaptive,
                                   .kernel = kernel};
    const pagerank_result r = unlocked([&] { return pagerank(ctx, a.value, options); });
    std::vector<double> changes;
    std::vector<offset_t> active;
    for (const pagerank_step& step : r.steps) changes.push_back(step.change), active.push_back(step.active);
    nb::dict d;
    d["ranks"] = r.ranks.type() == dtype::float32 ? values_of<float>(r.ranks) : values_of<double>(r.ranks);
    d["iterations"] = r.iterations;
    d["change"] = r.change;
    d["converged"] = r.converged;
    d["changes"] = array_from(std::move(changes));
    d["active"] = array_from(std::move(active));
    d["plan"] = r.plan;
    return d;
}

nb::dict components_(const context& ctx, const py_matrix& a, const std::string& kernel) {
    const components_result r = unlocked([&] { return components(ctx, a.value, {.kernel = kernel}); });
    nb::dict d;
    d["labels"] = values_of<std::int32_t>(r.labels);
    d["count"] = r.count;
    d["rounds"] = r.rounds;
    d["plan"] = r.plan;
    return d;
}

nb::dict triangles_(const context& ctx, const py_matrix& a, bool per_vertex, const std::string& kernel) {
    const triangles_result r =
        unlocked([&] { return triangles(ctx, a.value, {.per_vertex = per_vertex, .kernel = kernel}); });
    nb::dict d;
    d["total"] = r.total;
    d["counts"] = per_vertex ? values_of<std::int64_t>(r.counts) : nb::none();
    d["clustering"] = per_vertex ? values_of<double>(r.clustering) : nb::none();
    d["wedges"] = r.wedges;
    d["plan"] = r.plan;
    return d;
}

nb::dict betweenness_(const context& ctx, const py_matrix& a,
                      const std::optional<std::vector<offset_t>>& sources, bool normalise,
                      const std::string& kernel) {
    const std::vector<offset_t> from = sources_or_all(sources, a.value);
    const centrality_result r =
        unlocked([&] { return betweenness(ctx, a.value, from, {.kernel = kernel, .normalise = normalise}); });
    nb::dict d;
    d["centrality"] = values_of<double>(r.centrality);
    d["iterations"] = r.iterations;
    d["plan"] = r.plan;
    return d;
}

nb::dict cores_(const context& ctx, const py_matrix& a) {
    const cores_result r = unlocked([&] { return cores(ctx, a.value); });
    nb::dict d;
    d["numbers"] = values_of<std::int64_t>(r.numbers);
    d["greatest"] = r.greatest;
    d["rounds"] = r.rounds;
    d["plan"] = r.plan;
    return d;
}

}  // namespace

void bind_vertices(nb::module_& m) {
    m.def("pagerank", &pagerank_, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
          nb::arg().none(), nb::arg(), nb::arg(), nb::arg());
    m.def("components", &components_);
    m.def("triangles", &triangles_);
    m.def("betweenness", &betweenness_, nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg());
    m.def("cores", &cores_);
}

}  // namespace nz::python
