// The tiles, slices, blocks, ranks and bins of a matrix: what a handle's body keeps of them.
#include "storage/matrix_body.hpp"

namespace nz::storage {
namespace {

// Of the forms that are kept, the one of these rows in this memory, with values of `wanted` or, where none is asked for, whatever it
// has, that is `as_asked`; or null.
template <class Form, class AsAsked>
std::shared_ptr<const Form> find_form(const std::vector<std::shared_ptr<const Form>>& kept,
                                      const std::shared_ptr<memory_resource>& memory, const csr& of,
                                      std::optional<dtype> wanted, AsAsked&& as_asked) {
    for (const auto& f : kept)
        if (f->source == &of && f->memory == memory && as_asked(*f)) {
            if constexpr (requires { f->type; }) {
                if (wanted && f->type != wanted) continue;
            }
            return f;
        }
    return nullptr;
}
auto cut_as(tiling cut) {
    return [cut](const value_tiles& t) { return t.cut == cut; };
}
auto of_side(int side) {
    return [side](const bsr& b) { return b.side == side; };
}
auto ranked_as(bool ranked) {
    return [ranked](const ell_slices& e) { return e.ranked == ranked; };
}
auto for_operands_of(std::size_t bytes) {
    return [bytes](const column_bins& b) { return b.operand_bytes == bytes; };
}
constexpr auto any_slices = [](const dia_slices&) { return true; };
constexpr auto any_ranks = [](const ranked_columns&) { return true; };

}  // namespace

std::shared_ptr<const value_tiles> matrix_body::tiles_in(const std::shared_ptr<memory_resource>& memory,
                                                         const csr& of, tiling cut,
                                                         std::optional<dtype> wanted,
                                                         const std::function<value_tiles()>& build) const {
    const std::lock_guard lock(mutex_);
    if (auto found = find_form(tiles_, memory, of, wanted, cut_as(cut))) return found;
    return tiles_.emplace_back(std::make_shared<const value_tiles>(build()));
}
bool matrix_body::has_tiles(const std::shared_ptr<memory_resource>& memory, const csr& of, tiling cut,
                            std::optional<dtype> wanted) const {
    const std::lock_guard lock(mutex_);
    return find_form(tiles_, memory, of, wanted, cut_as(cut)) != nullptr;
}
std::shared_ptr<const tile_lists> matrix_body::tile_lists_in(const std::shared_ptr<const value_tiles>& of,
                                                             bool by_rows,
                                                             const std::function<tile_lists()>& build) const {
    const std::lock_guard lock(mutex_);
    for (const auto& l : tile_lists_)
        if (l->source == of && l->by_rows == by_rows) return l;
    tile_lists made = build();
    made.source = of;
    return tile_lists_.emplace_back(std::make_shared<const tile_lists>(std::move(made)));
}

std::shared_ptr<const bit_tiles> matrix_body::bit_tiles_of(const csr& of, int size, int least_entries) const {
    const std::lock_guard lock(mutex_);
    for (const auto& [source, tiles] : bit_tiles_)
        if (source == &of && tiles->size == size && tiles->least_entries == least_entries) return tiles;
    auto made = std::make_shared<const bit_tiles>(make_bit_tiles(ctx, of, size, least_entries));
    return bit_tiles_.emplace_back(&of, std::move(made)).tiles;
}
std::shared_ptr<const bit_tiles> matrix_body::bit_tiles_of_rows(int size, int least_entries) const {
    return bit_tiles_of(rows(), size, least_entries);
}
std::shared_ptr<const bit_tiles> matrix_body::bit_tiles_of_columns(int size, int least_entries) const {
    return bit_tiles_of(columns(), size, least_entries);
}

std::shared_ptr<const bit_tiles> matrix_body::bit_tiles_on(const context& gpu, const csr& of, int size,
                                                           int least_entries,
                                                           const std::function<bit_tiles()>& build) const {
    const std::lock_guard lock(mutex_);
    for (const auto& [source, memory, tiles] : device_.bit_tiles)
        if (source == &of && memory == gpu.device_memory() && tiles->size == size &&
            tiles->least_entries == least_entries)
            return tiles;
    return device_.bit_tiles
        .emplace_back(&of, gpu.device_memory(), std::make_shared<const bit_tiles>(build()))
        .tiles;
}

double matrix_body::sampled_outside_tiles() const {
    const auto by_rows = rows_shared();
    const std::lock_guard lock(mutex_);
    if (!sampled_outside_tiles_)
        sampled_outside_tiles_ =
            sample_value_tiles(*by_rows, {usual_tile_size, least_value_entries(usual_tile_size)}, 0).outside;
    return *sampled_outside_tiles_;
}

std::shared_ptr<const dia_slices> matrix_body::slices_in(const std::shared_ptr<memory_resource>& memory,
                                                         const csr& of, std::optional<dtype> wanted,
                                                         const std::function<dia_slices()>& build) const {
    const std::lock_guard lock(mutex_);
    if (auto found = find_form(slices_, memory, of, wanted, any_slices)) return found;
    return slices_.emplace_back(std::make_shared<const dia_slices>(build()));
}
bool matrix_body::has_slices(const std::shared_ptr<memory_resource>& memory, const csr& of,
                             std::optional<dtype> wanted) const {
    const std::lock_guard lock(mutex_);
    return find_form(slices_, memory, of, wanted, any_slices) != nullptr;
}
double matrix_body::sampled_slices() const {
    const auto by_rows = rows_shared();
    const std::lock_guard lock(mutex_);
    if (!sampled_slices_) sampled_slices_ = sample_slices(*by_rows);
    return *sampled_slices_;
}

std::shared_ptr<const bsr> matrix_body::blocks_in(const std::shared_ptr<memory_resource>& memory,
                                                  const csr& of, int side, std::optional<dtype> wanted,
                                                  const std::function<bsr()>& build) const {
    const std::lock_guard lock(mutex_);
    if (auto found = find_form(blocks_, memory, of, wanted, of_side(side))) return found;
    return blocks_.emplace_back(std::make_shared<const bsr>(build()));
}
bool matrix_body::has_blocks(const std::shared_ptr<memory_resource>& memory, const csr& of, int side,
                             std::optional<dtype> wanted) const {
    const std::lock_guard lock(mutex_);
    return find_form(blocks_, memory, of, wanted, of_side(side)) != nullptr;
}
block_sample matrix_body::sampled_blocks() const {
    const auto by_rows = rows_shared();
    const std::lock_guard lock(mutex_);
    if (!sampled_blocks_) sampled_blocks_ = sample_blocks(*by_rows);
    return *sampled_blocks_;
}

std::shared_ptr<const ranked_columns> matrix_body::ranks_in(
    const std::shared_ptr<memory_resource>& memory, const csr& of,
    const std::function<ranked_columns()>& build) const {
    const std::lock_guard lock(mutex_);
    if (auto found = find_form(ranks_, memory, of, std::nullopt, any_ranks)) return found;
    return ranks_.emplace_back(std::make_shared<const ranked_columns>(build()));
}
bool matrix_body::has_ranks(const std::shared_ptr<memory_resource>& memory, const csr& of) const {
    const std::lock_guard lock(mutex_);
    return find_form(ranks_, memory, of, std::nullopt, any_ranks) != nullptr;
}
std::shared_ptr<const column_bins> matrix_body::bins_in(const std::shared_ptr<memory_resource>& memory,
                                                        const csr& of, std::optional<dtype> wanted,
                                                        std::size_t operand_bytes,
                                                        const std::function<column_bins()>& build) const {
    const std::lock_guard lock(mutex_);
    if (auto found = find_form(bins_, memory, of, wanted, for_operands_of(operand_bytes))) return found;
    return bins_.emplace_back(std::make_shared<const column_bins>(build()));
}
bool matrix_body::has_bins(const std::shared_ptr<memory_resource>& memory, const csr& of,
                           std::optional<dtype> wanted, std::size_t operand_bytes) const {
    const std::lock_guard lock(mutex_);
    return find_form(bins_, memory, of, wanted, for_operands_of(operand_bytes)) != nullptr;
}
double matrix_body::sampled_hot_columns() const {
    const auto by_rows = rows_shared();
    const std::lock_guard lock(mutex_);
    if (!sampled_hot_columns_) sampled_hot_columns_ = sample_hot_columns(*by_rows);
    return *sampled_hot_columns_;
}

std::shared_ptr<const ell_slices> matrix_body::ell_in(const std::shared_ptr<memory_resource>& memory,
                                                      const csr& of, bool ranked, std::optional<dtype> wanted,
                                                      const std::function<ell_slices()>& build) const {
    const std::lock_guard lock(mutex_);
    if (auto found = find_form(ell_, memory, of, wanted, ranked_as(ranked))) return found;
    return ell_.emplace_back(std::make_shared<const ell_slices>(build()));
}
bool matrix_body::has_ell(const std::shared_ptr<memory_resource>& memory, const csr& of, bool ranked,
                          std::optional<dtype> wanted) const {
    const std::lock_guard lock(mutex_);
    return find_form(ell_, memory, of, wanted, ranked_as(ranked)) != nullptr;
}
double matrix_body::ell_share() const {
    const auto by_rows = rows_shared();
    const std::lock_guard lock(mutex_);
    if (!ell_share_) ell_share_ = share_in_ell_slices(ctx, *by_rows);
    return *ell_share_;
}

tile_sample matrix_body::sampled_tiles(int size) const {
    const auto by_rows = rows_shared();
    const std::lock_guard lock(mutex_);
    for (const auto& s : sampled_tiles_)
        if (s.size == size) return s;
    return sampled_tiles_.emplace_back(sample_tiles(*by_rows, size));
}

}  // namespace nz::storage
