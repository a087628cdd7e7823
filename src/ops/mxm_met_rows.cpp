#include "ops/mxm_met_rows.hpp"

#include "core/parallel.hpp"

#include <algorithm>

namespace nz::ops {
namespace {

using storage::csr;

/// First and last column of each `unit` rows, beyond all and -1 where these have no entry.
struct column_span {
    static constexpr index_t unit = 64;
    index_t first, last;

    column_span operator|(const column_span& x) const {
        return {std::min(first, x.first), std::max(last, x.last)};
    }
};
std::vector<column_span> spans_of(const context& ctx, const csr& a) {
    std::vector<column_span> spans(
        static_cast<std::size_t>((offset_t{a.rows} + column_span::unit - 1) / column_span::unit),
        {a.columns, -1});
    parallel::for_pieces(
        ctx.threads(), a.rows,
        [&](offset_t begin, offset_t end) {
            for (offset_t i = begin; i < end; ++i)
                if (const offset_t from = a.offset(i), to = a.offset(i + 1); from < to) {
                    column_span& s = spans[static_cast<std::size_t>(i / column_span::unit)];
                    s = s | column_span{a.index_data()[from], a.index_data()[to - 1]};
                }
        },
        column_span::unit);
    return spans;
}

}  // namespace

std::vector<met_rows> chunks_by_met_rows(const product& p, const plan::mxm_part_facts& f,
                                         std::string_view kernel, double most, double worth) {
    const csr &a = p.a(), &b = p.b();
    const csr* const mask =
        kernel.starts_with("masked") && p.options.mask ? &p.options.mask->body().rows() : nullptr;
    const row_costs costs(p, kernel);
    const auto bytes = [](std::size_t each, offset_t count) {
        return static_cast<double>(each) * static_cast<double>(count);
    };
    const double all_rows = std::max<double>(a.rows, 1),
                 a_row = (static_cast<double>(f.row_bytes) - bytes(costs.entry, a.nnz) -
                          (mask ? bytes(costs.listed, mask->nnz) : 0)) /
                         all_rows,
                 b_entry =
                     static_cast<double>(f.column_bytes) / std::max<double>(static_cast<double>(b.nnz), 1),
                 b_row = static_cast<double>(f.strip_bytes) / std::max<double>(b.rows, 1);
    const std::vector<column_span> met = spans_of(p.ctx, a);
    const auto bytes_met = [&](const column_span& s) {
        return s.last < 0 ? 0
                          : b_row * (s.last - s.first + 1) +
                                b_entry * static_cast<double>(b.offset(s.last + 1) - b.offset(s.first));
    };
    struct chunk {
        index_t row;
        column_span met;
        double of_a, of_b;
    };
    std::vector<chunk> chunks;
    double brought = 0;
    for (std::size_t n = 0; n < met.size(); ++n) {
        const auto row = static_cast<index_t>(n) * column_span::unit,
                   end = row + std::min(index_t{column_span::unit}, a.rows - row);
        const double of_a = a_row * (end - row) + bytes(costs.entry, a.offset(end) - a.offset(row)) +
                            (mask ? bytes(costs.listed, mask->offset(end) - mask->offset(row)) : 0);
        if (!chunks.empty()) {
            chunk& last = chunks.back();
            const column_span both = last.met | met[n];
            if (const double of_b = bytes_met(both); last.of_a + of_a + of_b <= most) {
                last = {last.row, both, last.of_a + of_a, of_b};
                continue;
            }
            brought += last.of_b;
        }
        chunks.push_back({row, met[n], of_a, bytes_met(met[n])});
        if (chunks.back().of_a + chunks.back().of_b > most || brought > worth) return {};
    }
    if (chunks.empty() || brought + chunks.back().of_b > worth) return {};
    const std::vector<column_span> columns = &a == &b ? met : spans_of(p.ctx, b);
    std::vector<met_rows> parts;
    for (const chunk& c : chunks) {
        met_rows part{c.row, 0, std::min<index_t>(1, b.rows), 0, std::min<index_t>(1, b.columns)};
        if (c.met.last >= 0) {
            column_span of_rows{b.columns, -1};
            for (index_t u = c.met.first / column_span::unit; u <= c.met.last / column_span::unit; ++u)
                of_rows = of_rows | columns[static_cast<std::size_t>(u)];
            part.first = c.met.first;
            part.last = c.met.last + 1;
            if (of_rows.last >= 0) part.first_column = of_rows.first, part.last_column = of_rows.last + 1;
        } else if (b.rows > 0 && b.offset(1) > 0) {  // a row that nothing meets
            part.first_column = b.index_data()[0];
            part.last_column = b.index_data()[b.offset(1) - 1] + 1;
        }
        parts.push_back(part);
    }
    return parts;
}

}  // namespace nz::ops
