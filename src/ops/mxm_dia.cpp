// mxm of matrices stored by diagonals: check, find which diagonals meet, multiply.
#include "ops/mxm_dia.hpp"

#include "core/checks.hpp"
#include "core/device.hpp"
#include "nonzero/operations.hpp"
#include "plan/mxm_dia.hpp"
#include "storage/matrix_body.hpp"

#include <algorithm>
#include <limits>

namespace nz {
namespace ops {
namespace {

using kernels::dia_pair;
using storage::dia;

constexpr operation_plan on_cpu{"mxm_dia", "stored", tier::compiled, "diagonals of both, 128 rows at a time"},
    on_gpu{"mxm_dia", "stored", tier::compiled, "diagonals of both, rows are lanes", true};

struct offset_and_pair {
    index_t offset;
    dia_pair pair;
};

std::vector<offset_and_pair> pairs_of(const dia& a, const dia& b) {
    constexpr std::size_t most = std::numeric_limits<index_t>::max();
    require<not_supported>(a.offsets.size() <= most / std::max<std::size_t>(b.offsets.size(), 1),
                           "mxm: {} and {} diagonals are too many pairs: multiply the matrices (to_matrix)",
                           a.offsets.size(), b.offsets.size());
    std::vector<offset_and_pair> all;
    all.reserve(a.offsets.size() * b.offsets.size());
    for (std::size_t d = 0; d < a.offsets.size(); ++d)
        for (std::size_t e = 0; e < b.offsets.size(); ++e) {
            const offset_t shift = a.offsets[d];
            const offset_t first = std::max<offset_t>(a.first[d], b.first[e] - shift),
                           last = std::min<offset_t>(a.last[d], b.last[e] - shift);
            if (first < last)
                all.push_back({static_cast<index_t>(shift + b.offsets[e]),
                               {static_cast<index_t>(d), static_cast<index_t>(e), a.offsets[d],
                                static_cast<index_t>(first), static_cast<index_t>(last)}});
        }
    std::ranges::sort(all, [](const auto& x, const auto& y) {
        return x.offset != y.offset ? x.offset < y.offset : x.pair.shift < y.pair.shift;
    });
    return all;
}

// Throws where the pairs' rows leave some between them out.
void check_run(index_t offset, std::vector<dia_pair> pairs) {
    std::ranges::sort(pairs, {}, &dia_pair::first);
    index_t end = pairs.front().last;
    for (const dia_pair& p : pairs) {
        require<not_supported>(
            p.first <= end,
            "mxm: diagonal {} of the result would have entries up to row {} and from row {} on, but none between: multiply the matrices (to_matrix)",
            offset, end - 1, p.first);
        end = std::max(end, p.last);
    }
}

bool is_band(const std::vector<index_t>& offsets) {
    return !offsets.empty() &&
           offset_t{offsets.back()} - offsets.front() + 1 == static_cast<offset_t>(offsets.size());
}

// The tiles of two bands, where there are some.
void find_band(kernels::mxm_dia_arguments& k, const dia& a, const dia& b, const dia_meeting& met,
               std::size_t operand_bytes) {
    if (!is_band(a.offsets) || !is_band(b.offsets) ||
        met.pairs.size() != a.offsets.size() * b.offsets.size() ||
        met.pairs.size() < plan::stored_least_pairs)
        return;
    const auto n_a = static_cast<int>(a.offsets.size()), n_b = static_cast<int>(b.offsets.size());
    const int rows = plan::stored_tile_rows(n_a, n_b, operand_bytes);
    if (rows == 0) return;
    offset_t first = 0, last = a.rows;
    for (const dia_pair& p : met.pairs) {
        first = std::max<offset_t>(first, p.first);
        last = std::min<offset_t>(last, p.last);
    }
    first = (first + rows - 1) / rows * rows;
    last = last / rows * rows;
    if (first >= last) return;
    k.tile_rows = rows;
    k.a_band = n_a;
    k.b_band = n_b;
    k.a_shift = a.offsets.front();
    k.band_first = static_cast<index_t>(first);
    k.band_last = static_cast<index_t>(last);
}

kernels::mxm_dia_arguments arguments_of(const dia& a, const dia& b, const dia_meeting& met) {
    kernels::mxm_dia_arguments k;
    k.rows = a.rows;
    k.a = a.values.data();
    k.b = b.values.data();
    k.a_stride = a.stride;
    k.b_stride = b.stride;
    k.c = met.c.values.data();
    k.c_stride = met.c.stride;
    k.c_diagonals = static_cast<index_t>(met.c.diagonals());
    k.sums = met.sums.data();
    k.pairs = met.pairs.data();
    return k;
}

std::size_t value_bytes(const dia& c) {
    return static_cast<std::size_t>(c.diagonals() * c.stride) * size_of(c.type);
}

}  // namespace

dia_meeting meet(const dia& a, const dia& b, dtype value) {
    dia_meeting met;
    met.c.rows = a.rows;
    met.c.columns = b.columns;
    met.c.stride = storage::dia_stride(a.rows);
    met.c.type = value;
    const std::vector<offset_and_pair> all = pairs_of(a, b);
    for (std::size_t n = 0; n < all.size();) {
        const std::size_t begin = n;
        kernels::dia_sum sum{static_cast<index_t>(begin), 0, 0, std::numeric_limits<index_t>::max()};
        index_t first = all[n].pair.first, last = all[n].pair.last;
        for (; n < all.size() && all[n].offset == all[begin].offset; ++n) {
            const dia_pair& p = all[n].pair;
            sum.full_first = std::max(sum.full_first, p.first);
            sum.full_last = std::min(sum.full_last, p.last);
            first = std::min(first, p.first);
            last = std::max(last, p.last);
            met.pairs.push_back(p);
        }
        sum.pairs_end = static_cast<index_t>(n);
        if (sum.full_first != first || sum.full_last != last)
            check_run(all[begin].offset,
                      {met.pairs.begin() + static_cast<std::ptrdiff_t>(begin), met.pairs.end()});
        met.sums.push_back(sum);
        met.c.offsets.push_back(all[begin].offset);
        met.c.first.push_back(first);
        met.c.last.push_back(last);
    }
    return met;
}

device_dia_product::device_dia_product(const context& ctx, const instantiate::dia_device_cell& cell,
                                       const dia& a, const dia& b, dia_meeting met)
    : ctx_(ctx), cell_(cell), met_(std::move(met)) {
    met_.c.values = buffer(ctx.device_memory(), value_bytes(met_.c));
    met_.c.on_device = true;
    k_ = arguments_of(a, b, met_);
    find_band(k_, a, b, met_, size_of(cell.operand));
    const std::size_t sums = met_.sums.size() * sizeof(kernels::dia_sum),
                      pairs = met_.pairs.size() * sizeof(dia_pair);
    tables_ = buffer(ctx.device_memory(), sums + pairs);
    if (sums == 0) return;
    ctx.gpu()->upload(tables_.data(), met_.sums.data(), sums);
    ctx.gpu()->upload(tables_.as<std::byte>() + sums, met_.pairs.data(), pairs);
    k_.sums = tables_.as<kernels::dia_sum>();
    k_.pairs = reinterpret_cast<const dia_pair*>(tables_.as<std::byte>() + sums);
}

void device_dia_product::enqueue() const { cell_.stored(k_, ctx_.gpu()->stream()); }

namespace {

// By way of matrices, for what is not compiled.
operation_plan by_matrices(const context& ctx, dia_matrix& c, const semiring& s, const dia_matrix& a,
                           const dia_matrix& b, dtype value) {
    matrix product(ctx, value, a.rows(), b.columns());
    mxm(ctx, product, s, a.to_matrix(ctx), b.to_matrix(ctx));
    dia on_host = storage::to_dia(ctx, product.body().rows(), std::numeric_limits<std::size_t>::max());
    c = dia_matrix(ctx, std::make_shared<const dia>(std::move(on_host))).in(ctx);
    return {"mxm_dia", "generic", tier::generic, "not compiled: by way of mxm"};
}

const instantiate::dia_cell* cell_of(const semiring& s, dtype operand, dtype value) {
    if (!s.add().is_built_in()) return nullptr;
    const auto* cell = instantiate::find_dia_cell(s.add().id(), s.multiply().id(),
                                                  s.multiply().positional() ? value : operand);
    return cell && cell->value == value ? cell : nullptr;
}

}  // namespace
}  // namespace ops

operation_plan mxm(const context& ctx, dia_matrix& c, const semiring& s, const dia_matrix& a,
                   const dia_matrix& b) {
    require<dimension_mismatch>(
        a.columns() == b.rows(),
        "mxm: A is {} x {}, B is {} x {}: the columns of the first must equal the rows of the second",
        a.rows(), a.columns(), b.rows(), b.columns());
    const dtype operand = s.operand_type(a.type(), b.type()), value = s.value_type(a.type(), b.type());
    ops::dia_meeting met = ops::meet(a.body(), b.body(), value);
    const auto* cell = s.converts_twice(a.type(), b.type()) ? nullptr : ops::cell_of(s, operand, value);
    const auto* there = cell && ctx.gpu()
                            ? instantiate::find_dia_device_cell(cell->add, cell->multiply, cell->operand)
                            : nullptr;
    if (!cell || (ctx.gpu() && !there)) {
        const operation_plan plan = ops::by_matrices(ctx, c, s, a, b, value);
        ctx.log(to_string(plan));
        return plan;
    }
    const device::arrivals arrived(ctx);
    const dia_matrix left = a.in(ctx, s.ignores_a() ? a.type() : operand),
                     right = b.in(ctx, s.ignores_b() ? b.type() : operand);
    operation_plan plan = there ? ops::on_gpu : ops::on_cpu;
    if (there) {
        ops::device_dia_product product(ctx, *there, left.body(), right.body(), std::move(met));
        plan.moved_bytes = arrived.bytes();
        ctx.log(to_string(plan));
        product.enqueue();
        c = dia_matrix(ctx, std::make_shared<const storage::dia>(std::move(product).take()));
        return plan;
    }
    ctx.log(to_string(plan));
    met.c.values = buffer(ctx.memory(), ops::value_bytes(met.c));
    kernels::mxm_dia_arguments k = ops::arguments_of(left.body(), right.body(), met);
    k.threads = ctx.threads();
    cell->stored(k);
    c = dia_matrix(ctx, std::make_shared<const storage::dia>(std::move(met.c)));
    return plan;
}

}  // namespace nz
