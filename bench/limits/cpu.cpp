#include "limits/cpu.hpp"

#include <benchmark/benchmark.h>
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <vector>

namespace nz::bench {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

struct give_back {
    void operator()(void* block) const { std::free(block); }
};
using words = std::unique_ptr<std::uint64_t[], give_back>;

// A block of whole huge pages, written once by the threads that will read it.
words make_block(std::size_t bytes, int advice, int threads) {
    const std::size_t whole = (bytes + huge_page - 1) / huge_page * huge_page;
    void* block = std::aligned_alloc(huge_page, whole);
    madvise(block, whole, advice);
    words w(static_cast<std::uint64_t*>(block));
#pragma omp parallel for num_threads(threads) schedule(static)
    for (std::size_t k = 0; k < whole / sizeof(std::uint64_t); ++k) w[k] = k;
    return w;
}

// A floor's rates are bests: a shared host only adds to a time.
double best_seconds(int rounds, const std::function<void()>& work) {
    double best = 1e300;
    for (int round = 0; round < rounds; ++round) {
        const auto start = std::chrono::steady_clock::now();
        work();
        best =
            std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return best;
}

// The loops are functions of their own: pointers that a lambda captures are read anew for each element, and the compiler
// makes gathers of them.
template <class T>
std::uint64_t sum_of(const T* data, std::size_t n, int threads) {
    std::uint64_t sum = 0;
#pragma omp parallel for simd num_threads(threads) schedule(static) reduction(+ : sum)
    for (std::size_t k = 0; k < n; ++k) sum += data[k];
    return sum;
}

template <class T>
T sum_at(const T* table, const std::uint32_t* places, std::size_t n, int threads) {
    T sum = 0;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : sum)
    for (std::size_t k = 0; k < n; ++k) sum += table[places[k]];
    return sum;
}

// 32 sums side by side, and the stream asked for early: 32 gathers are under way at once. n is a multiple of 32.
double dot_at(const double* values, const double* table, const std::uint32_t* places, std::size_t n,
              int threads) {
    constexpr std::size_t side = 32, ahead = 256, line = 64;
    double sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    {
        double sums[side] = {};
#pragma omp for schedule(static)
        for (std::size_t k = 0; k < n; k += side) {
            for (std::size_t e = 0; e < side; e += line / sizeof(std::uint32_t))
                __builtin_prefetch(places + k + ahead + e, 0, 0);
            for (std::size_t e = 0; e < side; e += line / sizeof(double))
                __builtin_prefetch(values + k + ahead + e, 0, 0);
            for (std::size_t r = 0; r < side; ++r) sums[r] += values[k + r] * table[places[k + r]];
        }
        for (const double s : sums) sum += s;
    }
    return sum;
}

void copy_to(std::uint64_t* to, const std::uint64_t* from, std::size_t n, int threads) {
#pragma omp parallel for simd num_threads(threads) schedule(static)
    for (std::size_t k = 0; k < n; ++k) to[k] = from[k];
}

double bandwidth(int threads, int advice, std::size_t bytes, int rounds) {
    const std::size_t n = bytes / sizeof(std::uint64_t);
    const words block = make_block(bytes, advice, threads);
    const double seconds = best_seconds(rounds, [&] {
        std::uint64_t sum = sum_of(block.get(), n, threads);
        benchmark::DoNotOptimize(sum);
    });
    return static_cast<double>(bytes) / seconds;
}
constexpr std::size_t beyond_caches = std::size_t{1} << 30;

std::vector<std::uint32_t> random_places(std::size_t count, std::size_t entries) {
    std::vector<std::uint32_t> places(count);
    std::uint64_t state = 1;
    for (auto& p : places) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        p = static_cast<std::uint32_t>((state >> 33) % entries);
    }
    return places;
}

template <class T>
double gathers(int threads, std::size_t table_bytes) {
    constexpr std::size_t count = std::size_t{1} << 24;
    const std::size_t entries = std::max<std::size_t>(1, table_bytes / sizeof(T));
    const words block = make_block(entries * sizeof(T), MADV_HUGEPAGE, threads);
    const T* table = reinterpret_cast<const T*>(block.get());
    const std::vector<std::uint32_t> places = random_places(count, entries);
    const double seconds = best_seconds(8, [&] {
        T sum = sum_at(table, places.data(), count, threads);
        benchmark::DoNotOptimize(sum);
    });
    return static_cast<double>(count) / seconds;
}

}  // namespace

double read_bandwidth(int threads) { return bandwidth(threads, MADV_HUGEPAGE, beyond_caches, 7); }
double read_bandwidth_small_pages(int threads) {
    return bandwidth(threads, MADV_NOHUGEPAGE, beyond_caches, 7);
}
double reread_bandwidth(int threads, std::size_t bytes) {
    return bandwidth(threads, MADV_HUGEPAGE, bytes, 25);
}

double copy_bandwidth(int threads) {
    constexpr std::size_t bytes = std::size_t{1} << 29, n = bytes / sizeof(std::uint64_t);
    const words from = make_block(bytes, MADV_HUGEPAGE, threads),
                to = make_block(bytes, MADV_HUGEPAGE, threads);
    const double seconds = best_seconds(7, [&] {
        copy_to(to.get(), from.get(), n, threads);
        benchmark::ClobberMemory();
    });
    return 2.0 * static_cast<double>(bytes) / seconds;
}

double gather_rate(int threads, std::size_t table_bytes, int element_bytes) {
    return element_bytes == 4 ? gathers<std::uint32_t>(threads, table_bytes)
                              : gathers<std::uint64_t>(threads, table_bytes);
}

double product_rate(int threads, std::size_t table_bytes) {
    constexpr std::size_t count = std::size_t{1} << 24;
    const std::size_t entries = std::max<std::size_t>(1, table_bytes / sizeof(double));
    const words block = make_block(entries * sizeof(double), MADV_HUGEPAGE, threads),
                factors = make_block(count * sizeof(double), MADV_HUGEPAGE, threads);
    auto *table = reinterpret_cast<double*>(block.get()), *values = reinterpret_cast<double*>(factors.get());
    std::fill_n(table, entries, 1.0);  // small integers are subnormal doubles, and slow
    std::fill_n(values, count, 1.0);
    const words numbers = make_block(count * sizeof(std::uint32_t), MADV_HUGEPAGE, threads);
    auto* places = reinterpret_cast<std::uint32_t*>(numbers.get());
    std::ranges::copy(random_places(count, entries), places);
    const double seconds = best_seconds(8, [&] {
        double sum = dot_at(values, table, places, count, threads);
        benchmark::DoNotOptimize(sum);
    });
    return static_cast<double>(count) / seconds;
}

}  // namespace nz::bench
