// The join on a GPU: operands are brought where they are not, the result stays. The host waits once, for its size.
#include "ops/ewise_device.hpp"

#include "core/checks.hpp"
#include "core/device.hpp"
#include "instantiate/ewise_cells.hpp"
#include "kernels/cuda_table.hpp"
#include "ops/ewise_join.hpp"
#include "ops/matrix_words.hpp"
#include "ops/new_device_csr.hpp"
#include "ops/vectors_device.hpp"
#include "plan/ewise.hpp"

#include <memory>
#include <numeric>
#include <vector>

namespace nz::ops {
namespace {

using kernels::set_operation;
using storage::csr;

class device_join {
public:
    device_join(const context& ctx, set_operation operation, kernels::device_ewise_kernel fill,
                const ewise_choice& how, const operand& a, const operand& b)
        : ctx_(ctx), type_(how.type), fill_(fill) {
        const csr& left = place(a, true, k_.a);
        const csr& right = place(b, how.reads_b, k_.b);
        if (!how.reads_b) {  // one value is brought and not looked at; A without entries may have no memory for values
            k_.b.values = left.nnz > 0 ? k_.a.values : k_.a.offsets.data;
            k_.b.step = 0;
        }
        rows_ = left.rows;
        columns_ = left.columns;
        k_.a_entries = left.nnz;
        k_.b_entries = right.nnz;
        k_.rows = left.rows;
        k_.operation = operation;
        tiles_ = plan::ewise_tiles(k_.rows, k_.a_entries, k_.b_entries);
        workspace_ = buffer(ctx.device_memory(), plan::ewise_workspace(tiles_));
        k_.workspace = workspace_.data();
    }
    void count() const { kernels::on_cuda().balanced_path_count(k_, ctx_.gpu()->stream()); }
    void fill() const { fill_(k_, ctx_.gpu()->stream()); }
    /// Takes memory for what was counted.
    void take_result() {
        std::vector<offset_t> results(static_cast<std::size_t>(plan::ewise_groups(tiles_)));
        ctx_.gpu()->download(results.data(), plan::ewise_parts(k_.workspace, tiles_).group_results,
                             results.size() * sizeof(offset_t));
        const offset_t entries = std::reduce(results.begin(), results.end());
        out_ = new_device_csr(ctx_, storage::csr_shape(type_, value_kind::full, rows_, columns_, entries));
        k_.offsets = out_.offsets();
        k_.wide = out_.wide();
        k_.columns = out_.columns();
        k_.values = out_.values();
    }
    matrix result(const context& own) { return std::move(out_).made(own, ctx_); }

private:
    const csr& place(const operand& x, bool with_values, kernels::ewise_side& side) {
        const storage::matrix_body& body = x.a.body();
        const csr& of = x.transposed ? body.columns_anywhere(ctx_) : body.rows_anywhere();
        const auto entries = x.transposed ? body.columns_on(ctx_) : body.entries_on(ctx_);
        kept_.push_back(entries);
        side = {{entries->offsets.data(), of.offset_bytes == 8}, entries->indices.as<index_t>(), nullptr, 0};
        if (!with_values) return of;
        const auto values = body.values_on(ctx_, of, type_);
        kept_.push_back(values);
        side.values = values->values.data();
        side.step = of.kind == value_kind::full ? 1 : 0;
        return of;
    }

    const context& ctx_;
    dtype type_;
    kernels::device_ewise_kernel fill_;
    kernels::device_ewise_arguments k_;
    std::vector<std::shared_ptr<const void>> kept_;  // what the arguments point into
    index_t rows_ = 0, columns_ = 0;
    offset_t tiles_ = 0;
    buffer workspace_;
    new_device_csr out_;
};

// Null where the GPU does not serve.
std::unique_ptr<device_join> make_join(const context& ctx, set_operation operation, const ewise_choice& how,
                                       const operand& a, const operand& b) {
    if (!ctx.gpu()) return nullptr;
    const auto fill = instantiate::find_ewise_device_fill(how.op, how.compiled);
    return fill ? std::make_unique<device_join>(ctx, operation, fill, how, a, b) : nullptr;
}

}  // namespace

std::optional<matrix> join_on_device(const context& ctx, const context& own, set_operation operation,
                                     const ewise_choice& how, const operand& a, const operand& b) {
    const auto join = make_join(ctx, operation, how, a, b);
    if (!join) return {};
    join->count();
    join->take_result();
    join->fill();
    matrix joined = join->result(own);
    return how.result == how.type ? std::move(joined) : in_type_on_device(ctx, own, joined, how.result);
}

std::optional<matrix> join_values_on_device(const context& ctx, const context& own, set_operation operation,
                                            const binary_op& op, const operand& a, const operand& b) {
    if (!ctx.gpu() || !computes(operation)) return {};
    const dtype type = joined_type(operation, op, a.a.type(), b.a.type());
    const compiled_on_device words = find_compiled_on_device(op, type);
    if (!words.kernel) return {};
    const auto join = [&](set_operation by, dtype type, bool both_read, const operand& x, const operand& y) {
        return join_on_device(ctx, own, by, both_read ? moving(type) : moving_a(type), x, y);
    };
    const auto left = join(set_operation::intersect, a.a.type(), false, a, b);
    if (!left) return {};
    std::optional<matrix> both = *left;  // nothing to join where no place is in both
    if (left->nnz() > 0) {
        const auto right = join(set_operation::intersect, b.a.type(), false, b, a);
        const auto others = right ? values_as_vector_on_device(ctx, {*right}) : std::nullopt;
        if (!others) return {};
        both = apply_to_values_on_device(ctx, own, {*left}, [&](const vector& x) {
            return join_words_on_device(ctx, set_operation::intersect, op, x, *others);
        });
        if (!both) return {};
    } else if (left->type() != words.type) {
        both = matrix(own, words.type, left->rows(), left->columns());
    }
    if (operation == set_operation::intersect) return both;
    auto all = join(set_operation::unite, type, true, a, b);
    if (!all) return {};
    if (all->type() != words.type) all = in_type_on_device(ctx, own, *all, words.type);
    return join(set_operation::unite, words.type, true, {*both}, {*all});
}

std::vector<double> ewise_kernel_ms(const context& ctx, set_operation operation, const binary_op& op,
                                    const operand& a, const operand& b, int repeats) {
    const auto how = choose_ewise(operation, op, a.a.type(), b.a.type());
    const auto join = how ? make_join(ctx, operation, *how, a, b) : nullptr;
    require<not_supported>(join != nullptr, "this join does not run on a GPU");
    join->count();
    join->take_result();
    std::vector<double> ms;
    for (int k = 0; k < repeats; ++k) {
        ctx.gpu()->timed([&] {
            join->count();
            join->fill();
        });
        ms.push_back(ctx.gpu()->milliseconds());
    }
    return ms;
}

}  // namespace nz::ops
