#include "storage/device_vector.hpp"

#include "core/device.hpp"
#include "storage/vector_body.hpp"

#include <algorithm>

namespace nz::storage {
namespace {

buffer upload(const context& gpu, const buffer& from) {
    buffer to(gpu.device_memory(), from.bytes());
    gpu.gpu()->upload(to.data(), from.data(), from.bytes());
    return to;
}

void download(const context& gpu, buffer& to, const buffer& from) {
    gpu.gpu()->download(to.data(), from.data(), std::min(to.bytes(), from.bytes()));
}

}  // namespace

std::shared_ptr<const device_vector> residence::copy_on(const context& gpu, const vector_body& v) {
    const std::lock_guard lock(mutex_);
    if (copy_ && gpu_->device_memory() == gpu.device_memory()) return copy_;
    for (const auto& [there, copy] : lent_)
        if (there.device_memory() == gpu.device_memory()) return copy;
    const device_vector* from = nullptr;
    vector_body on_host{v.ctx, v.size, v.type, v.form, v.count, {}, {}, {}};
    if (device_only_) {  // another context's GPU has it: by way of the host
        on_host = make_vector_body(v.ctx, v.type, v.size, v.form, v.count);
        from = copy_.get();
        download(*gpu_, on_host.values, from->values);
        download(*gpu_, on_host.present, from->present);
        download(*gpu_, on_host.indices, from->indices);
    }
    const vector_body& source = device_only_ ? on_host : v;
    auto copy = std::make_shared<device_vector>(
        device_vector{upload(gpu, source.values), upload(gpu, source.present), upload(gpu, source.indices)});
    gpu.gpu()->wait();
    if (!device_only_) {
        gpu_ = gpu;
        copy_ = copy;
    }
    return copy;
}

std::shared_ptr<const device_vector> residence::lend(const context& gpu, const vector_body& v) {
    auto copy = copy_on(gpu, v);
    const std::lock_guard lock(mutex_);
    if (std::ranges::none_of(lent_, [&](const auto& held) { return held.second == copy; }))
        lent_.emplace_back(gpu, copy);
    return copy;
}

void residence::bring_home(vector_body& v) {
    if (!device_only_) return;
    const std::lock_guard lock(mutex_);
    if (!device_only_) return;
    vector_body filled = make_vector_body(v.ctx, v.type, v.size, v.form, v.count, false);
    download(*gpu_, filled.values, copy_->values);
    download(*gpu_, filled.present, copy_->present);
    download(*gpu_, filled.indices, copy_->indices);
    v.values = std::move(filled.values);
    v.present = std::move(filled.present);
    v.indices = std::move(filled.indices);
    device_only_ = false;
}

void residence::settle_on(const context& gpu, device_vector content, buffer count) {
    gpu_ = gpu;
    copy_ = std::make_shared<device_vector>(std::move(content));
    device_only_ = true;
    uncounted_ = count.data() != nullptr;
    count_ = std::move(count);
}

std::pair<device_vector, buffer> residence::release() {
    const std::lock_guard lock(mutex_);
    return {std::move(*copy_), std::move(count_)};
}

void residence::count_entries(vector_body& v) {
    if (!uncounted()) return;
    const std::lock_guard lock(mutex_);
    if (!uncounted()) return;
    gpu_->gpu()->download(&v.count, count_.data(), sizeof v.count);
    if (v.count == v.size) {
        v.form = vector_form::dense;
        copy_->present = buffer();
    }
    count_ = buffer();
    uncounted_.store(false, std::memory_order_release);
}

bool residence::away_on(const context& gpu) const {
    const std::lock_guard lock(mutex_);  // copy_on may change which GPU has a copy
    return device_only_ && gpu_->device_memory() == gpu.device_memory();
}

bool residence::held_on(const context& gpu) const {
    const std::lock_guard lock(mutex_);
    return (copy_ && gpu_->device_memory() == gpu.device_memory()) ||
           std::ranges::any_of(
               lent_, [&](const auto& held) { return held.first.device_memory() == gpu.device_memory(); });
}

vector make_device_vector(const context& gpu, dtype type, index_t size, vector_form form, offset_t count,
                          device_vector content) {
    auto body = std::make_shared<vector_body>(vector_body{gpu, size, type, form, count, {}, {}, {}});
    body->home->settle_on(gpu, std::move(content));
    return vector(std::move(body));
}

vector make_uncounted_vector(const context& gpu, dtype type, index_t size, device_vector content,
                             buffer count) {
    auto body =
        std::make_shared<vector_body>(vector_body{gpu, size, type, vector_form::bitmap, -1, {}, {}, {}});
    body->home->settle_on(gpu, std::move(content), std::move(count));
    return vector(std::move(body));
}

device_vector allocate_on_device(const context& gpu, dtype type, index_t size, vector_form form,
                                 offset_t count) {
    const auto stored = static_cast<std::size_t>(form == vector_form::sparse ? count : size);
    const auto& memory = gpu.device_memory();
    return {buffer(memory, stored * size_of(type)),
            buffer(memory, form == vector_form::bitmap ? bits::words_for(size) * sizeof(bits::word) : 0),
            buffer(memory, form == vector_form::sparse ? stored * sizeof(index_t) : 0)};
}

}  // namespace nz::storage
