// Tiles made on a GPU from the CSR that is there.
#pragma once

#include "core/device.hpp"
#include "kernels/device_tiles.hpp"
#include "storage/matrix_body.hpp"

namespace nz::ops {

/// `count` elements in the GPU's memory.
inline buffer take(const context& ctx, offset_t count, std::size_t bytes) {
    return {ctx.device_memory(), static_cast<std::size_t>(count) * bytes};
}

/// allocate(room), and make() with it: once where that is room enough, else again with the room that the first time has found, which
/// make leaves in `counts`, 0 before. Returns that, and adds make's time to `ms`.
template <class Counts, class Allocate, class Make>
Counts make_in_room(device::session& gpu, Counts room, const buffer& counts, double& ms, Allocate&& allocate,
                    Make&& make) {
    for (Counts found;; room = found) {
        allocate(room);
        gpu.timed(make);
        ms += gpu.milliseconds();
        gpu.download(&found, counts.data(), sizeof found);
        if (fits(found, room)) return found;
        gpu.fill(counts.data(), 0, sizeof found);
    }
}

/// What tiles of a CSR are cut from on a GPU, whose copy `there` is.
kernels::device_tile_source tile_source(const storage::csr& of, const storage::device_csr& there, int size,
                                        int least_entries);

/// The tiles of `of`, which is body.rows_anywhere() or body.columns_anywhere(), on the context's GPU; made once. Throws out_of_memory naming the
/// bytes.
std::shared_ptr<const storage::value_tiles> tiles_on_device(const context& ctx,
                                                            const storage::matrix_body& body,
                                                            const storage::csr& of, tiling cut,
                                                            std::optional<dtype> type);
std::shared_ptr<const storage::tile_lists> tile_lists_on_device(
    const context& ctx, const storage::matrix_body& body,
    const std::shared_ptr<const storage::value_tiles>& of);
/// The same by rows: strips of 64 rows and 16 columns.
std::shared_ptr<const storage::tile_lists> tile_strips_on_device(
    const context& ctx, const storage::matrix_body& body,
    const std::shared_ptr<const storage::value_tiles>& of);

}  // namespace nz::ops
