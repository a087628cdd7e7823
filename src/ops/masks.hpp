// What a mask lets through. Complement is left to the user of these as a run-time bit.
#pragma once

#include "core/bits.hpp"
#include "core/buffer.hpp"
#include "nonzero/vector.hpp"
#include "storage/csr.hpp"

#include <optional>

namespace nz::ops {

/// One bit a place of `mask`: present and, unless `structure`, not 0. Bits beyond the size are 0.
array<bits::word> mask_words(const context& ctx, const vector& mask, bool structure);

/// Whether values[k] is not 0 (NaN is not 0).
inline bool truthy(const void* values, dtype type, offset_t k) {
    return dispatch(type,
                    [&]<class T>(std::type_identity<T>) { return static_cast<const T*>(values)[k] != T(0); });
}
/// Whether the entry at position k of a mask matrix lets through.
inline bool lets_through(const storage::csr& mask, offset_t k, bool structure) {
    if (structure || mask.kind == value_kind::pattern) return true;
    return truthy(mask.values.data(), mask.type, mask.kind == value_kind::iso ? 0 : k);
}

/// The places of a mask matrix that let through, as a pattern; nothing where that is all of them.
std::optional<storage::csr> mask_places(const context& ctx, const storage::csr& mask, bool structure);

/// A vector mask asked place by place: for work that touches few places.
class vector_mask {
public:
    /// `mask` may be null: everything is let through (nothing, when complemented). The body must outlive
    /// this.
    vector_mask(const storage::vector_body* mask, bool structure, bool complement)
        : mask_(mask), structure_(structure), complement_(complement) {}
    bool operator()(index_t i) const { return listed(i) != complement_; }

private:
    bool listed(index_t i) const;

    const storage::vector_body* mask_;
    bool structure_, complement_;
};

}  // namespace nz::ops
