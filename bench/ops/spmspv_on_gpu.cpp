#include "ops/spmspv_on_gpu.hpp"

#include "core/parallel.hpp"
#include "limits/gpu.hpp"
#include "ops/gpu_operands.hpp"
#include "ops/matvec_on_gpu.hpp"

#include <fmt/format.h>

#include <optional>
#include <random>

namespace nz::bench {
namespace {

constexpr int repeats = 15;
constexpr double densities[] = {0.1, 0.01, 0.001, 0.0001};
// The scatter adds doubles in any order; the others, and the plan unless told so, keep one.
constexpr const char* kernels[] = {"csc_gather_scatter", "csc_gather_radix", "csc_gather_merge",
                                   "csc_gather_bucket",  "csr_merge",        "planned",
                                   "planned_fast"};
constexpr std::size_t planned_at = 5, fast_at = 6;

std::string_view pin(std::string_view kernel) {
    return kernel.starts_with("planned") ? std::string_view() : kernel;
}
determinism order_of(std::string_view kernel) {
    return kernel == "csc_gather_scatter" || kernel == "planned_fast" ? determinism::fast
                                                                      : determinism::strict;
}

// A sparse vector, and what A times it is by a plain loop over the rows: the places that have entries, and the sums.
struct sparse_case {
    std::vector<index_t> places;
    std::vector<double> values;
    std::vector<index_t> out_places;
    std::vector<double> out_values;
    double products = 0;

    /// The entries of u and the columns it names, read once, and the result, written once.
    double bytes() const {
        return 12 * (static_cast<double>(places.size()) + products + static_cast<double>(out_places.size()));
    }
};

sparse_case make_case(const context& cpu, const structure& s, double density) {
    sparse_case c;
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> unit(0, 1);
    std::vector<double> dense(static_cast<std::size_t>(s.a.columns()), 0);
    for (index_t j = 0; j < s.a.columns(); ++j)
        if (unit(random) < density) {
            c.places.push_back(j);
            c.values.push_back(value_at(j));
            dense[static_cast<std::size_t>(j)] = value_at(j);
        }
    std::vector<double> sums(static_cast<std::size_t>(s.a.rows()), 0);
    std::atomic<offset_t> products{0};
    parallel::for_chunks(cpu.threads(), s.a.rows(), 4096, [&](offset_t begin, offset_t end) {
        offset_t of_chunk = 0;
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
            for (auto k = s.offsets[i]; k < s.offsets[i + 1]; ++k)
                if (const double x = dense[static_cast<std::size_t>(s.indices[static_cast<std::size_t>(k)])];
                    x != 0) {
                    sums[i] += value_at(k) * x;
                    ++of_chunk;
                }
        products += of_chunk;
    });
    c.products = static_cast<double>(products);
    for (std::size_t i = 0; i < sums.size(); ++i)
        if (sums[i] != 0) {
            c.out_places.push_back(static_cast<index_t>(i));
            c.out_values.push_back(sums[i]);
        }
    return c;
}

void expect_result(const sparse_case& c, const vector& y, const std::string& name) {
    std::vector<index_t> places;
    std::vector<double> values;
    y.extract_tuples(places, values);
    if (places != c.out_places) throw error(name + ": entries in other places than a plain loop's");
    for (std::size_t k = 0; k < values.size(); ++k)
        if (!(std::abs(values[k] - c.out_values[k]) <= 1e-10 * c.out_values[k]))
            throw error(fmt::format("{}: row {} is {}, not {}", name, places[k], values[k], c.out_values[k]));
}

// The matrix and the vector at hand.
class sparse_slot {
public:
    sparse_slot(const context& gpu, const context& cpu) : gpu_(gpu), cpu_(cpu) {}

    void take(const std::string& source, double density) {
        if (source != source_) {
            operands_.reset();
            structure_.reset();
            structure_ = make_structure(cpu_, source);
            operands_ = make_operands(gpu_, *structure_, dtype::float64);
            source_ = source;
            density_ = 0;
        }
        if (density == density_) return;
        case_ = make_case(cpu_, *structure_, density);
        u_ = vector::build<double>(gpu_, structure_->a.columns(), case_.places, case_.values);
        density_ = density;
    }
    double timed(int count, const std::string& name, std::string* planned = nullptr) {
        vector y(gpu_, dtype::float64, operands_->a.rows());
        const double ms = mxv_on_gpu_ms(gpu_, operands_->a, *u_, y, pin(name), dtype::float64, count,
                                        order_of(name), planned);
        expect_result(case_, y, name);
        return ms;
    }
    const sparse_case& at_hand() const { return case_; }

private:
    const context &gpu_, &cpu_;
    std::string source_;
    double density_ = 0;
    std::optional<structure> structure_;
    std::optional<operands> operands_;
    sparse_case case_;
    std::optional<vector> u_;
};

std::string name_of_case(const std::string& source, double density, const std::string& kernel) {
    return fmt::format("spmspv/{}/{}/{}", source, density, kernel);
}

std::vector<std::string> kernels_here(const context& gpu, const context& cpu) {
    sparse_slot tiny(gpu, cpu);
    tiny.take("random:64,4", 0.1);
    std::vector<std::string> here;
    for (const std::string kernel : kernels) try {
            tiny.timed(1, kernel);
            here.push_back(kernel);
        } catch (const error& why) {
            // An id that the library does not know is a domain_error; any other failure is one of the kernel.
            if (!dynamic_cast<const not_supported*>(&why) && !dynamic_cast<const domain_error*>(&why)) throw;
            fmt::print("mxv {} on a sparse vector: left out: {}\n", kernel, why.what());
        }
    return here;
}

}  // namespace

std::vector<std::string> sparse_sources(const std::vector<std::string>& sources) {
    std::vector<std::string> sparse;
    for (const auto& source : sources)
        if (source.starts_with("random:") || source.starts_with("rmat")) sparse.push_back(source);
    return sparse;
}

void add_spmspv_on_gpu(const context& gpu, const context& cpu, const std::vector<std::string>& sources) {
    if (sources.empty()) return;
    const std::vector<std::string> here = kernels_here(gpu, cpu);
    const auto slot = std::make_shared<sparse_slot>(gpu, cpu);
    for (const auto& source : sources)
        for (const double density : densities)
            for (const auto& kernel : here)
                add(name_of_case(source, density, kernel), [=] {
                    slot->take(source, density);
                    std::string planned;
                    const double ms = slot->timed(repeats, kernel, &planned);
                    const sparse_case& c = slot->at_hand();
                    const double floor = c.bytes() / measured_gpu_limits().copy.per_second * 1e3;
                    return measurement{ms,
                                       {{"input_entries", static_cast<double>(c.places.size())},
                                        {"products", c.products},
                                        {"output_entries", static_cast<double>(c.out_places.size())},
                                        {"floor_ms", floor},
                                        {"share_of_floor", floor / ms}},
                                       planned};
                });
}

void print_spmspv_on_gpu(const std::vector<std::string>& sources,
                         const std::map<std::string, measurement>& results) {
    for (const auto& source : sources) {
        bool headed = false;
        for (const double density : densities) {
            const measurement* of[std::size(kernels)] = {};
            double ordered = 1e300, best = 1e300;  // of those that keep an order, and of all
            for (std::size_t k = 0; k < std::size(kernels); ++k)
                if (const auto it = results.find(name_of_case(source, density, kernels[k]));
                    it != results.end()) {
                    of[k] = &it->second;
                    if (k < planned_at) best = std::min(best, it->second.ms);
                    if (k > 0 && k < planned_at) ordered = std::min(ordered, it->second.ms);
                }
            if (best == 1e300) continue;
            if (!headed)
                fmt::print(
                    "\nspmspv {} (ms)\n{:>8} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>7} {:>9} {:>7}\n",
                    source, "density", "products", "scatter", "radix", "merge", "bucket", "csr_merge",
                    "planned", "regret", "plan fast", "regret");
            headed = true;
            const auto ms = [&](std::size_t k) { return of[k] ? fmt::format("{:.4f}", of[k]->ms) : "-"; };
            const auto regret = [&](std::size_t k, double least) {
                return of[k] ? fmt::format("{:.2f}", of[k]->ms / least) : "-";
            };
            const auto any = std::ranges::find_if(of, [](const auto* m) { return m != nullptr; });
            fmt::print("{:>8} {:>9.0f} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>7} {:>9} {:>7}\n", density,
                       (*any)->counters.at("products"), ms(0), ms(1), ms(2), ms(3), ms(4), ms(planned_at),
                       regret(planned_at, ordered), ms(fast_at), regret(fast_at, best));
        }
    }
}

}  // namespace nz::bench
