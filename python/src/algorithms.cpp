// The graph algorithms.
#include "bind.hpp"

namespace nz::python {
namespace {

nb::list levels_of(const std::vector<traverse_level>& iterations) {
    nb::list list;
    for (const traverse_level& level : iterations) {
        nb::dict d;
        d["direction"] = std::string(name_of(level.direction));
        d["kernel"] = std::string(level.kernel);
        d["frontier"] = level.frontier;
        d["unvisited"] = level.unvisited;
        d["reason"] = std::string(level.reason);
        list.append(d);
    }
    return list;
}

nb::dict bfs_(const context& ctx, const py_matrix& a, offset_t source, bool parents, offset_t max_depth,
              const std::string& kernel, bool fast, const std::string& switches, bool hub_first,
              int tile_size) {
    traverse_options options;
    options.parents = parents;
    options.max_depth = max_depth;
    options.kernel = kernel;
    options.determinism = fast ? determinism::fast : determinism::strict;
    if (!switches.empty()) options.switches = parse_switches(switches);
    options.hub_first = hub_first;
    options.tiles.size = tile_size;
    options.on_level = [](const traverse_level&) { check_interrupt(); };
    const traverse_result r = [&] {
        const nb::gil_scoped_release unlocked;
        return bfs(ctx, a.value, source, options);
    }();
    nb::dict d;
    d["levels"] = values_of<std::int32_t>(r.levels);
    d["parents"] = parents ? values_of<std::int32_t>(r.parents) : nb::none();
    d["reached"] = r.reached;
    d["edges"] = r.edges;
    d["iterations"] = levels_of(r.iterations);
    d["backend"] = std::string(name_of(r.backend));
    return d;
}

nb::object of_vertices_(const std::optional<traverse_many_sums>& of) {
    if (!of) return nb::none();
    nb::dict d;
    d["reached"] = values_of<std::int64_t>(of->reached);
    d["level_sums"] = values_of<std::int64_t>(of->level_sums);
    d["depths"] = values_of<std::int32_t>(of->depths);
    return d;
}

nb::dict bfs_many_(const context& ctx, const py_matrix& a, const std::vector<offset_t>& sources, bool levels,
                   bool of_vertices, offset_t max_depth, const std::string& kernel, bool hub_first) {
    traverse_many_options options;
    options.levels = levels;
    options.of_vertices = of_vertices;
    options.max_depth = max_depth;
    options.kernel = kernel;
    options.hub_first = hub_first;
    options.on_level = [](const traverse_many_level&) { check_interrupt(); };
    traverse_many_result r = [&] {
        const nb::gil_scoped_release unlocked;
        return bfs_many(ctx, a.value, sources, options);
    }();
    nb::dict d;
    nb::list all;
    for (const vector& v : r.levels) all.append(values_of<std::int32_t>(v));
    d["levels"] = levels ? nb::object(all) : nb::none();
    d["reached"] = array_from(std::move(r.reached));
    d["level_sums"] = array_from(std::move(r.level_sums));
    d["depths"] = array_from(std::move(r.depths));
    d["of_vertices"] = of_vertices_(r.of_vertices);
    d["edges"] = r.edges;
    d["backend"] = std::string(name_of(r.backend));
    return d;
}

nb::dict sssp_(const context& ctx, const py_matrix& a, offset_t source, bool parents, double delta,
               const std::string& kernel) {
    const shortest_result r = [&] {
        const nb::gil_scoped_release unlocked;
        return sssp(ctx, a.value, source, {.kernel = kernel, .parents = parents, .delta = delta});
    }();
    nb::dict d;
    d["distances"] = py_vector{r.distances};
    d["parents"] = parents ? values_of<std::int32_t>(r.parents) : nb::none();
    d["reached"] = r.reached;
    d["edges"] = r.edges;
    d["relaxations"] = r.relaxations;
    d["rounds"] = r.rounds;
    d["delta"] = r.delta;
    d["kernel"] = std::string(r.kernel);
    d["backend"] = std::string(name_of(r.backend));
    return d;
}

}  // namespace

void bind_algorithms(nb::module_& m) {
    m.def("bfs", &bfs_);
    m.def("bfs_many", &bfs_many_);
    m.def("sssp", &sssp_);
    m.def("with_random_weights", [](const context& ctx, const py_matrix& a, std::int32_t lowest,
                                    std::int32_t highest, std::uint64_t seed) {
        return py_matrix{with_random_weights(ctx, a.value, lowest, highest, seed)};
    });
}

}  // namespace nz::python
