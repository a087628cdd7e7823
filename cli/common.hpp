// What the verbs share: contexts, loading, output files, times and the head of every JSON object.
#pragma once

#include "nonzero/algebra.hpp"
#include "nonzero/context.hpp"
#include "nonzero/io.hpp"
#include "nonzero/matrix.hpp"
#include "nonzero/plan.hpp"
#include "options.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nz::cli {

using json = nlohmann::ordered_json;

/// Milliseconds since it was made.
class stopwatch {
public:
    double ms() const {
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// The rows of a matrix without its values, as one type whatever the width of the offsets.
class structure {
public:
    explicit structure(const matrix& a);

    /// The matrix of these places with other values: as many as entries, or one for all.
    template <class T>
    nz::matrix with_values(const context& ctx, std::span<const T> values) const {
        const auto m = static_cast<index_t>(rows_), n = static_cast<index_t>(columns_count_);
        if (wide_.empty())
            return nz::matrix::from_csr<T, std::int32_t>(ctx, {m, n, narrow_, columns_, values});
        return nz::matrix::from_csr<T, std::int64_t>(ctx, {m, n, wide_, columns_, values});
    }

    offset_t rows() const { return rows_; }
    int offset_bytes() const { return wide_.empty() ? 4 : 8; }
    offset_t begin(offset_t i) const {
        const auto at = static_cast<std::size_t>(i);
        return wide_.empty() ? narrow_[at] : wide_[at];
    }
    offset_t length(offset_t i) const { return begin(i + 1) - begin(i); }
    std::span<const index_t> row(offset_t i) const {
        return columns_.subspan(static_cast<std::size_t>(begin(i)), static_cast<std::size_t>(length(i)));
    }

private:
    offset_t rows_ = 0, columns_count_ = 0;
    std::span<const std::int32_t> narrow_;
    std::span<const std::int64_t> wide_;
    std::span<const index_t> columns_;
};

/// An input as the verb works on it.
struct loaded {
    nz::input input;
    double load_ms = 0;       ///< reading or generating it
    double transform_ms = 0;  ///< the changes that options asked for
    const nz::matrix& matrix() const { return input.matrix; }
    /// The source's own name of a vertex.
    std::int64_t original(offset_t vertex) const {
        return input.original_ids.empty() ? vertex : input.original_ids[static_cast<std::size_t>(vertex)];
    }
};

/// Verbs that only read and write work on the CPU; they have no --backend.
context make_context(const settings& s, bool computes = true);
/// The semiring of --semiring, in the type of --dtype where that is given. Throws usage_error where both name a type, not the same.
semiring named_semiring(const std::string& name, const std::string& type);
/// Throws usage_error for a word that is neither a file nor a generator, but near one: misspelt, or without its parameters.
void check_generator(const std::string& input);
/// Loads s.input, with a progress bar where that takes long and a terminal looks on, and changes it as asked.
loaded load_input(const context& ctx, const settings& s);

/// "Model name of the processor, 2 threads".
std::string device_name(const context& ctx);
/// "1.5 MiB".
std::string bytes_text(double bytes);
/// For --explain: "1.5 MiB came to the GPU from host memory."
std::string arrivals_text(std::size_t moved_bytes);
/// "12.3 us", "4.56 ms", "1.23 s".
std::string time_text(double ms);
/// "1 entry", "2 entries".
std::string count_text(offset_t n, std::string_view singular, std::string_view plural);
/// "soc.mtx: 10 x 10, 30 entries, matrix market, loaded in 2.1 ms".
std::string input_text(const settings& s, const loaded& in);
double median(std::vector<double> values);
/// The median time of `repeat` calls, after a warm-up where there are several.
double time_of_repeats(int repeat, const std::function<void()>& work);

/// The kernel that a plan's line begins with: "hash" of "mxm/hash compiled, ...".
std::string_view kernel_of(std::string_view plan);
/// command, input, backend, device, kernel (null without one), time_ms, load_ms.
json report(std::string_view verb, const settings& s, const context& ctx, const loaded& in,
            std::string_view kernel, double time_ms);
/// To standard error, if that can be written: what is said there must not end the work.
void tell(std::string_view text);
/// One object, one line, on standard output.
void print(const json& object);
void warn(std::string_view text);

/// Whether both have the same entries with the same values, of which NaN equals NaN; of one type.
bool same_entries(const matrix& x, const matrix& y);

/// The values side by side, of bool as well, whose std::vector has no array.
template <class T>
std::unique_ptr<T[]> side_by_side(const std::vector<T>& values) {
    std::unique_ptr<T[]> all(new T[values.size()]);
    std::copy(values.begin(), values.end(), all.get());
    return all;
}

/// Throws usage_error where options of tiles are given and --kernel is none of those that read tiles.
void check_tiling(const settings& s, const tiling& tiles, std::initializer_list<std::string_view> kernels);
/// Throws usage_error where a file at `path` cannot be made: before the work rather than after.
void check_output(const std::string& path);
/// The same for columns that a verb writes itself, as text or .npz; also where the suffix is that of a format it does not write.
void check_columns(const std::string& path);
/// Whether columns go to this file as arrays for NumPy.
bool is_npz(const std::string& path);
/// Throws usage_error where two outputs go to one file.
void check_different(const std::string& one, const std::string& other);
/// Writes beside the file, then renames. Throws nz::error.
void write_file(const std::string& path, std::string_view content);

}  // namespace nz::cli
