// Where parsers put coordinates: arrays of a size that the data has proved, cut from slabs that grow.
#pragma once

#include "core/buffer.hpp"
#include "storage/assemble.hpp"

#include <algorithm>
#include <vector>

namespace nz::io {

/// Room for `count` tuples, of which the parser fills in the first ones.
struct tuple_room {
    index_t* rows = nullptr;
    index_t* columns = nullptr;
    void* values = nullptr;
    storage::tuple_chunk chunk(offset_t count) const { return {rows, columns, values, count}; }
};

/// Bump allocation for one thread; everything goes at once. Slabs grow, so that small files stay small and
/// large ones do not pay for a system call a block.
class tuple_arena {
public:
    explicit tuple_arena(const context& ctx) : ctx_(ctx) {}

    void* take(std::size_t bytes) {
        bytes = (bytes + 63) / 64 * 64;
        if (slabs_.empty() || slabs_.back().bytes() - used_ < bytes) {
            const std::size_t last = slabs_.empty() ? 0 : slabs_.back().bytes();
            slabs_.emplace_back(ctx_.memory(), std::max(bytes, std::min(last * 2, slab_most)));
            used_ = 0;
        }
        void* const place = slabs_.back().as<char>() + used_;
        used_ += bytes;
        return place;
    }
    tuple_room take_tuples(std::size_t count, std::size_t value_bytes) {
        // Values first: they need the widest alignment.
        void* const values = value_bytes ? take(count * value_bytes) : nullptr;
        auto* const rows = static_cast<index_t*>(take(count * sizeof(index_t)));
        return {rows, static_cast<index_t*>(take(count * sizeof(index_t))), values};
    }

private:
    static constexpr std::size_t slab_most = std::size_t{16} << 20;

    context ctx_;
    std::vector<buffer> slabs_;
    std::size_t used_ = 0;
};

inline std::vector<tuple_arena> make_arenas(const context& ctx) {
    std::vector<tuple_arena> arenas;
    for (int t = 0; t < ctx.threads(); ++t) arenas.emplace_back(ctx);
    return arenas;
}

}  // namespace nz::io
