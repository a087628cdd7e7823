// The last of three steps from coordinates to a CSR: a bucket's entries by row and column.
//
// Who owns what: a block sorts a bucket. Its entries are counted by row and take slots in their row, in any order; a thread then counts
//   for each slot those of the row that go before it, by column and then by input order, which is its place: columns are written from
//   there, values follow through shared memory. A row of more than long_row entries is first cut into pieces of about piece_entries at
//   equal ranges of columns; a piece of more than long_piece once more, from its least to its greatest column, and so on. What
//   is still long has columns that are nearly alike and is sorted in a network of comparisons. Buckets of more than rows_tile entries are
//   listed, and blocks of 1,024 threads, one a multiprocessor, share them out; those of more than large_tile go another way
//   (device_list.cuh). Where coordinates came in the order of rows nothing was dealt, and buckets lie in the input.
// Shared memory: 12 bytes an entry with values of 8 bytes, and a counter a row and piece: three blocks of 512 threads share a
//   multiprocessor.
// Sync: barriers within blocks.
// Determinism: what the counters gave in any order is put in the order of columns and of input, so a row is the same in every run.
// Cost: 6 bytes and a value read, 4 and a value written; columns are read once more where rows are cut, from the L2. Of
//   random:4000000,8 with values of 8 bytes 0.47 ms on an H100, at 59% of its copy rate of 3.0 TB/s: it is instructions and their
//   latency, most of them comparisons within rows, that take the time. Of the transposes' last step, which does not order columns, 0.38.
// Tried without gain (H100, random:4000000,8): a stable rank by row by votes, as a transpose has, and the comparisons in the order of
//   entries: 0.77 ms, with spilled registers; 512 threads of 12 and 16 items, two blocks a multiprocessor, 0.62 and 0.64, 384 of 12 0.58,
//   256 of 16 0.61, 512 of 8 in four blocks 0.47: it is warps that are wanted. This step and the second deal in one launch, a range's
//   buckets sorted while its entries lie in the L2: 0.94 ms for both, as apart; 0.95 for 1.00 with 12 items, lines given up unwritten
//   (discard.L2) or not.
#pragma once

#include "storage/device_steps_deal.cuh"

namespace nz::storage::device_steps {

/// Rows, and pieces of rows, of more entries are cut at columns into pieces of about piece_entries, so many times at most. What is left
/// in pieces of more than long_piece, whose columns are alike, is sorted by a warp, the longest ones, or few of them, by the block.
inline constexpr unsigned long_row = 32, piece_entries = 8, long_piece = 64, longest_piece = 1024,
                          few_pieces = 4;
inline constexpr int most_cuts = 4;

/// What is written: a row's entries in order of their columns, those of one place in the order of input.
struct rows_out {
    offsets_out offsets;
    index_t* columns;
    void* values;
};
/// What the host learns.
struct rows_report {
    tuple_notes notes;
    unsigned large, crowded;  ///< buckets that a block holds alone, and that none does
    unsigned crowded_entries;
    unsigned long long repeats;  ///< coordinates whose place an earlier one has
};
/// Buckets by size.
struct list_large {
    rows_report* report;
    unsigned* large;
    __device__ void operator()(const steps_tables&, unsigned bucket, unsigned size) const {
        if (size <= rows_tile) return;
        if (size <= large_tile) {
            large[atomicAdd(&report->large, 1u)] = bucket;
        } else {
            atomicAdd(&report->crowded, 1u);
            atomicAdd(&report->crowded_entries, size);
        }
    }
};

/// Sorts `n` items in a network of comparisons: put(low, high) puts the lesser of two first, `barrier` parts the steps of
/// `threads` threads. Of a size that is no power of two those that are absent count as greatest.
template <class Put, class Barrier>
__device__ void sort_in_steps(unsigned n, unsigned thread, unsigned threads, Put put, Barrier barrier) {
    for (unsigned size = 2; size / 2 < n; size *= 2)
        for (unsigned step = size / 2; step > 0; step /= 2) {
            for (unsigned pair = thread;; pair += threads) {
                const unsigned low = (pair & ~(step - 1)) * 2 | (pair & (step - 1));
                if (low >= n) break;
                const unsigned high = step == size / 2 ? low ^ (size - 1) : low + step;
                if (high < n) put(low, high);
            }
            barrier();
        }
}

/// The dynamic shared memory of a block that sorts a bucket.
template <class Shape, class Value>
class rows_room {
public:
    static constexpr unsigned tile = Shape::tile, most_pieces = Shape::digits + tile / 4,
                              lows_at = most_pieces * 4, highs_at = lows_at + most_pieces * 4,
                              tables_end = highs_at + most_pieces * 4, places_at = tile * 4,
                              columns_at = std::max({tile * value_bytes_of<Value>, tile * 6, tables_end}),
                              starts_at = columns_at + tile * 4, sums_at = starts_at + (most_pieces + 1) * 4,
                              longs_at = sums_at + 256, bytes = longs_at + tile / long_piece * 2;

    __device__ explicit rows_room(uint4* memory) : memory_(reinterpret_cast<char*>(memory)) {}
    __device__ Value* values() const { return at<Value>(0); }
    // In the values' place, until places are known, where pieces are cut (shift << 16 | first piece), at their least and greatest column;
    // then, in order of pieces, piece << 16 | number in the bucket; and places by number.
    __device__ unsigned* cuts() const { return at<unsigned>(0); }
    __device__ unsigned* lows() const { return at<unsigned>(lows_at); }
    __device__ unsigned* highs() const { return at<unsigned>(highs_at); }
    __device__ unsigned* wheres() const { return at<unsigned>(0); }
    __device__ std::uint16_t* places() const { return at<std::uint16_t>(places_at); }
    __device__ unsigned* columns() const { return at<unsigned>(columns_at); }
    __device__ unsigned* starts() const { return at<unsigned>(starts_at); }
    __device__ unsigned* sums() const { return at<unsigned>(sums_at); }  // [32], and a number
    __device__ unsigned& long_pieces() const { return sums()[lanes]; }
    __device__ std::uint16_t* longs() const { return at<std::uint16_t>(longs_at); }

private:
    template <class T>
    __device__ T* at(unsigned byte) const {
        return reinterpret_cast<T*>(memory_ + byte);
    }
    char* memory_;
};

template <class Shape, class Value>
class rows_sorter {
    using room_type = rows_room<Shape, Value>;
    static constexpr unsigned threads = Shape::threads, items = Shape::items;

public:
    __device__ rows_sorter(const steps_layout& l, const tuple_source& a, const steps_tables& t, uint4* memory,
                           unsigned bucket)
        : a_(a),
          room_(memory),
          begin_(t.starts[bucket]),
          size_(t.starts[bucket + 1] - begin_),
          first_row_(bucket * l.width),
          pieces_(min(l.width, static_cast<unsigned>(l.keys) - first_row_)),
          in_order_(a.in_order()),
          rows_(t.by_bucket.keys + begin_),
          from_(in_order_ ? reinterpret_cast<const unsigned*>(a.columns) + begin_
                          : t.by_bucket.others + begin_),
          values_(static_cast<const Value*>(in_order_ ? a.values : t.by_bucket.values) + begin_) {}
    __device__ unsigned size() const { return size_; }

    /// Writes the bucket. Returns how many of this thread's entries repeat an earlier one. All threads call it.
    __device__ unsigned place(const rows_out& out) {
        fetch_early(from_, size_);
        fetch_early(values_, size_);
        each([&](unsigned i, unsigned e) { at_[i] = row(e) << 16; });
        bool any_long = count_pieces(long_row);
        for (unsigned row = threadIdx.x; row < pieces_; row += threads)
            out.offsets.put(offset_t{first_row_} + row, begin_ + room_.starts()[row]);
        for (int level = 0; any_long && level < most_cuts; ++level) {
            if (!cut_pieces(level)) break;
            any_long = count_pieces(long_piece);
        }
        each([&](unsigned i, unsigned e) {
            const unsigned slot = room_.starts()[at_[i] >> 16] + (at_[i] & 0xffff);
            fetch(room_.columns() + slot, from_ + e);
            room_.wheres()[slot] = (at_[i] & 0xffff0000) | e;
        });
        wait_for_fetched();
        if (any_long) sort_long_pieces();
        unsigned repeats = 0;
        each([&](unsigned, unsigned slot) { repeats += write_column(slot, out.columns + begin_); });
        if constexpr (value_bytes_of<Value> > 0) write_values(static_cast<Value*>(out.values) + begin_);
        return repeats;
    }

private:
    // Calls f(item, number in the bucket) for this thread's entries.
    template <class F>
    __device__ void each(F f) {
#pragma unroll
        for (unsigned i = 0; i < items; ++i)
            if (const unsigned e = i * threads + threadIdx.x; e < size_) f(i, e);
    }
    // In the bucket.
    __device__ unsigned row(unsigned e) const {
        return in_order_ ? a_.key(a_.rows[begin_ + e]) - first_row_ : rows_[e];
    }
    __device__ unsigned column(unsigned e) const { return in_order_ ? a_.column(from_[e]) : from_[e]; }
    __device__ unsigned length(unsigned piece) const {
        return room_.starts()[piece + 1] - room_.starts()[piece];
    }
    // at_, of which the upper half is the piece, gets an entry's rank in it, in any order, and starts() where pieces begin. Returns
    // whether one has more than `most` entries. Ends with a barrier.
    __device__ bool count_pieces(unsigned most) {
        unsigned* starts = room_.starts();
        if (threadIdx.x == 0) room_.long_pieces() = 0;
        if (pieces_ == 1) {  // counters would be one that all add to
            each([&](unsigned i, unsigned e) { at_[i] = e; });
            if (threadIdx.x == 0) starts[0] = 0, starts[1] = size_;
            return __syncthreads_or(size_ > most);
        }
        for (unsigned p = threadIdx.x; p <= pieces_; p += threads) starts[p] = 0;
        __syncthreads();
        each([&](unsigned i, unsigned) { at_[i] |= atomicAdd(starts + (at_[i] >> 16), 1u); });
        __syncthreads();
        const unsigned share = (pieces_ + threads - 1) / threads, first = min(threadIdx.x * share, pieces_),
                       last = min(first + share, pieces_);
        unsigned sum = 0, all;
        bool any_long = false;
        for (unsigned p = first; p < last; ++p) {
            sum += starts[p];
            any_long |= starts[p] > most;
        }
        unsigned before = exclusive_sum<Shape::warps>(sum, room_.sums(), all);
        for (unsigned p = first; p < last; ++p) {
            const unsigned count = starts[p];
            starts[p] = before;
            before += count;
        }
        if (threadIdx.x == 0) starts[pieces_] = size_;
        return __syncthreads_or(any_long);
    }
    // Cuts pieces: at first over all columns, then from a piece's least to its greatest. Returns whether there is room for more. Ends
    // with a barrier.
    __device__ bool cut_pieces(int level) {
        const unsigned most = level == 0 ? long_row : long_piece;
        unsigned *cuts = room_.cuts(), *lows = room_.lows(), *highs = room_.highs();
        for (unsigned p = threadIdx.x; p < pieces_; p += threads)
            lows[p] = level == 0 ? 0 : ~0u,
            highs[p] = level == 0 ? static_cast<unsigned>(a_.column_count - 1) : 0;
        __syncthreads();
        if (level > 0) {
            each([&](unsigned i, unsigned e) {
                const unsigned p = at_[i] >> 16;
                if (length(p) > most) atomicMin(lows + p, column(e)), atomicMax(highs + p, column(e));
            });
            __syncthreads();
        }
        const unsigned share = (pieces_ + threads - 1) / threads, first = min(threadIdx.x * share, pieces_),
                       last = min(first + share, pieces_);
        const auto bits_of = [&](unsigned p, int& range) {
            const unsigned n = length(p);
            range = n <= most ? 0 : 32 - __clz(static_cast<int>(highs[p] - lows[p]));
            return min(31 - __clz(static_cast<int>(max(n / piece_entries, 1u))), range);
        };
        unsigned sum = 0, all;
        int range;
        for (unsigned p = first; p < last; ++p) sum += 1u << bits_of(p, range);
        unsigned before = exclusive_sum<Shape::warps>(sum, room_.sums(), all);
        if (all > room_type::most_pieces) return false;
        for (unsigned p = first; p < last; ++p) {
            const int bits = bits_of(p, range);
            if (range == 0) lows[p] = 0;
            cuts[p] = static_cast<unsigned>(range == 0 ? 31 : range - bits) << 16 | before;
            before += 1u << bits;
        }
        __syncthreads();
        each([&](unsigned i, unsigned e) {
            const unsigned p = at_[i] >> 16, cut = cuts[p];
            at_[i] = ((cut & 0xffff) + ((column(e) - lows[p]) >> (cut >> 16))) << 16;
        });
        pieces_ = all;
        __syncthreads();
        return true;
    }
    // (column, number), ascending; the piece is the same.
    __device__ void put(unsigned low, unsigned high) const {
        unsigned *columns = room_.columns(), *wheres = room_.wheres();
        const unsigned a = columns[low], b = columns[high], of_a = wheres[low], of_b = wheres[high];
        if (a < b || (a == b && of_a < of_b)) return;
        columns[low] = b, columns[high] = a;
        wheres[low] = of_b, wheres[high] = of_a;
    }
    __device__ void sort_long_pieces() const {
        for (unsigned p = threadIdx.x; p < pieces_; p += threads)
            if (length(p) > long_piece)
                room_.longs()[atomicAdd(&room_.long_pieces(), 1u)] = static_cast<std::uint16_t>(p);
        __syncthreads();
        const unsigned found = room_.long_pieces();
        for (unsigned n = 0; n < found; ++n) {
            const unsigned p = room_.longs()[n], begin = room_.starts()[p], size = length(p);
            const auto ordered = [&](unsigned low, unsigned high) { put(begin + low, begin + high); };
            if (size > longest_piece || found <= few_pieces)
                sort_in_steps(size, threadIdx.x, threads, ordered, [] { __syncthreads(); });
            else if (threadIdx.x / lanes == n % Shape::warps)
                sort_in_steps(size, threadIdx.x % lanes, lanes, ordered, [] { __syncwarp(); });
        }
        __syncthreads();
    }
    // Writes the column in a slot of the order of pieces, and notes its place. Returns whether it repeats an earlier one.
    __device__ bool write_column(unsigned slot, index_t* to) const {
        const unsigned *columns = room_.columns(), *wheres = room_.wheres();
        const unsigned where = wheres[slot], column = columns[slot], begin = room_.starts()[where >> 16],
                       end = room_.starts()[(where >> 16) + 1];
        unsigned place = slot;
        bool repeated = false;
        if (end - begin > long_piece) {
            repeated = slot > begin && columns[slot - 1] == column;
        } else {
            unsigned same = 0, earlier = 0;
            place = begin;
            for (unsigned k = begin; k < end; ++k) {
                place += columns[k] < column;
                same += columns[k] == column;
            }
            if (same > 1)
                for (unsigned k = begin; k < end; ++k) earlier += columns[k] == column && wheres[k] < where;
            place += earlier;
            repeated = earlier > 0;
        }
        to[place] = static_cast<index_t>(in_order_ ? a_.column(column) : column);
        if constexpr (value_bytes_of<Value> > 0)
            room_.places()[where & 0xffff] = static_cast<std::uint16_t>(place);
        return repeated;
    }
    __device__ void write_values(Value* to) {
        __syncthreads();
        each([&](unsigned i, unsigned e) { at_[i] = room_.places()[e]; });
        __syncthreads();
        each([&](unsigned i, unsigned e) { fetch(room_.values() + at_[i], values_ + e); });
        wait_for_fetched();
#pragma unroll 4
        for (unsigned place = threadIdx.x; place < size_; place += threads) to[place] = room_.values()[place];
    }

    const tuple_source& a_;
    room_type room_;
    unsigned begin_, size_, first_row_;
    unsigned pieces_;  // rows, until they are cut
    bool in_order_;
    const std::uint16_t* rows_;
    const unsigned* from_;
    const Value* values_;
    unsigned at_[items];  // of entries: piece << 16 | rank in it, then place
};

/// A block a bucket of those that it holds: of all, or of the large ones, which blocks share out.
template <class Shape, class Value, unsigned Blocks>
__global__ void __launch_bounds__(Shape::threads, Blocks)
    sort_rows_kernel(steps_layout l, tuple_source a, steps_tables t, rows_report* report,
                     const unsigned* large, rows_out out) {
    extern __shared__ uint4 steps_memory[];
    if (!large && blockIdx.x == 0 && threadIdx.x == 0) out.offsets.put(l.keys, static_cast<unsigned>(l.nnz));
    const unsigned buckets = large ? report->large : l.buckets;
    for (unsigned n = blockIdx.x; n < buckets; n += gridDim.x) {
        rows_sorter<Shape, Value> sorter(l, a, t, steps_memory, large ? large[n] : n);
        if (sorter.size() > Shape::tile) continue;
        const unsigned repeats = __reduce_add_sync(full_warp, sorter.place(out));
        if (repeats && threadIdx.x % lanes == 0)
            atomicAdd(&report->repeats, static_cast<unsigned long long>(repeats));
        __syncthreads();
    }
}

}  // namespace nz::storage::device_steps
