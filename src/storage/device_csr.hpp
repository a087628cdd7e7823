// A CSR's copy in a GPU's memory, and what its kernels share out work by.
#pragma once

#include "storage/csr.hpp"
#include "storage/row_heads.hpp"

#include <atomic>
#include <mutex>

namespace nz::storage {

struct device_csr {
    const csr* source;  ///< what it is a copy of
    std::shared_ptr<memory_resource> memory;
    /// As in csr; indices are padded so that aligned groups of eight may be read past the last. Values have a copy of
    /// their own (matrix_body::values_on).
    buffer offsets, indices;
    /// Bitmap of 32-bit words; none where nobody has asked for it.
    buffer empty_rows;
    std::shared_ptr<const void> owner{};  ///< of what the buffers borrow, where it is one of ours
    bool callers = false;                 ///< the caller's arrays, which no result may share
};

/// Entries that a block of mxv/csr_merge takes: eight for each of 128 threads.
inline constexpr offset_t merge_chunk_entries = 1024;
/// Rows longer than this take a block of mxv/csr_row each.
inline constexpr offset_t long_row_entries = 4096;

/// How the entries of a CSR are shared out evenly, on the GPU.
struct device_balance {
    const csr* source;
    std::shared_ptr<memory_resource> memory;
    index_t held_rows = 0;     ///< rows that hold entries
    offset_t longest_row = 0;  ///< entries
    buffer row_numbers{};      ///< theirs, where some do not; else empty
    buffer held_words{};       ///< a bit for each of them; empty with row_numbers
    buffer held_offsets{};  ///< their offsets [held_rows + 1], of the source's width; empty with row_numbers
    buffer chunk_rows{};  ///< [chunks + 1]: the (held) row of each chunk's first entry; held_rows at the end
    buffer long_rows{};   ///< rows longer than long_row_entries
    index_t long_row_count = 0;

    std::size_t bytes() const {
        return row_numbers.bytes() + held_words.bytes() + held_offsets.bytes() + chunk_rows.bytes() +
               long_rows.bytes();
    }
};

/// The values of a CSR in one type, on the GPU: one an entry, or one for all.
struct device_values {
    const csr* source;
    std::shared_ptr<memory_resource> memory;
    dtype type;
    buffer values;
};

/// Two neighbours of each row of a square CSR.
struct device_heads {
    const csr* source;
    std::shared_ptr<memory_resource> memory;
    row_heads kind;
    buffer heads;
};

/// Bytes that indices are padded with: eight of them.
inline constexpr std::size_t index_padding = 32;

/// The arrays of a CSR on a GPU alone, a kernel's result or the caller's, until somebody looks at them on the host.
class csr_residence {
public:
    /// `rows` has everything but its arrays, which `entries` and `values` (whose source it is) have.
    csr_residence(context gpu, std::shared_ptr<csr> rows, std::shared_ptr<const device_csr> entries,
                  std::shared_ptr<const device_values> values)
        : gpu_(std::move(gpu)),
          rows_(std::move(rows)),
          entries_(std::move(entries)),
          values_(std::move(values)) {}

    const context& gpu() const { return gpu_; }
    const std::shared_ptr<csr>& rows() const { return rows_; }
    const std::shared_ptr<const device_csr>& entries() const { return entries_; }
    const std::shared_ptr<const device_values>& values() const { return values_; }
    bool at_home() const { return at_home_; }
    /// Fills the host's arrays, once.
    void bring_home();

private:
    std::mutex mutex_;
    context gpu_;
    std::shared_ptr<csr> rows_;
    std::shared_ptr<const device_csr> entries_;
    std::shared_ptr<const device_values> values_;
    std::atomic<bool> at_home_ = false;
};

/// Copies offsets and indices. Ordered on the context's stream.
device_csr copy_to_device(const context& gpu, const csr& a);
device_values values_on_device(const context& gpu, const csr& a, dtype type);

}  // namespace nz::storage
