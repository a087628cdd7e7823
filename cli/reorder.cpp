#include "reorder.hpp"

#include "nonzero/errors.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace nz::cli {

diagonal_distance distance_of(const matrix& a) {
    const structure rows(a);
    diagonal_distance d;
    for (index_t i = 0; i < rows.rows(); ++i) {
        const auto row = rows.row(i);
        if (row.empty()) continue;
        const offset_t before = std::max(i - row.front(), 0), after = std::max(row.back() - i, 0);
        d.bandwidth = std::max({d.bandwidth, before, after});
        d.profile += before;
    }
    return d;
}

void add_reordering(CLI::App& verb, settings& s) {
    verb.add_option("--reorder", s.reorder,
                    "Renumber rows and columns first: rcm, degree or cluster; sources, results and\n"
                    "files keep the input's numbers")
        ->check(CLI::IsMember({"rcm", "degree", "cluster"}))
        ->option_text("NAME")
        ->group("Changes to the input");
}

renumbered::renumbered(const context& ctx, const settings& s, const nz::matrix& a)
    : ctx_(ctx), matrix_(a), name_(s.reorder) {
    if (s.reorder.empty()) return;
    if (a.rows() != a.columns())
        throw usage_error(
            fmt::format("the matrix is {} x {}: --reorder needs a square one", a.rows(), a.columns()));
    const stopwatch watch;
    order_ = nz::order(ctx, a, parse_ordering(s.reorder));
    matrix_ = permute(ctx, a, *order_);
    const vector places = inverse(ctx, *order_);
    ms_ = watch.ms();
    const auto all = places.values<index_t>();
    places_.assign(all.begin(), all.end());
    before_ = distance_of(a);
    after_ = distance_of(matrix_);
}

offset_t renumbered::place(offset_t vertex) const {
    return active() ? places_[static_cast<std::size_t>(vertex)] : vertex;
}

void renumbered::report_to(json& r) const {
    if (!active()) return;
    r["reorder"] = {{"name", name_},
                    {"time_ms", ms_},
                    {"bandwidth_before", before_.bandwidth},
                    {"bandwidth_after", after_.bandwidth},
                    {"profile_before", before_.profile},
                    {"profile_after", after_.profile}};
}

void renumbered::print_line() const {
    if (!active()) return;
    fmt::print("reordered by {} in {}: bandwidth {} to {}, profile {} to {}\n", name_, time_text(ms_),
               before_.bandwidth, after_.bandwidth, before_.profile, after_.profile);
}

}  // namespace nz::cli
