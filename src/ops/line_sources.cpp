#include "ops/line_sources.hpp"

#include "core/device.hpp"
#include "core/parallel.hpp"
#include "kernels/cuda_table.hpp"

#include <algorithm>
#include <atomic>
#include <ranges>

namespace nz::ops {

using kernels::lines_from;

namespace {

array<index_t> filled(const context& ctx, offset_t extent, index_t value) {
    array<index_t> sources(ctx, static_cast<std::size_t>(extent));
    parallel::for_pieces(ctx.threads(), extent, [&](offset_t begin, offset_t end) {
        std::fill(sources.begin() + begin, sources.begin() + end, value);
    });
    return sources;
}

// Calls put(k) for so many, by several threads where no place is named twice, else in order.
template <class Put>
void each(const context& ctx, offset_t size, bool once, Put&& put) {
    parallel::for_pieces(once ? ctx.threads() : 1, size, [&](offset_t begin, offset_t end) {
        for (offset_t k = begin; k < end; ++k) put(k);
    });
}

bool strictly_ascending(const context& ctx, const index_list& list) {
    const index_t* const of = list.listed().data();
    std::atomic<bool> ascends = true;
    parallel::for_pieces(ctx.threads(), std::ssize(list.listed()), [&](offset_t begin, offset_t end) {
        bool here = true;
        for (offset_t k = std::max(begin, offset_t{1}); k < end; ++k) here &= of[k - 1] < of[k];
        if (!here) ascends = false;
    });
    return ascends;
}

}  // namespace

// Lines that stay where they are ascend whatever the order in which the list names them.
line_sources::line_sources(const context& ctx, const index_list& list, lines_from from, offset_t lines)
    : list_(list.listed()),
      from_(from),
      lines_(static_cast<index_t>(lines)),
      everything_(list.is_all()),
      ascending_(from == lines_from::first
                     ? lines <= 1
                     : from == lines_from::themselves || strictly_ascending(ctx, list)) {}

const index_t* line_sources::sources(const context& ctx, array<index_t>& own) const {
    if (all()) return nullptr;
    if (from_ == lines_from::list) return list_.data();
    if (everything_) {
        own = filled(ctx, lines_, 0);
        return own.data();
    }
    own = filled(ctx, lines_, -1);
    const bool once =
        from_ == lines_from::positions ? ascending_ : strictly_ascending(ctx, index_list(list_));
    each(ctx, std::ssize(list_), once, [&](offset_t k) {
        const index_t line = list_[static_cast<std::size_t>(k)];
        own.data()[line] = from_ == lines_from::positions    ? static_cast<index_t>(k)
                           : from_ == lines_from::themselves ? line
                                                             : 0;
    });
    return own.data();
}

std::optional<array<index_t>> line_sources::places(const context& ctx, offset_t extent) const {
    array<index_t> own, to = filled(ctx, extent, -1);
    const index_t* const from = sources(ctx, own);
    std::atomic<bool> once = true;
    each(ctx, lines_, ascending_, [&](offset_t k) {
        if (from[k] < 0) return;
        index_t& place = to.data()[from[k]];
        if (place >= 0) once = false;
        place = static_cast<index_t>(k);
    });
    return once ? std::optional(std::move(to)) : std::nullopt;
}

std::vector<kernels::column_target> line_sources::targets(const context& ctx) const {
    array<index_t> own;
    const index_t* const from = sources(ctx, own);
    std::vector<kernels::column_target> to;
    for (index_t k = 0; k < lines_; ++k)
        if (from[k] >= 0) to.push_back({from[k], k});
    if (!ascending_) std::sort(to.begin(), to.end());
    return to;
}

array<bits::word> named_lines(const context& ctx, const index_list& list, offset_t extent) {
    if (list.is_all()) return {};
    array<bits::word> named(ctx, bits::words_for(extent));
    const offset_t size = list.size(extent);
    if (!strictly_ascending(ctx, list)) {
        named.fill(0);
        for (offset_t k = 0; k < size; ++k) bits::set(named.data(), list[k]);
        return named;
    }
    parallel::for_pieces(
        ctx.threads(), extent,
        [&](offset_t begin, offset_t end) {
            std::fill(named.begin() + begin / bits::per_word,
                      named.begin() + (end + bits::per_word - 1) / bits::per_word, bits::word{0});
            const auto all = std::views::iota(offset_t{0}, size);
            offset_t k = *std::ranges::lower_bound(all, begin, {}, [&](offset_t q) { return list[q]; });
            for (; k < size && list[k] < end; ++k) bits::set(named.data(), list[k]);
        },
        bits::per_word);
    return named;
}

storage::csr named_row(const context& ctx, const index_list& list, offset_t extent, dtype type) {
    const array<bits::word> named = named_lines(ctx, list, extent);
    const auto holds = [&](offset_t j) { return list.is_all() || bits::test(named.data(), j); };
    const index_t length[] = {
        static_cast<index_t>(list.is_all() ? extent : bits::count(named.data(), extent))};
    storage::csr row =
        storage::allocate_csr(ctx, type, value_kind::pattern, 1, static_cast<index_t>(extent), length);
    index_t* to = row.indices.as<index_t>();
    for (offset_t j = 0; j < extent; ++j)
        if (holds(j)) *to++ = static_cast<index_t>(j);
    return row;
}

device_lines::device_lines(const context& ctx, const line_sources& of) : ctx_(ctx), of_(of) {}

const index_t* device_lines::list() {
    if (!list_.data() && !of_.list().empty()) {
        list_ = buffer(ctx_.device_memory(), of_.list().size_bytes());
        ctx_.gpu()->upload(list_.data(), of_.list().data(), of_.list().size_bytes());
    }
    return list_.as<index_t>();
}

buffer device_lines::spread(lines_from from, offset_t lines) {
    buffer to(ctx_.device_memory(), static_cast<std::size_t>(lines) * sizeof(index_t));
    kernels::on_cuda().extract.spread(list(), std::ssize(of_.list()), from, to.as<index_t>(), lines,
                                      ctx_.gpu()->stream());
    return to;
}

const index_t* device_lines::sources() {
    if (of_.from() == lines_from::list) return list();
    if (!sources_.data()) {
        sources_ = spread(of_.from(), of_.lines());
        if (of_.everything()) ctx_.gpu()->fill(sources_.data(), 0, sources_.bytes());
    }
    return sources_.as<index_t>();
}

const index_t* device_lines::places(offset_t extent) {
    if (of_.from() == lines_from::positions) return list();
    if (of_.from() == lines_from::themselves) return sources();
    if (!places_.data()) places_ = spread(lines_from::positions, extent);
    return places_.as<index_t>();
}

const bits::word* device_lines::named() {
    if (!named_.data()) {
        named_ = buffer(ctx_.device_memory(), bits::words_for(of_.lines()) * sizeof(bits::word));
        kernels::on_cuda().extract.named(sources(), of_.lines(), named_.as<bits::word>(),
                                         ctx_.gpu()->stream());
    }
    return named_.as<bits::word>();
}

}  // namespace nz::ops
