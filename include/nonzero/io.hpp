// Inputs and outputs: files in the field's formats, and generators that stand in for files.
#pragma once

#include "nonzero/context.hpp"
#include "nonzero/matrix.hpp"
#include "nonzero/vector.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nz {

/// What a reader should do with what it finds.
struct read_options {
    bool complex_modulus = false;  ///< read a complex file as |z|; otherwise it is an invalid_format error
    bool symmetrize = false;       ///< edge lists: store both directions of every edge
    std::uint64_t seed = 1;        ///< for generators that take none in their name
    /// Called now and then on long loads with the share done, 0 to 1, from one thread.
    std::function<void(double)> progress{};
};

/// A matrix with what its source says about it.
struct input {
    nz::matrix matrix;
    std::string format;  ///< "matrix market", "edge list", "npz", "cache", "binsparse", "generator"
    bool declared_symmetric = false;  ///< the source promises A = A^T
    /// Edge lists with arbitrary ids: original_ids[k] is the source's name for vertex k, ascending. Empty: ids are
    /// 0-based rows.
    std::vector<std::int64_t> original_ids{};
};

/// Reads a file (.mtx, .mtx.gz, .el, .wel, .txt/.edges/.tsv/.csv edge lists, .npz, .nzb, .bsp.h5; decided by suffix,
/// then by content) or runs a generator ("rmat:20,16"; see generators()). Throws invalid_format with file,
/// line and reason; domain_error for numbers that a generator cannot take; not_supported for .h5 in a build without libhdf5.
input load(const context& ctx, std::string_view source, const read_options& options = {});
/// The same of a matrix of one column, as a vector: dense where every entry is there, else sparse. Throws
/// dimension_mismatch for other shapes.
vector load_vector(const context& ctx, std::string_view source, const read_options& options = {});
/// Whether `source` names a generator rather than a file.
bool is_generator(std::string_view source);
/// One line of help a generator: "rmat:SCALE[,EDGEFACTOR[,SEED]]  Graph500 ...".
std::vector<std::string> generators();

/// The same entries with whole random values of type int32 from `lowest` to `highest`, as likely each: a hash of `seed`
/// and the entry's row and column, in either order, so that (i, j) and (j, i) get the same. Throws domain_error unless
/// lowest <= highest.
matrix with_random_weights(const context& ctx, const matrix& a, std::int32_t lowest, std::int32_t highest,
                           std::uint64_t seed = 1);

/// How a file lays a matrix out, where its format knows several ways: by rows, by columns, or one entry after another.
enum class file_layout : std::uint8_t { csr, csc, coo };
/// "csr", "csc", "coo".
std::string_view name_of(file_layout layout);
/// The inverse. Throws domain_error for other words.
file_layout parse_file_layout(std::string_view word);

/// What a writer should do.
struct write_options {
    file_layout layout = file_layout::csr;  ///< others in Binsparse files (.bsp.h5, .h5, .hdf5) alone
};

/// Writes by suffix (.mtx, .mtx.gz, .el, .wel, .npz, .nzb, .bsp.h5): beside the file first, then renamed. Throws error where the file cannot be
/// written, not_supported for other suffixes.
void save(const context& ctx, const matrix& a, std::string_view path, const write_options& options = {});
/// The same of a vector, as a matrix of one column; as a vector in Binsparse files.
void save(const context& ctx, const vector& v, std::string_view path);

/// Draws where the entries are, as a PNG whose longer side is about `pixels` pixels: place by place where
/// they fit, else each pixel as dark as the share of filled places in its block, logarithmically. Written
/// beside the file first, then renamed.
void save_spy(const context& ctx, const matrix& a, std::string_view path, int pixels = 800);

}  // namespace nz
