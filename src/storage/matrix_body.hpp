// What a matrix handle points to: shape, representations of one content, cached facts, pending changes.
#pragma once

#include "storage/bit_tiles.hpp"
#include "storage/bsr.hpp"
#include "storage/column_bins.hpp"
#include "storage/csr.hpp"
#include "storage/device_assemble.hpp"
#include "storage/device_csr.hpp"
#include "storage/device_edges.hpp"
#include "storage/dia_slices.hpp"
#include "storage/ell_slices.hpp"
#include "storage/merge_changes.hpp"
#include "storage/ranked_columns.hpp"
#include "storage/value_tiles.hpp"

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

namespace nz::storage {

struct matrix_body {
    context ctx;
    index_t row_count = 0, column_count = 0;
    dtype type = dtype::float64;

    matrix_body(const context& c, csr a)
        : ctx(c),
          row_count(a.rows),
          column_count(a.columns),
          type(a.type),
          rows_(std::make_shared<const csr>(std::move(a))) {}
    /// No entry.
    matrix_body(const context& c, dtype of, index_t rows, index_t columns);
    /// A result on a GPU, whose arrays come to the host when they are looked at.
    matrix_body(const context& c, std::shared_ptr<csr_residence> away);
    matrix_body(const matrix_body& other);

    /// The CSR, pending changes merged, columns sorted. Built once; thread-safe.
    const csr& rows() const { return *rows_shared(); }
    /// The caller's own arrays where he lent some (perhaps with unsorted columns), else rows().
    const csr& rows_as_given() const;
    std::shared_ptr<const csr> rows_shared() const;
    /// rows() and rows_as_given() for those who read no array: they stay where they are, and nothing is made for the second.
    const csr& rows_anywhere() const;
    const csr& shape() const;
    /// columns() for those who read no array on the host: where a GPU alone has the rows they are transposed there, and stay.
    /// A memory limit that leaves no room for it sends them home.
    const csr& columns_anywhere(const context& gpu) const;
    /// A^T on the GPU, where it stays; of context `own`.
    matrix transposed(const context& own, const context& gpu) const;
    /// Whether its arrays are a caller's, which no result may share.
    bool borrows() const {
        const std::lock_guard lock(mutex_);
        return rows_->offsets.borrowed() || (away_ && away_->entries()->callers);
    }
    /// A^T as a matrix of its own that is kept until the entries change; none yet. keep_turned: the one that was first.
    std::shared_ptr<const matrix> turned() const;
    std::shared_ptr<const matrix> keep_turned(matrix made) const;
    /// Whether a GPU alone has it.
    bool away() const {
        const std::lock_guard lock(mutex_);
        return is_away();
    }
    /// The CSR of the transpose, i.e. the CSC. Shared with rows() when the matrix is known to be symmetric.
    const csr& columns() const;
    /// columns() with every row of it ordered by falling length of the neighbour's own row (hubs first), ties
    /// ascending. Columns are not sorted then.
    const csr& columns_hub_first() const;
    /// Copies of rows(), columns() and columns_hub_first() on the context's GPU, made once for each memory.
    std::shared_ptr<const device_csr> rows_on(const context& gpu) const;
    /// rows_on for those who need no empty_rows.
    std::shared_ptr<const device_csr> entries_on(const context& gpu) const;
    std::shared_ptr<const device_csr> columns_on(const context& gpu) const;
    std::shared_ptr<const device_csr> columns_hub_first_on(const context& gpu) const;
    /// Bytes of rows() or columns() that the context's GPU would still have to take, with values of this type where one is given.
    std::size_t bytes_to_place(const context& gpu, const csr& of, std::optional<dtype> values) const;
    /// Bytes that copies take there, and tiles, slices, blocks, ranks, bins and what else was made from them: leave() gives up both; what a
    /// GPU alone has stays.
    std::size_t bytes_on(const context& gpu) const;
    std::size_t form_bytes_on(const context& gpu) const;
    void leave(const context& gpu) const;
    /// Keeps arrays there until the matrix changes: callers have pointers into them.
    void lend(std::initializer_list<std::shared_ptr<const void>> arrays) const;
    /// How the entries of rows() or columns() are shared out evenly there; made once.
    std::shared_ptr<const device_balance> balance_on(const context& gpu, const csr& of) const;
    /// Two neighbours of each of rows() or columns() there; `build` fills the buffer, once for each kind.
    std::shared_ptr<const device_heads> heads_on(const context& gpu, const csr& of, row_heads kind,
                                                 const std::function<void(buffer&)>& build) const;
    /// The values of rows() or columns() there, converted to `type`; one for an iso or pattern matrix. Made once.
    std::shared_ptr<const device_values> values_on(const context& gpu, const csr& of, dtype type) const;
    /// The values of rows() as lengths of edges, and the rows with them on the context's GPU: made once for each type.
    std::shared_ptr<const edge_weights> weights_as(dtype of) const;
    std::shared_ptr<const device_edges> edges_on(const context& gpu, dtype of) const;
    /// The same on the host: rows() with their lengths, joined once for each type.
    std::shared_ptr<const joined_edges> joined_as(dtype of) const;
    /// Tiles of rows() or columns() in `memory`, the host's or a GPU's, with values of `type` or, where none is asked
    /// for, whatever they have; `build` makes them, once, and must not ask this body for anything.
    std::shared_ptr<const value_tiles> tiles_in(const std::shared_ptr<memory_resource>& memory, const csr& of,
                                                tiling cut, std::optional<dtype> type,
                                                const std::function<value_tiles()>& build) const;
    bool has_tiles(const std::shared_ptr<memory_resource>& memory, const csr& of, tiling cut,
                   std::optional<dtype> type) const;
    /// What tiles meet, in their own memory; built as they are.
    std::shared_ptr<const tile_lists> tile_lists_in(const std::shared_ptr<const value_tiles>& of,
                                                    bool by_rows,
                                                    const std::function<tile_lists()>& build) const;
    /// The share of entries that value tiles of rows() of the usual size would not hold, by sample_value_tiles; taken once.
    double sampled_outside_tiles() const;
    /// Slices of rows() or columns(), as tiles_in.
    std::shared_ptr<const dia_slices> slices_in(const std::shared_ptr<memory_resource>& memory, const csr& of,
                                                std::optional<dtype> type,
                                                const std::function<dia_slices()>& build) const;
    bool has_slices(const std::shared_ptr<memory_resource>& memory, const csr& of,
                    std::optional<dtype> type) const;
    /// sample_slices of rows(); taken once.
    double sampled_slices() const;
    /// Blocks of rows() or columns(), likewise, and sample_blocks of rows().
    std::shared_ptr<const bsr> blocks_in(const std::shared_ptr<memory_resource>& memory, const csr& of,
                                         int side, std::optional<dtype> type,
                                         const std::function<bsr()>& build) const;
    bool has_blocks(const std::shared_ptr<memory_resource>& memory, const csr& of, int side,
                    std::optional<dtype> type) const;
    block_sample sampled_blocks() const;
    /// The ranks of the columns of rows() or columns(), likewise, and sample_hot_columns of rows().
    std::shared_ptr<const ranked_columns> ranks_in(const std::shared_ptr<memory_resource>& memory,
                                                   const csr& of,
                                                   const std::function<ranked_columns()>& build) const;
    bool has_ranks(const std::shared_ptr<memory_resource>& memory, const csr& of) const;
    double sampled_hot_columns() const;
    /// The entries of rows() or columns() by ranges of columns, likewise, for operands of so many bytes.
    std::shared_ptr<const column_bins> bins_in(const std::shared_ptr<memory_resource>& memory, const csr& of,
                                               std::optional<dtype> type, std::size_t operand_bytes,
                                               const std::function<column_bins()>& build) const;
    bool has_bins(const std::shared_ptr<memory_resource>& memory, const csr& of, std::optional<dtype> type,
                  std::size_t operand_bytes) const;
    /// Slices of equally long rows of rows() or columns(), likewise, and share_in_ell_slices of rows(); counted once.
    std::shared_ptr<const ell_slices> ell_in(const std::shared_ptr<memory_resource>& memory, const csr& of,
                                             bool ranked, std::optional<dtype> type,
                                             const std::function<ell_slices()>& build) const;
    bool has_ell(const std::shared_ptr<memory_resource>& memory, const csr& of, bool ranked,
                 std::optional<dtype> type) const;
    double ell_share() const;
    /// Entries in the longest of rows(); found once.
    offset_t longest_row() const;
    /// sample_rows of rows(); taken once.
    row_sample sampled_rows() const;
    /// The bit tiles of rows() or columns(), made once for each size and threshold: one object for both when they are one.
    std::shared_ptr<const bit_tiles> bit_tiles_of_rows(int size, int least_entries) const;
    std::shared_ptr<const bit_tiles> bit_tiles_of_columns(int size, int least_entries) const;
    /// Those of rows() or columns() on the context's GPU; `build` makes them, once, and must not ask this body for anything.
    std::shared_ptr<const bit_tiles> bit_tiles_on(const context& gpu, const csr& of, int size,
                                                  int least_entries,
                                                  const std::function<bit_tiles()>& build) const;
    /// sample_tiles of rows(); taken once for each size.
    tile_sample sampled_tiles(int size) const;
    /// Edges that searches have gone through since the entries last changed: what says that representations for searches pay.
    offset_t searched() const { return searched_.load(std::memory_order_relaxed); }
    void note_search(offset_t edges) const { searched_.fetch_add(edges, std::memory_order_relaxed); }
    /// The same for searches of shortest paths.
    offset_t measured() const { return measured_.load(std::memory_order_relaxed); }
    void note_paths(offset_t edges) const { measured_.fetch_add(edges, std::memory_order_relaxed); }
    /// Products with a vector that the caller says will follow, and those that there were, since the entries last changed.
    offset_t expected_products() const { return expected_.load(std::memory_order_relaxed); }
    void expect_products(offset_t count) const { expected_.store(count, std::memory_order_relaxed); }
    offset_t multiplied() const { return multiplied_.load(std::memory_order_relaxed); }
    void note_product() const { multiplied_.fetch_add(1, std::memory_order_relaxed); }
    /// A GPU had no memory for slices, ranks or bins: plans do without until the entries change.
    bool forms_refused() const { return forms_refused_.load(std::memory_order_relaxed); }
    void refuse_forms() const { forms_refused_.store(true, std::memory_order_relaxed); }
    /// Whether columns() is there already, so that a plan need not pay for it.
    bool has_columns() const;
    const matrix_facts& facts() const;
    bool has_facts() const;
    /// The values of the whole matrix equal their transpose (known from a file's header or a generator).
    void declare_symmetric();
    bool known_symmetric() const { return symmetric_; }

    void replace(csr a);
    void add_pending(pending_change change) {
        pending_.push_back(change);
        forget_uses();
        symmetric_ = false;  // one side of the diagonal changes
    }
    /// What became of a place by the last of few changes that wait to be merged; nothing where none of them is of that place.
    std::optional<pending_change> changed_lately(index_t row, index_t column) const;
    /// The CSR, sorted, without few changes that wait; with many of them, merged. To be held: another reader may merge them.
    std::shared_ptr<const csr> rows_but_for_changes() const;
    /// Throws out_of_memory where the matrix with one change more would not fit the memory limit beside the present one: whoever looks at
    /// it next could not.
    void require_room_for_a_change() const;
    void forget_derived();
    /// The arrays that the caller lent have changed.
    void invalidate();

private:
    /// Gives up everything made from rows_: the one list of it.
    void drop_derived() const;
    void forget_uses() const {
        searched_ = measured_ = multiplied_ = expected_ = 0;
        forms_refused_ = false;
    }
    /// The rows without pending changes, sorted; the caller holds the lock.
    std::shared_ptr<const csr> sorted_already() const;
    void merge_pending() const;
    void bring_home(const csr& of) const;
    void bring_rows_home() const;
    bool is_alone_there(const void* copy) const;
    std::shared_ptr<csr_residence> transposed_on(const context& gpu, const csr& rows) const;
    std::shared_ptr<const device_csr> copy_on(const context& gpu, const csr& of,
                                              bool marks_empty_rows = true) const;
    std::shared_ptr<const bit_tiles> bit_tiles_of(const csr& of, int size, int least_entries) const;

    mutable std::mutex mutex_;
    mutable std::shared_ptr<const csr> rows_, sorted_rows_, columns_, hub_first_;
    mutable std::shared_ptr<const matrix> turned_;
    /// What GPUs hold of the above.
    struct on_devices {
        std::vector<std::shared_ptr<const device_csr>> copies;
        std::vector<std::shared_ptr<const device_balance>> balances;
        std::vector<std::shared_ptr<const device_values>> values;
        std::vector<std::shared_ptr<const device_heads>> heads;
        struct bits {
            const csr* source;
            std::shared_ptr<memory_resource> memory;
            std::shared_ptr<const storage::bit_tiles> tiles;
        };
        std::vector<bits> bit_tiles;
        /// What callers have pointers into: leave() does not give it up.
        std::vector<std::shared_ptr<const void>> lent;
    };
    bool is_away() const { return away_ && !away_->at_home(); }

    mutable on_devices device_;
    mutable std::shared_ptr<csr_residence> away_,
        columns_away_;                          ///< where rows_ or columns_ were made on a GPU
    mutable std::shared_ptr<blank_csr> blank_;  ///< whose rows rows_ are, until it has entries
    mutable std::vector<std::shared_ptr<const edge_weights>> weights_;
    mutable std::vector<std::shared_ptr<const value_tiles>> tiles_;
    mutable std::vector<std::shared_ptr<const tile_lists>> tile_lists_;
    mutable std::vector<std::shared_ptr<const dia_slices>> slices_;
    mutable std::vector<std::shared_ptr<const bsr>> blocks_;
    mutable std::vector<std::shared_ptr<const ranked_columns>> ranks_;
    mutable std::vector<std::shared_ptr<const column_bins>> bins_;
    mutable std::vector<std::shared_ptr<const ell_slices>> ell_;
    mutable std::vector<std::shared_ptr<const device_edges>> device_edges_;
    mutable std::vector<std::shared_ptr<const joined_edges>> joined_;
    struct tiled {
        const csr* source;
        std::shared_ptr<const bit_tiles> tiles;
    };
    mutable std::vector<tiled> bit_tiles_;
    mutable std::vector<tile_sample> sampled_tiles_;
    mutable std::optional<matrix_facts> facts_;
    mutable std::optional<offset_t> longest_row_;
    mutable std::optional<row_sample> sampled_rows_;
    mutable std::optional<double> sampled_slices_, sampled_outside_tiles_, sampled_hot_columns_, ell_share_;
    mutable std::optional<block_sample> sampled_blocks_;
    mutable std::atomic<offset_t> searched_{0}, measured_{0}, multiplied_{0}, expected_{0};
    mutable std::atomic<bool> forms_refused_{false};
    mutable std::vector<pending_change> pending_;
    bool symmetric_ = false;
};

/// A matrix whose arrays a GPU alone has: the CSR `shape` with its own arrays empty, and what is there.
matrix make_device_matrix(const context& own, const context& gpu, csr shape, buffer offsets, buffer indices,
                          buffer values);

/// The same with the places of another, whose arrays `entries` keeps: those of the CSR `places`.
matrix make_device_matrix(const context& own, const context& gpu, const csr& places,
                          const std::shared_ptr<const device_csr>& entries, buffer values);
/// Whether a caller's arrays lie in the memory of the context's GPU. Throws domain_error where only some do.
bool on_device(const context& ctx, std::initializer_list<const buffer*> arrays);
/// Whether so many coordinates with one value for all became entries that all have it.
bool stay_alike(const binary_op& duplicates, offset_t entries, offset_t given);
/// The matrix of coordinates in the memory of the context's GPU, built there, `values` wherever they lie or null for ones; nothing
/// where that is the host's to do. Throws index_out_of_bounds.
std::optional<matrix> build_on_device(const context& ctx, device_tuples given, const binary_op& duplicates);
/// A copy on the host.
buffer brought_home(const context& ctx, const buffer& there);
/// Throws not_supported unless offsets have the width that so many entries take.
void check_width(const csr& a);
/// Throws domain_error unless this is what `a` holds.
void check_stored(const csr& a, dtype type, std::size_t offset_bytes);

/// A matrix that owns `a`.
inline matrix make_matrix(const context& ctx, csr a) {
    return matrix(std::make_shared<matrix_body>(ctx, std::move(a)));
}

}  // namespace nz::storage
