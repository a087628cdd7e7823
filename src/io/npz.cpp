#include "io/npz.hpp"

#include "core/checks.hpp"
#include "core/parallel.hpp"
#include "io/npy.hpp"
#include "io/tuples.hpp"
#include "io/zip.hpp"
#include "storage/matrix_body.hpp"

#include <cmath>

namespace nz::io::npz {
namespace {

// What the readers of the five layouts share.
class archive {
public:
    archive(const context& ctx, std::span<const std::byte> bytes, std::string name,
            const read_options& options)
        : ctx_(ctx), zip_(ctx, bytes, std::move(name)), options_(options) {
        const npy_array shape = member("shape");
        require<invalid_format>(shape.count == 2, "{}: has {} numbers, a matrix has 2", where("shape"),
                                shape.count);
        rows = dimension(shape, 0, "rows");
        columns = dimension(shape, 1, "columns");
    }

    std::string where(const char* name) const {
        return fmt::format("{}: member '{}.npy'", zip_.name(), name);
    }
    npy_array member(const char* name) {
        return parse_npy(zip_.read(std::string(name) + ".npy"), where(name));
    }
    bool has(const char* name) const { return zip_.contains(std::string(name) + ".npy"); }
    void report(double share) const {
        if (options_.progress) options_.progress(share);
    }

    // Integers of any width as Out, each between least and most.
    template <class Out>
    void copy_integers(const char* name, const npy_array& a, Out* out, offset_t count, offset_t least,
                       offset_t most) const {
        dispatch(a.type(where(name)), [&]<class T>(std::type_identity<T>) {
            require<invalid_format>(std::is_integral_v<T> && !std::is_same_v<T, bool>,
                                    "{}: holds no integers", where(name));
            parallel::for_pieces(ctx_.threads(), count, [&](offset_t first, offset_t last) {
                for (offset_t k = first; k < last; ++k) {
                    const auto x = convert<offset_t>(a.at<T>(k));
                    if (x < least || x > most)
                        fail<invalid_format>("{}: element {} is {}, outside {}..{}", where(name), k, x, least,
                                             most);
                    out[k] = static_cast<Out>(x);
                }
            });
        });
    }

    dtype value_type(const npy_array& a) const {
        if (a.kind != 'c') return a.type(where("data"));
        require<invalid_format>(
            options_.complex_modulus,
            "{}: the values are complex numbers, which a matrix cannot hold; the option complex_modulus (--complex-modulus) reads them as |z|",
            where("data"));
        require<invalid_format>(a.width == 8 || a.width == 16,
                                "{}: complex numbers of {} bytes are not supported", where("data"), a.width);
        return dtype::float64;
    }
    // Values place(0), place(1)... as an array of value_type.
    template <class Place>
    void copy_values(const npy_array& a, void* out, offset_t count, Place&& place) const {
        if (a.kind == 'c') {
            for (offset_t k = 0; k < count; ++k) {
                const offset_t p = 2 * place(k);
                static_cast<double*>(out)[k] =
                    a.width == 8 ? std::hypot(double{a.at<float>(p)}, double{a.at<float>(p + 1)})
                                 : std::hypot(a.at<double>(p), a.at<double>(p + 1));
            }
            return;
        }
        dispatch(a.type(where("data")), [&]<class T>(std::type_identity<T>) {
            parallel::for_pieces(ctx_.threads(), count, [&](offset_t first, offset_t last) {
                for (offset_t k = first; k < last; ++k) static_cast<T*>(out)[k] = a.at<T>(place(k));
            });
        });
    }

    const context& ctx() const { return ctx_; }
    index_t rows = 0, columns = 0;

private:
    index_t dimension(const npy_array& shape, offset_t k, const char* what) const {
        const offset_t n = shape.integer_at(k, where("shape"));
        require<invalid_format>(n >= 0 && n <= max_dimension, "{}: {} {}: possible are 0..{}", where("shape"),
                                n, what, max_dimension);
        return static_cast<index_t>(n);
    }

    const context& ctx_;
    zip_reader zip_;
    const read_options& options_;
};

constexpr auto in_order = [](offset_t k) { return k; };

// Offsets of compressed rows, columns or blocks: one more than those, from 0, rising. Returns them as 64-bit.
array<offset_t> read_offsets(archive& file, offset_t major, offset_t entries) {
    const npy_array indptr = file.member("indptr");
    require<invalid_format>(indptr.count == major + 1, "{}: has {} elements, {} rows (or columns) need {}",
                            file.where("indptr"), indptr.count, major, major + 1);
    array<offset_t> offsets(file.ctx(), static_cast<std::size_t>(major) + 1);
    file.copy_integers("indptr", indptr, offsets.data(), major + 1, 0, entries);
    require<invalid_format>(offsets[0] == 0, "{}: the first offset is {}, not 0", file.where("indptr"),
                            offsets[0]);
    for (offset_t i = 0; i < major; ++i)
        if (offsets[i] > offsets[i + 1])
            fail<invalid_format>("{}: offset {} is {}, the next is {}", file.where("indptr"), i, offsets[i],
                                 offsets[i + 1]);
    return offsets;
}

// Compressed rows (for csc, of the transpose).
storage::csr read_compressed(archive& file, index_t major, index_t minor) {
    const npy_array indices = file.member("indices");
    file.report(0.3);
    const npy_array data = file.member("data");
    file.report(0.8);
    require<invalid_format>(indices.count == data.count, "{}: has {} elements, the indices are {}",
                            file.where("data"), data.count, indices.count);
    const array<offset_t> offsets = read_offsets(file, major, indices.count);
    const offset_t entries = offsets[static_cast<std::size_t>(major)];
    storage::csr a =
        storage::allocate_csr(file.ctx(), file.value_type(data), value_kind::full, major, minor, entries);
    storage::by_width(static_cast<std::size_t>(a.offset_bytes), [&]<class U>(std::type_identity<U>) {
        for (std::size_t i = 0; i < offsets.size(); ++i) a.offsets.as<U>()[i] = static_cast<U>(offsets[i]);
    });
    file.copy_integers("indices", indices, a.indices.as<index_t>(), entries, 0, offset_t{minor} - 1);
    file.copy_values(data, a.values.data(), entries, in_order);
    storage::sort_rows(file.ctx(), a, binary_id::plus);
    return a;
}

storage::csr assemble(archive& file, dtype type, const tuple_room& room, offset_t count) {
    const storage::tuple_chunk chunk = room.chunk(count);
    return storage::assemble(file.ctx(), type, value_kind::full, file.rows, file.columns, {&chunk, 1},
                             storage::mirror::none, binary_id::plus);
}

storage::csr read_coordinates(archive& file) {
    const npy_array rows = file.member("row"), columns = file.member("col"), data = file.member("data");
    require<invalid_format>(rows.count == data.count && columns.count == data.count,
                            "{}: has {} elements, rows are {}, columns {}", file.where("data"), data.count,
                            rows.count, columns.count);
    const dtype type = file.value_type(data);
    tuple_arena arena(file.ctx());
    const tuple_room room = arena.take_tuples(static_cast<std::size_t>(data.count), size_of(type));
    file.copy_integers("row", rows, room.rows, data.count, 0, offset_t{file.rows} - 1);
    file.copy_integers("col", columns, room.columns, data.count, 0, offset_t{file.columns} - 1);
    file.copy_values(data, room.values, data.count, in_order);
    return assemble(file, type, room, data.count);
}

// Diagonals: data[d][j] is the entry of column j on diagonal offsets[d]; as in SciPy, zeros are padding.
storage::csr read_diagonals(archive& file) {
    const npy_array offsets = file.member("offsets"), data = file.member("data");
    require<invalid_format>(data.shape.size() == 2 && offsets.count == data.shape[0],
                            "{}: is no table of one row for each of {} diagonals", file.where("data"),
                            offsets.count);
    const offset_t diagonals = data.shape[0], width = data.shape[1];
    const dtype type = file.value_type(data);
    tuple_arena arena(file.ctx());
    const tuple_room room = arena.take_tuples(static_cast<std::size_t>(data.count), size_of(type));
    array<offset_t> places(file.ctx(), static_cast<std::size_t>(data.count));
    offset_t count = 0;
    for (offset_t d = 0; d < diagonals; ++d) {
        const offset_t offset = offsets.integer_at(d, file.where("offsets"));
        require<invalid_format>(offset > -max_dimension && offset < max_dimension,
                                "{}: diagonal {} lies outside any matrix", file.where("offsets"), offset);
        const offset_t first = std::max<offset_t>(0, offset);
        const offset_t last = std::min({width, offset_t{file.columns}, offset_t{file.rows} + offset});
        for (offset_t j = first; j < last; ++j) {
            places[count] = data.fortran ? j * diagonals + d : d * width + j;
            room.rows[count] = static_cast<index_t>(j - offset);
            room.columns[count++] = static_cast<index_t>(j);
        }
    }
    file.copy_values(data, room.values, count, [&](offset_t k) { return places[k]; });
    offset_t kept = 0;
    for (offset_t k = 0; k < count; ++k) {
        const element value = storage::load(room.values, type, k);
        if (cast(value, type, dtype::boolean).bits == 0) continue;
        room.rows[kept] = room.rows[k];
        room.columns[kept] = room.columns[k];
        storage::store(room.values, type, kept++, value);
    }
    return assemble(file, type, room, kept);
}

// Dense blocks, data[block][i][j], in compressed rows of blocks.
storage::csr read_blocks(archive& file) {
    const npy_array indices = file.member("indices"), data = file.member("data");
    require<invalid_format>(
        data.shape.size() == 3 && data.shape[0] == indices.count && data.shape[1] > 0 && data.shape[2] > 0,
        "{}: is no table of a block for each of {} indices", file.where("data"), indices.count);
    const offset_t blocks = data.shape[0], height = data.shape[1], width = data.shape[2];
    require<invalid_format>(file.rows % height == 0 && file.columns % width == 0,
                            "{}: blocks of {} x {} do not fill a matrix of {} x {}", file.where("data"),
                            height, width, file.rows, file.columns);
    const offset_t block_rows = file.rows / height;
    const array<offset_t> offsets = read_offsets(file, block_rows, blocks);
    const dtype type = file.value_type(data);
    tuple_arena arena(file.ctx());
    const tuple_room room = arena.take_tuples(static_cast<std::size_t>(data.count), size_of(type));
    array<index_t> block_columns(file.ctx(), static_cast<std::size_t>(blocks));
    file.copy_integers("indices", indices, block_columns.data(), blocks, 0, file.columns / width - 1);
    offset_t count = 0;
    for (offset_t b = 0; b < block_rows; ++b)
        for (offset_t k = offsets[b]; k < offsets[b + 1]; ++k)
            for (offset_t i = 0; i < height; ++i)
                for (offset_t j = 0; j < width; ++j) {
                    room.rows[count] = static_cast<index_t>(b * height + i);
                    room.columns[count++] = static_cast<index_t>(block_columns[k] * width + j);
                }
    // Entry k of the tuples is element k of the data, unless the array runs the other way.
    const offset_t area = height * width;
    file.copy_values(data, room.values, count, [&](offset_t k) {
        return data.fortran ? k / area + blocks * (k % area / width) + blocks * height * (k % width) : k;
    });
    return assemble(file, type, room, count);
}

}  // namespace

input read(const context& ctx, std::span<const std::byte> bytes, std::string name,
           const read_options& options) {
    archive file(ctx, bytes, std::move(name), options);
    require<invalid_format>(file.has("format"),
                            "{}: is not there: this .npz holds no matrix of scipy.sparse.save_npz",
                            file.where("format"));
    const std::string format = file.member("format").text(file.where("format"));
    storage::csr a;
    if (format == "csr")
        a = read_compressed(file, file.rows, file.columns);
    else if (format == "csc")
        a = storage::transpose(ctx, read_compressed(file, file.columns, file.rows));
    else if (format == "coo")
        a = read_coordinates(file);
    else if (format == "dia")
        a = read_diagonals(file);
    else if (format == "bsr")
        a = read_blocks(file);
    else
        fail<invalid_format>("{}: the format is '{}'; known are csr, csc, coo, dia and bsr",
                             file.where("format"), format.substr(0, 16));
    return {storage::make_matrix(ctx, std::move(a)), "npz"};
}

void write(const context& ctx, const matrix& a, const output_file& file) {
    const auto rows = a.body().rows_shared();
    zip_writer zip(file.temporary_path(), file.name());
    const auto add = [&](const char* name, std::string_view descr, offset_t count, const void* data,
                         std::size_t bytes) {
        zip.begin(name);
        const std::string header = npy_header(descr, fmt::format("({},)", count));
        zip.write(header.data(), header.size());
        zip.write(data, bytes);
    };
    const auto entries = static_cast<std::size_t>(rows->nnz);
    add("indices.npy", "<i4", rows->nnz, rows->indices.data(), entries * sizeof(index_t));
    add("indptr.npy", rows->offset_bytes == 4 ? "<i4" : "<i8", offset_t{rows->rows} + 1, rows->offsets.data(),
        (static_cast<std::size_t>(rows->rows) + 1) * static_cast<std::size_t>(rows->offset_bytes));
    zip.begin("format.npy");
    const std::string format = npy_header("|S3", "()") + "csr";
    zip.write(format.data(), format.size());
    const std::int64_t shape[] = {rows->rows, rows->columns};
    add("shape.npy", "<i8", 2, shape, sizeof shape);
    if (rows->kind == value_kind::full) {
        add("data.npy", npy_name(rows->type), rows->nnz, rows->values.data(), entries * rows->value_bytes());
    } else {
        buffer ones(ctx.memory(), entries * rows->value_bytes());
        const element value = entries ? rows->value(0) : element{};
        for (offset_t k = 0; k < rows->nnz; ++k) storage::store(ones.data(), rows->type, k, value);
        add("data.npy", npy_name(rows->type), rows->nnz, ones.data(), ones.bytes());
    }
    zip.finish();
}

}  // namespace nz::io::npz
