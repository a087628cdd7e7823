#include "core/checks.hpp"
#include "io/generators.hpp"
#include "nonzero/io.hpp"
#include "storage/matrix_body.hpp"

#include <algorithm>
#include <cstring>

namespace nz {

matrix with_random_weights(const context& ctx, const matrix& a, std::int32_t lowest, std::int32_t highest,
                           std::uint64_t seed) {
    require<domain_error>(lowest <= highest, "random weights from {} to {}: the lowest comes first", lowest,
                          highest);
    const storage::csr& rows = a.body().rows();
    storage::csr weighted =
        storage::allocate_csr(ctx, dtype::int32, value_kind::full, rows.rows, rows.columns, rows.nnz);
    std::memcpy(weighted.offsets.data(), rows.offsets.data(), rows.offsets.bytes());
    if (rows.nnz) std::memcpy(weighted.indices.data(), rows.indices.data(), rows.indices.bytes());
    const std::uint64_t key = io::key_of(seed, io::purpose::weights);
    const std::uint64_t choices = static_cast<std::uint64_t>(std::int64_t{highest} - lowest) + 1;
    storage::with_offsets(rows, [&](const auto* offsets) {
        parallel::for_chunks(ctx.threads(), rows.rows, io::row_block, [&](offset_t begin, offset_t end) {
            for (offset_t i = begin; i < end; ++i)
                for (offset_t k = offsets[i]; k < offsets[i + 1]; ++k) {
                    const auto [low, high] = std::minmax(
                        {static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(rows.index_data()[k])});
                    weighted.values.as<std::int32_t>()[k] = static_cast<std::int32_t>(
                        lowest +
                        static_cast<std::int64_t>(io::random_stream(key, low << 32 | high).below(choices)));
                }
        });
    });
    auto body = std::make_shared<storage::matrix_body>(ctx, std::move(weighted));
    if (a.body().known_symmetric()) body->declare_symmetric();
    return matrix(std::move(body));
}

}  // namespace nz
