// Where a test runs, and what vectors of an algorithm hold.
#pragma once

#include "core/device.hpp"
#include "nonzero/nonzero.hpp"
#include "storage/vector_body.hpp"

#include <vector>

namespace nz::test {

/// Several numbers of threads, and the GPU where there is one.
inline std::vector<context> contexts() {
    std::vector<context> all;
    for (const int threads : {1, 2, 3}) all.push_back(context({.backend = backend::cpu, .threads = threads}));
    if (const context best; best.backend() == backend::cuda) all.push_back(best);
    return all;
}

/// Two threads of a CPU, and the GPU where there is one.
inline std::vector<context> sides() {
    auto all = contexts();
    std::erase_if(all, [](const context& ctx) { return !ctx.gpu() && ctx.threads() != 2; });
    return all;
}

/// A context on the CPU; a memory limit of 0 is none.
inline context with_threads(int threads, std::size_t limit = 0) {
    return context({.backend = backend::cpu, .threads = threads, .memory_limit = limit});
}

/// The same vector, on the GPU alone.
inline vector there(const context& ctx, const vector& v) {
    const storage::vector_body& b = v.body();
    const auto on = b.home->copy_on(ctx, b);
    storage::device_vector copy = storage::allocate_on_device(ctx, b.type, b.size, b.form, b.count);
    ctx.gpu()->copy(copy.values.data(), on->values.data(), copy.values.bytes());
    ctx.gpu()->copy(copy.present.data(), on->present.data(), copy.present.bytes());
    ctx.gpu()->copy(copy.indices.data(), on->indices.data(), copy.indices.bytes());
    return storage::make_device_vector(ctx, b.type, b.size, b.form, b.count, std::move(copy));
}

/// The values of a dense vector of 32-bit integers: levels, parents, labels.
inline std::vector<std::int32_t> integers(const vector& v) {
    const auto values = v.values<std::int32_t>();
    return {values.begin(), values.end()};
}

}  // namespace nz::test
