#include "storage/merge_changes.hpp"

#include "core/parallel.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>

namespace nz::storage {
namespace {

auto place_of(const pending_change& c) { return std::tie(c.row, c.column); }

/// A change and where it goes: before entry `at` of the CSR, which it replaces where `present`; `shift` is how much further on entries
/// are from there.
struct placed_change {
    offset_t at, shift;
    bool present;
};

void keep_last_of_each_place(std::vector<pending_change>& changes) {
    std::ranges::stable_sort(changes, {}, place_of);
    std::size_t kept = 0;
    for (std::size_t k = 0; k < changes.size(); ++k) {
        if (kept > 0 && place_of(changes[kept - 1]) == place_of(changes[k])) --kept;
        changes[kept++] = changes[k];
    }
    changes.resize(kept);
}

// Where the entry stands, or would.
std::pair<offset_t, bool> look_up(const csr& a, const pending_change& c) {
    const index_t *begin = a.index_data() + a.offset(c.row),
                  *end = a.index_data() + a.offset(c.row + offset_t{1}),
                  *at = std::lower_bound(begin, end, c.column);
    return {at - a.index_data(), at != end && *at == c.column};
}

std::vector<placed_change> place(const csr& a, const std::vector<pending_change>& changes) {
    std::vector<placed_change> placed;
    placed.reserve(changes.size());
    offset_t shift = 0;
    for (const pending_change& c : changes) {
        const auto [at, present] = look_up(a, c);
        shift += (c.removed ? 0 : 1) - (present ? 1 : 0);
        placed.push_back({at, shift, present});
    }
    return placed;
}

class merger {
public:
    merger(const context& ctx, const csr& a, std::vector<pending_change> changes)
        : ctx_(ctx), a_(a), changes_(std::move(changes)) {
        keep_last_of_each_place(changes_);
        placed_ = place(a_, changes_);
        const offset_t more = placed_.empty() ? 0 : placed_.back().shift;
        c_ = allocate_csr(ctx, a.type, value_kind::full, a.rows, a.columns, a.nnz + more);
    }

    csr run() && {
        by_width(static_cast<std::size_t>(c_.offset_bytes),
                 [&]<class U>(std::type_identity<U>) { write_offsets(c_.offsets.as<U>()); });
        parallel::for_pieces(ctx_.threads(), a_.nnz,
                             [&](offset_t begin, offset_t end) { copy_entries(begin, end); });
        for (std::size_t k = 0; k < changes_.size(); ++k) {
            if (changes_[k].removed) continue;
            const offset_t to = placed_[k].at + shift_before(k);
            c_.indices.as<index_t>()[to] = changes_[k].column;
            store(c_.values.data(), c_.type, to, changes_[k].value);
        }
        return std::move(c_);
    }

private:
    offset_t shift_before(std::size_t k) const { return k ? placed_[k - 1].shift : 0; }

    template <class U>
    void write_offsets(U* to) const {
        parallel::for_pieces(ctx_.threads(), offset_t{a_.rows} + 1, [&](offset_t begin, offset_t end) {
            // Changes of earlier rows are what offset i is further on by.
            auto k = static_cast<std::size_t>(
                std::ranges::lower_bound(changes_, begin, {}, [](const auto& c) { return offset_t{c.row}; }) -
                changes_.begin());
            for (offset_t i = begin; i < end; ++i) {
                while (k < changes_.size() && changes_[k].row < i) ++k;
                to[i] = static_cast<U>(a_.offset(i) + shift_before(k));
            }
        });
    }

    /// Entries [begin, end) of the CSR, in runs between changes; those that are replaced or removed are left out.
    void copy_entries(offset_t begin, offset_t end) {
        auto k = static_cast<std::size_t>(std::ranges::lower_bound(placed_, begin, {}, &placed_change::at) -
                                          placed_.begin());
        while (begin < end) {
            const offset_t run_end = k < placed_.size() ? std::min(placed_[k].at, end) : end;
            copy_run(begin, run_end, shift_before(k));
            begin = run_end;
            // All changes of this place: those of absent columns go before the entry, the last may be its own.
            while (k < placed_.size() && placed_[k].at == begin) begin += placed_[k++].present ? 1 : 0;
        }
    }

    void copy_run(offset_t begin, offset_t end, offset_t shift) {
        if (begin >= end) return;
        const auto entries = static_cast<std::size_t>(end - begin);
        std::memcpy(c_.indices.as<index_t>() + begin + shift, a_.index_data() + begin,
                    entries * sizeof(index_t));
        if (a_.kind == value_kind::full) {
            const std::size_t bytes = a_.value_bytes();
            std::memcpy(c_.values.as<std::byte>() + static_cast<std::size_t>(begin + shift) * bytes,
                        a_.values.as<const std::byte>() + static_cast<std::size_t>(begin) * bytes,
                        entries * bytes);
            return;
        }
        const element one = a_.value(0);
        for (offset_t p = begin; p < end; ++p) store(c_.values.data(), c_.type, p + shift, one);
    }

    const context& ctx_;
    const csr& a_;
    std::vector<pending_change> changes_;
    std::vector<placed_change> placed_;
    csr c_;
};

}  // namespace

std::size_t merged_bytes(const csr& of, std::size_t changes) {
    const offset_t most = of.nnz + static_cast<offset_t>(changes);
    return (static_cast<std::size_t>(of.rows) + 1) * static_cast<std::size_t>(offset_bytes_for(most)) +
           static_cast<std::size_t>(most) * (sizeof(index_t) + of.value_bytes());
}

csr merge_changes(const context& ctx, const csr& a, std::vector<pending_change> changes) {
    return merger(ctx, a, std::move(changes)).run();
}

bool set_in_place(const csr& a, const std::vector<pending_change>& changes) {
    constexpr std::size_t entries_a_look = 16;
    if (changes.size() * entries_a_look > static_cast<std::size_t>(a.nnz)) return false;
    std::vector<offset_t> places;
    places.reserve(changes.size());
    for (const pending_change& c : changes) {
        const auto [at, present] = look_up(a, c);
        if (c.removed || !present) return false;
        places.push_back(at);
    }
    for (std::size_t k = 0; k < changes.size(); ++k)
        store(a.values.data(), a.type, places[k], changes[k].value);
    return true;
}

}  // namespace nz::storage
