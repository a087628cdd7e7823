// How fast files become matrices. The main case is the one that other readers were measured on: 64 MB, 3.8 M
// lines, symmetric, integer weights (the best of them needs 0.9 s and does not expand the symmetry;
// SciPy 1.10 2.9 s). Names: reading/FORMAT/ORDER/STAGE. MB/s are of the file's text (for gzip: of what it
// inflates to), warm.
#include "io/mapped_file.hpp"
#include "io/matrix_market.hpp"
#include "nonzero/io.hpp"

#include <benchmark/benchmark.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace nz::bench {
namespace {

constexpr int scale = 18;
constexpr std::size_t edges = 3'800'000;

std::uint64_t next(std::uint64_t& state) {  // splitmix64
    std::uint64_t x = state += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

// Distinct entries below the diagonal of an R-MAT graph with permuted vertices, as (column << 32 | row),
// sorted as most published files are: by column, then row.
std::vector<std::uint64_t> lower_triangle() {
    std::uint64_t state = 1;
    std::vector<std::uint32_t> name(std::size_t{1} << scale);
    for (std::size_t k = 0; k < name.size(); ++k) name[k] = static_cast<std::uint32_t>(k);
    for (std::size_t k = name.size(); k > 1; --k) std::swap(name[k - 1], name[next(state) % k]);
    std::vector<std::uint64_t> out;
    while (out.size() < edges) {
        while (out.size() < edges + edges / 20) {
            std::uint32_t i = 0, j = 0;
            for (int bit = 0; bit < scale; ++bit) {
                const std::uint64_t r = next(state) % 100;
                i = 2 * i + (r >= 76);
                j = 2 * j + ((r >= 57 && r < 76) || r >= 95);
            }
            i = name[i], j = name[j];
            if (i != j) out.push_back(static_cast<std::uint64_t>(std::min(i, j)) << 32 | std::max(i, j));
        }
        std::sort(out.begin(), out.end());
        out.erase(std::unique(out.begin(), out.end()), out.end());
    }
    out.resize(edges);
    return out;
}

std::string file_text(bool shuffled) {
    auto list = lower_triangle();
    std::uint64_t state = 2;
    if (shuffled)
        for (std::size_t k = list.size(); k > 1; --k) std::swap(list[k - 1], list[next(state) % k]);
    const std::string n = std::to_string(1 << scale);
    std::string text = "%%MatrixMarket matrix coordinate integer symmetric\n" + n + " " + n + " " +
                       std::to_string(list.size()) + "\n";
    for (const std::uint64_t e : list)
        text += std::to_string((e & 0xffffffff) + 1) + " " + std::to_string((e >> 32) + 1) + " " +
                std::to_string(next(state) % 255 + 1) + "\n";
    return text;
}

// Files for one run of the program.
class files {
public:
    files()
        : folder_(std::filesystem::temp_directory_path() / ("nonzero-bench-" + std::to_string(::getpid()))) {
        std::filesystem::create_directories(folder_);
    }
    ~files() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    // The path of "sorted.mtx", "shuffled.mtx", "sorted.mtx.gz" or a file derived from them; made when first
    // asked for.
    std::string path(const std::string& name) {
        const std::string path = folder_ / name;
        if (std::filesystem::exists(path)) return path;
        if (name.ends_with(".mtx")) {
            const std::string text = file_text(name.starts_with("shuffled"));
            std::ofstream(path, std::ios::binary) << text;
        } else if (name.ends_with(".mtx.gz")) {
            const io::mapped_file text(context{}, this->path(name.substr(0, name.size() - 3)));
            const gzFile out = gzopen(path.c_str(), "wb6");
            gzwrite(out, text.begin(), static_cast<unsigned>(text.size()));
            gzclose(out);
        } else {
            const context ctx;
            save(ctx, load(ctx, this->path("sorted.mtx")).matrix, path);
        }
        return path;
    }

private:
    std::filesystem::path folder_;
};

files& shared_files() {
    static files f;
    return f;
}

std::size_t status_bytes(const std::string& key) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(key)) return std::stoull(line.substr(key.size() + 1)) * 1024;
    return 0;
}

void rate(benchmark::State& state, std::uintmax_t bytes) {
    state.counters["MB/s"] =
        benchmark::Counter(static_cast<double>(bytes) * 1e-6, benchmark::Counter::kIsIterationInvariantRate);
}

void whole(benchmark::State& state, const std::string& name, const std::string& text_name) {
    const std::string path = shared_files().path(name);
    const context ctx({.threads = static_cast<int>(state.range(0))});
    std::size_t csr_bytes = 1;
    for (auto _ : state) {
        const input in = load(ctx, path);
        csr_bytes = ctx.bytes_in_use();
        benchmark::DoNotOptimize(in.matrix.nnz());
    }
    rate(state, std::filesystem::file_size(shared_files().path(text_name)));
    // Alive at a time, through the context, over the CSR that stays.
    state.counters["peak/csr"] = static_cast<double>(ctx.peak_bytes()) / static_cast<double>(csr_bytes);
}

// The resident memory of a first load, in memory that nothing has used before, beyond the mapped file.
void first_load(benchmark::State& state) {
    const std::string path = shared_files().path("sorted.mtx");
    struct fresh final : memory_resource {
        void* allocate(std::size_t bytes) override {
            return ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        }
        void deallocate(void* pointer, std::size_t bytes) noexcept override { ::munmap(pointer, bytes); }
    };
    for (auto _ : state) {
        std::ofstream("/proc/self/clear_refs") << 5;  // the high-water mark begins anew
        const std::size_t before = status_bytes("VmRSS:");
        const context ctx({.threads = static_cast<int>(state.range(0)), .memory = std::make_shared<fresh>()});
        const input in = load(ctx, path);
        const double beyond = static_cast<double>(status_bytes("VmHWM:")) - static_cast<double>(before) -
                              static_cast<double>(std::filesystem::file_size(path));
        state.counters["rss/csr"] = beyond / static_cast<double>(ctx.bytes_in_use());
    }
    rate(state, std::filesystem::file_size(path));
}

void parse(benchmark::State& state, const std::string& name, const std::string& text_name) {
    const std::string path = shared_files().path(name);
    const context ctx({.threads = static_cast<int>(state.range(0))});
    for (auto _ : state)
        benchmark::DoNotOptimize(io::matrix_market::check(ctx, *io::open_text(ctx, path), {}));
    rate(state, std::filesystem::file_size(shared_files().path(text_name)));
}

// What gzip is held against: zlib alone, on the same file.
void inflate_only(benchmark::State& state) {
    const std::string path = shared_files().path("sorted.mtx.gz");
    std::vector<char> out(std::size_t{1} << 20);
    for (auto _ : state) {
        const gzFile in = gzopen(path.c_str(), "rb");
        gzbuffer(in, 1 << 20);
        while (gzread(in, out.data(), static_cast<unsigned>(out.size())) > 0)
            benchmark::DoNotOptimize(out.data());
        gzclose(in);
    }
    rate(state, std::filesystem::file_size(shared_files().path("sorted.mtx")));
}

void threads_axis(benchmark::internal::Benchmark* b) {
    b->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
}

BENCHMARK_CAPTURE(parse, sorted, "sorted.mtx", "sorted.mtx")
    ->Name("reading/mtx_symmetric_integer/sorted/parse")
    ->Apply(threads_axis);
BENCHMARK_CAPTURE(whole, sorted, "sorted.mtx", "sorted.mtx")
    ->Name("reading/mtx_symmetric_integer/sorted/whole")
    ->Apply(threads_axis);
BENCHMARK_CAPTURE(whole, shuffled, "shuffled.mtx", "shuffled.mtx")
    ->Name("reading/mtx_symmetric_integer/shuffled/whole")
    ->Apply(threads_axis);
BENCHMARK(first_load)
    ->Name("reading/mtx_symmetric_integer/sorted/first_load")
    ->Apply(threads_axis)
    ->Iterations(3);
BENCHMARK_CAPTURE(whole, gzip, "sorted.mtx.gz", "sorted.mtx")
    ->Name("reading/mtx_gz_symmetric_integer/sorted/whole")
    ->Apply(threads_axis);
BENCHMARK(inflate_only)
    ->Name("reading/mtx_gz_symmetric_integer/sorted/zlib_alone")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(whole, el, "sorted.el", "sorted.el")->Name("reading/el/sorted/whole")->Apply(threads_axis);
BENCHMARK_CAPTURE(whole, npz, "sorted.npz", "sorted.npz")
    ->Name("reading/npz/sorted/whole")
    ->Apply(threads_axis);
BENCHMARK_CAPTURE(whole, nzb, "sorted.nzb", "sorted.nzb")
    ->Name("reading/nzb/sorted/whole")
    ->Apply(threads_axis);

}  // namespace
}  // namespace nz::bench
