// mxm on a CPU and a GPU together (matam2012, section IV-B): the GPU counts, the host learns where rows begin, and both fill rows of
// one result on the host, which the GPU's reach over the link while it fills the next.
#include "plan/mxm_hybrid.hpp"

#include "core/checks.hpp"
#include "core/device.hpp"
#include "core/device_copies.hpp"
#include "ops/mxm_device.hpp"
#include "ops/mxm_product.hpp"
#include "ops/mxm_strips.hpp"
#include "ops/write_back.hpp"

#include <algorithm>
#include <chrono>
#include <future>
#include <mutex>
#include <optional>

namespace nz {
namespace {

using clock = std::chrono::steady_clock;

double ms_since(clock::time_point start) {
    return std::chrono::duration<double, std::milli>(clock::now() - start).count();
}

/// Pieces of rows that two sides take from their own ends.
class pieces_left {
public:
    pieces_left(std::vector<plan::mxm_piece> pieces, std::optional<index_t> cut)
        : pieces_(std::move(pieces)), cut_(cut), high_(pieces_.size()) {}

    /// One, or so many together that each of the CPU's threads has a row: they take as long.
    std::optional<plan::mxm_piece> from_front(index_t rows) {
        const std::lock_guard lock(mutex_);
        const auto may = [&] { return low_ < high_ && !(cut_ && pieces_[low_].first >= *cut_); };
        if (!may()) return {};
        plan::mxm_piece all = pieces_[low_++];
        while (all.last - all.first < rows && may()) all.last = pieces_[low_++].last;
        return all;
    }
    /// Several together, fewer as fewer are left: the GPU is slow on a few rows. In parts all at once: each turn brings factors anew.
    std::optional<plan::mxm_piece> from_back(bool in_parts) {
        const std::lock_guard lock(mutex_);
        const std::size_t end = high_;
        const auto may = [&] { return high_ > low_ && !(cut_ && pieces_[high_ - 1].first < *cut_); };
        const std::size_t turn = in_parts ? high_ - low_ : plan::hybrid_turn(high_ - low_);
        for (std::size_t n = turn; n > 0 && may(); --n) --high_;
        if (high_ == end) return {};
        plan::mxm_piece all = pieces_[high_];
        all.last = pieces_[end - 1].last;
        return all;
    }

private:
    std::mutex mutex_;
    const std::vector<plan::mxm_piece> pieces_;
    const std::optional<index_t> cut_;  // the first row of the back's, where that is settled
    std::size_t low_ = 0, high_;
};

/// The first row beyond `share` of the products.
index_t row_at(const array<offset_t>& products, index_t rows, double share) {
    const auto target = share * static_cast<double>(products[static_cast<std::size_t>(rows)]);
    const offset_t* const begin = products.data();
    const auto* at = std::lower_bound(begin, begin + rows, target, [](offset_t before, double wanted) {
        return static_cast<double>(before) < wanted;
    });
    return static_cast<index_t>(at - begin);
}

/// Rows cut where the division is settled, so that each piece is one side's.
std::vector<plan::mxm_piece> cut_at(std::vector<plan::mxm_piece> pieces, std::optional<index_t> cut) {
    if (!cut) return pieces;
    for (std::size_t n = 0; n < pieces.size(); ++n)
        if (pieces[n].first < *cut && *cut < pieces[n].last) {
            plan::mxm_piece rest = pieces[n];
            pieces[n].last = rest.first = *cut;
            pieces.insert(pieces.begin() + static_cast<std::ptrdiff_t>(n) + 1, rest);
            break;
        }
    return pieces;
}

class divided {
public:
    divided(const ops::product& p, const division& how) : p_(p) {
        // The threads that cut and move parts are the CPU's: as it goes it would take none of the rows then.
        alone_ = how.cpu_share < 0 && ops::goes_in_parts(p);
        if (alone_) {
            counted_ = ops::count_within_device(p);
        } else {
            auto counting = std::async(std::launch::async, [&] { return ops::count_within_device(p); });
            report_.on_cpu = ops::make_plan(p, known_);
            counted_ = counting.get();
        }
        require<not_supported>(
            counted_ != nullptr,
            "mxm_hybrid: {} of {} on a GPU is by hash or dia_dia, and compiled semirings: leave "
            "the kernel out, or use mxm",
            p.ring.name(), name_of(p.operand_type));
        report_.on_gpu = counted_->plan();
        if (how.cpu_share >= 0) cut_ = row_at(known_.products, p.a().rows, how.cpu_share);
    }

    storage::csr fill() {
        storage::csr t = ops::host_result(p_.ctx, device::pinned_memory(), p_.value,
                                          static_cast<index_t>(p_.right.columns()), counted_->starts());
        counted_->begin(plan::hybrid_slot(t.nnz, sizeof(index_t) + size_of(p_.value)), 0);
        const auto start = clock::now();
        try {
            if (alone_) {
                counted_->send(0, t.rows, t);
                counted_->finish();
                report_.gpu_ms = ms_since(start);
            } else {
                fill_both(t, start);
            }
        } catch (...) {
            counted_->finish();  // copies to the result's memory, which goes, may be under way
            throw;
        }
        return t;
    }
    const hybrid_report& report() const { return report_; }

private:
    void fill_both(storage::csr& t, clock::time_point start) {
        pieces_left pieces(cut_at(ops::mxm_pieces_of(p_, known_, plan::hybrid_pieces), cut_), cut_);
        const int threads = plan::hybrid_threads(p_.ctx.threads());
        const auto fill_rows = ops::rows_filler(p_, report_.on_cpu, known_, t, threads);
        auto sending = std::async(std::launch::async, [&] {
            while (const auto piece = pieces.from_back(counted_->in_parts()))
                counted_->send(piece->first, piece->last, t);
            counted_->finish();
            report_.gpu_ms = ms_since(start);
        });
        offset_t added = 0;
        while (const auto piece = pieces.from_front(threads)) {
            fill_rows(piece->first, piece->last);
            added += known_.products[static_cast<std::size_t>(piece->last)] -
                     known_.products[static_cast<std::size_t>(piece->first)];
        }
        report_.cpu_ms = ms_since(start);
        sending.get();
        const offset_t all = known_.products[static_cast<std::size_t>(p_.a().rows)];
        report_.cpu_share = all ? static_cast<double>(added) / static_cast<double>(all) : 0;
    }

    const ops::product& p_;
    ops::mxm_collected known_;  // where the CPU has a part
    std::unique_ptr<ops::counted_rows> counted_;
    std::optional<index_t> cut_;
    bool alone_ = false;  // the GPU takes all rows
    hybrid_report report_;
};

}  // namespace

hybrid_report mxm_hybrid(const context& ctx, matrix& c, const semiring& s, const matrix& a, const matrix& b,
                         const division& how, const matrix_options& options) {
    matrix_options unmasked = options;
    unmasked.mask = nullptr;
    unmasked.mask_complement = false;
    const ops::product p = ops::make_product(ctx, s, a, b, unmasked);
    ops::check_product(p, c);
    ops::check_mask("mxm_hybrid", c, options);
    require<domain_error>(how.cpu_share <= 1,
                          "mxm_hybrid: a share of {} for the CPU: 0 to 1, or below 0 for as it goes",
                          how.cpu_share);
    require<not_supported>(ctx.gpu() != nullptr,
                           "mxm_hybrid divides a product between a CPU and a GPU: the context has none{}",
                           device::why_absent().empty() ? "" : " (" + device::why_absent() + ")");
    require<not_supported>(p.cell != nullptr, "mxm_hybrid: {} is not compiled for {}: use mxm", s.name(),
                           name_of(p.operand_type));
    divided work(p, how);
    if (!work.report().on_cpu.kernel.empty()) ctx.log(to_string(work.report().on_cpu));
    ctx.log(to_string(work.report().on_gpu));
    ops::write_back(ctx, c, work.fill(), options);
    return work.report();
}

}  // namespace nz
