// A sparse vector made entry by entry. Plain and sequential: for reference kernels.
#pragma once

#include "storage/growing.hpp"
#include "storage/vector_body.hpp"

namespace nz::storage {

class vector_builder {
public:
    vector_builder(const context& ctx, dtype type, index_t size)
        : ctx_(ctx), type_(type), size_(size), indices_(ctx), values_(ctx) {}

    /// Indices must ascend.
    void add(index_t i, element value) {
        indices_.push(i);
        values_.push(value);
    }
    vector_body finish() && {
        vector_body v =
            make_vector_body(ctx_, type_, size_, vector_form::sparse, static_cast<offset_t>(indices_.size()));
        std::copy_n(indices_.data(), indices_.size(), v.indices.as<index_t>());
        for (std::size_t k = 0; k < values_.size(); ++k)
            store(v.values.data(), type_, static_cast<offset_t>(k), values_[k]);
        return v;
    }

private:
    context ctx_;
    dtype type_;
    index_t size_;
    growing<index_t> indices_;
    growing<element> values_;
};

}  // namespace nz::storage
