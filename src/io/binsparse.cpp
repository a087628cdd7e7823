#include "io/binsparse.hpp"

#include "core/checks.hpp"
#include "core/parallel.hpp"
#include "io/binsparse_descriptor.hpp"
#include "io/hdf5.hpp"
#include "storage/assemble.hpp"
#include "storage/matrix_body.hpp"

#include <atomic>
#include <cmath>

namespace nz::io::binsparse {
namespace {

struct stored_values {
    dtype type = dtype::float64;
    value_kind kind = value_kind::full;
    buffer data{};
};

// Row and column of every entry that is stored.
struct places {
    buffer rows, columns;
};

// The file and its descriptor, which have to agree.
class archive {
public:
    archive(const context& ctx, const std::string& path, const read_options& options)
        : ctx_(ctx),
          path_(path),
          options_(options),
          file_(ctx, path),
          about_(parse_descriptor(file_.text("binsparse"), path)) {}

    std::string where(const char* name) const { return fmt::format("{}: array '{}'", path_, name); }
    const std::string& path() const { return path_; }
    const descriptor& about() const { return about_; }
    const context& ctx() const { return ctx_; }
    void report(double share) const {
        if (options_.progress) options_.progress(share);
    }
    offset_t length(const char* name) const { return file_.contains(name) ? file_.describe(name).count : 0; }

    // `count` whole numbers from 0 to `most`, as Out.
    template <class Out>
    buffer integers(const char* name, offset_t count, offset_t most) const {
        if (count == 0) return {};
        const array_type& declared = type_of(name);
        require<invalid_format>(declared.type != dtype::boolean && !is_floating(declared.type) &&
                                    !declared.iso && !declared.complex,
                                "{} is of another type than whole numbers", where(name));
        buffer out;
        dispatch(declared.type, [&]<class T>(std::type_identity<T>) {
            if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
                buffer raw = numbers(declared, count);
                check_range(name, raw.as<const T>(), count, most);
                if constexpr (sizeof(T) == sizeof(Out))
                    out = std::move(raw);
                else
                    out = converted<Out>(raw.as<const T>(), count);
            }
        });
        return out;
    }
    // Positions where rows or columns begin: `count` of them and the end, from 0, rising.
    buffer pointers(offset_t count) const {
        const char* const name = "pointers_to_1";
        buffer out = integers<offset_t>(name, count + 1, about_.stored);
        const auto* p = out.as<const offset_t>();
        require<invalid_format>(p[0] == 0, "{}: the first element is {}, not 0", where(name), p[0]);
        for (offset_t i = 0; i < count; ++i)
            if (p[i] > p[i + 1])
                fail<invalid_format>("{}: element {} is {}, the next is {}", where(name), i, p[i], p[i + 1]);
        require<invalid_format>(p[count] == about_.stored, "{}: the last element is {}, {} values are stored",
                                where(name), p[count], about_.stored);
        return out;
    }
    stored_values values() const;
    // Places without an entry hold nothing here, which a 0 comes nearest to.
    void check_fill() const;

private:
    const array_type& type_of(const char* name) const {
        const array_type* const found = about_.find(name);
        require<invalid_format>(found != nullptr, "{}: the descriptor says no type for array '{}'", path_,
                                name);
        return *found;
    }
    // The `count` numbers of an array, which must be there in the type that the descriptor says.
    buffer numbers(const array_type& declared, offset_t count) const {
        const char* const name = declared.array.c_str();
        const hdf5_array found = file_.describe(name);
        const bool bytes = found.type == dtype::uint8 || found.type == dtype::int8;
        require<invalid_format>(found.type == declared.type || (declared.type == dtype::boolean && bytes),
                                "{} holds {}, the descriptor says {}", where(name), format_name(found.type),
                                format_name(declared.type));
        require<invalid_format>(found.count == count, "{} has {} elements, {} are expected", where(name),
                                found.count, count);
        buffer out(ctx_.memory(), static_cast<std::size_t>(count) * size_of(found.type));
        file_.read(name, out.data());
        return out;
    }
    // Names the first number outside, whatever the threads.
    template <class T>
    void check_range(const char* name, const T* data, offset_t count, offset_t most) const {
        std::atomic<offset_t> first{count};
        parallel::for_pieces(ctx_.threads(), count, [&](offset_t begin, offset_t end) {
            for (offset_t k = begin; k < end; ++k)
                // A negative one is larger than any.
                if (most < 0 || static_cast<std::uint64_t>(data[k]) > static_cast<std::uint64_t>(most)) {
                    offset_t seen = first.load();
                    while (k < seen && !first.compare_exchange_weak(seen, k)) {
                    }
                    return;
                }
        });
        const offset_t k = first;
        require<invalid_format>(k == count, "{}: element {} is {}, outside 0..{}", where(name), k,
                                data[std::min(k, count - 1)], most);
    }
    template <class Out, class T>
    buffer converted(const T* data, offset_t count) const {
        buffer out(ctx_.memory(), static_cast<std::size_t>(count) * sizeof(Out));
        parallel::for_pieces(ctx_.threads(), count, [&](offset_t begin, offset_t end) {
            for (offset_t k = begin; k < end; ++k) out.as<Out>()[k] = static_cast<Out>(data[k]);
        });
        return out;
    }
    buffer moduli(const array_type& declared, offset_t count) const;

    const context& ctx_;
    std::string path_;
    const read_options& options_;
    hdf5_reader file_;
    descriptor about_;
};

void archive::check_fill() const {
    if (!about_.fill) return;
    const char* const name = "fill_value";
    const hdf5_array found = file_.describe(name);
    require<invalid_format>(found.count == 1, "{} has {} elements, {} are expected", where(name), found.count,
                            1);
    std::uint64_t place = 0;
    file_.read(name, &place);
    const bool zero = cast(storage::load(&place, found.type, 0), found.type, dtype::boolean).bits == 0;
    require<invalid_format>(zero, "{} is not 0: a matrix holds no value for places without an entry",
                            where(name));
}

// |z| of pairs of a real and an imaginary part.
buffer archive::moduli(const array_type& declared, offset_t count) const {
    require<invalid_format>(
        options_.complex_modulus,
        "{}: the values are complex numbers, which a matrix cannot hold; the option complex_modulus (--complex-modulus) reads them as |z|",
        where("values"));
    const buffer pairs = numbers(declared, 2 * count);
    buffer out(ctx_.memory(), static_cast<std::size_t>(count) * sizeof(double));
    dispatch(declared.type, [&]<class T>(std::type_identity<T>) {
        const T* z = pairs.as<const T>();
        parallel::for_pieces(ctx_.threads(), count, [&](offset_t begin, offset_t end) {
            for (offset_t k = begin; k < end; ++k)
                out.as<double>()[k] =
                    std::hypot(static_cast<double>(z[2 * k]), static_cast<double>(z[2 * k + 1]));
        });
    });
    return out;
}

// One for each entry that is stored, or one for all; a one for all is a pattern.
stored_values archive::values() const {
    const array_type& declared = type_of("values");
    stored_values out{declared.complex ? dtype::float64 : declared.type};
    if (about_.stored == 0) return out;
    out.kind = declared.iso ? value_kind::iso : value_kind::full;
    const offset_t count = declared.iso ? 1 : about_.stored;
    out.data = declared.complex ? moduli(declared, count) : numbers(declared, count);
    if (out.type == dtype::boolean) {
        auto* const bytes = out.data.as<std::uint8_t>();
        parallel::for_pieces(ctx_.threads(), count, [&](offset_t begin, offset_t end) {
            for (offset_t k = begin; k < end; ++k) bytes[k] = bytes[k] != 0;
        });
    }
    if (declared.iso && storage::load(out.data.data(), out.type, 0) == storage::one_of(out.type)) {
        out.kind = value_kind::pattern;
        out.data = {};
    }
    return out;
}

// The format forbids repeats, so that no sum of theirs is meant.
void check_repeats(const archive& file, offset_t expected, offset_t found) {
    require<invalid_format>(expected == found, "{}: {} of its {} entries repeat the place of another",
                            file.path(), expected - found, expected);
}

// A general matrix in compressed rows, or the transpose of one in compressed columns.
storage::csr read_compressed(const archive& file, index_t major, index_t minor) {
    const offset_t entries = file.about().stored;
    storage::csr a;
    a.rows = major;
    a.columns = minor;
    a.nnz = entries;
    a.offset_bytes = storage::offset_bytes_for(entries);
    {
        const buffer pointers = file.pointers(major);
        a.offsets = buffer(file.ctx().memory(),
                           (static_cast<std::size_t>(major) + 1) * static_cast<std::size_t>(a.offset_bytes));
        storage::by_width(static_cast<std::size_t>(a.offset_bytes), [&]<class U>(std::type_identity<U>) {
            for (offset_t i = 0; i <= major; ++i)
                a.offsets.as<U>()[i] = static_cast<U>(pointers.as<const offset_t>()[i]);
        });
    }
    file.report(0.2);
    a.indices = file.integers<index_t>("indices_1", entries, offset_t{minor} - 1);
    file.report(0.5);
    stored_values values = file.values();
    file.report(0.8);
    a.type = values.type;
    a.kind = values.kind;
    a.values = std::move(values.data);
    storage::sort_rows(file.ctx(), a, binary_id::plus);
    check_repeats(file, entries, a.nnz);
    return a;
}

// Whose row or column each entry of compressed ones is; `which` names those that are not empty, or nothing.
buffer expand(const archive& file, const buffer& pointers, offset_t count, const buffer& which) {
    buffer out(file.ctx().memory(), static_cast<std::size_t>(file.about().stored) * sizeof(index_t));
    const auto* p = pointers.as<const offset_t>();
    const auto* names = which.as<const index_t>();
    parallel::for_pieces(file.ctx().threads(), count, [&](offset_t begin, offset_t end) {
        for (offset_t i = begin; i < end; ++i)
            std::fill(out.as<index_t>() + p[i], out.as<index_t>() + p[i + 1],
                      names ? names[i] : static_cast<index_t>(i));
    });
    return out;
}

// Entries along one dimension, then the other: compressed, with or without the empty ones, or named one by one.
places read_sparse(const archive& file, offset_t major, offset_t minor) {
    const descriptor& d = file.about();
    places out;
    if (d.layout == layout::coor || d.layout == layout::cooc) {
        out.rows = file.integers<index_t>("indices_0", d.stored, major - 1);
    } else if (d.layout == layout::dcsr || d.layout == layout::dcsc) {
        const offset_t count = file.length("indices_0");
        const buffer which = file.integers<index_t>("indices_0", count, major - 1);
        out.rows = expand(file, file.pointers(count), count, which);
    } else {
        out.rows = expand(file, file.pointers(major), major, {});
    }
    file.report(0.2);
    out.columns = file.integers<index_t>("indices_1", d.stored, minor - 1);
    return out;
}

// Every place of an array whose last dimension runs fastest; a vector has one column.
places read_dense(const archive& file, offset_t major, offset_t minor) {
    const offset_t stored = file.about().stored;
    require<invalid_format>(stored == major * minor, "{}: stores {} values, its shape has {} places",
                            file.path(), stored, major * minor);
    // One value for all would prove no memory for their places.
    const offset_t there = stored ? file.length("values") : 0;
    require<invalid_format>(there >= stored, "{} has {} elements, a dense array of {} is expected",
                            file.where("values"), there, stored);
    const std::size_t bytes = static_cast<std::size_t>(stored) * sizeof(index_t);
    places out{buffer(file.ctx().memory(), bytes), buffer(file.ctx().memory(), bytes)};
    parallel::for_pieces(file.ctx().threads(), stored, [&](offset_t begin, offset_t end) {
        for (offset_t k = begin; k < end; ++k) {
            out.rows.as<index_t>()[k] = static_cast<index_t>(k / minor);
            out.columns.as<index_t>()[k] = static_cast<index_t>(k % minor);
        }
    });
    return out;
}

places read_places(const archive& file) {
    const descriptor& d = file.about();
    const auto swapped = [](places p) { return places{std::move(p.columns), std::move(p.rows)}; };
    switch (d.layout) {
        case layout::csr:
        case layout::dcsr:
        case layout::coor:
            return read_sparse(file, d.rows, d.columns);
        case layout::csc:
        case layout::dcsc:
        case layout::cooc:
            return swapped(read_sparse(file, d.columns, d.rows));
        case layout::dvec:
        case layout::dmatr:
            return read_dense(file, d.rows, d.columns);
        case layout::dmatc:
            return swapped(read_dense(file, d.columns, d.rows));
        case layout::cvec:
            break;
    }
    places out{file.integers<index_t>("indices_0", d.stored, d.rows - 1),
               buffer(file.ctx().memory(), static_cast<std::size_t>(d.stored) * sizeof(index_t))};
    std::fill_n(out.columns.as<index_t>(), d.stored, 0);
    return out;
}

// All entries lie in the triangle that the structure names; returns how many are off the diagonal.
offset_t check_triangle(const archive& file, const places& at) {
    const descriptor& d = file.about();
    offset_t mirrored = 0;
    for (offset_t k = 0; k < d.stored; ++k) {
        const index_t i = at.rows.as<index_t>()[k], j = at.columns.as<index_t>()[k];
        require<invalid_format>(
            d.lower ? i >= j : i <= j,
            "{}: entry ({}, {}) lies {} the diagonal, the structure stores the other triangle", file.path(),
            i, j, d.lower ? "above" : "below");
        mirrored += i != j;
    }
    return mirrored;
}

element value_at(const stored_values& values, offset_t k) {
    if (values.kind == value_kind::pattern) return storage::one_of(values.type);
    return storage::load(values.data.data(), values.type, values.kind == value_kind::iso ? 0 : k);
}

// On the diagonal values are their own negation; elsewhere they have one, as all but the smallest integer do.
void check_skew(const archive& file, const places& at, const stored_values& values) {
    require<invalid_format>(!is_unsigned_integer(values.type) && values.type != dtype::boolean,
                            "{}: values of type {} cannot be skew-symmetric", file.path(),
                            name_of(values.type));
    dispatch(values.type, [&]<class T>(std::type_identity<T>) {
        for (offset_t k = 0; k < file.about().stored; ++k) {
            const index_t i = at.rows.as<index_t>()[k], j = at.columns.as<index_t>()[k];
            const T value = from_element<T>(value_at(values, k));
            require<invalid_format>(i != j || value == T(0),
                                    "{}: entry ({}, {}) of a skew-symmetric matrix must be 0", file.path(), i,
                                    i);
            if constexpr (std::is_integral_v<T>)
                require<invalid_format>(std::is_unsigned_v<T> || value != std::numeric_limits<T>::min(),
                                        "{}: entry ({}, {}) is {}, whose mirror does not fit {}", file.path(),
                                        i, j, value, name_of(values.type));
        }
    });
}

// Values that can be negated, each by itself.
void spread(const archive& file, stored_values& values) {
    if (values.kind == value_kind::full) return;
    const offset_t stored = file.about().stored;
    const element one = value_at(values, 0);
    values.data = buffer(file.ctx().memory(), static_cast<std::size_t>(stored) * size_of(values.type));
    for (offset_t k = 0; k < stored; ++k) storage::store(values.data.data(), values.type, k, one);
    values.kind = value_kind::full;
}

// Any format and structure, by the coordinates of its entries.
storage::csr read_entries(const archive& file, storage::mirror mirror) {
    const descriptor& d = file.about();
    const places at = read_places(file);
    file.report(0.5);
    stored_values values = file.values();
    file.report(0.7);
    offset_t expected = d.stored;
    if (d.structure != structure::general) expected += check_triangle(file, at);
    if (d.structure == structure::skew_symmetric) check_skew(file, at, values);
    if (mirror == storage::mirror::skew_symmetric) spread(file, values);
    const storage::tuple_chunk chunk{at.rows.as<const index_t>(), at.columns.as<const index_t>(),
                                     values.data.data(), d.stored};
    storage::csr a = storage::assemble(file.ctx(), values.type, values.kind, static_cast<index_t>(d.rows),
                                       static_cast<index_t>(d.columns), {&chunk, 1}, mirror, binary_id::plus);
    if (values.kind == value_kind::iso) a.values = std::move(values.data);
    check_repeats(file, expected, a.nnz);
    return a;
}

storage::mirror mirror_of(const descriptor& d) {
    if (d.structure == structure::general) return storage::mirror::none;
    const array_type* const values = d.find("values");
    const bool negated = d.structure == structure::skew_symmetric && !(values && values->complex);
    return negated ? storage::mirror::skew_symmetric : storage::mirror::symmetric;
}

}  // namespace

input read(const context& ctx, const std::string& path, const read_options& options) {
    const archive file(ctx, path, options);
    file.check_fill();
    const descriptor& d = file.about();
    const auto rows = static_cast<index_t>(d.rows), columns = static_cast<index_t>(d.columns);
    const storage::mirror mirror = mirror_of(d);
    const bool plain = mirror == storage::mirror::none;
    storage::csr a;
    if (plain && d.layout == layout::csr)
        a = read_compressed(file, rows, columns);
    else if (plain && d.layout == layout::csc)
        a = storage::transpose(ctx, read_compressed(file, columns, rows));
    else
        a = read_entries(file, mirror);
    auto body = std::make_shared<storage::matrix_body>(ctx, std::move(a));
    if (mirror == storage::mirror::symmetric) body->declare_symmetric();
    return {matrix(std::move(body)), "binsparse", mirror == storage::mirror::symmetric};
}

}  // namespace nz::io::binsparse
