#include "vertices.hpp"

#include "io/arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace nz::cli {

std::vector<offset_t> largest(const vector& values, int k) {
    return dispatch(values.type(), [&]<class T>(std::type_identity<T>) {
        const auto x = values.values<T>();
        std::vector<offset_t> order(x.size());
        std::iota(order.begin(), order.end(), offset_t{0});
        const auto end = order.begin() + std::min<std::ptrdiff_t>(k, std::ssize(order));
        const auto at = [&](offset_t v) { return x[static_cast<std::size_t>(v)]; };
        std::partial_sort(order.begin(), end, order.end(),
                          [&](offset_t u, offset_t v) { return at(u) != at(v) ? at(u) > at(v) : u < v; });
        order.erase(end, order.end());
        return order;
    });
}

std::string value_text(const vector& values, offset_t vertex) {
    const scalar x = *values.get(vertex);
    return is_floating(values.type()) ? fmt::format("{:.6g}", x.get<double>())
                                      : fmt::format("{}", x.get<std::int64_t>());
}
json value_json(const vector& values, offset_t vertex) {
    const scalar x = *values.get(vertex);
    return is_floating(values.type()) ? json(x.get<double>()) : json(x.get<std::int64_t>());
}

void add_top(CLI::App& verb, int& top, const std::string& what) {
    verb.add_option("--top", top, fmt::format("{} (default {})", what, top))
        ->check(CLI::Range(0, 1000000))
        ->option_text("K");
}

void add_vertex_output(CLI::App& verb, settings& s, const std::string& columns) {
    add_output(
        verb, s,
        fmt::format("Write 'vertex {}' for every vertex to this file: .npz for NumPy, else text", columns));
}

void write_vertices(const settings& s, const loaded& in, const std::vector<vertex_column>& columns) {
    const offset_t n = in.matrix().rows();
    std::vector<std::int64_t> names(static_cast<std::size_t>(n));
    for (offset_t v = 0; v < n; ++v) names[static_cast<std::size_t>(v)] = in.original(v);
    std::vector<io::named_array> arrays = {{"vertex", dtype::int64, names.data(), n}};
    for (const auto& c : columns)
        arrays.push_back({c.name, c.values.type(),
                          dispatch(c.values.type(),
                                   [&]<class T>(std::type_identity<T>) -> const void* {
                                       return c.values.template values<T>().data();
                                   }),
                          n});
    if (s.output.ends_with(".npz"))
        io::write_npz_arrays(s.output, arrays);
    else
        io::write_text_columns(s.output, arrays);
}

}  // namespace nz::cli
