// dalton2015: SpMV, SpAdd and SpGEMM in equal shares of entries, whose time follows the work whatever the rows. The paper,
// on a GTX Titan in double: correlation of time with entries 0.97 for SpMV, 1 for SpAdd, with products 0.98 for SpGEMM. Times
// are whole calls, the best of several.
#include "papers/dalton2015/figures.hpp"

#include <fmt/format.h>

namespace nz::bench {

int dalton2015_suite(const options& o) {
    using namespace dalton2015;
    if (o.table == 2) {
        print_stand_ins(inputs_of(o, williams(), size::full), williams());
        fmt::print("\nfor A * A (figures 9 to 11), smaller:\n");
        print_stand_ins(inputs_of(o, williams(), size::of_product), williams());
        return 0;
    }
    if (!o.inputs.empty() && (o.figure == 2 || o.figure == 4))
        throw wrong_usage(fmt::format("papers/dalton2015 has inputs of its own for figure {}", o.figure));
    switch (o.figure) {
        case 2:
            return unions(o, choose_context(o));
        case 4:
            return sorts(o, choose_context(o));
        case 5:
        case 6:
            return spmv(o, choose_context(o));
        case 7:
        case 8:
            return sums(o, choose_context(o));
        case 9:
        case 10:
            return products(o, choose_context(o));
        default: {  // figure 11: parts of the CPU's kernel are timed
            options on_cpu = o;
            on_cpu.backend = "cpu";
            return phases(on_cpu, choose_context(on_cpu));
        }
    }
}

}  // namespace nz::bench
