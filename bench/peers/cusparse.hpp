// The cuSPARSE peer: SpMV through its generic interface, on arrays that are already on the GPU. The library is taken
// from the machine at run time, never linked; a build without its header has a stand-in (cusparse_absent.cpp).
#pragma once

#include "nonzero/nonzero.hpp"

#include <optional>
#include <string>
#include <vector>

namespace nz::bench {

/// y = A x in device memory: CSR with 32-bit offsets and columns; values, x and y of `type`, float32 or float64.
struct device_spmv {
    offset_t rows = 0, columns = 0, entries = 0;
    dtype type = dtype::float64;
    void *offsets = nullptr, *indices = nullptr, *values = nullptr;
    void *x = nullptr, *y = nullptr;
};

/// One way of doing it: an algorithm, with or without the analysis that precedes the first product.
struct cusparse_variant {
    const char* name;
    int algorithm;
    bool preprocess;
};

struct cusparse_time {
    double ms = 0;           ///< of a product, the median
    double analysis_ms = 0;  ///< of the analysis, once
};

/// Why there is no cuSPARSE here, with the names that were tried; empty where there is one.
std::string why_no_cusparse();
/// "12.6.3"; empty where there is none.
std::string cusparse_version();
/// Default, CSR_ALG1 and CSR_ALG2, each without and (where this version has it) with cusparseSpMV_preprocess.
std::vector<cusparse_variant> cusparse_variants();
/// Computes y on the context's stream, `repeats` times after one that warms up, each between two events. Throws
/// not_supported where there is no cuSPARSE, device_error with its own words when it fails.
cusparse_time cusparse_spmv(const context& gpu, const device_spmv& p, const cusparse_variant& v, int repeats);

/// The same by bsrmv over dense blocks of `block` rows and columns, made by csr2bsr beforehand; float64. y has room for whole
/// blocks. None: its 32-bit numbers do not reach them all.
std::optional<double> cusparse_bsr_ms(const context& gpu, const device_spmv& p, int block, int repeats);

/// C = A + B in device memory: double, 32-bit offsets and columns, sorted.
struct device_add {
    struct side {
        offset_t entries = 0;
        const void *offsets = nullptr, *columns = nullptr, *values = nullptr;
    };
    offset_t rows = 0, columns = 0;
    side a, b;
    void *c_offsets = nullptr, *c_columns = nullptr,
         *c_values = nullptr;  ///< room for the entries of A and B
};

/// By csrgeam2: its two passes, count and fill, as cusparse_spmv measures. `entries` becomes C's.
double cusparse_add_ms(const context& gpu, const device_add& p, int repeats, offset_t& entries);

/// C = A * A in device memory: double, 32-bit offsets and columns.
struct device_multiply {
    offset_t rows = 0, entries = 0;
    void *offsets = nullptr, *columns = nullptr, *values = nullptr;
};

/// By SpGEMM's default algorithm: estimate, compute and copy, with the memory that they ask for taken before. `entries`
/// becomes C's.
double cusparse_multiply_ms(const context& gpu, const device_multiply& p, int repeats, offset_t& entries);

/// C = A B in device memory for dense B and C of `columns` columns that lie by rows, without gaps.
struct device_spmm {
    device_spmv a;  ///< of which x and y are not looked at
    offset_t columns = 0;
    void *b = nullptr, *c = nullptr;
};

/// By the best of SpMM's default algorithm, CSR_ALG1, 2 and 3, each after its analysis, as cusparse_spmv measures; C is what
/// the last of them left.
double cusparse_spmm_ms(const context& gpu, const device_spmm& p, int repeats);

/// X Y at the places of a CSR, all in device memory: X by rows, Y by columns, without gaps.
struct device_sddmm {
    device_spmv places;  ///< of which x and y are not looked at; `values` receives the results
    offset_t inner = 0;
    void *x = nullptr, *y = nullptr;
};

/// By SDDMM's default algorithm, after its analysis, as cusparse_spmv measures.
double cusparse_sddmm_ms(const context& gpu, const device_sddmm& p, int repeats);

}  // namespace nz::bench
