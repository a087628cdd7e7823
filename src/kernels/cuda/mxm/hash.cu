// The survey, the pairs and the count of mxm/hash; the essay stands in hash.cuh.
#include "kernels/cuda/common_offsets.cuh"
#include "kernels/cuda/mxm/common_count.hpp"
#include "kernels/cuda/mxm/common_sorted.cuh"
#include "kernels/cuda/mxm/common_survey.cuh"
#include "kernels/cuda/mxm/common_words.cuh"

#include <cub/device/device_scan.cuh>

namespace nz::kernels::cuda {

namespace {

/// Lanes that add up a row's products or pairs where rows are not short, and the entries from which a warp and a block do.
constexpr int survey_lanes = 8, long_survey_row = 64, block_survey_row = 1024;
/// Eight a multiprocessor: each adds to the survey's counters once.
constexpr unsigned survey_blocks = 1056;

/// A block's rows by bin, added to the survey's.
struct bin_counts {
    unsigned rows[plan::row_bins];  // modulo 2^32: rows may leave a bin

    __device__ void clear() {
        if (threadIdx.x < plan::row_bins) rows[threadIdx.x] = 0;
        __syncthreads();
    }
    __device__ void add_to(unsigned* all) const {
        __syncthreads();
        if (threadIdx.x < plan::row_bins && rows[threadIdx.x])
            atomicAdd(all + threadIdx.x, rows[threadIdx.x]);
    }
};

/// Products of each row, by Lanes lanes, longer rows than those have at hand by the warp; rows into bins by them.
template <int Lanes>
__global__ void __launch_bounds__(survey_block)
    hash_survey_kernel(device_mxm_side a, device_offsets b_offsets, device_mask mask, index_t rows,
                       index_t columns, plan::mxm_device_parts parts) {
    __shared__ bin_counts bins;
    __shared__ long_rows large;
    __shared__ unsigned long long products;
    __shared__ double about;
    if (threadIdx.x == 0) {
        large.count = 0;
        products = 0;
        about = 0;
    }
    bins.clear();
    const int lane = static_cast<int>(threadIdx.x) % Lanes, warp_lane = static_cast<int>(threadIdx.x) % 32;
    unsigned long long all = 0;
    double all_about = 0;
    constexpr int block_rows = survey_block / Lanes;
    const auto sum_of = [&](offset_t at, offset_t end, int step) {
        unsigned long long sum = 0;
#pragma unroll 4
        for (; at < end; at += step) {
            const offset_t k = a.columns[at];
            sum += static_cast<unsigned long long>(b_offsets[k + 1] - b_offsets[k]);
        }
        return sum;
    };
    const auto finish = [&](offset_t of, unsigned long long row_sum, offset_t length) {
        all += row_sum;
        all_about += static_cast<double>(row_sum);
        // A row beyond 2^63 is reported by `about`, whatever its bin.
        const int at_once = mask.lists() ? plan::sorted_under_mask : plan::sorted_at_once;
        const int bin = plan::bin_of_products(
            plan::team_products(static_cast<offset_t>(row_sum & ~(1ull << 63)), length, at_once), columns,
            at_once);
        parts.bins[of] = static_cast<std::uint8_t>(bin);
        atomicAdd(bins.rows + bin, 1u);
        if (bin == plan::empty_bin) parts.counts[of] = 0;
        if (bin < plan::block_bins)  // until they are counted: their products
            parts.counts[of] = static_cast<index_t>(min(row_sum, 0x7fffffffull));
        if (of == rows - 1) parts.counts[rows] = 0;
    };
    for (offset_t base = 0; offset_t{base} * gridDim.x * block_rows < rows; ++base) {
        const offset_t row = scattered_row<block_rows>(base, static_cast<int>(threadIdx.x) / Lanes);
        offset_t begin = 0, end = 0;
        if (row < rows && !mask.bars_all(row)) {
            begin = a.offsets[row];
            end = a.offsets[row + 1];
        }
        const bool is_long = end - begin > long_survey_row;
        bool of_block = end - begin > block_survey_row && lane == 0;
        if (of_block) of_block = keep_for_block(large, static_cast<index_t>(row));
        unsigned long long sum = is_long ? 0 : sum_of(begin + lane, end, Lanes);
        for (unsigned left = __ballot_sync(full_warp, is_long && !of_block && lane == 0); left;
             left &= left - 1) {
            const int owner = __ffs(static_cast<int>(left)) - 1;
            unsigned long long part = sum_of(__shfl_sync(full_warp, begin, owner) + warp_lane,
                                             __shfl_sync(full_warp, end, owner), 32);
#pragma unroll
            for (int distance = 16; distance >= Lanes; distance /= 2)
                part += __shfl_xor_sync(full_warp, part, distance);
            if (warp_lane / Lanes == owner / Lanes) sum = part;
        }
#pragma unroll
        for (int distance = Lanes / 2; distance > 0; distance /= 2)
            sum += __shfl_xor_sync(full_warp, sum, distance);
        if (row < rows && lane == 0 && !of_block) finish(row, sum, end - begin);
    }
    for_kept_rows(large, [&](index_t row) {
        const offset_t begin = a.offsets[row], end = a.offsets[row + offset_t{1}];
        add_up(large, sum_of(begin + threadIdx.x, end, survey_block), 0);
        if (threadIdx.x == 0) finish(row, large.sums[0], end - begin);
    });
    __syncwarp();
    add_by_warps(all, all_about, &products, &about);
    bins.add_to(parts.by_products->rows);
    if (threadIdx.x == 0) {
        atomicAdd(&parts.by_products->products, products);
        atomicAdd(&parts.by_products->about, about);
    }
}

/// An entry of B as a pair, by Lanes neighbouring lanes that have neighbouring entries: whether it is the first of its word, whose
/// columns among them it then has.
template <int Lanes>
__device__ bool make_pair(const index_t* columns, offset_t at, bool there, uint2& pair) {
    const int lane = static_cast<int>(threadIdx.x) % Lanes;
    const unsigned column = there ? static_cast<unsigned>(__ldg(columns + at)) : 0,
                   word = there ? column / 32 : no_word;
    const unsigned before = __shfl_up_sync(full_warp, word, 1, Lanes);
    unsigned bits = there ? 1u << column % 32 : 0;
#pragma unroll
    for (int distance = 1; distance < Lanes; distance *= 2) {
        const unsigned other = __shfl_down_sync(full_warp, bits, distance, Lanes),
                       of_word = __shfl_down_sync(full_warp, word, distance, Lanes);
        if (lane + distance < Lanes && of_word == word) bits |= other;
    }
    pair = {word, bits};
    return there && (lane == 0 || before != word);
}

/// B's rows as pairs, by Lanes lanes each, long ones by the block. A word that goes on where the lanes' next entries begin
/// makes two.
template <int Lanes>
__global__ void __launch_bounds__(survey_block)
    hash_pair_kernel(device_mxm_side b, index_t rows, uint2* pairs, index_t* counts) {
    __shared__ long_rows large;
    __shared__ int warp_totals[survey_block / 32];
    const int t = static_cast<int>(threadIdx.x), lane = t % Lanes;
    const unsigned group = group_lanes<Lanes>(), below = (1u << t % 32) - 1;
    if (t == 0) large.count = 0;
    __syncthreads();
    const offset_t row = scattered_row<survey_block / Lanes>(0, t / Lanes);
    const offset_t begin = row < rows ? b.offsets[row] : 0, row_end = row < rows ? b.offsets[row + 1] : 0;
    const bool of_block = row_end - begin > block_survey_row;
    const offset_t end = of_block ? begin : row_end;
    int made = 0;
    for (offset_t at = begin; __any_sync(full_warp, at < end); at += Lanes) {
        uint2 pair;
        const bool first = make_pair<Lanes>(b.columns, at + lane, at + lane < end, pair);
        const unsigned firsts = __ballot_sync(full_warp, first) & group;
        if (first) pairs[begin + made + __popc(firsts & below)] = pair;
        made += __popc(firsts);
    }
    if (row < rows && lane == 0 && !of_block) counts[row] = made;
    if (of_block && lane == 0) keep_for_block(large, static_cast<index_t>(row));
    for_kept_rows(large, [&](index_t of) {
        const offset_t from = b.offsets[of], to = b.offsets[of + offset_t{1}];
        int all = 0;
        for (offset_t at = from; at < to; at += survey_block) {
            uint2 pair;
            const bool first = make_pair<32>(b.columns, at + t, at + t < to, pair);
            const unsigned firsts = __ballot_sync(full_warp, first);
            if (t % 32 == 0) warp_totals[t / 32] = __popc(firsts);
            __syncthreads();
            int place = all + __popc(firsts & below);
#pragma unroll
            for (int w = 0; w < survey_block / 32; ++w) {
                if (w < t / 32) place += warp_totals[w];
                all += warp_totals[w];
            }
            if (first) pairs[from + place] = pair;
            __syncthreads();
        }
        if (t == 0) counts[of] = all;
    });
}

/// Rows that were not sorted at once: by their products where these seldom share words, or by their pairs. Until count has their
/// entries, `counts` has their products.
__global__ void __launch_bounds__(survey_block)
    hash_pair_bin_kernel(device_mxm_side a, device_offsets b_offsets, device_pairs b, index_t rows,
                         index_t columns, device_mask mask, offset_t fair_steps,
                         plan::mxm_device_parts parts) {
    __shared__ bin_counts bins;
    __shared__ long_rows large;
    if (threadIdx.x == 0) large.count = 0;
    bins.clear();
    const int t = static_cast<int>(threadIdx.x), lane = t % survey_lanes, warp_lane = t % 32;
    const offset_t row = scattered_row<survey_block / survey_lanes>(0, t / survey_lanes);
    const int known = row < rows ? parts.bins[row] : plan::empty_bin;
    const bool asked = known < plan::block_bins;
    const offset_t begin = asked ? a.offsets[row] : 0, end = asked ? a.offsets[row + 1] : 0;
    const bool is_long = end - begin > long_survey_row, of_block = end - begin > block_survey_row;
    struct sums {
        unsigned long long pairs = 0, products = 0;
    };
    const auto sums_of = [&](offset_t at, offset_t to, int step) {
        sums s;
#pragma unroll 4
        for (; at < to; at += step) {
            const offset_t k = a.columns[at];
            s.pairs += static_cast<unsigned>(__ldg(b.counts + k));
            s.products += static_cast<unsigned long long>(b_offsets[k + 1] - b_offsets[k]);
        }
        return s;
    };
    sums mine;
    if (!is_long) mine = sums_of(begin + lane, end, survey_lanes);
    for (unsigned left = __ballot_sync(full_warp, is_long && !of_block && lane == 0); left;
         left &= left - 1) {
        const int owner = __ffs(static_cast<int>(left)) - 1;
        sums part =
            sums_of(__shfl_sync(full_warp, begin, owner) + warp_lane, __shfl_sync(full_warp, end, owner), 32);
#pragma unroll
        for (int distance = 16; distance >= survey_lanes; distance /= 2) {
            part.pairs += __shfl_xor_sync(full_warp, part.pairs, distance);
            part.products += __shfl_xor_sync(full_warp, part.products, distance);
        }
        if (warp_lane / survey_lanes == owner / survey_lanes) mine = part;
    }
#pragma unroll
    for (int distance = survey_lanes / 2; distance > 0; distance /= 2) {
        mine.pairs += __shfl_xor_sync(full_warp, mine.pairs, distance);
        mine.products += __shfl_xor_sync(full_warp, mine.products, distance);
    }
    const auto finish = [&](index_t of, int before, const sums& s, offset_t length) {
        const auto products = static_cast<offset_t>(s.products);
        auto pairs = static_cast<offset_t>(s.pairs);
        if (mask.lists())  // its words go to the table; long walks to a block
            pairs = products <= plan::most_masked_products ? mask.length(of) : offset_t{plan::most_pairs};
        int bin = plan::bin_of_pairs(pairs, products, mask.on() ? 0 : columns, before);
        if (bin >= plan::block_bins && bin < plan::first_sort_bin &&
            plan::warp_steps(length, products) > fair_steps)
            bin = before;
        if (bin < plan::first_sort_bin)
            parts.counts[of] = static_cast<index_t>(min(products, offset_t{0x7fffffff}));
        if (bin == before) return;
        parts.bins[of] = static_cast<std::uint8_t>(bin);
        atomicSub(bins.rows + before, 1u);
        atomicAdd(bins.rows + bin, 1u);
    };
    if (asked && lane == 0 && !of_block) finish(static_cast<index_t>(row), known, mine, end - begin);
    if (of_block && lane == 0) keep_for_block(large, static_cast<index_t>(row));
    for_kept_rows(large, [&](index_t of) {
        const offset_t from = a.offsets[of], to = a.offsets[of + offset_t{1}];
        const sums part = sums_of(from + t, to, survey_block);
        add_up(large, part.pairs, part.products);
        if (t == 0) finish(of, parts.bins[of], {large.sums[0], large.sums[1]}, to - from);
    });
    bins.add_to(parts.by_products->rows);
}

/// Rows [first, last) by the entries that were counted; `known` where their bins are those already.
__global__ void __launch_bounds__(survey_block)
    hash_bin_kernel(device_offsets a_offsets, index_t first, index_t last, index_t columns, bool known,
                    bool masked, offset_t fair_steps, plan::mxm_device_parts parts) {
    __shared__ bin_counts bins;
    __shared__ unsigned most_words[plan::word_bins];
    if (threadIdx.x < plan::word_bins) most_words[threadIdx.x] = 0;
    bins.clear();
    const offset_t row = first + offset_t{blockIdx.x} * survey_block + threadIdx.x;
    if (row < last) {
        int bin = parts.bins[row];
        if (!known && !(masked && bin < plan::block_bins)) {  // whose words before the mask are many
            const bool large =
                bin < plan::block_bins &&
                plan::warp_steps(a_offsets[row + 1] - a_offsets[row], plan::products_from(bin)) > fair_steps;
            const int sorted = bin >= plan::first_sort_bin || masked
                                   ? -1
                                   : plan::sort_bin_of_long(parts.counts[row], parts.words[row], columns);
            if (sorted >= 0)
                bin = sorted;
            else if (!large)
                bin = plan::bin_of_entries(parts.counts[row], bin);
            parts.bins[row] = static_cast<std::uint8_t>(bin);
        }
        atomicAdd(bins.rows + bin, 1u);
        if (bin >= plan::block_bins && bin < plan::first_sort_bin)
            atomicMax(most_words + (bin - plan::block_bins), unsigned{parts.words[row]});
    }
    bins.add_to(parts.by_entries->rows);
    if (threadIdx.x < plan::word_bins && most_words[threadIdx.x])
        atomicMax(parts.by_entries->most_words + threadIdx.x, most_words[threadIdx.x]);
}

/// Lists the rows [first, last) of each bin; in which order inside one does not show in the result.
__global__ void __launch_bounds__(survey_block)
    hash_list_kernel(index_t first, index_t last, plan::mxm_survey* survey, plan::mxm_device_parts parts) {
    __shared__ bin_counts bins;
    __shared__ unsigned begins[plan::row_bins];
    bins.clear();
    const offset_t row = first + offset_t{blockIdx.x} * survey_block + threadIdx.x;
    const int bin = row < last ? parts.bins[row] : plan::empty_bin;
    const unsigned peers = __match_any_sync(full_warp, bin);
    const int first_peer = __ffs(static_cast<int>(peers)) - 1;
    unsigned place = 0;
    if (bin != plan::empty_bin && static_cast<int>(threadIdx.x) % 32 == first_peer)
        place = atomicAdd(bins.rows + bin, static_cast<unsigned>(__popc(peers)));
    place = __shfl_sync(full_warp, place, first_peer) + __popc(peers & ((1u << threadIdx.x % 32) - 1));
    __syncthreads();
    if (threadIdx.x < plan::empty_bin && bins.rows[threadIdx.x]) {
        unsigned begin = atomicAdd(survey->taken + threadIdx.x, bins.rows[threadIdx.x]);
        for (unsigned before = 0; before < threadIdx.x; ++before) begin += survey->rows[before];
        begins[threadIdx.x] = begin;
    }
    __syncthreads();
    if (bin != plan::empty_bin) parts.listed[begins[bin] + place] = static_cast<index_t>(row);
}

/// Blocks that sort the longest rows beside each other: 30 warps on a multiprocessor.
template <int Threads>
constexpr int blocks_that_count = Threads > 256 ? 1024 / Threads : 0;

template <int Threads, int Each>
__global__ void __launch_bounds__(row_team<Threads>::block, blocks_that_count<Threads>)
    hash_count_sorted_kernel(device_mxm_side a, device_mxm_side b, device_mask mask, const index_t* listed,
                             unsigned rows, index_t columns, index_t* counts) {
    using team = row_team<Threads>;
    using sorted = sorted_row<Threads, Each, false>;
    __shared__ typename sorted::memory all_products[team::teams];
    __shared__ team_entries<Threads, int> all_entries[team::teams];
    auto& products = all_products[team::number()];
    auto& m = all_entries[team::number()];
    const unsigned at = blockIdx.x * team::teams + static_cast<unsigned>(team::number());
    const index_t row = at < rows ? listed[at] : 0;
    const offset_t first = at < rows ? a.offsets[row] : 0,
                   last = at < rows ? a.offsets[row + offset_t{1}] : 0;
    const int total = for_places<Threads>(
        m, a, b, first, last, [](offset_t) { return 0; },
        [&](int place, offset_t q, int, int) { products.put(place, __ldg(b.columns + q)); });
    const int entries = sorted(products, total, columns)
                            .columns([&](index_t column) { return !mask.on() || mask.lets(row, column); },
                                     [](int, int) {}, m.scratch);
    if (at < rows && team::lane() == 0) counts[row] = entries;
}

template <int Lanes>
__global__ void __launch_bounds__(lanes_block)
    hash_count_words_kernel(device_mxm_side a, device_offsets b_offsets, device_pairs b, device_mask mask,
                            const index_t* listed, unsigned rows, int size, index_t* counts,
                            std::uint16_t* words) {
    extern __shared__ uint4 shared_slots[];
    const int lane = static_cast<int>(threadIdx.x) % Lanes, group = static_cast<int>(threadIdx.x) / Lanes;
    const word_table table(reinterpret_cast<uint2*>(shared_slots) + group * size, size);
    auto* touched =
        reinterpret_cast<unsigned*>(reinterpret_cast<uint2*>(shared_slots) + lanes_block / Lanes * size) +
        group * size;
    const unsigned at = blockIdx.x * (lanes_block / Lanes) + static_cast<unsigned>(group);
    const index_t row = at < rows ? listed[at] : 0;
    const offset_t first = at < rows ? a.offsets[row] : 0,
                   last = at < rows ? a.offsets[row + offset_t{1}] : 0;
    mark_words<Lanes>(a, b_offsets, b, mask, row, first, last, table, touched);
    int entries = 0, taken = 0;
    for (unsigned s = static_cast<unsigned>(lane); s < table.size(); s += Lanes) {
        const uint2 slot = table[s];
        entries += __popc(slot.y);
        taken += slot.x != no_word;
    }
#pragma unroll
    for (int distance = Lanes / 2; distance > 0; distance /= 2) {
        entries += __shfl_xor_sync(full_warp, entries, distance);
        taken += __shfl_xor_sync(full_warp, taken, distance);
    }
    if (at >= rows || lane != 0) return;
    words[row] = plan::kept_of_row(entries, taken, counts[row]);
    counts[row] = entries;
}

__global__ void __launch_bounds__(wide_row_block)
    hash_count_rows_kernel(device_mxm_side a, device_mxm_side b, device_mask mask, const index_t* listed,
                           unsigned rows, index_t columns, block_tables tables, index_t* counts,
                           std::uint16_t* taken) {
    extern __shared__ unsigned long long shared_bits[];
    __shared__ entry_spread m;
    __shared__ int entries, halves;
    const auto words = static_cast<int>((offset_t{columns} + 63) / 64);
    unsigned long long* bits = tables.of_block(shared_bits);
    for (unsigned at = blockIdx.x; at < rows; at += gridDim.x) {
        const index_t row = listed[at];
        if (threadIdx.x == 0) entries = halves = 0;
        mark_columns(m, a, b, mask, row, bits, words);
        int mine = 0, my_halves = 0;
        for (int w = static_cast<int>(threadIdx.x); w < words; w += static_cast<int>(blockDim.x)) {
            const unsigned long long word = bits[w];
            mine += __popcll(word);
            my_halves += (word >> 32 != 0) + (static_cast<unsigned>(word) != 0);
        }
        mine = static_cast<int>(__reduce_add_sync(full_warp, static_cast<unsigned>(mine)));
        my_halves = static_cast<int>(__reduce_add_sync(full_warp, static_cast<unsigned>(my_halves)));
        if (threadIdx.x % 32 == 0) {
            atomicAdd(&entries, mine);
            atomicAdd(&halves, my_halves);
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            taken[row] = plan::kept_of_row(entries, halves, counts[row]);
            counts[row] = entries;
        }
        __syncthreads();
    }
}

template <class Offset>
__global__ void __launch_bounds__(survey_block)
    hash_offsets_kernel(const offset_t* from, Offset* to, offset_t n) {
    const offset_t i = offset_t{blockIdx.x} * survey_block + threadIdx.x;
    if (i < n) to[i] = static_cast<Offset>(from[i]);
}

unsigned blocks_for(offset_t n, int a_block) { return static_cast<unsigned>((n + a_block - 1) / a_block); }
cudaStream_t on(void* stream) { return static_cast<cudaStream_t>(stream); }

offset_t fair_steps(const device_mxm_arguments& k) {
    return plan::fair_steps(k.a_entries, static_cast<offset_t>(k.by_products.products),
                            k.gpu->about().multiprocessors);
}

void bin_rows(const device_mxm_arguments& k, index_t first, index_t last, bool known, void* stream) {
    if (first == last) return;
    const plan::mxm_device_parts parts(k.row_parts, k.rows, k.scan_bytes);
    const unsigned blocks = blocks_for(last - first, survey_block);
    hash_bin_kernel<<<blocks, survey_block, 0, on(stream)>>>(
        device_mxm_side(k.a, 0).offsets, first, last, k.columns, known, k.masked, fair_steps(k), parts);
    hash_list_kernel<<<blocks, survey_block, 0, on(stream)>>>(first, last, parts.by_entries, parts);
}

/// Tables up to so many slots leave room for two or more rows a warp.
constexpr int few_count_slots = 512;

template <int Lanes>
void count_words(const device_mxm_arguments& k, const plan::mxm_device_parts& parts, const index_t* listed,
                 unsigned rows, int size, cudaStream_t stream) {
    constexpr int groups = lanes_block / Lanes;
    const std::size_t shared =
        static_cast<std::size_t>(size) * (sizeof(uint2) + (k.masked ? sizeof(unsigned) : 0)) * groups;
    const device_mxm_side b(k.b, 0);
    allow_shared(hash_count_words_kernel<Lanes>, shared);
    hash_count_words_kernel<Lanes><<<blocks_for(rows, groups), lanes_block, shared, stream>>>(
        device_mxm_side(k.a, 0), b.offsets, device_pairs(k), device_mask(k), listed, rows, size, parts.counts,
        parts.words);
}

template <int Lanes>
void pair_rows(const device_mxm_arguments& k, const device_pairs& to, cudaStream_t stream) {
    hash_pair_kernel<Lanes><<<blocks_for(offset_t{k.inner} * Lanes, survey_block), survey_block, 0, stream>>>(
        device_mxm_side(k.b, 0), k.inner, to.pairs, to.counts);
}

__global__ void __launch_bounds__(survey_block)
    shift_columns_kernel(index_t* columns, offset_t count, index_t by) {
    const offset_t n = offset_t{blockIdx.x} * survey_block + threadIdx.x;
    if (n < count) columns[n] += by;
}

}  // namespace

std::size_t hash_scan_bytes(index_t rows) {
    std::size_t bytes = 0;
    check(cub::DeviceScan::ExclusiveSum(nullptr, bytes, as_offsets(nullptr), static_cast<offset_t*>(nullptr),
                                        offset_t{rows} + 1));
    return bytes;
}

void hash_survey(const device_mxm_arguments& k, void* stream) {
    const plan::mxm_device_parts parts(k.row_parts, k.rows, k.scan_bytes);
    check(cudaMemsetAsync(parts.by_products, 0, sizeof(plan::mxm_survey), on(stream)));
    check(cudaMemsetAsync(parts.by_entries, 0, sizeof(plan::mxm_survey), on(stream)));
    if (k.rows == 0) return check(cudaMemsetAsync(parts.counts, 0, sizeof(index_t), on(stream)));
    const device_mxm_side a(k.a, 0), b(k.b, 0);
    const auto survey = [&]<int Lanes>() {
        hash_survey_kernel<Lanes>
            <<<std::min(blocks_for(k.rows, survey_block / Lanes), survey_blocks), survey_block, 0,
               on(stream)>>>(a, b.offsets, device_mask(k), k.rows, k.columns, parts);
    };
    k.a_entries < offset_t{survey_lanes} * k.rows      ? survey.template operator()<1>()
    : k.a_entries < offset_t{long_survey_row} * k.rows ? survey.template operator()<survey_lanes>()
                                                       : survey.template operator()<32>();
    check(cudaGetLastError());
}

void hash_pair(const device_mxm_arguments& k, void* stream) {
    const plan::mxm_device_parts parts(k.row_parts, k.rows, k.scan_bytes);
    const device_pairs b(k);
    const offset_t mean = k.inner ? k.b_entries / k.inner : 0;
    mean < 8    ? pair_rows<8>(k, b, on(stream))
    : mean < 16 ? pair_rows<16>(k, b, on(stream))
                : pair_rows<32>(k, b, on(stream));
    hash_pair_bin_kernel<<<blocks_for(k.rows, survey_block / survey_lanes), survey_block, 0, on(stream)>>>(
        device_mxm_side(k.a, 0), device_mxm_side(k.b, 0).offsets, b, k.rows, k.columns, device_mask(k),
        fair_steps(k), parts);
    check(cudaGetLastError());
}

void hash_count(const device_mxm_arguments& k, void* stream) {
    const plan::mxm_device_parts parts(k.row_parts, k.rows, k.scan_bytes);
    const device_mxm_side a(k.a, 0), b(k.b, 0);
    const index_t* listed = parts.listed;
    if (k.rows > 0)
        hash_list_kernel<<<blocks_for(k.rows, survey_block), survey_block, 0, on(stream)>>>(
            0, k.rows, parts.by_products, parts);
    const auto pieces = k.gpu->fork_into(k.by_products.launches());
    const auto next = [&] { return on(pieces->next()); };
    if (const unsigned rows = k.by_products.block_rows()) {
        const block_launch l = block_launch_of(k, rows);
        allow_shared(hash_count_rows_kernel, l.shared_bytes);
        hash_count_rows_kernel<<<l.blocks, l.threads, l.shared_bytes, next()>>>(
            a, b, device_mask(k), listed, rows, k.columns, l.tables, parts.counts, parts.words);
        listed += rows;
    }
    for (int bin = plan::block_bins; bin < plan::empty_bin; ++bin) {
        const unsigned rows = k.by_products.rows[bin];
        if (rows == 0) continue;
        if (bin >= plan::first_sort_bin) {
            with_sorted_bin(bin, [&]<int Threads, int Each>() {
                using team = row_team<Threads>;
                hash_count_sorted_kernel<Threads, Each>
                    <<<blocks_for(rows, team::teams), team::block, 0, next()>>>(
                        a, b, device_mask(k), listed, rows, k.columns, parts.counts);
            });
        } else {
            const int size = plan::slots_of_bin(bin);
            size <= few_count_slots ? count_words<16>(k, parts, listed, rows, size, next())
                                    : count_words<32>(k, parts, listed, rows, size, next());
        }
        listed += rows;
    }
    pieces->join();
    // Sorted rows stay in their bins, and their lists stand.
    if (k.by_products.large_rows()) bin_rows(k, 0, k.rows, false, stream);
    std::size_t bytes = parts.scan_bytes;
    check(cub::DeviceScan::ExclusiveSum(parts.scan, bytes, as_offsets(parts.counts), parts.starts,
                                        offset_t{k.rows} + 1, on(stream)));
    check(cudaGetLastError());
}

void hash_choose(const device_mxm_arguments& k, index_t first, index_t last, void* stream) {
    const plan::mxm_device_parts parts(k.row_parts, k.rows, k.scan_bytes);
    check(cudaMemsetAsync(parts.by_entries, 0, sizeof(plan::mxm_survey), on(stream)));
    bin_rows(k, first, last, true, stream);
    check(cudaGetLastError());
}

void shift_columns(index_t* columns, offset_t count, index_t by, void* stream) {
    if (count == 0) return;
    shift_columns_kernel<<<blocks_for(count, survey_block), survey_block, 0, on(stream)>>>(columns, count,
                                                                                           by);
    check(cudaGetLastError());
}

void hash_offsets(const device_mxm_arguments& k, void* stream) {
    if (!k.offsets) return;
    const plan::mxm_device_parts parts(k.row_parts, k.rows, k.scan_bytes);
    const offset_t n = offset_t{k.rows} + 1;
    const unsigned blocks = blocks_for(n, survey_block);
    if (k.wide)
        hash_offsets_kernel<<<blocks, survey_block, 0, on(stream)>>>(
            parts.starts, static_cast<std::int64_t*>(k.offsets), n);
    else
        hash_offsets_kernel<<<blocks, survey_block, 0, on(stream)>>>(
            parts.starts, static_cast<std::int32_t*>(k.offsets), n);
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
