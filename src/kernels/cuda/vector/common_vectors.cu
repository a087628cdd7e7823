// Changes of a vector's form on a GPU, and masks as bitmaps.
#include "core/cuda_check.hpp"
#include "kernels/cuda/common_grid.cuh"
#include "kernels/cuda/vector/common_vectors.hpp"
#include "storage/csr.hpp"

#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

namespace nz::kernels::cuda {
namespace {

constexpr unsigned block = 256;
constexpr unsigned blocks(offset_t work) { return static_cast<unsigned>((work + block - 1) / block); }
cudaStream_t on(void* stream) { return static_cast<cudaStream_t>(stream); }
__device__ offset_t thread_number() { return offset_t{blockIdx.x} * block + threadIdx.x; }

template <class U>
__global__ void scatter_kernel(const U* values, const index_t* indices, offset_t count, U* out,
                               std::uint32_t* present) {
    const offset_t k = thread_number();
    if (k >= count) return;
    const index_t i = indices[k];
    out[i] = values[k];
    atomicOr(present + i / 32, 1u << i % 32);
}
__global__ void fill_words_kernel(bits::word* words, index_t size) {
    const offset_t k = thread_number();
    if (k < (offset_t{size} + 63) / 64) words[k] = bits::valid(size, static_cast<std::size_t>(k));
}
template <class U>
__global__ void gather_kernel(const U* values, const index_t* indices, offset_t count, U* out) {
    const offset_t k = thread_number();
    if (k < count) out[k] = values[indices[k]];
}
__global__ void count_kernel(offset_t words, const bits::word* bits, offset_t* count) {
    const offset_t k = thread_number();
    const int found = k < words ? __popcll(bits[k]) : 0;
    const unsigned sum = __reduce_add_sync(full_warp, static_cast<unsigned>(found));
    if (threadIdx.x % 32 == 0 && sum)
        atomicAdd(reinterpret_cast<unsigned long long*>(count), static_cast<unsigned long long>(sum));
}

template <class U>
__global__ void fill_kernel(U* values, offset_t size, U value) {
    const offset_t k = thread_number();
    if (k < size) values[k] = value;
}

struct is_present {
    const std::uint32_t* words;  // null: all are
    __device__ bool operator()(index_t i) const { return !words || words[i / 32] >> i % 32 & 1; }
};

// A warp makes one word of 32 bits from values that are there for every place.
template <class T>
__global__ void truth_kernel(const T* values, const std::uint32_t* present, index_t size,
                             std::uint32_t* words) {
    const offset_t i = thread_number();
    const bool set = i < size && (!present || present[i / 32] >> i % 32 & 1) && values[i] != T(0);
    const unsigned word = __ballot_sync(full_warp, set);
    if (threadIdx.x % 32 == 0 && i < (offset_t{size} + 63) / 64 * 64) words[i / 32] = word;
}
template <class T>
__global__ void listed_truth_kernel(const T* values, const index_t* indices, offset_t count,
                                    std::uint32_t* words) {
    const offset_t k = thread_number();
    if (k < count && (!values || values[k] != T(0))) atomicOr(words + indices[k] / 32, 1u << indices[k] % 32);
}

std::uint32_t* halves(bits::word* words) { return reinterpret_cast<std::uint32_t*>(words); }
const std::uint32_t* halves(const bits::word* words) { return reinterpret_cast<const std::uint32_t*>(words); }

void clear(bits::word* words, index_t size, void* stream) {
    check(cudaMemsetAsync(words, 0, bits::words_for(size) * sizeof(bits::word), on(stream)));
}
void copy(void* to, const void* from, std::size_t bytes, void* stream) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, on(stream)));
}

}  // namespace

std::size_t sparse_bytes(index_t size) {
    std::size_t bytes = 0;
    check(cub::DeviceSelect::If(nullptr, bytes, thrust::counting_iterator<index_t>(0),
                                static_cast<index_t*>(nullptr), static_cast<index_t*>(nullptr), size,
                                is_present{nullptr}));
    return (bytes + 255) / 256 * 256 + sizeof(index_t);
}

void to_bitmap(const device_entries& from, void* values, bits::word* present, void* stream) {
    if (from.size == 0) return;
    const std::size_t width = size_of(from.type);
    if (from.form == vector_form::sparse) {
        clear(present, from.size, stream);
        if (from.type == dtype::boolean)
            check(cudaMemsetAsync(values, 0, static_cast<std::size_t>(from.size), on(stream)));
        if (from.count == 0) return;
        storage::by_width(width, [&]<class U>(std::type_identity<U>) {
            scatter_kernel<<<blocks(from.count), block, 0, on(stream)>>>(
                static_cast<const U*>(from.values), from.indices, from.count, static_cast<U*>(values),
                halves(present));
        });
    } else {
        copy(values, from.values, static_cast<std::size_t>(from.size) * width, stream);
        if (from.form == vector_form::bitmap)
            copy(present, from.present, bits::words_for(from.size) * sizeof(bits::word), stream);
        else
            fill_words_kernel<<<blocks((offset_t{from.size} + 63) / 64), block, 0, on(stream)>>>(present,
                                                                                                 from.size);
    }
    check(cudaGetLastError());
}

void to_sparse(const device_entries& from, void* values, index_t* indices, void* temporary, std::size_t bytes,
               void* stream) {
    if (from.count == 0) return;
    const std::size_t width = size_of(from.type);
    if (from.form == vector_form::sparse) {
        copy(values, from.values, static_cast<std::size_t>(from.count) * width, stream);
        return copy(indices, from.indices, static_cast<std::size_t>(from.count) * sizeof(index_t), stream);
    }
    auto* found = reinterpret_cast<index_t*>(static_cast<std::byte*>(temporary) + bytes - sizeof(index_t));
    std::size_t select = bytes - sizeof(index_t);
    check(cub::DeviceSelect::If(
        temporary, select, thrust::counting_iterator<index_t>(0), indices, found, from.size,
        is_present{from.form == vector_form::bitmap ? halves(from.present) : nullptr}, on(stream)));
    storage::by_width(width, [&]<class U>(std::type_identity<U>) {
        gather_kernel<<<blocks(from.count), block, 0, on(stream)>>>(
            static_cast<const U*>(from.values), indices, from.count, static_cast<U*>(values));
    });
    check(cudaGetLastError());
}

void mask_words(const device_entries& mask, bool structure, bits::word* words, void* stream) {
    if (mask.size == 0) return;
    dispatch(mask.type, [&]<class T>(std::type_identity<T>) {
        const T* values = static_cast<const T*>(mask.values);
        if (mask.form == vector_form::sparse) {
            clear(words, mask.size, stream);
            if (mask.count)
                listed_truth_kernel<T><<<blocks(mask.count), block, 0, on(stream)>>>(
                    structure ? nullptr : values, mask.indices, mask.count, halves(words));
        } else if (!structure) {
            truth_kernel<<<blocks(offset_t{mask.size} + 63), block, 0, on(stream)>>>(
                values, mask.form == vector_form::bitmap ? halves(mask.present) : nullptr, mask.size,
                halves(words));
        } else if (mask.form == vector_form::bitmap) {
            copy(words, mask.present, bits::words_for(mask.size) * sizeof(bits::word), stream);
        } else {
            fill_words_kernel<<<blocks((offset_t{mask.size} + 63) / 64), block, 0, on(stream)>>>(words,
                                                                                                 mask.size);
        }
    });
    check(cudaGetLastError());
}

void fill(void* values, dtype type, offset_t size, element value, void* stream) {
    if (size == 0) return;
    storage::by_width(size_of(type), [&]<class U>(std::type_identity<U>) {
        fill_kernel<<<blocks(size), block, 0, on(stream)>>>(static_cast<U*>(values), size,
                                                            static_cast<U>(value.bits));
    });
    check(cudaGetLastError());
}

void count_bits(const bits::word* words, index_t size, offset_t* count, void* stream) {
    check(cudaMemsetAsync(count, 0, sizeof(offset_t), on(stream)));
    const auto n = static_cast<offset_t>(bits::words_for(size));
    if (n) count_kernel<<<blocks(n), block, 0, on(stream)>>>(n, words, count);
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
