// The transpose, by counting sorts by column. Matrices whose neighbouring rows name neighbouring columns (bands,
// meshes) and small ones are scattered at once, with a histogram a thread; in the others every entry would miss, so
// they are dealt into buckets of adjacent columns first (deal.hpp) and each bucket is sorted in the cache by whichever
// thread is free. Rows arrive in order on both ways: nothing is compared, and the result is the same for any number of
// threads. Memory beside the result: an item of 8 or 16 bytes an entry when dealt, a histogram for every thread but one
// when scattered.
#include "storage/csr.hpp"
#include "storage/deal.hpp"
#include "storage/row_shares.hpp"

#include <cstring>

namespace nz::storage {
namespace {

// Below so many entries a result stays in the second-level cache.
constexpr offset_t dealt_from = offset_t{1} << 16;
// With so few columns their next places stay there.
constexpr index_t few_columns = 4096;

template <class Offset>
class transposer {
public:
    transposer(const context& ctx, const csr& a, csr& out)
        : ctx_(ctx),
          a_(a),
          threads_(a.nnz < parallel_entries ? 1 : ctx.threads()),
          offsets_(a.offsets.as<const Offset>()),
          columns_(a.index_data()),
          out_offsets_(out.offsets.as<Offset>()),
          out_indices_(out.indices.as<index_t>()),
          out_values_(out.values.data()) {}

    void run() {
        const bool deals = chooses_dealing();
        if (a_.kind != value_kind::full) {
            if (a_.values.bytes()) std::memcpy(out_values_, a_.values.data(), a_.value_bytes());
            deals ? deal_places() : scatter([](Offset, Offset) {});
            return;
        }
        by_width(a_.value_bytes(), [&]<class U>(std::type_identity<U>) {
            const U* from = a_.values.as<const U>();
            U* to = static_cast<U*>(out_values_);
            deals ? deal_values(from, to) : scatter([=](Offset place, Offset k) { to[place] = from[k]; });
        });
    }

private:
    bool chooses_dealing() const {
        if (a_.nnz < dealt_from || a_.columns <= few_columns) return false;
        if (offset_t{a_.columns} * (threads_ - 1) > 2 * a_.nnz) return true;  // no room for histograms
        return !keys_stay_near(
            a_.nnz, [&](offset_t k) { return std::span<const index_t>(columns_ + k, columns_ + a_.nnz); });
    }

    index_t first(int t) const { return first_row(offsets_, a_.rows, t, threads_); }

    // Thread t's entries: f(column), and f(row, position).
    template <class F>
    void for_columns(int t, F&& f) const {
        const Offset end = offsets_[first(t + 1)];
        for (Offset k = offsets_[first(t)]; k < end; ++k) f(columns_[k]);
    }
    template <class F>
    void for_entries(int t, F&& f) const {
        const index_t last = first(t + 1);
        for (index_t i = first(t); i < last; ++i)
            for (Offset k = offsets_[i]; k < offsets_[i + 1]; ++k) f(i, k);
    }

    // The result's offsets are the last thread's histogram; when it is done each is where the next column begins.
    template <class Move>
    void scatter(Move&& move) {
        const auto width = static_cast<std::size_t>(a_.columns);
        const array<Offset> counts(ctx_, width * static_cast<std::size_t>(threads_ - 1));
        const auto counts_of = [&](int t) {
            return t == threads_ - 1 ? out_offsets_ : counts.data() + width * static_cast<std::size_t>(t);
        };
        parallel::run(threads_, [&](int t, int) {
            Offset* count = counts_of(t);
            std::fill_n(count, width, Offset{0});
            for_columns(t, [&](index_t c) { ++count[c]; });
        });
        Offset running = 0;
        for (std::size_t c = 0; c < width; ++c)
            for (int t = 0; t < threads_; ++t) running += std::exchange(counts_of(t)[c], running);
        parallel::run(threads_, [&](int t, int) {
            Offset* next = counts_of(t);
            for_entries(t, [&](index_t i, Offset k) {
                const Offset place = next[columns_[k]]++;
                out_indices_[place] = i;
                move(place, k);
            });
        });
        std::memmove(out_offsets_ + 1, out_offsets_, width * sizeof(Offset));
        out_offsets_[0] = 0;
    }

    void deal_places() {
        sort(deal_items<keyed_index>([](index_t c, index_t row, Offset) { return keyed_index{c, row}; }),
             static_cast<std::uint8_t*>(nullptr), [](std::uint8_t*, offset_t, const keyed_index&) {});
    }
    template <class U>
    void deal_values(const U* from, U* to) {
        sort(deal_items<keyed_value<U>>(
                 [=](index_t c, index_t row, Offset k) { return keyed_value<U>{c, row, from[k]}; }),
             to, [](U* values, offset_t at, const keyed_value<U>& item) { values[at] = item.value; });
    }
    template <class Item, class U, class Move>
    void sort(const dealt<Item>& all, U* values, Move&& move) {
        sort_buckets(ctx_, threads_, layout(), a_.columns, all,
                     sorted_target<Offset, U>{out_offsets_, out_indices_, values}, move,
                     [&](index_t b, auto&&...) { return all.size(b); });
    }

    template <class Item, class Make>
    dealt<Item> deal_items(Make&& make) {
        return deal<Item>(
            ctx_, layout(), threads_, [&](int t, auto&& f) { for_columns(t, f); },
            [&](int t, auto&& f) {
                for_entries(t, [&](index_t i, Offset k) { f(columns_[k], make(columns_[k], i, k)); });
            });
    }
    bucket_layout layout() const { return {a_.columns, a_.nnz, bucket_entries}; }

    const context& ctx_;
    const csr& a_;
    int threads_;
    const Offset* offsets_;
    const index_t* columns_;
    Offset* out_offsets_;
    index_t* out_indices_;
    void* out_values_;
};

}  // namespace

csr transpose(const context& ctx, const csr& a) {
    csr out = allocate_csr(ctx, a.type, a.kind, a.columns, a.rows, a.nnz);
    if (out.offset_bytes != a.offset_bytes) {
        out.offset_bytes = a.offset_bytes;
        out.offsets = buffer(ctx.memory(), (static_cast<std::size_t>(out.rows) + 1) * a.offset_bytes);
    }
    if (a.offset_bytes == 4)
        transposer<std::int32_t>(ctx, a, out).run();
    else
        transposer<std::int64_t>(ctx, a, out).run();
    return out;
}

}  // namespace nz::storage
