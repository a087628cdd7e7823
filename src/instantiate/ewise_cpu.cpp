#include "instantiate/ewise_lists.hpp"
#include "kernels/cpu/ewise/balanced_path.hpp"

namespace nz::instantiate {
namespace {

struct on_cpu {
    using kernel = kernels::ewise_kernel;
    template <binary_id Op, class T>
    static constexpr kernel fill() {
        return &kernels::cpu::balanced_path_fill<Op, T>;
    }
};

}  // namespace

kernels::ewise_kernel find_ewise_fill(binary_id op, dtype type) {
    return ewise_manifest<on_cpu>::find(op, type);
}

}  // namespace nz::instantiate
