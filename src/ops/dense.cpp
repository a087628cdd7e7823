#include "ops/dense.hpp"

#include "core/checks.hpp"
#include "kernels/kernel_ids.hpp"

#include <algorithm>

namespace nz::ops {

std::string describe(std::string_view name, const storage::dense& d) {
    return fmt::format("{} is {} x {} {}", name, d.rows, d.columns, name_of(d.type));
}

std::size_t extent(const storage::dense& d) {
    if (d.rows == 0 || d.columns == 0) return 0;
    return static_cast<std::size_t>(d.at(d.rows - 1, d.columns - 1) + 1) * size_of(d.type);
}

storage::dense checked(std::string_view operation, std::string_view name, const dense_input& v,
                       bool transposed) {
    require<domain_error>(v.rows >= 0 && v.columns >= 0, "{}: {} is {} x {}: a dimension cannot be negative",
                          operation, name, v.rows, v.columns);
    const index_t length = v.order == dense_order::row_major ? v.columns : v.rows;
    require<domain_error>(v.stride == 0 || v.stride >= length,
                          "{}: {} is {} x {} by {}s with a stride of {}: {} at least is needed", operation,
                          name, v.rows, v.columns, name_of(v.order), v.stride, length);
    // No memory is as long as this, and bytes up to there are reckoned without wrapping.
    constexpr offset_t most = std::numeric_limits<offset_t>::max() / 16;
    const index_t lines = v.order == dense_order::row_major ? v.rows : v.columns;
    const offset_t step = v.stride ? v.stride : length;
    require<dimension_mismatch>(
        lines == 0 || step <= most / lines,
        "{}: {} is {} x {} by {}s with a stride of {}, but its memory holds {} values", operation, name,
        v.rows, v.columns, name_of(v.order), step, v.size);
    const storage::dense d = storage::dense_of(v, transposed);
    const std::size_t needed = extent(d) / size_of(v.type);
    require<dimension_mismatch>(v.size >= needed,
                                "{}: {} is {} x {} by {}s, which takes {} values, but its memory holds {}",
                                operation, name, v.rows, v.columns, name_of(v.order), needed, v.size);
    return d;
}

void check_apart(std::string_view operation, std::string_view name, const storage::dense& d,
                 std::string_view other, const void* data, std::size_t bytes) {
    const auto a = reinterpret_cast<std::uintptr_t>(d.data), b = reinterpret_cast<std::uintptr_t>(data);
    const std::size_t length = extent(d);
    require<domain_error>(
        length == 0 || bytes == 0 || a + length <= b || b + bytes <= a,
        "{}: the memory of {} overlaps that of {}, which is read while {} is written: use another array",
        operation, name, other, name);
}

void check_dense_kernel(std::string_view operation, std::string_view pinned, bool compiled,
                        const semiring& ring, dtype operand, bool on_device) {
    if (pinned.empty() || pinned == "reference") return;
    const auto* const id = std::ranges::find_if(kernels::kernel_ids, [&](const kernels::kernel_id& k) {
        return k.operation == operation && k.id == pinned;
    });
    require<domain_error>(id != std::end(kernels::kernel_ids),
                          "'{}' is not a kernel of {}; there are {}, reference", pinned, operation,
                          kernels::known_ids(operation));
    require<not_supported>(
        id->cpu == kernels::presence::here || (on_device && id->cuda == kernels::presence::here),
        "{}/{} is not there on the CPU ({}): use another kernel", operation, pinned, id->cpu_reason);
    require<not_supported>(compiled,
                           "kernel {} is not compiled for {} on {}: leave --kernel out for the generic path",
                           pinned, ring.name(), name_of(operand));
}

std::size_t memory_left(const context& ctx) {
    if (ctx.memory_limit() == 0) return std::numeric_limits<std::size_t>::max();
    return ctx.memory_limit() - std::min(ctx.memory_limit(), ctx.bytes_in_use());
}

}  // namespace nz::ops
