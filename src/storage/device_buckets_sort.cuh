// Buckets of neighbouring rows on a GPU to rows whose columns ascend: the second of two steps from coordinates to a CSR.
//
// Who owns what: a block sorts a bucket, 512 threads where two blocks share a multiprocessor, 1,024 where the bucket takes all of
//   its shared memory. Rows are counted, then coordinates put in their row, in any order; each counts those of its row that go
//   before it, by column and then by input order, and so knows its place. A row of more than `long_row` coordinates is cut into
//   pieces of equal ranges of columns first. What is left in pieces of more than `long_piece`, whose columns lie close together,
//   is sorted in a network of comparisons: by a warp each, the longest by the block.
// Shared memory: column, place in the bucket and piece of each coordinate; where pieces begin and how rows are cut.
// Sync: barriers between these steps.
// Determinism: what the counters gave in any order is put in the order of input, so a row is the same in every run.
// Cost: a key is read twice, three times where rows are cut, of which once from memory; a value is read where it lies in the
//   bucket, a sector of the L2 each; column and value are written in order of rows.
// Why not digit by digit: rows are short, so counting in a row takes fewer steps than the passes that (row, column) would.
#pragma once

#include "storage/device_buckets.cuh"

namespace nz::storage::device_buckets {

inline constexpr unsigned long_piece = 64, longest_piece = 1024;
inline constexpr unsigned few_pieces = 4;  // the block sorts each: warps would wait for one
inline constexpr unsigned small_threads = 512, large_threads = 1024;

/// What the sort writes: a row's coordinates in order of their columns, repeats in input order.
struct sorted_out {
    device_passes::offsets_out offsets;
    index_t* columns;
    void* values;
};

/// The dynamic shared memory of a block that sorts a bucket.
class bucket_room {
public:
    __device__ bucket_room(uint4* memory, unsigned entries, unsigned width)
        : words_(reinterpret_cast<unsigned*>(memory)), entries_(entries), width_(width) {}
    __device__ unsigned* sums() const { return words_; }                   // [32], and two numbers
    __device__ unsigned* cuts() const { return words_ + sums_bytes / 4; }  // [width]
    __device__ unsigned* pieces() const { return cuts() + width_; }        // [width + entries / 8 + 1]
    __device__ unsigned* columns() const { return pieces() + width_ + entries_ / piece_entries + 1; }
    // Piece << 16 | number in the bucket.
    __device__ unsigned* wheres() const { return columns() + entries_; }
    __device__ std::uint16_t* long_pieces() const {  // [entries / 64]
        return reinterpret_cast<std::uint16_t*>(wheres() + entries_);
    }

private:
    unsigned* words_;
    unsigned entries_, width_;
};

template <class Key, class Value>
class bucket_sorter {
public:
    __device__ bucket_sorter(const bucket_layout& l, const bucket_tables& t, const bucket_room& room,
                             unsigned bucket)
        : l_(l),
          room_(room),
          first_row_(bucket * l.width),
          begin_(t.starts[bucket]),
          size_(t.starts[bucket + 1] - begin_),
          keys_(static_cast<const Key*>(t.keys) + begin_),
          values_(static_cast<const Value*>(t.values) + begin_) {
        rows_ = min(l.width, static_cast<unsigned>(l.rows) - first_row_);
    }
    __device__ unsigned size() const { return size_; }

    /// All threads call these in turn.
    __device__ void place(const sorted_out& out) {
        for (unsigned k = threadIdx.x; k < lanes; k += blockDim.x) room_.sums()[k] = 0;
        if (threadIdx.x == 0) long_pieces() = 0;
        fetch_values();
        clear(rows_);
        count([&](unsigned row, unsigned) { return row; });
        cut_rows(out);
        if (cut_) {
            clear(pieces_);
            count([&](unsigned row, unsigned column) { return piece(row, column); });
            start_pieces();
        }
        each_key([&](unsigned e, unsigned row, unsigned column) {
            const unsigned p = cut_ ? piece(row, column) : row, slot = atomicAdd(room_.pieces() + p, 1u);
            room_.columns()[slot] = column;
            room_.wheres()[slot] = p << 16 | e;
        });
        __syncthreads();
        sort_long_pieces();
    }
    /// Returns how many of this thread's coordinates repeat an earlier one.
    __device__ unsigned write(const sorted_out& out) const {
        constexpr unsigned batch = 4;  // values under way
        unsigned repeats = 0;
        for (unsigned first = threadIdx.x; first < size_; first += batch * blockDim.x) {
            [[maybe_unused]] Value values[batch];
            if constexpr (value_bytes_of<Value> > 0) {
#pragma unroll
                for (unsigned n = 0; n < batch; ++n)
                    if (first + n * blockDim.x < size_)
                        values[n] = values_[room_.wheres()[first + n * blockDim.x] & 0xffff];
            }
#pragma unroll
            for (unsigned n = 0; n < batch; ++n) {
                const unsigned slot = first + n * blockDim.x;
                if (slot >= size_) break;
                bool repeated = false;
                const unsigned place = begin_ + place_of(slot, repeated);
                repeats += repeated;
                out.columns[place] = static_cast<index_t>(room_.columns()[slot]);
                if constexpr (value_bytes_of<Value> > 0) static_cast<Value*>(out.values)[place] = values[n];
            }
        }
        return repeats;
    }

private:
    __device__ unsigned& long_pieces() const { return room_.sums()[lanes]; }
    __device__ unsigned begin_of(unsigned piece) const { return piece ? room_.pieces()[piece - 1] : 0; }
    __device__ unsigned piece(unsigned row, unsigned column) const {
        const unsigned cut = room_.cuts()[row];
        return (cut & 0xffff) + (column >> (cut >> 16));
    }
    // Where in the bucket a slot's coordinate goes.
    __device__ unsigned place_of(unsigned slot, bool& repeated) const {
        const unsigned *columns = room_.columns(), *wheres = room_.wheres();
        const unsigned where = wheres[slot], begin = begin_of(where >> 16), end = room_.pieces()[where >> 16],
                       column = columns[slot];
        if (end - begin > long_piece) {
            repeated = slot > begin && columns[slot - 1] == column;
            return slot;
        }
        unsigned place = begin, same = 0;
        for (unsigned k = begin; k < end; ++k) {
            place += columns[k] < column;
            same += columns[k] == column;
        }
        if (same == 1) return place;
        unsigned earlier = 0;
        for (unsigned k = begin; k < end; ++k) earlier += columns[k] == column && wheres[k] < where;
        repeated = earlier > 0;
        return place + earlier;
    }
    // To the L2, a line each: they are read in another order.
    __device__ void fetch_values() const {
        if constexpr (value_bytes_of<Value> > 0) {
            constexpr unsigned line = 128 / sizeof(Value);
            for (unsigned e = threadIdx.x * line; e < size_; e += blockDim.x * line)
                asm volatile("prefetch.global.L2 [%0];" ::"l"(values_ + e));
        }
    }
    __device__ void clear(unsigned pieces) {
        for (unsigned p = threadIdx.x; p < pieces; p += blockDim.x) room_.pieces()[p] = 0;
        __syncthreads();
    }
    // Calls f(number, row in the bucket, column) for this thread's coordinates.
    template <class F>
    __device__ void each_key(F f) const {
        constexpr unsigned batch = 8;  // loads under way
        constexpr Key one = 1;
        const int bits = sizeof(Key) == 8 ? 32 : l_.column_bits;
        for (unsigned e = threadIdx.x; e < size_; e += batch * blockDim.x) {
            Key key[batch];
#pragma unroll
            for (unsigned n = 0; n < batch; ++n)
                if (e + n * blockDim.x < size_) key[n] = keys_[e + n * blockDim.x];
#pragma unroll
            for (unsigned n = 0; n < batch; ++n)
                if (e + n * blockDim.x < size_)
                    f(e + n * blockDim.x, static_cast<unsigned>(key[n] >> bits),
                      static_cast<unsigned>(key[n] & ((one << bits) - 1)));
        }
    }
    template <class Piece>
    __device__ void count(Piece piece_of) {
        each_key([&](unsigned, unsigned row, unsigned column) {
            atomicAdd(room_.pieces() + piece_of(row, column), 1u);
        });
        __syncthreads();
    }
    // Pieces of a row of so many coordinates, as a power of two.
    __device__ int piece_bits(unsigned length) const {
        return length <= long_row ? 0
                                  : min(31 - __clz(static_cast<int>(length / piece_entries)), l_.column_bits);
    }
    // Counts of rows become offsets, and where rows begin in shared memory; or, where one is long, how each is cut.
    __device__ void cut_rows(const sorted_out& out) {
        const unsigned each = (rows_ + blockDim.x - 1) / blockDim.x, first = min(threadIdx.x * each, rows_),
                       last = min(first + each, rows_);
        unsigned sum = 0, all;  // pieces << 16 | coordinates
        bool any_long = false;
        for (unsigned r = first; r < last; ++r) {
            const unsigned length = room_.pieces()[r];
            sum += 1u << (16 + piece_bits(length)) | length;
            any_long |= length > long_row;
        }
        unsigned before = exclusive_sum<large_threads / lanes>(sum, room_.sums(), all);
        pieces_ = all >> 16;
        cut_ = __syncthreads_or(any_long);
        for (unsigned r = first; r < last; ++r) {
            const unsigned length = room_.pieces()[r];
            const int bits = piece_bits(length);
            out.offsets.put(offset_t{first_row_} + r, begin_ + (before & 0xffff));
            if (cut_)
                room_.cuts()[r] = before >> 16 | static_cast<unsigned>(l_.column_bits - bits) << 16;
            else
                room_.pieces()[r] = before & 0xffff;
            before += 1u << (16 + bits) | length;
        }
        __syncthreads();
    }
    __device__ void start_pieces() {
        const unsigned each = (pieces_ + blockDim.x - 1) / blockDim.x,
                       first = min(threadIdx.x * each, pieces_), last = min(first + each, pieces_);
        unsigned sum = 0, all;
        for (unsigned p = first; p < last; ++p) {
            sum += room_.pieces()[p];
            if (room_.pieces()[p] > long_piece)
                room_.long_pieces()[atomicAdd(&long_pieces(), 1u)] = static_cast<std::uint16_t>(p);
        }
        unsigned before = exclusive_sum<large_threads / lanes>(sum, room_.sums(), all);
        for (unsigned p = first; p < last; ++p) {
            const unsigned length = room_.pieces()[p];
            room_.pieces()[p] = before;
            before += length;
        }
        __syncthreads();
    }
    __device__ void put(unsigned low, unsigned high) const {
        unsigned *columns = room_.columns(), *wheres = room_.wheres();
        const unsigned a = columns[low], b = columns[high], of_a = wheres[low], of_b = wheres[high];
        if (a < b || (a == b && of_a < of_b)) return;
        columns[low] = b, columns[high] = a;
        wheres[low] = of_b, wheres[high] = of_a;
    }
    __device__ void sort_long_pieces() {
        const unsigned found = long_pieces(), warps = blockDim.x / lanes;
        for (unsigned n = 0; n < found; ++n) {
            const unsigned p = room_.long_pieces()[n], begin = begin_of(p),
                           length = room_.pieces()[p] - begin;
            const auto ordered = [&](unsigned low, unsigned high) { put(begin + low, begin + high); };
            if (length > longest_piece || found <= few_pieces)
                sort_in_steps(length, threadIdx.x, blockDim.x, ordered, [] { __syncthreads(); });
            else if (threadIdx.x / lanes == n % warps)
                sort_in_steps(length, threadIdx.x % lanes, lanes, ordered, [] { __syncwarp(); });
        }
        if (found) __syncthreads();
    }

    const bucket_layout& l_;
    bucket_room room_;
    unsigned first_row_, begin_, size_, rows_, pieces_ = 0;
    bool cut_ = false;
    const Key* keys_;
    const Value* values_;
};

/// A block a bucket of those that fit its room; of `list` where there is one.
template <class Key, class Value, unsigned Threads>
__global__ void __launch_bounds__(Threads, Threads == large_threads ? 1 : 2)
    sort_buckets_kernel(bucket_layout l, bucket_tables t, unsigned entries, const unsigned* list,
                        sorted_out out) {
    extern __shared__ uint4 bucket_memory[];
    if (!list && blockIdx.x == 0 && threadIdx.x == 0) out.offsets.put(l.rows, static_cast<unsigned>(l.count));
    bucket_sorter<Key, Value> sorter(l, t, bucket_room(bucket_memory, entries, l.width),
                                     list ? list[blockIdx.x] : blockIdx.x);
    if (sorter.size() > entries) return;
    sorter.place(out);
    const unsigned repeats = __reduce_add_sync(full_warp, sorter.write(out));
    if (repeats && threadIdx.x % lanes == 0)
        atomicAdd(&t.report->repeats, static_cast<unsigned long long>(repeats));
}

}  // namespace nz::storage::device_buckets
