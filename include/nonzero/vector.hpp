// A vector of one dtype, dense, bitmap or sparse. Absent entries are absent, not zero.
#pragma once

#include "nonzero/algebra.hpp"
#include "nonzero/context.hpp"
#include "nonzero/types.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace nz {

namespace storage {
struct vector_body;
}

/// dense: every entry is present. bitmap: one bit an entry says so. sparse: sorted indices and values.
enum class vector_form : std::uint8_t { dense, bitmap, sparse };
std::string_view name_of(vector_form form);

/// Handle with value semantics: copies share storage until one of them changes. One that was moved from can be assigned to or destroyed.
class vector {
public:
    /// No entries. Throws domain_error for a negative size, not_supported for one above max_dimension.
    vector(const context& ctx, dtype type, offset_t size);
    /// Every entry present, copied from `values`: from the host's memory, or from and to that of the context's GPU, ready
    /// before the call.
    template <entry_type T>
    static vector dense(const context& ctx, std::span<const T> values) {
        return from_dense(ctx, dtype_of<T>, values.data(), static_cast<offset_t>(values.size()));
    }
    /// Every entry present and equal to `value`.
    static vector full(const context& ctx, offset_t size, scalar value);
    /// From (index, value) pairs in any order; repeats are combined with `duplicates`, in input order.
    /// Throws index_out_of_bounds.
    template <entry_type T>
    static vector build(const context& ctx, offset_t size, std::span<const index_t> indices,
                        std::span<const T> values, const binary_op& duplicates = binary_id::plus) {
        return from_tuples(ctx, dtype_of<T>, size, indices, values.data(), values.size(), duplicates);
    }

    offset_t size() const;
    /// Entries present.
    offset_t count() const;
    dtype type() const;
    vector_form form() const;
    /// Whether a GPU alone has the entries: get(), values() and all that looks at them on the host copies them first.
    bool on_device() const;

    bool contains(offset_t i) const;
    /// The entry's value, or nothing where there is none. Throws index_out_of_bounds.
    std::optional<scalar> get(offset_t i) const;
    /// A sparse vector becomes a bitmap where that takes 64 MiB at most, or where its entries have moved for others for long and there is
    /// memory for all places; entries set in ascending order do not move. Throws index_out_of_bounds.
    void set(offset_t i, scalar value);
    void remove(offset_t i);
    void clear();
    /// Entries beyond a smaller size are dropped.
    void resize(offset_t size);
    /// The same entries in another form; `dense` throws domain_error where entries are absent.
    void convert_to(vector_form form);

    /// The values of a vector without absent entries, no copy: of one that lives on, for the span is into it. Throws domain_error for
    /// another type and where entries are absent.
    template <entry_type T>
    std::span<const T> values() const& {
        return {static_cast<const T*>(dense_values(dtype_of<T>)), static_cast<std::size_t>(size())};
    }
    template <entry_type T>
    std::span<const T> values() const&& = delete;
    /// The same in the memory of this context's GPU, copied there only where they are not. For work ordered on the
    /// context's stream, or after context::wait(); until the vector changes.
    template <entry_type T>
    std::span<const T> values_on(const context& gpu) const& {
        return {static_cast<const T*>(dense_values_on(gpu, dtype_of<T>)), static_cast<std::size_t>(size())};
    }
    template <entry_type T>
    std::span<const T> values_on(const context& gpu) const&& = delete;
    /// Copies all entries out, in index order.
    template <entry_type T>
    void extract_tuples(std::vector<index_t>& indices, std::vector<T>& values) const {
        indices.resize(count());
        auto bytes = std::make_unique<T[]>(indices.size() + 1);
        copy_tuples(dtype_of<T>, indices.data(), bytes.get());
        values.assign(bytes.get(), bytes.get() + indices.size());
    }
    /// Throws invalid_format unless the storage keeps its own rules (sorted, in range, counts true).
    void validate() const;

    /// The content, on the host: what a GPU's kernel left in its memory is copied at the first look.
    const storage::vector_body& body() const;
    storage::vector_body& mutable_body();
    /// The same where the host's arrays do not matter.
    const storage::vector_body& body_anywhere() const;
    /// The same where nobody else has this vector and it may be a bitmap whose entries are not counted yet.
    const storage::vector_body& body_uncounted() const { return *body_; }
    /// Whether other handles have the same content.
    bool is_shared() const { return body_.use_count() > 1; }
    explicit vector(std::shared_ptr<storage::vector_body> body) : body_(std::move(body)) {}

private:
    static vector from_dense(const context&, dtype, const void* values, offset_t size);
    static vector from_tuples(const context&, dtype, offset_t size, std::span<const index_t>,
                              const void* values, std::size_t value_count, const binary_op& duplicates);
    const void* dense_values(dtype type) const;
    const void* dense_values_on(const context& gpu, dtype type) const;
    void copy_tuples(dtype type, index_t* indices, void* values) const;

    std::shared_ptr<storage::vector_body> body_;
};

}  // namespace nz
