// nz::load and nz::save: which format a path means, by its suffix and then by its first bytes.
#include "core/checks.hpp"
#include "io/binsparse.hpp"
#include "io/edge_list.hpp"
#include "io/generate.hpp"
#include "io/matrix_market.hpp"
#include "io/npz.hpp"
#include "io/nzb.hpp"
#include "io/output_file.hpp"
#include "io/vectors.hpp"
#include "io/words.hpp"
#include "nonzero/io.hpp"

#include <algorithm>
#include <string>

namespace nz {
namespace io {
namespace {

constexpr std::string_view layout_names[] = {"csr", "csc", "coo"};

struct suffix {
    std::string text;  // without the dot, in lower case
    bool gzip;         // ".gz" stood behind it
};

suffix suffix_of(std::string_view path) {
    std::string name(path.substr(path.find_last_of('/') + 1));
    std::transform(name.begin(), name.end(), name.begin(), lower);
    const bool gzip = name.ends_with(".gz");
    if (gzip) name.resize(name.size() - 3);
    const std::size_t dot = name.find_last_of('.');
    return {dot == std::string::npos ? "" : name.substr(dot + 1), gzip};
}

enum class format : std::uint8_t { unknown, matrix_market, edges_by_row, edges_by_name, npz, nzb, binsparse };

format format_of(std::string_view suffix) {
    struct known {
        std::string_view suffix;
        io::format format;
    };
    constexpr known table[] = {
        {"mtx", format::matrix_market}, {"mm", format::matrix_market},  {"el", format::edges_by_row},
        {"wel", format::edges_by_row},  {"txt", format::edges_by_name}, {"edges", format::edges_by_name},
        {"tsv", format::edges_by_name}, {"csv", format::edges_by_name}, {"edgelist", format::edges_by_name},
        {"npz", format::npz},           {"nzb", format::nzb},           {"h5", format::binsparse},
        {"hdf5", format::binsparse}};
    for (const known& k : table)
        if (k.suffix == suffix) return k.format;
    return format::unknown;
}

// What the first bytes alone tell; text needs a look at the first line, inside gzip too.
format format_of(const context& ctx, const mapped_file& file, const std::string& path) {
    if (nzb::is_nzb(file.bytes())) return format::nzb;
    if (binsparse::is_hdf5(file.bytes())) return format::binsparse;
    const std::string_view begin(file.begin(), std::min<std::size_t>(file.size(), 4));
    if (begin == "PK\x03\x04") return format::npz;
    const auto text = open_text(ctx, file.alias(), path);
    line_reader reader(*text);
    std::string_view line;
    while (reader.next(line))
        if (!trimmed(line).empty())
            return matrix_market::is_banner(line) ? format::matrix_market : format::unknown;
    return format::unknown;
}

[[noreturn]] void refuse_suffix(const std::string& path, std::string_view suffix) {
    struct foreign {
        std::string_view suffix, name;
    };
    constexpr foreign known[] = {{"rb", "Rutherford-Boeing"},
                                 {"hb", "Harwell-Boeing"},
                                 {"rua", "Harwell-Boeing"},
                                 {"rsa", "Harwell-Boeing"},
                                 {"psa", "Harwell-Boeing"},
                                 {"pse", "Harwell-Boeing"},
                                 {"rra", "Harwell-Boeing"},
                                 {"graph", "METIS"},
                                 {"metis", "METIS"},
                                 {"gml", "GML"},
                                 {"graphml", "GraphML"},
                                 {"mat", "MATLAB"},
                                 {"bz2", "bzip2"},
                                 {"tar", "tar"},
                                 {"zip", "zip"},
                                 {"tri", "triplet"},
                                 {"konect", "KONECT"},
                                 {"sg", "GAP binary"},
                                 {"wsg", "GAP binary"}};
    for (const foreign& f : known)
        if (f.suffix == suffix)
            fail<invalid_format>(
                "{}: {} files are not read; convert to Matrix Market (.mtx) or an edge list (.el, .wel, .txt)",
                path, f.name);
    fail<invalid_format>(
        "{}: {} names no format that is read, and the file begins like none (.mtx, .npz, .nzb, .h5); name an edge list .el, .wel or .txt",
        path, suffix.empty() ? "a path without suffix" : fmt::format("the suffix '.{}'", quote(suffix)));
}

input load_file(const context& ctx, const std::string& path, const read_options& options) {
    mapped_file file(ctx, path);
    const suffix named = suffix_of(path);
    require<invalid_format>(file.size() > 0, "{}:1: the file is empty", path);
    require<invalid_format>(!named.gzip || is_gzip(file.bytes()),
                            "{}: ends in .gz, its content is no gzip data", path);
    format what = format_of(named.text);
    // A list of edges has no signature of its own, so a file that bears another one's is none.
    if (what == format::unknown || what == format::edges_by_name || what == format::edges_by_row) {
        const format seen = format_of(ctx, file, path);
        if (seen != format::unknown) what = seen;
    }
    switch (what) {
        case format::matrix_market:
            return matrix_market::read(ctx, *open_text(ctx, std::move(file), path), options);
        case format::edges_by_row:
            return edge_list::read(ctx, *open_text(ctx, std::move(file), path), edge_list::ids::rows,
                                   options);
        case format::edges_by_name:
            return edge_list::read(ctx, *open_text(ctx, std::move(file), path), edge_list::ids::names,
                                   options);
        case format::npz:
            return npz::read(ctx, file.bytes(), path, options);
        case format::nzb:
            return nzb::read(ctx, file.bytes(), path, options);
        case format::binsparse:
            return binsparse::read(ctx, path, options);
        case format::unknown:
            break;
    }
    refuse_suffix(path, named.text);
}

void save_file(const context& ctx, const matrix& a, const std::string& path, const write_options& options) {
    const suffix named = suffix_of(path);
    const format what = format_of(named.text);
    const bool text = what == format::matrix_market || what == format::edges_by_row;
    require<domain_error>(
        what != format::unknown && what != format::edges_by_name && (text || !named.gzip),
        "{}: the suffix names no format that is written; those are .mtx, .el, .wel (each also .gz), .npz, .nzb and .bsp.h5",
        path);
    require<domain_error>(what == format::binsparse || options.layout == file_layout::csr,
                          "{}: only Binsparse files (.bsp.h5) are laid out as {}", path,
                          name_of(options.layout));
    output_file file(path, named.gzip);
    const auto write = [&](std::string_view bytes) { file.write(bytes); };
    switch (what) {
        case format::matrix_market:
            matrix_market::write(ctx, a, write);
            break;
        case format::npz:
            npz::write(ctx, a, file);
            break;
        case format::binsparse:
            binsparse::write(ctx, a, file, options.layout);
            break;
        case format::nzb:
            nzb::write(ctx, a, write);
            break;
        default:
            edge_list::write(ctx, a, named.text == "wel", write);
            break;
    }
    file.commit();
}

// A file appears under its name when it is whole, so that Binsparse's writer gets a place beside it.
void save_vector(const context& ctx, const vector& v, const std::string& path) {
    const suffix named = suffix_of(path);
    if (named.gzip || format_of(named.text) != format::binsparse)
        return save_file(ctx, as_column(ctx, v), path, {});
    output_file file(path);
    binsparse::write(ctx, v, file);
    file.commit();
}

}  // namespace
}  // namespace io

input load(const context& ctx, std::string_view source, const read_options& options) {
    if (is_generator(source)) return io::generate(ctx, source, options);
    input in = io::load_file(ctx, std::string(source), options);
    if (options.progress) options.progress(1);
    return in;
}

void save(const context& ctx, const matrix& a, std::string_view path, const write_options& options) {
    io::save_file(ctx, a, std::string(path), options);
}

vector load_vector(const context& ctx, std::string_view source, const read_options& options) {
    return io::only_column(ctx, load(ctx, source, options).matrix, source);
}

void save(const context& ctx, const vector& v, std::string_view path) {
    io::save_vector(ctx, v, std::string(path));
}

std::string_view name_of(file_layout layout) { return io::layout_names[static_cast<std::size_t>(layout)]; }

file_layout parse_file_layout(std::string_view word) {
    for (const file_layout layout : {file_layout::csr, file_layout::csc, file_layout::coo})
        if (name_of(layout) == word) return layout;
    fail<domain_error>("'{}' is no layout of a file: they are csr, csc and coo", io::quote(word));
}

}  // namespace nz
