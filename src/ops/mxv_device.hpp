// One planned product on a GPU, its operands there and its memory taken.
#pragma once

#include "ops/mxv_product.hpp"
#include "storage/device_vector.hpp"
#include "storage/value_tiles.hpp"

#include <memory>
#include <vector>

namespace nz::ops {

/// Made once, it may be run again and again: enqueue() neither allocates nor waits, so a stream may capture it.
class device_mxv {
public:
    /// Completes `facts` with what only the device knows, and plans.
    device_mxv(const mxv_product& p, plan::mxv_facts facts);

    const mxv_plan& plan() const { return plan_; }
    /// Whether t is there, since the launch that counted its products made it too.
    bool done() const { return done_; }
    /// Computes t = A u on the context's stream.
    void enqueue() const;
    /// Puts the count of a push's products on the stream once more, which the constructor had to wait for, unless the kernel counts them
    /// itself: what a whole product costs is the two together.
    void recount() const;
    /// t, whose rows that the mask keeps out are left out where masked() says so. Waits, unless t is dense.
    vector result();
    /// Whether t holds only entries that the mask lets through.
    bool masked() const { return masked_; }
    /// Whether the kernel writes into the output itself, so that there is no t.
    bool in_place() const { return in_place_; }
    /// The mask's words on the device; null without one.
    const bits::word* mask() const { return static_cast<const bits::word*>(mask_.data()); }

private:
    void take_operand(vector_form form);
    void count_products(plan::mxv_facts& facts);
    void prepare_count();
    void take_products(plan::mxv_facts& facts);
    void gather_in_block(plan::mxv_facts& facts);
    void try_one_block(plan::mxv_facts& facts);
    void count_products_or_pull(plan::mxv_facts& facts);
    void pull_instead(plan::mxv_facts& facts);
    void leave_push(plan::mxv_facts& facts);
    void plan_with_room(plan::mxv_facts& facts);
    void take_arguments();
    void take_matrix();
    void take_tiles();
    std::shared_ptr<const storage::tile_lists> strips_for_few(
        const std::shared_ptr<const storage::value_tiles>& tiles) const;
    void take_slices();
    void take_ranks();
    void take_bins();
    void make_room_for_form(plan::mxv_facts& facts);
    bool written_in_place() const;
    void take_memory();

    const mxv_product& p_;
    mxv_plan plan_;
    kernels::device_mxv_kernel kernel_ = nullptr;
    kernels::device_mxv_arguments k_;
    std::vector<std::shared_ptr<const void>> kept_;  // what the arguments point into
    buffer mask_, u_values_, u_present_, u_indices_, starts_, scan_, workspace_;
    buffer count_;  // on the host, pinned: of results, and of the products that a block counted
    kernels::offset_reader column_offsets_;
    storage::device_vector out_;
    const buffer* held_words_ = nullptr;  // which rows get a result, where that is known beforehand
    bool masked_ = false, in_place_ = false, done_ = false;
    mutable bool launched_ = false;  // something may be under way that writes the result and its count
};

/// Milliseconds between two events around each of `repeats` runs of one planned product, operands resident. Throws
/// not_supported when the product does not run on a GPU.
std::vector<double> mxv_kernel_ms(const context& ctx, const semiring& s, const matrix& a, const vector& u,
                                  const vector_options& options, int repeats);

}  // namespace nz::ops
