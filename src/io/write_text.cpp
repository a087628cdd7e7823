// Writers of the two text formats.
#include "core/checks.hpp"
#include "io/edge_list.hpp"
#include "io/matrix_market.hpp"
#include "io/write_lines.hpp"
#include "storage/matrix_body.hpp"

namespace nz::io {
namespace {

// GraphBLAS's name of a type in a file.
std::string ctype(dtype type) {
    switch (type) {
        case dtype::boolean:
            return "bool";
        case dtype::float32:
            return "float";
        case dtype::float64:
            return "double";
        default:
            return std::string(name_of(type)) + "_t";
    }
}

}  // namespace

void matrix_market::write(const context& ctx, const matrix& a,
                          const std::function<void(std::string_view)>& write) {
    const auto rows = a.body().rows_shared();
    const bool values = rows->kind != value_kind::pattern;
    const char* const field = !values                           ? "pattern"
                              : is_floating(rows->type)         ? "real"
                              : is_unsigned_integer(rows->type) ? "unsigned-integer"
                                                                : "integer";
    write(fmt::format("%%MatrixMarket matrix coordinate {} general\n%%GraphBLAS type {}\n{} {} {}\n", field,
                      ctype(rows->type), rows->rows, rows->columns, rows->nnz));
    write_entries(ctx, *rows, 1, values, write);
}

void edge_list::write(const context& ctx, const matrix& a, bool weights,
                      const std::function<void(std::string_view)>& write) {
    const auto rows = a.body().rows_shared();
    require<dimension_mismatch>(
        rows->rows == rows->columns,
        "an edge list joins vertices of one set; this matrix has {} rows and {} columns: write it as .mtx",
        rows->rows, rows->columns);
    write(fmt::format("{} {}\n", size_comment, rows->rows));
    write_entries(ctx, *rows, 0, weights, write);
}

}  // namespace nz::io
