#include "instantiate/vector_lists.hpp"
#include "kernels/cuda/apply/words.cuh"
#include "kernels/cuda/ewise/words.cuh"
#include "kernels/cuda/reduce/blocks.cuh"
#include "kernels/cuda/reduce/rows.cuh"

namespace nz::instantiate {
namespace {

struct on_cuda {
    using words_kernel = kernels::device_words_kernel;
    using apply_kernel = kernels::device_apply_kernel;
    using reduce_kernel = kernels::device_reduce_kernel;
    template <binary_id Op, class T>
    static constexpr words_kernel words() {
        return &kernels::cuda::words<Op, T>;
    }
    template <unary_id Op, class T>
    static constexpr apply_kernel apply() {
        return &kernels::cuda::apply_words<Op, T>;
    }
    template <binary_id Add, class T>
    static constexpr reduce_kernel reduce() {
        return &kernels::cuda::reduce_blocks<Add, T>;
    }
};

// Of rows: the same sums.
struct rows_on_cuda {
    using reduce_kernel = kernels::device_reduce_rows_kernel;
    template <binary_id Add, class T>
    static constexpr reduce_kernel reduce() {
        return &kernels::cuda::reduce_rows<Add, T>;
    }
};

}  // namespace

kernels::device_words_kernel find_words_on_device(binary_id op, dtype operands) {
    return vector_manifest<on_cuda>::words(op, operands);
}
kernels::device_apply_kernel find_apply_on_device(unary_id op, dtype type) {
    return vector_manifest<on_cuda>::apply(op, type);
}
kernels::device_reduce_kernel find_reduce_on_device(binary_id add, dtype type) {
    return vector_manifest<on_cuda>::reduce(add, type);
}
kernels::device_reduce_rows_kernel find_reduce_rows_on_device(binary_id add, dtype type) {
    return vector_manifest<rows_on_cuda>::reduce(add, type);
}

}  // namespace nz::instantiate
