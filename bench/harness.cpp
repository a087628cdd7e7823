#include "harness.hpp"

#include "core/device.hpp"

#include <algorithm>
#include <cmath>
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

bool whole = true;

// Google Benchmark's JSON, which says nothing where it cannot be written.
class json_reporter : public benchmark::JSONReporter {
    void Finalize() override {
        JSONReporter::Finalize();
        whole = whole && GetOutputStream().flush();
    }
};

// Into the JSON, beside what Google Benchmark says of the host.
void say_machine(const options& o) {
    if (o.backend == "cpu" || !device::why_absent().empty()) return;
    const context ctx({.backend = backend::cuda});
    const device::facts& gpu = ctx.gpu()->about();
    benchmark::AddCustomContext("gpu", gpu.name);
    benchmark::AddCustomContext("gpu_multiprocessors", std::to_string(gpu.multiprocessors));
    benchmark::AddCustomContext("gpu_l2_bytes", std::to_string(gpu.l2_bytes));
    benchmark::AddCustomContext("gpu_memory_bytes", std::to_string(gpu.memory_bytes));
}

}  // namespace

void add(const std::string& name, std::function<std::optional<measurement>()> body) {
    benchmark::RegisterBenchmark(name.c_str(),
                                 [name, body = std::move(body)](benchmark::State& state) {
                                     for (auto _ : state) {
                                         const std::optional<measurement> m = body();
                                         if (!m) {
                                             state.SkipWithError("cannot be measured here");
                                             break;
                                         }
                                         state.SetIterationTime(m->ms / 1e3);
                                         for (const auto& [key, value] : m->counters)
                                             state.counters[key] = value;
                                         if (!m->planned.empty()) state.SetLabel(m->planned);
                                         results()[name] = *m;
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
    json_reporter json;
    if (!o.json.empty()) say_machine(o);
    benchmark::RunSpecifiedBenchmarks(nullptr, o.json.empty() ? nullptr : &json);
    return results();
}

const std::map<std::string, measurement>& results_so_far() { return results(); }
bool json_is_whole() { return whole; }

}  // namespace nz::bench
