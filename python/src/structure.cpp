// The algorithms that divide a graph: strong components, sets, colours, communities, trusses, matchings, closures; and
// closeness.
#include "bind.hpp"

namespace nz::python {
namespace {

nb::dict strong_components_(const context& ctx, const py_matrix& a, bool trim, int searches) {
    const auto r =
        unlocked([&] { return strong_components(ctx, a.value, {.trim = trim, .searches = searches}); });
    nb::dict d;
    d["labels"] = values_of<std::int32_t>(r.labels);
    d["count"] = r.count;
    d["trimmed"] = r.trimmed;
    d["searched"] = r.searched;
    d["walked"] = r.walked;
    d["plan"] = r.plan;
    return d;
}

nb::dict independent_set_(const context& ctx, const py_matrix& a, const std::string& order,
                          std::uint64_t seed) {
    const independent_set_options options{parse_vertex_order(order), seed};
    const auto r = unlocked([&] { return independent_set(ctx, a.value, options); });
    nb::dict d;
    d["members"] = values_of<bool>(r.members);
    d["count"] = r.count;
    d["rounds"] = r.rounds;
    d["plan"] = r.plan;
    return d;
}

nb::dict colouring_(const context& ctx, const py_matrix& a, const std::string& order, std::uint64_t seed) {
    const colouring_options options{parse_vertex_order(order), seed};
    const auto r = unlocked([&] { return colouring(ctx, a.value, options); });
    nb::dict d;
    d["colours"] = values_of<std::int32_t>(r.colours);
    d["count"] = r.count;
    d["rounds"] = r.rounds;
    d["plan"] = r.plan;
    return d;
}

nb::dict label_propagation_(const context& ctx, const py_matrix& a, int max_iterations) {
    const auto r = unlocked([&] { return label_propagation(ctx, a.value, {max_iterations}); });
    nb::dict d;
    d["labels"] = values_of<std::int32_t>(r.labels);
    d["count"] = r.count;
    d["iterations"] = r.iterations;
    d["converged"] = r.converged;
    d["plan"] = r.plan;
    return d;
}

nb::dict truss_(const context& ctx, const py_matrix& a, offset_t k, const std::string& kernel) {
    auto r = unlocked([&] { return truss(ctx, a.value, {.k = k, .kernel = kernel}); });
    nb::dict d;
    d["edges"] = py_matrix{std::move(r.edges)};
    d["degrees"] = values_of<std::int64_t>(r.degrees);
    d["k"] = r.k;
    d["count"] = r.count;
    d["vertices"] = r.vertices;
    d["rounds"] = r.rounds;
    d["plan"] = r.plan;
    return d;
}

nb::dict closeness_(const context& ctx, const py_matrix& a,
                    const std::optional<std::vector<offset_t>>& sources, bool outward) {
    const std::vector<offset_t> from = sources_or_all(sources, a.value);
    const auto r = unlocked([&] { return closeness(ctx, a.value, from, {outward}); });
    nb::dict d;
    d["closeness"] = values_of<double>(r.closeness);
    d["reached"] = values_of<std::int64_t>(r.reached);
    d["distances"] = values_of<std::int64_t>(r.distances);
    d["eccentricity"] = values_of<std::int32_t>(r.eccentricity);
    d["sources"] = r.sources;
    d["diameter"] = r.diameter;
    d["edges"] = r.edges;
    return d;
}

nb::dict matching_(const context& ctx, const py_matrix& a, std::uint64_t seed) {
    const auto r = unlocked([&] { return matching(ctx, a.value, {seed}); });
    nb::dict d;
    d["of_rows"] = values_of<std::int32_t>(r.of_rows);
    d["of_columns"] = values_of<std::int32_t>(r.of_columns);
    d["count"] = r.count;
    d["rounds"] = r.rounds;
    d["plan"] = r.plan;
    return d;
}

nb::dict transitive_closure_(const context& ctx, const py_matrix& a, bool reflexive, int max_steps,
                             const std::string& kernel) {
    const closure_options options{.reflexive = reflexive, .max_steps = max_steps, .kernel = kernel};
    auto r = unlocked([&] { return transitive_closure(ctx, a.value, options); });
    nb::dict d;
    d["reach"] = py_matrix{std::move(r.reach)};
    d["steps"] = r.steps;
    d["complete"] = r.complete;
    d["products"] = r.products;
    d["plan"] = r.plan;
    return d;
}

nb::dict markov_clustering_(const context& ctx, const py_matrix& a, double inflation, double threshold,
                            double tolerance, int max_iterations, const std::string& kernel) {
    const markov_options options{inflation, threshold, tolerance, max_iterations, kernel};
    const auto r = unlocked([&] { return markov_clustering(ctx, a.value, options); });
    nb::dict d;
    d["labels"] = values_of<std::int32_t>(r.labels);
    d["count"] = r.count;
    d["iterations"] = r.iterations;
    d["unevenness"] = r.unevenness;
    d["converged"] = r.converged;
    d["products"] = r.products;
    d["plan"] = r.plan;
    return d;
}

}  // namespace

void bind_structure(nb::module_& m) {
    m.def("strong_components", &strong_components_);
    m.def("independent_set", &independent_set_);
    m.def("colouring", &colouring_);
    m.def("label_propagation", &label_propagation_);
    m.def("truss", &truss_);
    m.def("closeness", &closeness_, nb::arg(), nb::arg(), nb::arg().none(), nb::arg());
    m.def("matching", &matching_);
    m.def("transitive_closure", &transitive_closure_);
    m.def("markov_clustering", &markov_clustering_);
}

}  // namespace nz::python
