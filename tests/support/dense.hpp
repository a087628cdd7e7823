// Dense matrices of any type in memory of their own, for the operations that read and write a caller's arrays.
#pragma once

#include "algebra/stand_in.hpp"
#include "ops/mxd_product.hpp"
#include "support/model.hpp"

#include <cstring>
#include <memory>
#include <vector>

namespace nz::test {

/// A dense matrix with `gap` values between its rows (columns), which nothing may touch.
class dense_block {
public:
    /// `full` has an entry at every place.
    dense_block(const dictionary& full, dense_order order, index_t gap = 0)
        : rows_(full.rows),
          columns_(full.columns),
          type_(full.type),
          order_(order),
          stride_((order == dense_order::row_major ? full.columns : full.rows) + gap) {
        const index_t lines = order == dense_order::row_major ? rows_ : columns_;
        const auto size = static_cast<std::size_t>(lines) * static_cast<std::size_t>(stride_);
        bytes_.assign(size * size_of(type_) + 8, std::byte{0});
        for (std::size_t k = 0; k < bytes_.size(); ++k) bytes_[k] = static_cast<std::byte>(0x40 + k % 23);
        for (const auto& [at, x] : full.entries) put(at, x);
    }

    dense_output view() { return view_of(bytes_.data()); }
    /// The same of a copy of all bytes elsewhere.
    dense_output view_of(void* memory) const {
        return dispatch(type_, [&]<class T>(std::type_identity<T>) {
            const std::size_t size = (bytes_.size() - 8) / sizeof(T);
            return dense_output(
                dense_view<T>{rows_, columns_, {static_cast<T*>(memory), size}, order_, stride_});
        });
    }
    std::span<std::byte> bytes() { return bytes_; }
    dictionary read() const {
        dictionary d{rows_, columns_, type_, {}};
        for (index_t i = 0; i < rows_; ++i)
            for (index_t j = 0; j < columns_; ++j) {
                element x;
                std::memcpy(&x.bits, bytes_.data() + place_of({i, j}), size_of(type_));
                d.entries[{i, j}] = x;
            }
        return d;
    }
    /// Whether the bytes outside the matrix are those of `other`, which was made alike.
    bool same_gaps(const dense_block& other) const {
        std::vector<std::byte> mine = bytes_, theirs = other.bytes_;
        for (index_t i = 0; i < rows_; ++i)
            for (index_t j = 0; j < columns_; ++j) {
                std::memset(mine.data() + place_of({i, j}), 0, size_of(type_));
                std::memset(theirs.data() + place_of({i, j}), 0, size_of(type_));
            }
        return mine == theirs;
    }
    bool same_bytes(const dense_block& other) const { return bytes_ == other.bytes_; }

private:
    std::size_t place_of(const place& at) const {
        const auto [i, j] = at;
        const offset_t k = order_ == dense_order::row_major ? i * stride_ + j : j * stride_ + i;
        return static_cast<std::size_t>(k) * size_of(type_);
    }
    void put(const place& at, element x) {
        std::memcpy(bytes_.data() + place_of(at), &x.bits, size_of(type_));
    }

    index_t rows_, columns_;
    dtype type_;
    dense_order order_;
    offset_t stride_;
    std::vector<std::byte> bytes_;
};

inline constexpr dense_order both_orders[] = {dense_order::row_major, dense_order::column_major};

/// Whether mxd has loops for this semiring, or for one of the same sums in a wider type.
inline bool mxd_is_compiled(const semiring& s, dtype a, dtype b) {
    const auto is_compiled = [&](const semiring& other) { return ops::dense_cell_of(other, a, b); };
    return is_compiled(s) || algebra::stand_in(s, a, b, is_compiled);
}

/// C of mxd, place by place, from the product's own entries.
inline dictionary model_mxd(const semiring& s, const dictionary& a, const dictionary& b, const dictionary& c,
                            const std::optional<binary_op>& accum) {
    const dictionary t = model_mxm(s, a, b);
    dictionary out{c.rows, c.columns, c.type, {}};
    for (const auto& [at, old] : c.entries) {
        const auto sum = t.entries.find(at);
        if (sum == t.entries.end())
            out.entries[at] = accum ? old : cast(s.add().identity(t.type), t.type, c.type);
        else
            out.entries[at] = accum ? cast(compute(*accum, old, c.type, sum->second, t.type),
                                           result_type(*accum, c.type, t.type), c.type)
                                    : cast(sum->second, t.type, c.type);
    }
    return out;
}

}  // namespace nz::test
