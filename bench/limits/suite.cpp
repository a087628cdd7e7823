// nz-bench limits: what the floors of the other suites are made of, measured on the machine at hand. The processor's
// always; the GPU's with --backend cuda (alone), and with auto where there is one. A benchmark's time is that of one
// measured pass; its counter is the rate.
#include "core/buffer.hpp"
#include "core/device.hpp"
#include "limits/cpu.hpp"
#include "limits/gpu.hpp"
#include "suites.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <cstddef>
#include <vector>

namespace nz::bench {
namespace {

constexpr std::size_t cpu_tables_kib[] = {32, 256, 1024, 4096, 16384, 65536, 262144};

std::string size_name(std::size_t bytes) {
    return bytes >> 30   ? fmt::format("{}GiB", bytes >> 30)
           : bytes >> 20 ? fmt::format("{}MiB", bytes >> 20)
                         : fmt::format("{}KiB", bytes >> 10);
}

void add_rate(const std::string& name, const char* counter, double unit, const std::function<rate()>& of) {
    add("limits/" + name, [=] {
        const rate r = of();
        return measurement{r.ms, {{counter, r.per_second * unit}}};
    });
}

void add_cpu(int threads) {
    const auto of_bytes = [&](const char* name, double (*bandwidth)(int)) {
        add_rate(fmt::format("cpu/{}", name), "gbytes_per_s", 1e-9, [=] {
            const double per_second = bandwidth(threads);
            return rate{static_cast<double>(std::size_t{1} << 30) / per_second * 1e3, per_second};
        });
    };
    of_bytes("read", read_bandwidth);
    of_bytes("read_small_pages", read_bandwidth_small_pages);
    of_bytes("copy", copy_bandwidth);
    for (const std::size_t kib : cpu_tables_kib)
        for (const int bytes : {4, 8})
            add_rate(fmt::format("cpu/gather_{}/{}", bytes, size_name(kib << 10)), "giga_per_s", 1e-9, [=] {
                const double per_second = gather_rate(threads, kib << 10, bytes);
                return rate{static_cast<double>(std::size_t{1} << 24) / per_second * 1e3, per_second};
            });
}

// As the library copies what is not pinned, there or back.
rate copied(const context& ctx, bool back) {
    constexpr std::size_t bytes = std::size_t{1} << 28;
    std::vector<std::byte> here(bytes);
    const buffer there(ctx.device_memory(), bytes);
    const double ms = time_ms(5, [&] {
                          back ? ctx.gpu()->download(here.data(), there.data(), bytes)
                               : ctx.gpu()->upload(there.data(), here.data(), bytes);
                          ctx.gpu()->wait();
                      }).median;
    return {ms, static_cast<double>(bytes) / ms * 1e3};
}

void add_gpu(const context& ctx, const gpu_limits& l) {
    const auto bytes = [](const char* name, const rate& r) {
        add_rate(fmt::format("cuda/{}", name), "gbytes_per_s", 1e-9, [&r] { return r; });
    };
    const auto microseconds = [](const char* name, const rate& r) {
        add(fmt::format("limits/cuda/{}", name),
            [&r] { return measurement{r.ms, {{"us_each", 1e6 / r.per_second}}}; });
    };
    bytes("copy", l.copy);
    bytes("read", l.read);
    bytes("to_device", l.to_device);
    bytes("to_host", l.to_host);
    bytes("pageable_to_device", l.pageable_to_device);
    bytes("pageable_to_host", l.pageable_to_host);
    for (const bool back : {false, true})
        add_rate(back ? "cuda/staged_to_host" : "cuda/staged_to_device", "gbytes_per_s", 1e-9,
                 [&ctx, back] { return copied(ctx, back); });
    for (const scattered_rates& s : l.scattered)
        for (const auto& [name, r] : {std::pair<const char*, const rate*>{"gather_4", &s.gather_4},
                                      {"gather_8", &s.gather_8},
                                      {"atomic_or", &s.atomic_or},
                                      {"atomic_add", &s.atomic_add}})
            add_rate(fmt::format("cuda/{}/{}", name, size_name(s.table_bytes)), "giga_per_s", 1e-9,
                     [r] { return *r; });
    microseconds("launch", l.launch);
    microseconds("launch_full_grid", l.launch_full);
    microseconds("launch_read_back", l.launch_read_back);
    microseconds("graph_node", l.graph_node);
    microseconds("barrier", l.barrier);
    microseconds("barrier_full_grid", l.barrier_full);
}

void print_cpu(const std::map<std::string, measurement>& results, int threads) {
    const auto counter = [&](const std::string& name, const char* key) {
        const auto it = results.find("limits/cpu/" + name);
        return it == results.end() ? 0 : it->second.counters.at(key);
    };
    fmt::print(
        "\n{} threads: read {:.1f} GB/s (4 KiB pages {:.1f}), copy {:.1f} GB/s read and written\n"
        "{:>10} {:>12} {:>12}\n",
        threads, counter("read", "gbytes_per_s"), counter("read_small_pages", "gbytes_per_s"),
        counter("copy", "gbytes_per_s"), "table", "4 B, G/s", "8 B, G/s");
    for (const std::size_t kib : cpu_tables_kib)
        fmt::print("{:>10} {:>12.3f} {:>12.3f}\n", size_name(kib << 10),
                   counter("gather_4/" + size_name(kib << 10), "giga_per_s"),
                   counter("gather_8/" + size_name(kib << 10), "giga_per_s"));
}

void print_gpu(const std::map<std::string, measurement>& results, const gpu_limits& l) {
    const auto staged = [&](const char* name) {
        const auto it = results.find(std::string("limits/cuda/") + name);
        return it == results.end() ? 0 : it->second.counters.at("gbytes_per_s");
    };
    const auto giga = [](const rate& r) { return r.per_second * 1e-9; };
    const auto us = [](const rate& r) { return 1e6 / r.per_second; };
    fmt::print(
        "\n{}: copy {:.0f} GB/s read and written, read {:.0f} GB/s, to the device {:.1f}, from it "
        "{:.1f} GB/s\n",
        l.device, giga(l.copy), giga(l.read), giga(l.to_device), giga(l.to_host));
    fmt::print(
        "of memory that is not pinned {:.1f} and {:.1f} GB/s by the driver, {:.1f} and {:.1f} by stages\n",
        giga(l.pageable_to_device), giga(l.pageable_to_host), staged("staged_to_device"),
        staged("staged_to_host"));
    fmt::print(
        "launch {:.2f} us (full grid {:.2f}), launch and 4 bytes back {:.2f} us, captured graph node "
        "{:.2f} us,\nbarrier of the grid {:.2f} us (four blocks a multiprocessor {:.2f})\n",
        us(l.launch), us(l.launch_full), us(l.launch_read_back), us(l.graph_node), us(l.barrier),
        us(l.barrier_full));
    fmt::print("{:>10} {:>12} {:>12} {:>12} {:>12}\n", "table, G/s", "gather 4 B", "gather 8 B", "atomicOr",
               "atomicAdd");
    for (const scattered_rates& s : l.scattered)
        fmt::print("{:>10} {:>12.1f} {:>12.1f} {:>12.1f} {:>12.1f}\n", size_name(s.table_bytes),
                   giga(s.gather_4), giga(s.gather_8), giga(s.atomic_or), giga(s.atomic_add));
}

}  // namespace

int limits_suite(const options& o) {
    const int threads = o.threads ? o.threads : omp_get_max_threads();
    const backend wanted = wanted_backend(o);
    const context ctx({.backend = wanted, .threads = threads});
    const bool on_gpu = ctx.backend() == backend::cuda, on_cpu = o.backend != "cuda";
    if (on_cpu) add_cpu(threads);
    if (on_gpu) add_gpu(ctx, measured_gpu_limits());
    const auto results = run(o, "^limits/");
    if (on_cpu) print_cpu(results, threads);
    if (on_gpu) print_gpu(results, measured_gpu_limits());
    return 0;
}

}  // namespace nz::bench
