// Writes what binsparse.cpp reads: compressed rows or columns, coordinates, vectors.
#include "io/binsparse.hpp"
#include "io/binsparse_descriptor.hpp"
#include "io/hdf5.hpp"
#include "storage/coo.hpp"
#include "storage/matrix_body.hpp"
#include "storage/vector_body.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nz::io::binsparse {
namespace {

// Arrays first, the descriptor of all last.
class archive_writer {
public:
    archive_writer(const output_file& file, const char* format, std::initializer_list<offset_t> shape,
                   offset_t stored)
        : file_(file.temporary_path(), file.name()) {
        about_["version"] =
            "0.1.0";  // the specification writes 0.1, the Python reference reads three numbers alone
        about_["format"] = format;
        about_["shape"] = shape;
        about_["number_of_stored_values"] = stored;
    }

    void indices(const char* name, const buffer& data, offset_t count) {
        add(name, dtype::uint32, data, count);
    }
    void pointers(const storage::csr& a) {
        add("pointers_to_1", a.offset_bytes == 4 ? dtype::uint32 : dtype::uint64, a.offsets,
            offset_t{a.rows} + 1);
    }
    void values(const buffer& data, dtype type, value_kind kind, offset_t count) {
        if (kind == value_kind::full) return add("values", type, data, count);
        const element value =
            kind == value_kind::iso ? storage::load(data.data(), type, 0) : storage::one_of(type);
        std::uint64_t place = 0;
        storage::store(&place, type, 0, value);
        file_.array("values", stored_as(type), 1, &place);
        about_["data_types"]["values"] = fmt::format("iso[{}]", format_name(type));
    }
    void finish() {
        file_.text("binsparse", nlohmann::ordered_json{{"binsparse", about_}}.dump(2));
        file_.finish();
    }

private:
    static dtype stored_as(dtype type) { return type == dtype::boolean ? dtype::uint8 : type; }
    void add(const char* name, dtype type, const buffer& data, offset_t count) {
        file_.array(name, stored_as(type), count, data.data());
        about_["data_types"][name] = format_name(type);
    }

    hdf5_writer file_;
    nlohmann::ordered_json about_;
};

// The rows of `a`, which are columns of the matrix where it is its transpose.
void write_compressed(const storage::csr& a, const output_file& file, bool columns) {
    archive_writer out(file, columns ? "CSC" : "CSR",
                       {columns ? a.columns : a.rows, columns ? a.rows : a.columns}, a.nnz);
    out.pointers(a);
    out.indices("indices_1", a.indices, a.nnz);
    out.values(a.values, a.type, a.kind, a.nnz);
    out.finish();
}

// Dense or sparse.
void write_vector(const storage::vector_body& v, const output_file& file) {
    const bool dense = v.form == vector_form::dense;
    archive_writer out(file, dense ? "DVEC" : "CVEC", {v.size}, v.count);
    if (!dense) out.indices("indices_0", v.indices, v.count);
    out.values(v.values, v.type, value_kind::full, v.count);
    out.finish();
}

}  // namespace

void write(const context& ctx, const matrix& a, const output_file& file, file_layout layout) {
    const auto rows = a.body().rows_shared();
    if (layout == file_layout::csr) return write_compressed(*rows, file, false);
    if (layout == file_layout::csc) return write_compressed(a.body().columns(), file, true);
    const storage::coo entries = storage::to_coo(ctx, *rows);
    archive_writer out(file, "COOR", {entries.rows, entries.columns}, entries.nnz);
    out.indices("indices_0", entries.row_indices, entries.nnz);
    out.indices("indices_1", entries.column_indices, entries.nnz);
    out.values(entries.values, entries.type, entries.kind, entries.nnz);
    out.finish();
}

void write(const context&, const vector& v, const output_file& file) {
    const storage::vector_body& body = v.body();
    if (body.form == vector_form::bitmap)
        write_vector(storage::convert(body, vector_form::sparse), file);
    else
        write_vector(body, file);
}

}  // namespace nz::io::binsparse
