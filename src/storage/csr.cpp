#include "storage/csr.hpp"

#include "core/checks.hpp"
#include "core/parallel.hpp"
#include "storage/csr_of_lengths.hpp"
#include "storage/row_shares.hpp"
#include "storage/sort_row.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <vector>

namespace nz::storage {

namespace {

// Its offsets alone.
csr without_entries(const context& ctx, dtype type, value_kind kind, index_t rows, index_t columns,
                    offset_t nnz) {
    csr a = csr_shape(type, kind, rows, columns, nnz);
    a.offsets = buffer(ctx.memory(), (static_cast<std::size_t>(rows) + 1) * a.offset_bytes);
    return a;
}

void allocate_entries(const context& ctx, csr& a) {
    a.indices = buffer(ctx.memory(), static_cast<std::size_t>(a.nnz) * sizeof(index_t));
    const std::size_t values = a.kind == value_kind::full  ? static_cast<std::size_t>(a.nnz)
                               : a.kind == value_kind::iso ? 1
                                                           : 0;
    a.values = buffer(ctx.memory(), values * size_of(a.type));
}

}  // namespace

csr allocate_csr(const context& ctx, dtype type, value_kind kind, index_t rows, index_t columns,
                 offset_t nnz) {
    csr a = without_entries(ctx, type, kind, rows, columns, nnz);
    allocate_entries(ctx, a);
    return a;
}

csr allocate_csr(const context& ctx, dtype type, value_kind kind, index_t rows, index_t columns,
                 std::span<const index_t> lengths) {
    csr a = csr_of_lengths(ctx, type, kind, columns, lengths.first(static_cast<std::size_t>(rows)));
    allocate_entries(ctx, a);
    return a;
}

csr csr_of_lengths(const context& ctx, dtype type, value_kind kind, index_t columns,
                   std::span<const index_t> lengths) {
    const auto rows = static_cast<index_t>(lengths.size());
    const int threads = rows < 65536 ? 1 : ctx.threads();
    std::vector<offset_t> starts(threads + 1);
    parallel::run(threads, [&](int t, int) {
        const auto [begin, end] = parallel::piece(rows, t, threads);
        offset_t sum = 0;
        for (offset_t i = begin; i < end; ++i) sum += lengths[i];
        starts[t + 1] = sum;
    });
    for (int t = 0; t < threads; ++t) starts[t + 1] += starts[t];
    csr a = without_entries(ctx, type, kind, rows, columns, starts[threads]);
    const auto fill = [&](auto* offsets) {
        using offset_type = std::remove_pointer_t<decltype(offsets)>;
        parallel::run(threads, [&](int t, int) {
            const auto [begin, end] = parallel::piece(rows, t, threads);
            offset_t running = starts[t];
            for (offset_t i = begin; i < end; ++i) {
                offsets[i] = static_cast<offset_type>(running);
                running += lengths[i];
            }
        });
        offsets[rows] = static_cast<offset_type>(starts[threads]);
    };
    a.offset_bytes == 4 ? fill(a.offsets.as<std::int32_t>()) : fill(a.offsets.as<std::int64_t>());
    return a;
}

csr make_empty_csr(const context& ctx, dtype type, index_t rows, index_t columns) {
    csr a = allocate_csr(ctx, type, value_kind::full, rows, columns, 0);
    std::memset(a.offsets.data(), 0, a.offsets.bytes());
    return a;
}

blank_csr::blank_csr(dtype type, index_t rows, index_t columns) : rows_(std::make_shared<csr>()) {
    rows_->rows = rows;
    rows_->columns = columns;
    rows_->type = type;
    rows_->offset_bytes = offset_bytes_for(0);
}

void blank_csr::fill(const context& ctx) {
    const std::lock_guard lock(mutex_);
    if (rows_->offsets.data()) return;
    csr filled = make_empty_csr(ctx, rows_->type, rows_->rows, rows_->columns);
    rows_->indices = std::move(filled.indices);
    rows_->values = std::move(filled.values);
    rows_->offsets = std::move(filled.offsets);
}

csr copy(const context& ctx, const csr& a) {
    csr out = allocate_csr(ctx, a.type, a.kind, a.rows, a.columns, a.nnz);
    std::memcpy(out.offsets.data(), a.offsets.data(), out.offsets.bytes());
    if (a.nnz) std::memcpy(out.indices.data(), a.indices.data(), out.indices.bytes());
    if (out.values.bytes()) std::memcpy(out.values.data(), a.values.data(), out.values.bytes());
    return out;
}

buffer convert_array(const context& ctx, const buffer& values, dtype from, dtype to, offset_t count) {
    buffer out(ctx.memory(), static_cast<std::size_t>(count) * size_of(to));
    dispatch(from, [&]<class F>(std::type_identity<F>) {
        dispatch(to, [&]<class T>(std::type_identity<T>) {
            const F* source = values.as<const F>();
            T* target = out.as<T>();
            parallel::for_pieces(ctx.threads(), count, [&](offset_t begin, offset_t end) {
                for (offset_t k = begin; k < end; ++k) target[k] = convert<T>(source[k]);
            });
        });
    });
    return out;
}

csr convert_values(const context& ctx, const csr& a, dtype type) {
    csr out = allocate_csr(ctx, type, value_kind::pattern, a.rows, a.columns, a.nnz);
    std::memcpy(out.offsets.data(), a.offsets.data(), out.offsets.bytes());
    if (a.nnz) std::memcpy(out.indices.data(), a.indices.data(), out.indices.bytes());
    out.kind = a.kind;
    out.values = convert_array(ctx, a.values, a.type, type,
                               a.kind == value_kind::full ? a.nnz : offset_t{a.kind == value_kind::iso});
    return out;
}

namespace {

// Calls f(first, last) once a thread over pieces of the rows with as many entries each.
template <class Offset, class F>
void for_rows(const context& ctx, const Offset* offsets, index_t rows, F&& f) {
    parallel::run(offset_t{offsets[rows]} + rows < parallel_entries ? 1 : ctx.threads(),
                  [&](int t, int parts) {
                      const index_t first = first_row(offsets, rows, t, parts),
                                    last = first_row(offsets, rows, t + 1, parts);
                      if (first < last) f(first, last);
                  });
}

// Copies runs of equal columns of sorted rows, each as one entry. move(place, k) takes the value at k to
// `place`, combine(place, k) adds the one at k to what is there.
template <class Offset, class Move, class Combine>
void copy_combined(const context& ctx, const csr& a, csr& out, Move&& move, Combine&& combine) {
    const auto* offsets = a.offsets.as<const Offset>();
    const index_t* columns = a.index_data();
    with_offsets(out, [&](const auto* out_offsets) {
        for_rows(ctx, offsets, a.rows, [&](index_t first, index_t last) {
            index_t* out_columns = out.indices.as<index_t>();
            offset_t place = out_offsets[first] - 1;
            for (index_t i = first; i < last; ++i)
                for (Offset k = offsets[i]; k < offsets[i + 1]; ++k) {
                    if (k > offsets[i] && columns[k] == columns[k - 1]) {
                        combine(place, k);
                    } else {
                        out_columns[++place] = columns[k];
                        move(place, k);
                    }
                }
        });
    });
}

// The same matrix with equal neighbours of every row combined.
template <class Offset>
csr combine_repeats(const context& ctx, const csr& a, const binary_op& duplicates) {
    const auto* offsets = a.offsets.as<const Offset>();
    const index_t* columns = a.index_data();
    array<index_t> lengths(ctx, a.rows);
    for_rows(ctx, offsets, a.rows, [&](index_t first, index_t last) {
        for (index_t i = first; i < last; ++i) {
            index_t length = offsets[i] < offsets[i + 1];
            for (Offset k = offsets[i] + 1; k < offsets[i + 1]; ++k) length += columns[k] != columns[k - 1];
            lengths[i] = length;
        }
    });
    csr out = allocate_csr(ctx, a.type, a.kind, a.rows, a.columns,
                           std::span<const index_t>(lengths.data(), lengths.size()));
    if (a.kind != value_kind::full) {
        if (out.values.bytes()) std::memcpy(out.values.data(), a.values.data(), out.values.bytes());
        copy_combined<Offset>(ctx, a, out, [](offset_t, Offset) {}, [](offset_t, Offset) {});
        return out;
    }
    const dtype in = duplicates.input_type(a.type), result = duplicates.output_type(a.type);
    const auto call = duplicates.resolve(a.type);
    by_width(a.value_bytes(), [&]<class U>(std::type_identity<U>) {
        const U* from = a.values.as<const U>();
        U* to = out.values.as<U>();
        copy_combined<Offset>(
            ctx, a, out, [=](offset_t place, Offset k) { to[place] = from[k]; },
            [&, from, to](offset_t place, Offset k) {
                const element x = cast({to[place]}, a.type, in), y = cast({from[k]}, a.type, in);
                to[place] = static_cast<U>(cast(call(duplicates.context(), x, y), result, a.type).bits);
            });
    });
    return out;
}

template <class Offset>
bool sort_rows_typed(const context& ctx, csr& a, const binary_op& duplicates) {
    const auto* offsets = a.offsets.as<const Offset>();
    auto* columns = a.indices.as<index_t>();
    std::atomic<bool> any_unsorted{false}, any_repeat{false};
    const auto each = [&](auto sort) {
        for_rows(ctx, offsets, a.rows, [&](index_t first, index_t last) {
            bool unsorted = false, repeat = false;
            auto scratch = sort(nullptr);
            for (index_t i = first; i < last; ++i) {
                const Offset begin = offsets[i], end = offsets[i + 1];
                bool falls = false, repeats = false;  // without branches, for the vector unit
                for (Offset k = begin + 1; k < end; ++k) {
                    falls |= columns[k] < columns[k - 1];
                    repeats |= columns[k] == columns[k - 1];
                }
                if (falls) {
                    unsorted = true;
                    sort(&scratch, begin, static_cast<std::size_t>(end - begin));
                    for (Offset k = begin + 1; k < end; ++k) repeats |= columns[k] == columns[k - 1];
                }
                repeat |= repeats;
            }
            if (unsorted) any_unsorted = true;
            if (repeat) any_repeat = true;
        });
    };
    if (a.kind != value_kind::full) {
        struct sorter {
            index_t* columns;
            int operator()(std::nullptr_t) const { return 0; }
            void operator()(int*, Offset begin, std::size_t n) const {
                std::sort(columns + begin, columns + begin + n);
            }
        };
        each(sorter{columns});
    } else {
        by_width(a.value_bytes(), [&]<class U>(std::type_identity<U>) {
            using scratch_type = row_scratch<U>;
            struct sorter {
                index_t* columns;
                U* values;
                scratch_type operator()(std::nullptr_t) const { return {}; }
                void operator()(scratch_type* s, Offset begin, std::size_t n) const {
                    sort_row(columns + begin, values + begin, n, *s);
                }
            };
            each(sorter{columns, a.values.as<U>()});
        });
    }
    if (any_repeat) a = combine_repeats<Offset>(ctx, a, duplicates);
    return any_unsorted || any_repeat;
}

}  // namespace

csr hub_first(const context& ctx, const csr& a, const csr& lengths) {
    csr out = allocate_csr(ctx, a.type, value_kind::pattern, a.rows, a.columns, a.nnz);
    std::memcpy(out.offsets.data(), a.offsets.data(), out.offsets.bytes());
    if (a.nnz) std::memcpy(out.indices.data(), a.indices.data(), out.indices.bytes());
    out.sorted = false;
    auto* columns = out.indices.as<index_t>();
    const auto length = [&](index_t i) { return lengths.offset(i + offset_t{1}) - lengths.offset(i); };
    parallel::for_pieces(ctx.threads(), a.rows, [&](offset_t first, offset_t last) {
        for (offset_t i = first; i < last; ++i)
            std::stable_sort(columns + a.offset(i), columns + a.offset(i + 1),
                             [&](index_t x, index_t y) { return length(x) > length(y); });
    });
    return out;
}

bool sort_rows(const context& ctx, csr& a, const binary_op& duplicates) {
    return a.offset_bytes == 4 ? sort_rows_typed<std::int32_t>(ctx, a, duplicates)
                               : sort_rows_typed<std::int64_t>(ctx, a, duplicates);
}

void validate(const csr& a, const char* what) {
    const std::size_t values = a.kind == value_kind::full  ? static_cast<std::size_t>(a.nnz)
                               : a.kind == value_kind::iso ? 1
                                                           : 0;
    require<invalid_format>(a.offsets.bytes() >= (static_cast<std::size_t>(a.rows) + 1) * a.offset_bytes &&
                                a.indices.bytes() >= static_cast<std::size_t>(a.nnz) * sizeof(index_t) &&
                                a.values.bytes() >= values * a.value_bytes(),
                            "{}: arrays are shorter than {} rows and {} entries need", what, a.rows, a.nnz);
    with_offsets(a, [&](const auto* offsets) {
        require<invalid_format>(offsets[0] == 0, "{}: the first offset is {}, not 0", what, offsets[0]);
        for (index_t i = 0; i < a.rows; ++i)
            require<invalid_format>(offsets[i] <= offsets[i + 1] && offsets[i + 1] <= a.nnz,
                                    "{}: row {} runs from {} to {}, outside 0..{}", what, i, offsets[i],
                                    offsets[i + 1], a.nnz);
        require<invalid_format>(offsets[a.rows] == a.nnz, "{}: the last offset is {}, the entries are {}",
                                what, offsets[a.rows], a.nnz);
        const index_t* columns = a.index_data();
        for (index_t i = 0; i < a.rows; ++i)
            for (auto k = offsets[i]; k < offsets[i + 1]; ++k) {
                require<invalid_format>(columns[k] >= 0 && columns[k] < a.columns,
                                        "{}: row {} has column {}, outside 0..{}", what, i, columns[k],
                                        a.columns - 1);
                require<invalid_format>(k == offsets[i] || columns[k - 1] < columns[k],
                                        "{}: row {} is not sorted or repeats column {}", what, i, columns[k]);
            }
    });
}

namespace {

// What the rows [first, last) say.
template <class Offset>
matrix_facts facts_of_rows(const Offset* offsets, const index_t* columns, index_t first, index_t last) {
    matrix_facts facts;
    for (index_t i = first; i < last; ++i) {
        const Offset begin = offsets[i], end = offsets[i + 1];
        facts.degree_max = std::max<offset_t>(facts.degree_max, end - begin);
        facts.empty_rows += begin == end;
        if (begin == end) continue;
        bool falls = false, repeats = false;
        index_t lowest = columns[begin], highest = columns[begin];
        for (Offset k = begin + 1; k < end; ++k) {
            falls |= columns[k] < columns[k - 1];
            repeats |= columns[k] == columns[k - 1];
        }
        if (falls) {
            const auto [low, high] = std::minmax_element(columns + begin, columns + end);
            lowest = *low, highest = *high;
        } else {
            highest = columns[end - 1];
        }
        facts.sorted = facts.sorted && !falls;
        facts.duplicates = facts.duplicates || repeats;
        facts.bandwidth_lower = std::max<offset_t>(facts.bandwidth_lower, offset_t{i} - lowest);
        facts.bandwidth_upper = std::max<offset_t>(facts.bandwidth_upper, offset_t{highest} - i);
    }
    return facts;
}

void merge(matrix_facts& all, const matrix_facts& part) {
    all.degree_max = std::max(all.degree_max, part.degree_max);
    all.empty_rows += part.empty_rows;
    all.bandwidth_lower = std::max(all.bandwidth_lower, part.bandwidth_lower);
    all.bandwidth_upper = std::max(all.bandwidth_upper, part.bandwidth_upper);
    all.sorted = all.sorted && part.sorted;
    all.duplicates = all.duplicates || part.duplicates;
}

bool same_bytes(const context& ctx, const void* a, const void* b, std::size_t bytes) {
    std::atomic<bool> same{true};
    parallel::for_pieces(ctx.threads(), static_cast<offset_t>(bytes), [&](offset_t begin, offset_t end) {
        if (std::memcmp(static_cast<const char*>(a) + begin, static_cast<const char*>(b) + begin,
                        end - begin) != 0)
            same = false;
    });
    return same;
}

bool same_pattern(const context& ctx, const csr& a, const csr& b) {
    if (a.nnz != b.nnz || a.offset_bytes != b.offset_bytes) return false;
    return same_bytes(ctx, a.offsets.data(), b.offsets.data(),
                      (static_cast<std::size_t>(a.rows) + 1) * a.offset_bytes) &&
           same_bytes(ctx, a.indices.data(), b.indices.data(),
                      static_cast<std::size_t>(a.nnz) * sizeof(index_t));
}

}  // namespace

row_sample sample_rows(const csr& a) {
    std::vector<sampled_row> samples(
        static_cast<std::size_t>(std::min<offset_t>(row_sample::samples, a.rows)));
    for (std::size_t s = 0; s < samples.size(); ++s) {
        sampled_row& row = samples[s];
        row.row =
            static_cast<index_t>(static_cast<offset_t>(s) * a.rows / static_cast<offset_t>(samples.size()));
        const offset_t begin = a.offset(row.row);
        row.length = a.offset(row.row + offset_t{1}) - begin;
        std::copy_n(a.index_data() + begin, std::min<offset_t>(row.length, sampled_row::most), row.columns);
    }
    return summed(samples, a.rows, a.columns);
}

row_sample summed(std::span<const sampled_row> samples, index_t rows, index_t columns) {
    double sum = 0, squares = 0, far = 0, apart = 0, seen = 0, next = 0, behind = 0;
    for (const sampled_row& row : samples) {
        const auto length = static_cast<double>(row.length);
        sum += length;
        squares += length * length;
        const double diagonal = static_cast<double>(row.row) * columns / rows;
        for (offset_t k = 0; k < std::min<offset_t>(row.length, sampled_row::most); ++k, ++seen) {
            const double distance = std::abs(row.columns[k] - diagonal);
            far += distance > row_sample::near_columns;
            apart += distance;
            if (k == 0) continue;
            ++behind;
            next += row.columns[k] == row.columns[k - 1] + 1;
        }
    }
    if (sum == 0) return {};
    const auto count = static_cast<double>(samples.size());
    const double mean = sum / count;
    return {std::sqrt(std::max(0.0, squares / count - mean * mean)) / mean, far / seen, apart / seen,
            behind > 0 ? next / behind : 0};
}

matrix_facts collect_facts(const context& ctx, const csr& a, const csr* transposed) {
    matrix_facts facts;
    facts.rows = a.rows;
    facts.columns = a.columns;
    facts.nnz = a.nnz;
    facts.degree_mean = a.rows ? static_cast<double>(a.nnz) / a.rows : 0;
    std::mutex merging;
    with_offsets(a, [&](const auto* offsets) {
        for_rows(ctx, offsets, a.rows, [&](index_t first, index_t last) {
            const matrix_facts part = facts_of_rows(offsets, a.index_data(), first, last);
            const std::lock_guard lock(merging);
            merge(facts, part);
        });
    });
    if (a.rows != a.columns) return facts;
    // A symmetric matrix shares its CSR with its transpose.
    facts.symmetric_pattern = transposed == &a || (transposed ? same_pattern(ctx, a, *transposed)
                                                              : same_pattern(ctx, a, transpose(ctx, a)));
    return facts;
}

}  // namespace nz::storage
