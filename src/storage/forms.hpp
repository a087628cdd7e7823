// What the forms that a matrix keeps beside its CSR (value tiles, slices, blocks) are made with on the host.
#pragma once

#include "core/parallel.hpp"
#include "storage/csr.hpp"

#include <optional>

namespace nz::storage {

/// The values of a CSR for a form of it.
struct form_values {
    std::size_t each_bytes = 0;  ///< of an entry's own value; 0: one stands for all, or there are none
    const void* each = nullptr;  ///< these, in `converted` where they are not the CSR's own
    buffer converted;
    buffer one;  ///< the one for all
};
/// As `type`; none asked for, none given.
form_values values_for_form(const context& ctx, const csr& a, std::optional<dtype> type);

/// Calls f(i) for i in [0, n), handed out `turn` at a time to whichever thread is free.
template <class F>
void for_parts(const context& ctx, index_t n, index_t turn, F&& f) {
    parallel::for_chunks(ctx.threads(), n, turn, [&](offset_t begin, offset_t end) {
        for (offset_t i = begin; i < end; ++i) f(static_cast<index_t>(i));
    });
}

}  // namespace nz::storage
