// What a vector handle points to.
#pragma once

#include "core/bits.hpp"
#include "core/buffer.hpp"
#include "nonzero/vector.hpp"
#include "storage/csr.hpp"
#include "storage/device_vector.hpp"

namespace nz::storage {

/// dense: values[size]. bitmap: values[size] and one bit an entry, zero beyond size. sparse: count indices,
/// ascending, and count values.
struct vector_body {
    context ctx;
    index_t size = 0;
    dtype type = dtype::float64;
    vector_form form = vector_form::sparse;
    offset_t count = 0;
    buffer values, present, indices;
    /// Where else the content is; vector::body() brings it to the arrays above.
    std::shared_ptr<residence> home = std::make_shared<residence>();

    const index_t* index_data() const { return indices.as<index_t>(); }
    bits::word* words() const { return present.as<bits::word>(); }
    /// Position of entry i in `values`, or -1.
    offset_t find(index_t i) const;
};

/// Values are uninitialised; those of a bitmap and its bits are 0 unless `cleared` is false (a kernel that writes
/// all bits itself; truth values are cleared all the same, for no other byte is one).
vector_body make_vector_body(const context& ctx, dtype type, index_t size, vector_form form, offset_t count,
                             bool cleared = true);
vector_body copy(const vector_body& v);
/// The same entries in another form; to dense only when all are present.
vector_body convert(const vector_body& v, vector_form form);
/// The same entries with values converted to `type`.
vector_body convert_values(const vector_body& v, dtype type);
/// Calls f(i, position in values) for each entry, ascending.
template <class F>
void for_each_entry(const vector_body& v, F&& f) {
    if (v.form == vector_form::sparse)
        for (offset_t k = 0; k < v.count; ++k) f(v.index_data()[k], k);
    else if (v.form == vector_form::dense)
        for (index_t i = 0; i < v.size; ++i) f(i, static_cast<offset_t>(i));
    else
        for (std::size_t w = 0; w < bits::words_for(v.size); ++w)
            bits::for_each(v.words()[w], static_cast<offset_t>(w) * bits::per_word,
                           [&](offset_t i) { f(static_cast<index_t>(i), i); });
}

inline vector make_vector(vector_body body) { return vector(std::make_shared<vector_body>(std::move(body))); }

}  // namespace nz::storage
