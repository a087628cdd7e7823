// Where a vector's arrays are: on the host, in a GPU's memory, or in both. Results of a GPU's kernels stay there until
// somebody looks at them on the host; operands go there once.
#pragma once

#include "core/buffer.hpp"
#include "nonzero/vector.hpp"

#include <atomic>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace nz::storage {

struct vector_body;

/// The arrays of a vector_body, of its form and count, in a GPU's memory.
struct device_vector {
    buffer values, present, indices;
    std::shared_ptr<const void> owner{};  ///< of what the buffers borrow
};

/// The device's half of one vector_body. A body that is written to gets a new one, but where a kernel writes values in place
/// (ops::writable_on_device): of a body that one handle alone has.
class residence {
public:
    /// The copy in this context's GPU memory, made when there is none.
    std::shared_ptr<const device_vector> copy_on(const context& gpu, const vector_body& v);
    /// The same for somebody who keeps its pointers: it stays until the vector changes, whoever else reads that.
    std::shared_ptr<const device_vector> lend(const context& gpu, const vector_body& v);
    /// Fills the host's arrays when only the device has them.
    void bring_home(vector_body& v);
    /// From now on the device alone has the content; where `count` is given, a bitmap, whose entries will be counted there.
    void settle_on(const context& gpu, device_vector content, buffer count = {});
    /// Gives up the content that this context's GPU alone has, and the count of a bitmap that nobody has asked for yet: for a
    /// body that one handle alone has and that is then replaced.
    std::pair<device_vector, buffer> release();
    /// Waits for the count of a bitmap that nobody has asked for yet; a full one becomes dense.
    void count_entries(vector_body& v);
    /// Whether that count is still to be asked for.
    bool uncounted() const { return uncounted_.load(std::memory_order_acquire); }
    /// Whether a device alone has the content.
    bool away() const { return device_only_; }
    /// Whether the GPU of this context alone has it.
    bool away_on(const context& gpu) const;
    /// Whether the GPU of this context has it.
    bool held_on(const context& gpu) const;

private:
    mutable std::mutex mutex_;
    std::optional<context> gpu_;
    std::shared_ptr<device_vector> copy_;
    std::vector<std::pair<context, std::shared_ptr<const device_vector>>> lent_;
    buffer count_;
    std::atomic<bool> device_only_ = false, uncounted_ = false;
};

/// A vector whose content is on the GPU alone; `count` entries are present.
vector make_device_vector(const context& gpu, dtype type, index_t size, vector_form form, offset_t count,
                          device_vector content);
/// A bitmap there whose entries will stand in `count`, an offset_t there: whoever asks for them waits, and nobody before.
vector make_uncounted_vector(const context& gpu, dtype type, index_t size, device_vector content,
                             buffer count);
/// Uninitialised arrays on the GPU for a vector of this form.
device_vector allocate_on_device(const context& gpu, dtype type, index_t size, vector_form form,
                                 offset_t count);

}  // namespace nz::storage
