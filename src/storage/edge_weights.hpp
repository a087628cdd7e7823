// A matrix's values as lengths of edges: of one of four types, none negative, with what plans ask about them.
#pragma once

#include "storage/csr.hpp"

namespace nz::storage {

struct edge_weights {
    const csr* source;  ///< whose values they are
    dtype type;         ///< int32, int64, float32 or float64
    const void* data;   ///< one for each entry, or one for all
    bool one_for_all;
    double mean;       ///< 0 without entries; infinite weights, which no path takes, are left out
    buffer converted;  ///< what data points into where the source's own values do not serve

    /// The weight of the entry at position k; T is the C++ type of `type`.
    template <class T>
    T at(offset_t k) const {
        return static_cast<const T*>(data)[one_for_all ? 0 : k];
    }
};

/// The values of `a` as lengths of type `type`; a pattern's are all 1. Throws domain_error naming the first entry that
/// is negative, not a number or too large for `type`.
edge_weights as_edge_weights(const context& ctx, const csr& a, dtype type);

}  // namespace nz::storage
