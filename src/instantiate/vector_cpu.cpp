#include "instantiate/vector_lists.hpp"
#include "kernels/cpu/apply/words.hpp"
#include "kernels/cpu/ewise/words.hpp"
#include "kernels/cpu/reduce/blocks.hpp"

namespace nz::instantiate {
namespace {

struct on_cpu {
    using words_kernel = kernels::words_kernel;
    using apply_kernel = kernels::apply_kernel;
    using reduce_kernel = kernels::reduce_kernel;
    template <binary_id Op, class T>
    static constexpr words_kernel words() {
        return &kernels::cpu::words<Op, T>;
    }
    template <unary_id Op, class T>
    static constexpr apply_kernel apply() {
        return &kernels::cpu::apply_words<Op, T>;
    }
    template <binary_id Add, class T>
    static constexpr reduce_kernel reduce() {
        return &kernels::cpu::reduce_blocks<Add, T>;
    }
};

}  // namespace

kernels::words_kernel find_words(binary_id op, dtype operands) {
    return vector_manifest<on_cpu>::words(op, operands);
}
kernels::apply_kernel find_apply(unary_id op, dtype type) { return vector_manifest<on_cpu>::apply(op, type); }
kernels::reduce_kernel find_reduce(binary_id add, dtype type) {
    return vector_manifest<on_cpu>::reduce(add, type);
}

}  // namespace nz::instantiate
