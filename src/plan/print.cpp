#include "nonzero/plan.hpp"

#include <fmt/format.h>

namespace nz {
namespace {

// Where a plan runs, and what comes there first.
std::string place_of(bool on_device, std::size_t moved_bytes) {
    if (!on_device) return "";
    return moved_bytes ? fmt::format(", on the GPU, to which {} bytes come", moved_bytes) : ", on the GPU";
}

}  // namespace

std::string_view name_of(direction d) { return d == direction::pull ? "pull" : "push"; }

std::string to_string(const mxv_plan& p) {
    std::string line =
        fmt::format("mxv/{} {} {} ({} -> {})", p.kernel, name_of(p.direction),
                    p.tier == tier::compiled ? "compiled" : "generic", name_of(p.input), name_of(p.output));
    line += place_of(p.on_device, p.moved_bytes);
    if (p.reads_transpose)
        line += p.builds_transpose ? ", reads the transpose (built now)" : ", reads the transpose";
    else if (p.builds_transpose)
        line += ", builds the columns";
    if (p.tiles.size)
        line += fmt::format(", tiles of {} with {} entries or more{}", p.tiles.size, p.tiles.least_entries,
                            p.builds_tiles ? " (built now)" : "");
    if (p.block_side)
        line += fmt::format(", blocks of {} x {}{}", p.block_side, p.block_side,
                            p.builds_blocks ? " (built now)" : "");
    if (p.builds_slices) line += ", builds the slices";
    if (p.builds_ranks) line += ", ranks the columns";
    if (p.builds_bins) line += ", brings entries into bins of columns";
    if (p.ranked) line += ", by ranked columns";
    if (p.builds_ell) line += ", builds slices of equally long rows";
    if (p.converts_matrix) line += ", converts matrix values";
    if (p.converts_vector) line += ", converts u";
    if (p.early_exit) line += ", early exit";
    if (p.compacts_rows) line += ", compacts rows";
    return line + fmt::format(", {} workspace bytes: {}", p.workspace_bytes, p.reason);
}
std::string to_string(const operation_plan& p) {
    return fmt::format("{}/{} {}{}: {}", p.operation, p.kernel,
                       p.tier == tier::compiled ? "compiled" : "generic",
                       place_of(p.on_device, p.moved_bytes), p.reason);
}

std::string to_string(const mxm_plan& p) {
    std::string line = fmt::format("{}/{} {}, {} products", p.operation, p.kernel,
                                   p.tier == tier::compiled ? "compiled" : "generic", p.products);
    line += place_of(p.on_device, p.moved_bytes);
    if (p.reads_columns)
        line += fmt::format(", reads the columns of {}{}", p.kernel == "column_column" ? "A and B" : "B",
                            p.builds_columns ? " (built now)" : "");
    if (p.packs_words) line += ", packs B's columns by words";
    if (p.on_device && p.strips > 1)
        line += fmt::format(", in {} chunk{} of rows by {} strips of columns that leave for the host",
                            p.chunks, p.chunks == 1 ? "" : "s", p.strips);
    else if (p.on_device && p.chunks > 1)
        line += fmt::format(", in {} chunks that leave for the host", p.chunks);
    if (p.fewest_threads)
        line += fmt::format(", in {} chunk{} of at least {} thread{}", p.chunks, p.chunks == 1 ? "" : "s",
                            p.fewest_threads, p.fewest_threads == 1 ? "" : "s");
    return line + fmt::format(", {} workspace bytes: {}", p.workspace_bytes, p.reason);
}

std::string to_string(const dense_plan& p) {
    std::string line =
        fmt::format("{}/{} {}", p.operation, p.kernel, p.tier == tier::compiled ? "compiled" : "generic");
    line += place_of(p.on_device, p.moved_bytes);
    if (p.reads_transpose)
        line += p.builds_transpose ? ", reads the transpose (built now)" : ", reads the transpose";
    if (p.converts_matrix) line += ", converts matrix values";
    if (p.packs_first) line += p.packs_second ? ", packs both operands" : ", packs the first operand";
    if (p.packs_second && !p.packs_first) line += ", packs the second operand";
    if (p.accumulates) line += ", adds to C";
    if (p.stages_result) line += ", writes C in a pass of its own";
    if (p.wide_tiles) line += ", wide tiles";
    return line + fmt::format(", {} workspace bytes: {}", p.workspace_bytes, p.reason);
}

}  // namespace nz
