// w<mask, replace> = accum(w, t) on a GPU, as ops/write_back does it on the host: a warp makes 32 places, their values
// and their half of a presence word; or, of few entries that join many, a lane puts each where it belongs.
#include "algebra/functors.hpp"
#include "core/cuda_check.hpp"
#include "kernels/cuda/common_grid.cuh"
#include "kernels/cuda/vector/common_vectors.hpp"

#include <utility>

namespace nz::kernels::cuda {
namespace {

constexpr unsigned block = 256;

template <class T, std::size_t... Id>
__device__ T apply(binary_id op, T x, T y, std::index_sequence<Id...>) {
    T z = y;
    const auto one = [&]<binary_id Op>() {
        if (op == Op) z = static_cast<T>(algebra::binary<Op>(x, y));
    };
    (one.template operator()<static_cast<binary_id>(Id)>(), ...);
    return z;
}
/// The operators up to lxnor are defined on every type that comes here.
using accumulators = std::make_index_sequence<static_cast<std::size_t>(binary_id::lxnor) + 1>;

// A vector that is dense or a bitmap, or empty.
template <class T>
struct places {
    const T* values;
    const std::uint32_t* present;
    bool none, all;
    __device__ bool has(offset_t i) const { return !none && (all || present[i / 32] >> i % 32 & 1); }
};
template <class T>
places<T> places_of(const device_entries& v) {
    return {static_cast<const T*>(v.values), reinterpret_cast<const std::uint32_t*>(v.present), v.count == 0,
            v.form == vector_form::dense};
}

template <class T>
__global__ void __launch_bounds__(block)
    write_back_kernel(places<T> w, places<T> t, const std::uint32_t* mask, bool complement, bool replace,
                      bool accumulates, binary_id accum, index_t size, T* out, std::uint32_t* present) {
    const offset_t i = offset_t{blockIdx.x} * block + threadIdx.x;
    bool stays = false;
    if (i < size) {
        const bool allowed = (mask ? mask[i / 32] >> i % 32 & 1 : true) != complement;
        const bool in_old = w.has(i) && (allowed ? accumulates : !replace), in_new = t.has(i) && allowed;
        stays = in_old || in_new;
        if (in_old && in_new)
            out[i] = apply<T>(accum, w.values[i], t.values[i], accumulators{});
        else if (stays)
            out[i] = in_new ? t.values[i] : w.values[i];
        else if constexpr (std::is_same_v<T, bool>)
            out[i] = false;  // no other byte is a truth value
    }
    const unsigned word = __ballot_sync(full_warp, stays);
    if (threadIdx.x % 32 == 0 && i < (offset_t{size} + 63) / 64 * 64) present[i / 32] = word;
}

// alpha t + beta w at every place; w is not looked at where beta is 0.
template <class T>
__global__ void __launch_bounds__(block)
    scaled_sum_kernel(places<T> w, places<T> t, T alpha, T beta, index_t size, T* out) {
    const offset_t i = offset_t{blockIdx.x} * block + threadIdx.x;
    if (i >= size) return;
    const T p = t.has(i) ? alpha * t.values[i] : T(0);
    out[i] = beta != 0 && w.has(i) ? p + beta * w.values[i] : p;
}

template <class T>
__global__ void __launch_bounds__(block)
    write_few_kernel(const index_t* indices, const T* joining, offset_t entries, binary_id accum, T* values,
                     std::uint32_t* present, unsigned long long* count) {
    const offset_t k = offset_t{blockIdx.x} * block + threadIdx.x;
    bool is_new = false;
    if (k < entries) {
        const index_t i = indices[k];
        const std::uint32_t bit = 1u << i % 32;
        is_new = present && !(atomicOr(present + i / 32, bit) & bit);
        values[i] = is_new ? joining[k] : apply<T>(accum, values[i], joining[k], accumulators{});
    }
    const int added = __popc(__ballot_sync(full_warp, is_new));
    if (threadIdx.x % 32 == 0 && added > 0) atomicAdd(count, static_cast<unsigned long long>(added));
}

template <class T>
void run(const device_write_few& c, cudaStream_t stream) {
    write_few_kernel<T><<<static_cast<unsigned>((c.t.count + block - 1) / block), block, 0, stream>>>(
        c.t.indices, static_cast<const T*>(c.t.values), c.t.count, c.accum, static_cast<T*>(c.values),
        reinterpret_cast<std::uint32_t*>(c.present), reinterpret_cast<unsigned long long*>(c.count));
    check(cudaGetLastError());
}

template <class T>
void run(const device_write_back& c, cudaStream_t stream) {
    const auto blocks = static_cast<unsigned>((offset_t{c.t.size} + 63 + block - 1) / block);
    if constexpr (std::is_floating_point_v<T>) {
        if (c.scales) {
            scaled_sum_kernel<T><<<blocks, block, 0, stream>>>(
                places_of<T>(c.w), places_of<T>(c.t), static_cast<T>(c.alpha), static_cast<T>(c.beta),
                c.t.size, static_cast<T*>(c.out_values));
            return check(cudaGetLastError());
        }
    }
    write_back_kernel<T><<<blocks, block, 0, stream>>>(
        places_of<T>(c.w), places_of<T>(c.t), reinterpret_cast<const std::uint32_t*>(c.mask), c.complement,
        c.replace, c.accumulates, c.accum, c.t.size, static_cast<T*>(c.out_values),
        reinterpret_cast<std::uint32_t*>(c.out_present));
    check(cudaGetLastError());
}

template <class Call>
void run_of_type(const Call& c, void* stream) {
    const auto on = static_cast<cudaStream_t>(stream);
    dispatch(c.t.type, [&]<class T>(std::type_identity<T>) { run<T>(c, on); });
}

}  // namespace

void write_back(const device_write_back& c, void* stream) {
    if (c.t.size > 0) run_of_type(c, stream);
}
void write_few(const device_write_few& c, void* stream) {
    if (c.t.count > 0) run_of_type(c, stream);
}

}  // namespace nz::kernels::cuda
