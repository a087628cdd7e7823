// Where the rows or columns of an output come from: extract's lists and assign's, both seen from the output.
#pragma once

#include "core/bits.hpp"
#include "core/buffer.hpp"
#include "kernels/extract_arguments.hpp"
#include "nonzero/operations.hpp"
#include "storage/csr.hpp"

#include <optional>
#include <span>
#include <vector>

namespace nz::ops {

/// A source for each line of an output, or none, from a list that must outlive this.
class line_sources {
public:
    /// Line k comes from list[k]: extract.
    static line_sources listed(const context& ctx, const index_list& list, offset_t extent) {
        return {ctx, list, kernels::lines_from::list, list.size(extent)};
    }
    /// Line list[k] of `extent` comes from k, the last one where several go there, and other lines from none: assign.
    static line_sources spread(const context& ctx, const index_list& list, offset_t extent) {
        return {ctx, list, kernels::lines_from::positions, extent};
    }
    /// Lines of `extent` that the list names stay as they are, others come from none.
    static line_sources within(const context& ctx, const index_list& list, offset_t extent) {
        return {ctx, list, kernels::lines_from::themselves, extent};
    }
    /// Lines of `extent` that the list names come all from line 0, others from none.
    static line_sources repeated(const context& ctx, const index_list& list, offset_t extent) {
        return {ctx, list, kernels::lines_from::first, extent};
    }

    /// Whether every line stays as it is.
    bool all() const { return everything_ && from_ != kernels::lines_from::first; }
    index_t lines() const { return lines_; }
    /// Whether the sources are known to ascend from line to line, each once.
    bool ascending() const { return ascending_; }
    kernels::lines_from from() const { return from_; }
    /// Whether the list names all lines, and what it names else.
    bool everything() const { return everything_; }
    std::span<const index_t> list() const { return list_; }

    /// [lines], -1 for none; of listed ones the list itself, else `own` keeps them.
    const index_t* sources(const context& ctx, array<index_t>& own) const;
    /// Each source's line, for `extent` of them and -1 for none; nothing where one has several.
    std::optional<array<index_t>> places(const context& ctx, offset_t extent) const;
    /// The same as a list, by source.
    std::vector<kernels::column_target> targets(const context& ctx) const;

private:
    line_sources(const context& ctx, const index_list& list, kernels::lines_from from, offset_t lines);

    std::span<const index_t> list_;
    kernels::lines_from from_;
    index_t lines_;
    bool everything_, ascending_;
};

/// A bit for every line that the list names; nothing for all of them.
array<bits::word> named_lines(const context& ctx, const index_list& list, offset_t extent);
/// A row with an entry in every column that the list names: a pattern.
storage::csr named_row(const context& ctx, const index_list& list, offset_t extent, dtype type);

/// Lines' sources on the context's GPU: the list is brought there, and turned round there.
class device_lines {
public:
    device_lines(const context& ctx, const line_sources& of);
    /// [lines], -1 for none.
    const index_t* sources();
    /// Each source's line, for `extent` of them and -1 for none, where sources ascend.
    const index_t* places(offset_t extent);
    /// A bit for each line that has a source.
    const bits::word* named();

private:
    const index_t* list();
    buffer spread(kernels::lines_from from, offset_t lines);

    const context& ctx_;
    const line_sources& of_;
    buffer list_, sources_, places_, named_;
};

}  // namespace nz::ops
