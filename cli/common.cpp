#include "common.hpp"

#include "io/output_file.hpp"
#include "io/words.hpp"
#include "suggest.hpp"
#include "transform.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <system_error>

namespace nz::cli {
namespace {

// A bar on standard error; nothing is drawn for loads shorter than this.
constexpr double bar_after_ms = 500;

class progress_bar {
public:
    explicit progress_bar(std::string what) : what_(std::move(what)), terminal_(isatty(STDERR_FILENO) == 1) {}
    ~progress_bar() {
        if (drawn_) tell(fmt::format("\r\033[K"));
    }
    progress_bar(const progress_bar&) = delete;
    progress_bar& operator=(const progress_bar&) = delete;

    bool wanted() const { return terminal_; }
    void show(double share) {
        if (watch_.ms() < bar_after_ms) return;
        const int percent = static_cast<int>(100 * std::clamp(share, 0.0, 1.0));
        if (percent == drawn_percent_) return;
        drawn_percent_ = percent;
        drawn_ = true;
        const int width = 30, done = percent * width / 100;
        tell(fmt::format("\r{} [{:=<{}}{: <{}}] {:3}%\033[K", what_, "", done, "", width - done, percent));
        std::fflush(stderr);
    }

private:
    std::string what_;
    bool terminal_, drawn_ = false;
    int drawn_percent_ = -1;
    stopwatch watch_;
};

std::string lower_case(std::string text) {
    std::ranges::transform(text, text.begin(), io::lower);
    return text;
}

// "uniform:LOW,HIGH".
std::pair<std::int32_t, std::int32_t> parse_weights(const std::string& rule) {
    constexpr std::string_view prefix = "uniform:";
    std::int32_t low = 0, high = 0;
    const char* const end = rule.data() + rule.size();
    const auto is_number = [](std::from_chars_result r) { return r.ec != std::errc::invalid_argument; };
    if (rule.starts_with(prefix)) {
        const auto first = std::from_chars(rule.data() + prefix.size(), end, low);
        if (is_number(first) && first.ptr != end && *first.ptr == ',') {
            const auto second = std::from_chars(first.ptr + 1, end, high);
            if (is_number(second) && second.ptr == end) {
                if (first.ec != std::errc() || second.ec != std::errc())
                    throw usage_error(fmt::format("'{}': weights are from {} to {}", rule,
                                                  std::numeric_limits<std::int32_t>::min(),
                                                  std::numeric_limits<std::int32_t>::max()));
                if (low <= high) return {low, high};
            }
        }
    }
    throw usage_error(
        fmt::format("'{}' is no rule for weights: write it like uniform:1,255, the lowest first", rule));
}

}  // namespace

semiring named_semiring(const std::string& name, const std::string& type) {
    semiring ring(name);
    if (type.empty()) return ring;
    const dtype asked = parse_dtype(type);
    if (ring.pinned_type() && *ring.pinned_type() != asked)
        throw usage_error(
            fmt::format("semiring {} computes in {}, --dtype {} in another type: leave one of them out", name,
                        name_of(*ring.pinned_type()), type));
    return {ring.add(), ring.multiply(), asked};
}

void check_generator(const std::string& input) {
    std::error_code ignored;
    if (is_generator(input) || std::filesystem::exists(input, ignored)) return;
    const auto colon = std::min(input.find(':'), input.size());
    const std::string name = lower_case(input.substr(0, colon));
    std::vector<std::string> names;
    for (const auto& line : generators()) {
        names.push_back(line.substr(0, line.find(':')));
        if (colon == input.size() && names.back() == name)
            throw usage_error(fmt::format("{}: a generator needs its parameters: {}", input,
                                          line.substr(0, line.find(' '))));
    }
    if (colon == input.size()) return;
    const std::string meant = nearest(name, names);
    if (!meant.empty())
        throw usage_error(fmt::format("{}: neither a file nor a generator{}", input,
                                      did_you_mean(meant + input.substr(colon))));
}

structure::structure(const matrix& a) : rows_(a.rows()), columns_count_(a.columns()) {
    dispatch(a.type(), [&]<class T>(std::type_identity<T>) {
        if (a.nnz() <= std::numeric_limits<std::int32_t>::max()) {
            const auto view = a.csr<T, std::int32_t>();
            narrow_ = view.offsets;
            columns_ = view.columns;
        } else {
            const auto view = a.csr<T, std::int64_t>();
            wide_ = view.offsets;
            columns_ = view.columns;
        }
    });
}

context make_context(const settings& s, bool computes) {
    context_options o;
    o.backend = s.backend == "cuda"               ? backend::cuda
                : s.backend == "cpu" || !computes ? backend::cpu
                                                  : backend::automatic;
    o.threads = s.threads;
    o.memory_limit = s.memory_limit;
    o.device_memory_limit = s.device_memory_limit;
    return context(o);
}

loaded load_input(const context& ctx, const settings& s) {
    std::pair<std::int32_t, std::int32_t> weights;
    if (!s.weights.empty()) weights = parse_weights(s.weights);  // before the work rather than after
    if (s.input == "-") throw usage_error("-: standard input is read by the name /dev/stdin");
    check_generator(s.input);
    progress_bar bar(fmt::format("{} {}", is_generator(s.input) ? "Making" : "Reading", s.input));
    read_options o;
    o.complex_modulus = s.complex_modulus;
    o.symmetrize = s.symmetrize;
    o.seed = s.seed;
    if (bar.wanted()) o.progress = [&bar](double share) { bar.show(share); };
    const stopwatch reading;
    loaded in{load(ctx, s.input, o)};
    in.load_ms = reading.ms();
    const stopwatch changing;
    transform(ctx, in.input, {s.symmetrize, s.drop_loops, s.largest_component});
    if (!s.weights.empty())
        in.input.matrix = with_random_weights(ctx, in.matrix(), weights.first, weights.second, s.seed);
    in.transform_ms = changing.ms();
    return in;
}

std::string device_name(const context& ctx) {
    if (!ctx.device().empty()) return ctx.device();
    std::ifstream cpuinfo("/proc/cpuinfo");
    std::string line, name = "CPU";
    while (std::getline(cpuinfo, line)) {
        const auto colon = line.find(": ");
        if (!line.starts_with("model name") || colon == std::string::npos) continue;
        name = line.substr(colon + 2);
        break;
    }
    return fmt::format("{}, {}", name, count_text(ctx.threads(), "thread", "threads"));
}

std::string bytes_text(double bytes) {
    constexpr std::string_view units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    std::size_t unit = 0;
    for (; bytes >= 1024 && unit + 1 < std::size(units); ++unit) bytes /= 1024;
    return unit == 0 ? fmt::format("{} bytes", bytes) : fmt::format("{:.1f} {}", bytes, units[unit]);
}

std::string arrivals_text(std::size_t moved_bytes) {
    return bytes_text(static_cast<double>(moved_bytes)) + " came to the GPU from host memory.";
}

std::string time_text(double ms) {
    if (ms < 1) return fmt::format("{:.1f} us", ms * 1e3);
    return ms < 1000 ? fmt::format("{:.2f} ms", ms) : fmt::format("{:.2f} s", ms / 1e3);
}

std::string count_text(offset_t n, std::string_view singular, std::string_view plural) {
    return fmt::format("{} {}", n, n == 1 ? singular : plural);
}

std::string input_text(const settings& s, const loaded& in) {
    const matrix& a = in.matrix();
    return fmt::format("{}: {} x {}, {}, {}, {} in {}", s.input, a.rows(), a.columns(),
                       count_text(a.nnz(), "entry", "entries"), in.input.format,
                       is_generator(s.input) ? "generated" : "loaded", time_text(in.load_ms));
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    if (values.size() % 2 == 1) return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double time_of_repeats(int repeat, const std::function<void()>& work) {
    std::vector<double> times;
    for (int k = 0; k < repeat + (repeat > 1); ++k) {
        const stopwatch watch;
        work();
        times.push_back(watch.ms());
    }
    if (repeat > 1) times.erase(times.begin());
    return median(times);
}

std::string_view kernel_of(std::string_view plan) {
    const std::string_view id = plan.substr(0, plan.find_first_of(" :"));
    return id.substr(id.find('/') + 1);
}

json report(std::string_view verb, const settings& s, const context& ctx, const loaded& in,
            std::string_view kernel, double time_ms) {
    const matrix& a = in.matrix();
    json r;
    r["command"] = verb;
    r["input"] = {{"name", s.input},
                  {"rows", a.rows()},
                  {"columns", a.columns()},
                  {"nonzeros", a.nnz()},
                  {"format", in.input.format}};
    r["backend"] = name_of(ctx.backend());
    r["device"] = device_name(ctx);
    r["kernel"] = kernel.empty() ? json(nullptr) : json(kernel);
    r["time_ms"] = time_ms;
    r["load_ms"] = in.load_ms;
    return r;
}

void print(const json& object) {
    fmt::print("{}\n", object.dump(-1, ' ', false, json::error_handler_t::replace));
}

void tell(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

void warn(std::string_view text) { tell(fmt::format("nz: warning: {}\n", text)); }

bool same_entries(const matrix& x, const matrix& y) {
    return dispatch(x.type(), [&]<class T>(std::type_identity<T>) {
        std::vector<index_t> rows[2], columns[2];
        std::vector<T> values[2];
        x.extract_tuples(rows[0], columns[0], values[0]);
        y.extract_tuples(rows[1], columns[1], values[1]);
        const auto agree = [](T u, T v) { return u == v || (u != u && v != v); };
        return rows[0] == rows[1] && columns[0] == columns[1] &&
               std::ranges::equal(values[0], values[1], agree);
    });
}

void check_tiling(const settings& s, const tiling& tiles, std::initializer_list<std::string_view> kernels) {
    if ((tiles.size == 0 && tiles.least_entries < 0) || std::ranges::find(kernels, s.kernel) != kernels.end())
        return;
    throw usage_error(fmt::format("--tile-size and --tile-least are for --kernel {}",
                                  fmt::join(kernels, " and --kernel ")));
}

void check_different(const std::string& one, const std::string& other) {
    if (one.empty() || other.empty()) return;
    std::error_code ignored;
    const auto real = [&](const std::string& path) {
        return std::filesystem::weakly_canonical(std::filesystem::absolute(path), ignored);
    };
    if (one == other || real(one) == real(other))
        throw usage_error(fmt::format("{}: two outputs go to this file", other));
}

void check_output(const std::string& path) {
    namespace fs = std::filesystem;
    std::error_code ignored;
    const fs::path parent = fs::path(path).parent_path();
    if (!parent.empty() && !fs::is_directory(parent, ignored))
        throw usage_error(fmt::format("cannot write {}: there is no folder {}", path, parent.string()));
    if (fs::is_directory(path, ignored))
        throw usage_error(fmt::format("cannot write {}: it is a folder", path));
}

void check_columns(const std::string& path) {
    check_output(path);
    const std::string name = lower_case(path);
    for (const auto* suffix : {".gz", ".mtx", ".mm", ".el", ".wel", ".nzb", ".h5", ".hdf5"})
        if (name.ends_with(suffix))
            throw usage_error(fmt::format(
                "cannot write {}: this output is text, or an .npz for NumPy, not {}", path, suffix));
}

bool is_npz(const std::string& path) { return lower_case(path).ends_with(".npz"); }

void write_file(const std::string& path, std::string_view content) {
    io::output_file file(path);
    file.write(content);
    file.commit();
}

}  // namespace nz::cli
