// A product that is computed part by part.
#pragma once

#include "ops/mxm_device.hpp"
#include "ops/mxm_product.hpp"
#include "plan/mxm_strips.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace nz::ops {

device_factors factors_of(const product& p);
/// Bytes of an entry as it lies on the GPU.
std::size_t entry_bytes(const product& p, const operand& x, bool ignores_values);
/// Whether a GPU alone has the operand as it is read, so that it takes no memory to be there.
bool lies_there(const product& p, const operand& x);

/// What a row of A takes of the GPU beside its entries, each of these, and each place that the mask lists there.
struct row_costs {
    std::size_t row = 0, entry = 0, listed = 0;

    row_costs(const product& p, std::string_view kernel);
};

/// A chunk of A's rows from `row` on, the rows [first, last) of B that hold all that it meets, and the columns that these have.
struct met_rows {
    index_t row, first, last, first_column, last_column;
};

/// A pinned part, counted: its rows can be sent.
using part_counter = std::function<std::unique_ptr<counted_rows>(const product& part)>;

/// For each strip of B's columns, which stays where the parts are computed so long, all chunks of A's rows go by; what is not cut stays
/// for all. Everything is done twice: counted, so that the result is taken once, at its size, and filled. With one strip the rows of a
/// chunk are sent to where they belong; with several they come to one of three stages on the host, whose rows are moved behind what
/// stands of them while the next are under way.
/// Or each chunk by the rows of B that it meets; they and their columns are numbered from 0 on, as the chunk's columns are: then no operator
/// may look at the numbers.
/// Rows of chunks and columns of strips are numbered from 0 on: no compiled operator looks at these numbers.
/// Host memory beside the result: 8 bytes a row of A and, where B is cut, a column of B, a strip, and the offsets of a chunk (with the rows
/// of B that it meets the indices of both), all within the memory limit; and the stages, of `memory` like the result.
class cut_product {
public:
    /// `kernel` may be none: parts without a mask may each take their own.
    cut_product(const product& p, std::string_view kernel, plan::mxm_parts parts, part_counter count_part,
                std::shared_ptr<memory_resource> memory);
    cut_product(const product& p, std::string_view kernel, std::vector<met_rows> chunks,
                part_counter count_part, std::shared_ptr<memory_resource> memory);
    ~cut_product();

    void count();
    const mxm_plan& plan() const { return plan_; }
    /// Once counted, before fill: where rows begin, and their end.
    std::span<const offset_t> starts() const { return {next_.data(), next_.size()}; }
    /// Rows [first, last) of `result`, a host_result of the starts.
    void fill(index_t first, index_t last, storage::csr& result);

private:
    class stages;

    void cut_rows(index_t chunks);
    void cut_columns(index_t strips);
    cut_product(const product& p, std::string_view kernel, part_counter count_part,
                std::shared_ptr<memory_resource> memory);
    matrix chunk(index_t first, index_t last, const met_rows* met) const;
    matrix strip(std::size_t s, bool with_values) const;
    matrix mask_of(index_t first, index_t last, index_t column, index_t last_column) const;
    /// f(part, first row, first column) of every part of rows [first, last), counted, strip by strip; only parts with values may begin.
    void each(index_t first, index_t last, bool with_values,
              const std::function<void(counted_rows&, index_t, index_t)>& f) const;
    void add(const mxm_plan& of_part, bool first);
    void receive_rows(counted_rows& part, index_t row, storage::csr& result);
    void receive_strip(counted_rows& part, index_t row, index_t column, offset_t room, storage::csr& result);

    const product& p_;
    part_counter count_part_;
    std::shared_ptr<memory_resource> memory_;
    matrix_options options_;  // of every part, but for its mask
    bool masked_ = false, turned_ = false;
    std::vector<index_t> rows_, columns_;  // cut there
    std::vector<met_rows> met_;            // by each chunk, or empty
    array<offset_t> next_;                 // where the next entry of each row goes
    mxm_plan plan_;
    std::unique_ptr<stages> stages_;
};

}  // namespace nz::ops
