#include "ops/checks.hpp"

#include "core/checks.hpp"
#include "core/parallel.hpp"
#include "kernels/kernel_ids.hpp"

namespace nz::ops {

std::string operand::describe(std::string_view name) const {
    return fmt::format("{}{} is {} x {} {}", name, transposed ? "^T" : "", rows(), columns(),
                       name_of(a.type()));
}
std::string describe(std::string_view name, const vector& v) {
    return fmt::format("{} has size {} ({})", name, v.size(), name_of(v.type()));
}

void check_mask(std::string_view operation, const vector& w, const vector_options& options) {
    if (!options.mask) return;
    require<dimension_mismatch>(options.mask->size() == w.size(),
                                "{}: {}, {}: the mask must have the output's size", operation,
                                describe("the mask", *options.mask), describe("w", w));
}
void check_mask(std::string_view operation, const matrix& c, const matrix_options& options) {
    if (!options.mask) return;
    require<dimension_mismatch>(options.mask->rows() == c.rows() && options.mask->columns() == c.columns(),
                                "{}: {}, {}: the mask must have the output's shape", operation,
                                operand{*options.mask}.describe("the mask"), operand{c}.describe("C"));
}

void check_output(std::string_view operation, const vector& w, offset_t size, std::string_view because) {
    require<dimension_mismatch>(w.size() == size, "{}: {}, but the result has size {} since {}", operation,
                                describe("w", w), size, because);
}
void check_output(std::string_view operation, const matrix& c, offset_t rows, offset_t columns,
                  std::string_view because) {
    require<dimension_mismatch>(c.rows() == rows && c.columns() == columns,
                                "{}: {}, but the result is {} x {} since {}", operation,
                                operand{c}.describe("C"), rows, columns, because);
}

void check_source(offset_t source, offset_t vertices) {
    require<index_out_of_bounds>(source >= 0 && source < vertices,
                                 "source {} is not a vertex: the graph has {} vertices, from 0 on", source,
                                 vertices);
}
void check_index(std::string_view operation, std::string_view what, index_t index, offset_t extent) {
    require<index_out_of_bounds>(index >= 0 && index < extent, "{}: {} {} is outside 0..{}", operation, what,
                                 index, extent - 1);
}
void check_indices(const context& ctx, std::string_view operation, std::string_view what,
                   const index_list& list, offset_t extent) {
    const std::span<const index_t> places = list.listed();
    const auto inside = [&](offset_t k) {
        const index_t place = places[static_cast<std::size_t>(k)];
        return place >= 0 && place < extent;
    };
    std::atomic<bool> all = true;
    parallel::for_pieces(ctx.threads(), std::ssize(places), [&](offset_t begin, offset_t end) {
        bool here = true;
        for (offset_t k = begin; k < end; ++k) here &= inside(k);
        if (!here) all = false;
    });
    if (all) return;
    offset_t k = 0;
    while (inside(k)) ++k;
    fail<index_out_of_bounds>("{}: {} {} at position {} of the list is outside 0..{}", operation, what,
                              list[k], k, extent - 1);
}

void check_kernel(std::string_view operation, std::string_view pinned) {
    if (pinned.empty() || pinned == "reference" || kernels::known_on_cpu(operation, pinned)) return;
    const std::string ids = kernels::known_ids(operation);
    fail<domain_error>("'{}' is not a kernel of {}; there are {}{}reference", pinned, operation, ids,
                       ids.empty() ? "" : ", ");
}

}  // namespace nz::ops
