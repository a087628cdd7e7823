#include "harness.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <numeric>

namespace nz::bench {

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    std::ranges::sort(values);
    const std::size_t half = values.size() / 2;
    return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

timing time_ms(int repeats, const std::function<void()>& work) {
    work();
    std::vector<double> times;
    for (int k = 0; k < repeats; ++k) {
        const auto start = std::chrono::steady_clock::now();
        work();
        times.push_back(
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    }
    return {median(times), std::ranges::min(times)};
}

double geometric_mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double v : values) sum += std::log(v);
    return values.empty() ? 0 : std::exp(sum / static_cast<double>(values.size()));
}

double correlation(const std::vector<double>& x, const std::vector<double>& y) {
    const auto n = static_cast<double>(x.size());
    const double mx = std::accumulate(x.begin(), x.end(), 0.0) / n,
                 my = std::accumulate(y.begin(), y.end(), 0.0) / n;
    double xy = 0, xx = 0, yy = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
        xy += (x[k] - mx) * (y[k] - my);
        xx += (x[k] - mx) * (x[k] - mx);
        yy += (y[k] - my) * (y[k] - my);
    }
    return xy / std::sqrt(xx * yy);
}

namespace {
std::map<std::string, measurement>& results() {
    static std::map<std::string, measurement> all;
    return all;
}
}  // namespace

void add(const std::string& name, std::function<measurement()> body) {
    benchmark::RegisterBenchmark(name.c_str(),
                                 [name, body = std::move(body)](benchmark::State& state) {
                                     for (auto _ : state) {
                                         const measurement m = body();
                                         state.SetIterationTime(m.ms / 1e3);
                                         for (const auto& [key, value] : m.counters)
                                             state.counters[key] = value;
                                         results()[name] = m;
                                     }
                                 })
        ->UseManualTime()
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
}

std::map<std::string, measurement> run(const options& o, const char* own) {
    std::vector<std::string> arguments = {"nz-bench", "--benchmark_counters_tabular=false"};
    arguments.push_back("--benchmark_filter=" + (o.filter.empty() ? std::string(own) : o.filter));
    if (!o.json.empty()) {
        arguments.push_back("--benchmark_out=" + o.json);
        arguments.push_back("--benchmark_out_format=json");
    }
    std::vector<char*> pointers;
    for (auto& a : arguments) pointers.push_back(a.data());
    int count = static_cast<int>(pointers.size());
    benchmark::Initialize(&count, pointers.data());
    benchmark::RunSpecifiedBenchmarks();
    return results();
}

namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

double bandwidth(int threads, int advice) {
    constexpr std::size_t bytes = std::size_t{1} << 30;
    void* block = std::aligned_alloc(huge_page, bytes);
    madvise(block, bytes, advice);
    auto* words = static_cast<std::uint64_t*>(block);
    constexpr std::size_t n = bytes / sizeof(std::uint64_t);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (std::size_t k = 0; k < n; ++k) words[k] = k;
    double best = 1e300;
    for (int round = 0; round < 7; ++round) {
        const auto start = std::chrono::steady_clock::now();
        std::uint64_t sum = 0;
#pragma omp parallel for simd num_threads(threads) schedule(static) reduction(+ : sum)
        for (std::size_t k = 0; k < n; ++k) sum += words[k];
        benchmark::DoNotOptimize(sum);
        best =
            std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    std::free(block);
    return static_cast<double>(bytes) / best;
}

}  // namespace

double read_bandwidth(int threads) { return bandwidth(threads, MADV_HUGEPAGE); }
double read_bandwidth_small_pages(int threads) { return bandwidth(threads, MADV_NOHUGEPAGE); }

double gather_rate(int threads, std::size_t table_bytes) {
    constexpr std::size_t gathers = std::size_t{1} << 24;
    const std::size_t entries = std::max<std::size_t>(1, table_bytes / sizeof(double));
    const std::size_t bytes = (entries * sizeof(double) + huge_page - 1) / huge_page * huge_page;
    auto* table = static_cast<double*>(std::aligned_alloc(huge_page, bytes));
    madvise(table, bytes, MADV_HUGEPAGE);
    std::fill_n(table, entries, 1.0);
    std::vector<std::uint32_t> places(gathers);
    std::uint64_t state = 1;
    for (auto& p : places) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        p = static_cast<std::uint32_t>((state >> 33) % entries);
    }
    double best = 1e300;
    for (int round = 0; round < 8; ++round) {
        const auto start = std::chrono::steady_clock::now();
        double sum = 0;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : sum)
        for (std::size_t k = 0; k < gathers; ++k) sum += table[places[k]];
        benchmark::DoNotOptimize(sum);
        best =
            std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    std::free(table);
    return static_cast<double>(gathers) / best;
}

}  // namespace nz::bench
