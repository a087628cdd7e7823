// Places of a vector moved by extract/places and assign/places.
#pragma once

#include "nonzero/operations.hpp"
#include "storage/vector_body.hpp"

#include <optional>

namespace nz::ops {

/// What is assigned: a vector, or one value for all places.
struct assigned {
    const vector* u = nullptr;
    scalar x{0.0};
    dtype type() const { return u ? u->type() : x.type(); }
};

/// t(k) = u(list[k]).
storage::vector_body extract_places(const context& ctx, const storage::vector_body& u,
                                    const index_list& list);
/// t(list[k]) = u(k) in u's type; with `keeps_rest` in w's, and w's entries elsewhere.
storage::vector_body assign_places(const context& ctx, const storage::vector_body& w, const assigned& u,
                                   const index_list& list, bool keeps_rest);

/// w(list[k]) = u(k), united with w by `accum` where there is one, at a few places of a w that is not sparse, which stays where it lies.
/// False, and nothing is written, where w is sparse, has its entries with others or on a GPU, is u, or is full and would not stay so.
bool assign_in_place(vector& w, const assigned& u, const index_list& list,
                     const std::optional<binary_op>& accum);

// The first two on the context's GPU, where the result stays: where u, or one of w and u, lies there alone; else nothing, and where it has
// no room.
std::optional<vector> extract_places_on_device(const context& ctx, const vector& u, const index_list& list);
std::optional<vector> assign_places_on_device(const context& ctx, const vector& w, const assigned& u,
                                              const index_list& list, bool keeps_rest);

}  // namespace nz::ops
