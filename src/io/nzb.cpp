#include "io/nzb.hpp"

#include "core/checks.hpp"
#include "core/parallel.hpp"
#include "storage/matrix_body.hpp"

#include <array>
#include <bit>
#include <type_traits>

namespace nz::io::nzb {
namespace {

constexpr std::array<char, 8> magic = {'\x93', 'N',  'Z',    'B',
                                       '\r',   '\n', '\x1a', '\n'};  // a text transfer breaks it
constexpr std::uint32_t version = 1;
constexpr std::uint32_t native = 0x01020304;  // reads otherwise on a machine of the other byte order
constexpr std::size_t alignment = 64;

struct header {
    std::array<char, 8> magic;
    std::uint32_t version, byte_order;
    std::int64_t rows, columns, nnz;
    std::uint8_t type, kind, offset_bytes, symmetric;
    std::uint32_t zero;
    std::uint64_t offsets_sum, indices_sum, values_sum;
    std::uint64_t header_sum;  // of everything before
};
static_assert(sizeof(header) == 80 && std::is_trivially_copyable_v<header>);

// The types' numbers in a file, whatever the enumeration becomes.
constexpr std::array<dtype, dtype_count> types = {
    dtype::boolean, dtype::int8,   dtype::int16,  dtype::int32,   dtype::int64,  dtype::uint8,
    dtype::uint16,  dtype::uint32, dtype::uint64, dtype::float32, dtype::float64};
constexpr std::array<value_kind, 3> kinds = {value_kind::full, value_kind::iso, value_kind::pattern};

// Four lanes of multiply and rotate, as fast as memory; finds damage, not malice.
std::uint64_t checksum_piece(const char* data, std::size_t bytes) {
    constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
    std::uint64_t lanes[4] = {odd, odd ^ 1, odd ^ 2, odd ^ 3};
    const auto mix = [&](std::uint64_t& lane, std::uint64_t x) { lane = std::rotl((lane ^ x) * odd, 29); };
    std::size_t k = 0;
    for (; k + 32 <= bytes; k += 32)
        for (int lane = 0; lane < 4; ++lane) {
            std::uint64_t x;
            std::memcpy(&x, data + k + 8 * static_cast<std::size_t>(lane), 8);
            mix(lanes[lane], x);
        }
    for (; k < bytes; ++k) mix(lanes[k % 4], static_cast<unsigned char>(data[k]));
    std::uint64_t sum = bytes;
    for (const std::uint64_t lane : lanes) mix(sum, lane ^ (lane >> 32));
    return sum;
}

// Of pieces of a fixed size, so that all threads share the work; `out`, where given, receives a copy.
std::uint64_t checksum(const context& ctx, const void* data, std::size_t bytes, void* out = nullptr) {
    constexpr std::size_t piece = std::size_t{1} << 20;
    const std::size_t pieces = (bytes + piece - 1) / piece;
    array<std::uint64_t> sums(ctx, pieces + 1);
    parallel::for_pieces(
        ctx.threads(), static_cast<offset_t>(pieces),
        [&](offset_t first, offset_t last) {
            for (offset_t p = first; p < last; ++p) {
                const std::size_t at = static_cast<std::size_t>(p) * piece, n = std::min(piece, bytes - at);
                if (out) std::memcpy(static_cast<char*>(out) + at, static_cast<const char*>(data) + at, n);
                sums[p] = checksum_piece(static_cast<const char*>(data) + at, n);
            }
        },
        1, 2);
    return checksum_piece(reinterpret_cast<const char*>(sums.data()), pieces * sizeof(std::uint64_t));
}

constexpr std::size_t padded(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

std::uint64_t header_checksum(const header& h) {
    return checksum_piece(reinterpret_cast<const char*>(&h), offsetof(header, header_sum));
}

header read_header(std::span<const std::byte> bytes, std::string_view name) {
    header h{};
    require<invalid_format>(is_nzb(bytes), "{}: is no .nzb file", name);
    require<invalid_format>(bytes.size() >= sizeof h, "{}: is cut off in its header, after {} bytes", name,
                            bytes.size());
    std::memcpy(&h, bytes.data(), sizeof h);
    require<invalid_format>(h.byte_order == native,
                            "{}: was written on a machine of the other byte order, or is damaged", name);
    require<invalid_format>(h.version == version,
                            "{}: has version {} of the format, this library reads version {}: write it anew",
                            name, h.version, version);
    require<invalid_format>(h.header_sum == header_checksum(h),
                            "{}: the header does not have its checksum: the file is damaged", name);
    require<invalid_format>(
        h.rows >= 0 && h.rows <= max_dimension && h.columns >= 0 && h.columns <= max_dimension && h.nnz >= 0,
        "{}: a matrix of {} x {} with {} entries is impossible", name, h.rows, h.columns, h.nnz);
    require<invalid_format>(h.type < types.size() && h.kind < kinds.size() &&
                                h.offset_bytes == storage::offset_bytes_for(h.nnz) && h.symmetric <= 1 &&
                                h.zero == 0 && (!h.symmetric || h.rows == h.columns),
                            "{}: the header contradicts itself", name);
    return h;
}

// Copies one array out of the file, in front of `rest`, and checks its sum.
void take(const context& ctx, std::span<const std::byte>& rest, buffer& out, std::size_t bytes,
          std::uint64_t sum, std::string_view name, const char* what) {
    const std::uint64_t found = checksum(ctx, rest.data(), bytes, out.data());
    require<invalid_format>(found == sum, "{}: the {} do not have their checksum: the file is damaged", name,
                            what);
    rest = rest.subspan(padded(bytes));
}

}  // namespace

bool is_nzb(std::span<const std::byte> bytes) {
    return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

input read(const context& ctx, std::span<const std::byte> bytes, std::string_view name,
           const read_options& options) {
    const header h = read_header(bytes, name);
    const dtype type = types[h.type];
    const value_kind kind = kinds[h.kind];
    // The file's own size proves the header before anything is allocated.
    const auto left = static_cast<std::uint64_t>(bytes.size() - sizeof h);
    const std::uint64_t values = kind == value_kind::full  ? static_cast<std::uint64_t>(h.nnz)
                                 : kind == value_kind::iso ? 1
                                                           : 0;
    const bool possible = static_cast<std::uint64_t>(h.nnz) <= left / sizeof(index_t);
    const std::size_t offset_bytes = (static_cast<std::size_t>(h.rows) + 1) * h.offset_bytes;
    const std::size_t index_bytes = possible ? static_cast<std::size_t>(h.nnz) * sizeof(index_t) : 0;
    const std::size_t value_bytes = possible ? values * size_of(type) : 0;
    require<invalid_format>(
        possible && left == padded(sizeof h) - sizeof h + padded(offset_bytes) + padded(index_bytes) +
                                padded(value_bytes),
        "{}: has {} bytes, which is not what {} rows and {} entries take: it is cut off or damaged", name,
        bytes.size(), h.rows, h.nnz);
    storage::csr a = storage::allocate_csr(ctx, type, kind, static_cast<index_t>(h.rows),
                                           static_cast<index_t>(h.columns), h.nnz);
    auto rest = bytes.subspan(padded(sizeof h));
    take(ctx, rest, a.offsets, offset_bytes, h.offsets_sum, name, "offsets");
    take(ctx, rest, a.indices, index_bytes, h.indices_sum, name, "columns");
    if (options.progress) options.progress(0.4);
    take(ctx, rest, a.values, value_bytes, h.values_sum, name, "values");
    if (options.progress) options.progress(0.8);
    storage::validate(a, std::string(name).c_str());
    if (type == dtype::boolean)
        for (const std::uint8_t value : a.values.span<const std::uint8_t>())
            require<invalid_format>(value <= 1, "{}: a value of type bool is {}", name, value);
    auto body = std::make_shared<storage::matrix_body>(ctx, std::move(a));
    if (h.symmetric) body->declare_symmetric();
    return {matrix(std::move(body)), "cache", h.symmetric == 1};
}

void write(const context& ctx, const matrix& a, const std::function<void(std::string_view)>& write) {
    const auto rows = a.body().rows_shared();
    header h{};
    h.magic = magic;
    h.version = version;
    h.byte_order = native;
    h.rows = rows->rows;
    h.columns = rows->columns;
    h.nnz = rows->nnz;
    h.type = static_cast<std::uint8_t>(std::find(types.begin(), types.end(), rows->type) - types.begin());
    h.kind = static_cast<std::uint8_t>(std::find(kinds.begin(), kinds.end(), rows->kind) - kinds.begin());
    h.offset_bytes = static_cast<std::uint8_t>(rows->offset_bytes);
    h.symmetric = a.body().known_symmetric();
    const std::size_t values = rows->kind == value_kind::full  ? static_cast<std::size_t>(rows->nnz)
                               : rows->kind == value_kind::iso ? 1
                                                               : 0;
    const std::string_view arrays[] = {
        {rows->offsets.as<const char>(), (static_cast<std::size_t>(h.rows) + 1) * h.offset_bytes},
        {rows->indices.as<const char>(), static_cast<std::size_t>(h.nnz) * sizeof(index_t)},
        {rows->values.as<const char>(), values * rows->value_bytes()}};
    h.offsets_sum = checksum(ctx, arrays[0].data(), arrays[0].size());
    h.indices_sum = checksum(ctx, arrays[1].data(), arrays[1].size());
    h.values_sum = checksum(ctx, arrays[2].data(), arrays[2].size());
    h.header_sum = header_checksum(h);
    constexpr char zeros[alignment] = {};
    const auto put = [&](std::string_view bytes) {
        if (!bytes.empty()) write(bytes);
        if (bytes.size() % alignment) write({zeros, alignment - bytes.size() % alignment});
    };
    put({reinterpret_cast<const char*>(&h), sizeof h});
    for (const std::string_view bytes : arrays) put(bytes);
}

}  // namespace nz::io::nzb
