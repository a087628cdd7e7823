#include "storage/device_csr.hpp"

#include "core/device.hpp"
#include "core/parallel.hpp"

#include <vector>

namespace nz::storage {

void csr_residence::bring_home() {
    if (at_home_) return;
    const std::lock_guard lock(mutex_);
    if (at_home_) return;
    csr filled = allocate_csr(gpu_, rows_->type, rows_->kind, rows_->rows, rows_->columns, rows_->nnz);
    device::session& session = *gpu_.gpu();
    session.download(filled.offsets.data(), entries_->offsets.data(), filled.offsets.bytes());
    session.download(filled.indices.data(), entries_->indices.data(), filled.indices.bytes());
    session.download(filled.values.data(), values_->values.data(), filled.values.bytes());
    rows_->offsets = std::move(filled.offsets);
    rows_->indices = std::move(filled.indices);
    rows_->values = std::move(filled.values);
    at_home_ = true;
}

device_csr copy_to_device(const context& gpu, const csr& a) {
    constexpr std::size_t padding = index_padding;
    const auto& memory = gpu.device_memory();
    device_csr copy{&a, memory, buffer(memory, a.offsets.bytes()),
                    buffer(memory, a.indices.bytes() + padding),
                    buffer(memory, (static_cast<std::size_t>(a.rows) + 31) / 32 * 4)};
    device::session& session = *gpu.gpu();
    session.upload(copy.offsets.data(), a.offsets.data(), a.offsets.bytes());
    session.upload(copy.indices.data(), a.indices.data(), a.indices.bytes());
    session.fill(copy.indices.as<std::byte>() + a.indices.bytes(), 0, padding);
    std::vector<std::uint32_t> empty((static_cast<std::size_t>(a.rows) + 31) / 32);
    parallel::for_pieces(
        gpu.threads(), a.rows,
        [&](offset_t begin, offset_t end) {
            for (offset_t i = begin; i < end; ++i)
                empty[static_cast<std::size_t>(i / 32)] |= std::uint32_t{a.offset(i) == a.offset(i + 1)}
                                                           << (i % 32);
        },
        32);
    session.upload(copy.empty_rows.data(), empty.data(), empty.size() * 4);
    session.wait();
    return copy;
}

namespace {

template <class T>
buffer upload(const context& gpu, const std::vector<T>& from) {
    buffer to(gpu.device_memory(), from.size() * sizeof(T));
    gpu.gpu()->upload(to.data(), from.data(), to.bytes());
    return to;
}

template <class Offset>
device_balance balance(const context& gpu, const csr& a, const Offset* offsets) {
    std::vector<index_t> numbers, chunk_rows, long_rows;
    std::vector<Offset> held;
    offset_t next_chunk = 0;
    for (index_t i = 0; i < a.rows; ++i) {
        const offset_t begin = offsets[i], end = offsets[i + 1];
        if (begin == end) continue;
        for (; next_chunk < end; next_chunk += merge_chunk_entries)
            chunk_rows.push_back(static_cast<index_t>(numbers.size()));
        numbers.push_back(i);
        held.push_back(static_cast<Offset>(begin));
        if (end - begin > long_row_entries) long_rows.push_back(i);
    }
    const auto count = static_cast<index_t>(numbers.size());
    chunk_rows.push_back(count);
    held.push_back(static_cast<Offset>(a.nnz));
    device_balance b{&a,
                     gpu.device_memory(),
                     count,
                     {},
                     {},
                     upload(gpu, chunk_rows),
                     upload(gpu, long_rows),
                     static_cast<index_t>(long_rows.size())};
    if (count < a.rows) {
        b.row_numbers = upload(gpu, numbers);
        b.held_offsets = upload(gpu, held);
    }
    gpu.gpu()->wait();
    return b;
}

}  // namespace

device_balance balance_on_device(const context& gpu, const csr& a) {
    return with_offsets(a, [&](const auto* offsets) { return balance(gpu, a, offsets); });
}

device_values values_on_device(const context& gpu, const csr& a, dtype type) {
    device_values v{&a, gpu.device_memory(), type, {}};
    buffer converted;
    const buffer* from = &a.values;
    if (a.kind != value_kind::full) {
        converted = buffer(gpu.memory(), sizeof(element));
        store(converted.data(), type, 0, cast(a.value(0), a.type, type));
        from = &converted;
    } else if (a.type != type) {
        converted = convert_array(gpu, a.values, a.type, type, a.nnz);
        from = &converted;
    }
    v.values = buffer(gpu.device_memory(), from->bytes());
    gpu.gpu()->upload(v.values.data(), from->data(), from->bytes());
    gpu.gpu()->wait();
    return v;
}

}  // namespace nz::storage
