#include "matvec.hpp"

#include "io/arrays.hpp"
#include "kernels/kernel_ids.hpp"
#include "nonzero/errors.hpp"
#include "ops/mxv_device.hpp"
#include "random_value.hpp"
#include "reorder.hpp"
#include "transform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

namespace nz::cli {
namespace {

template <class T>
vector random_entries(const context& ctx, offset_t size, double density, std::uint64_t key) {
    std::vector<index_t> at;
    std::size_t count = 0;
    const std::unique_ptr<T[]> values(new T[static_cast<std::size_t>(size) + 1]);
    for (offset_t i = 0; i < size; ++i) {
        io::random_stream r(key, static_cast<std::uint64_t>(i));
        const T value = random_value<T>(r);
        if (density < 1 && r.real() >= density && !(at.empty() && i + 1 == size)) continue;
        values[count++] = value;
        at.push_back(static_cast<index_t>(i));
    }
    const std::span<const T> entries(values.get(), count);
    return density < 1 ? vector::build<T>(ctx, size, at, entries) : vector::dense<T>(ctx, entries);
}

matvec make_operands(const context& ctx, const matvec_settings& s, const matrix& given) {
    semiring ring = named_semiring(s.semiring, s.type);
    const dtype operand = ring.operand_type(given.type(), dtype::float64);
    matrix a = ring.ignores_a() ? given : with_type(ctx, given, operand);
    vector x = random_vector(ctx, operand, a.columns(), s.density, s.seed);
    vector y(ctx, ring.value_type(a.type(), operand), a.rows());
    return {std::move(ring), std::move(a), std::move(x), std::move(y), {}, 0, 0, {}};
}

offset_t count_products(const matvec& m) {
    if (m.x.form() == vector_form::dense) return m.a.nnz();
    std::vector<char> present(static_cast<std::size_t>(m.x.size()));
    for (offset_t k = 0; k < m.x.size(); ++k) present[static_cast<std::size_t>(k)] = m.x.contains(k);
    const structure rows(m.a);
    offset_t products = 0;
    for (offset_t i = 0; i < rows.rows(); ++i)
        for (const index_t k : rows.row(i)) products += present[static_cast<std::size_t>(k)];
    return products;
}

void compute(const context& ctx, const matvec_settings& s, matvec& m, const renumbered& work) {
    const vector x = work.operand(m.x);
    vector_options o;
    o.kernel = s.kernel;
    o.determinism = s.requested();
    o.tiles = s.tiles;
    std::vector<double> times;
    work.matrix().expect_products(s.repeat);
    if (s.repeat > 1) mxv(ctx, m.y, m.ring, work.matrix(), x, o);
    for (int k = 0; k < s.repeat; ++k) {
        const stopwatch watch;
        m.plan = mxv(ctx, m.y, m.ring, work.matrix(), x, o);
        times.push_back(watch.ms());
    }
    // On a GPU the kernel's own time: operands resident, result left there.
    if (m.plan.on_device) times = ops::mxv_kernel_ms(ctx, m.ring, work.matrix(), x, o, s.repeat);
    m.ms = median(std::move(times));
    m.y = work.restored(m.y);
    m.products = count_products(m);
    if (s.validate) m.breach = check_matvec(m, s.fast || work.active());
}

// Bytes that the plan's direction has to move at least: offsets, indices, values where they are read, x and
// y.
double bytes_moved(const matvec& m) {
    const bool reads_values = !m.ring.ignores_a() && m.a.values_held() == value_kind::full;
    const auto entry = static_cast<double>(sizeof(index_t) + (reads_values ? size_of(m.a.type()) : 0));
    const double x_value = m.ring.ignores_b() ? 0 : static_cast<double>(size_of(m.x.type()));
    const auto y_value = static_cast<double>(size_of(m.y.type()));
    const int offset = structure(m.a).offset_bytes();
    const double x_index = m.x.form() == vector_form::sparse ? sizeof(index_t) : 0;
    const double x = static_cast<double>(m.x.count()) * (x_value + x_index);
    if (m.plan.direction == direction::push)
        return static_cast<double>(m.products) * entry + static_cast<double>(m.x.count()) * 2 * offset + x +
               static_cast<double>(m.y.count()) * y_value;
    return static_cast<double>(m.a.nnz()) * entry + static_cast<double>(m.a.rows() + 1) * offset + x +
           static_cast<double>(m.y.size()) * y_value;
}

double gflops(const matvec& m) { return m.ms > 0 ? 2 * static_cast<double>(m.products) / (m.ms * 1e6) : 0; }
double gbytes_per_s(const matvec& m) { return m.ms > 0 ? bytes_moved(m) / (m.ms * 1e6) : 0; }

std::vector<std::string> explanation(const matvec& m) {
    std::vector<std::string> lines;
    lines.push_back(
        fmt::format("Kernel {} goes by {}: {}.", m.plan.kernel, name_of(m.plan.direction), m.plan.reason));
    lines.push_back(fmt::format("It reads the {} of the matrix{}, x in {} form, and writes y in {} form.",
                                m.plan.reads_transpose ? "columns" : "rows",
                                m.plan.builds_transpose ? ", which the first run built" : "",
                                name_of(m.plan.input), name_of(m.plan.output)));
    lines.push_back(fmt::format(
        "Semiring {} on {} {}; {} of workspace; {} of {} entries meet an entry of x.", m.ring.name(),
        name_of(m.x.type()), m.plan.tier == tier::compiled ? "is compiled" : "runs on the generic path",
        bytes_text(static_cast<double>(m.plan.workspace_bytes)), m.products, m.a.nnz()));
    return lines;
}

void report_matvec(std::string_view verb, const matvec_settings& s, const context& ctx, const loaded& in,
                   const matvec& m, const renumbered& work) {
    if (s.json) {
        json r = report(verb, s, ctx, in, m.plan.kernel, m.ms);
        work.report_to(r);
        r["semiring"] = m.ring.name();
        r["type"] = name_of(m.x.type());
        r["vector_entries"] = m.x.count();
        r["result_entries"] = m.y.count();
        r["products"] = m.products;
        r["gflops"] = gflops(m);
        r["gbytes_per_s"] = gbytes_per_s(m);
        r["plan"] = to_string(m.plan);
        if (s.validate) r["valid"] = m.breach.empty();
        if (!m.breach.empty()) r["breach"] = m.breach;
        if (s.explain) r["explanation"] = explanation(m);
        print(r);
        return;
    }
    fmt::print("{}\n", input_text(s, in));
    work.print_line();
    fmt::print("x: {} of {}, {}; semiring {}\n", m.x.count(), count_text(m.x.size(), "entry", "entries"),
               name_of(m.x.type()), m.ring.name());
    fmt::print("plan: {}\n", to_string(m.plan));
    if (s.explain)
        for (const auto& line : explanation(m)) fmt::print("{}\n", line);
    fmt::print("kernel {}: {}{}, {:.3f} GFLOP/s, {:.2f} GB/s\n", m.plan.kernel, time_text(m.ms),
               s.repeat > 1 ? fmt::format(" (median of {})", s.repeat) : "", gflops(m), gbytes_per_s(m));
    if (s.validate && m.breach.empty()) fmt::print("valid: agrees with a plain loop over the rows\n");
}

// Places by the input's own ids.
void write_result(const std::string& path, const vector& y, const loaded& in) {
    dispatch(y.type(), [&]<class T>(std::type_identity<T>) {
        std::vector<index_t> at;
        std::vector<T> values;
        y.extract_tuples<T>(at, values);
        if (is_npz(path)) {
            const auto n = static_cast<offset_t>(at.size());
            const auto all = side_by_side(values);
            std::vector<std::int64_t> names;
            if (!in.input.original_ids.empty())
                for (const index_t k : at) names.push_back(in.original(k));
            const io::named_array arrays[] = {names.empty()
                                                  ? io::named_array{"index", dtype::int32, at.data(), n}
                                                  : io::named_array{"index", dtype::int64, names.data(), n},
                                              {"value", dtype_of<T>, all.get(), n}};
            return io::write_npz_arrays(path, arrays);
        }
        fmt::memory_buffer text;
        for (std::size_t k = 0; k < at.size(); ++k) {
            const T value = values[k];
            const std::int64_t name = in.original(at[k]);
            if constexpr (std::is_floating_point_v<T>)
                fmt::format_to(std::back_inserter(text), "{} {}\n", name, value);
            else
                fmt::format_to(std::back_inserter(text), "{} {:d}\n", name, value);
        }
        write_file(path, {text.data(), text.size()});
    });
}

}  // namespace

vector random_vector(const context& ctx, dtype type, offset_t size, double density, std::uint64_t seed) {
    const auto key = io::key_of(seed, io::purpose::values);
    return dispatch(
        type, [&]<class T>(std::type_identity<T>) { return random_entries<T>(ctx, size, density, key); });
}

void add_matvec_options(CLI::App& verb, matvec_settings& s) {
    s.repeat = 10;
    add_input(verb, s);
    add_file_reading(verb, s);
    add_semiring(verb, s.semiring, "min_plus, any_second, lor_land", s.type, "x and of the products");
    verb.add_option("--tile-size", s.tiles.size, "Kernels tile_row, tile_column: 16 (as planned), 32 or 64")
        ->check(CLI::IsMember({16, 32, 64}))
        ->option_text("N");
    verb.add_option("--tile-least", s.tiles.least_entries,
                    "The same: entries in a tile; those of smaller ones are kept apart")
        ->check(CLI::Range(0, 2147483647))
        ->option_text("N");
    add_computation(verb, s, kernels::known_ids("mxv") + ", reference");
    add_reordering(verb, s);
    add_output(verb, s, "Write y as lines 'index value' to this file, or for NumPy where it is an .npz");
}

int run_matvec(std::string_view verb, const matvec_settings& s) {
    check_tiling(s, s.tiles, {"tile_row", "tile_column"});
    if (!s.output.empty()) check_columns(s.output);
    const context ctx = make_context(s);
    const semiring ring = named_semiring(s.semiring, s.type);  // wrong words are told before a long load
    if (!s.reorder.empty() && ring.multiply().positional())
        throw usage_error(fmt::format(
            "semiring {} computes with places, which --reorder changes: leave one of them out", s.semiring));
    const loaded in = load_input(ctx, s);
    matvec m = make_operands(ctx, s, in.matrix());
    const renumbered work(ctx, s, m.a);
    compute(ctx, s, m, work);
    if (!s.output.empty()) write_result(s.output, m.y, in);
    report_matvec(verb, s, ctx, in, m, work);
    if (m.breach.empty()) return 0;
    tell(fmt::format("nz: the result is not valid: {}\n", m.breach));
    return 1;
}

}  // namespace nz::cli
