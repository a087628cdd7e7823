#include "core/host_copy.hpp"

#include "core/parallel.hpp"

#include <algorithm>
#include <cstring>

namespace nz {

void copy_by_threads(int threads, void* to, const void* from, std::size_t bytes) {
    constexpr int most_threads = 8;  // more were not tried
    constexpr offset_t a_thread = offset_t{128} << 10, page = 4096;
    const auto n = static_cast<offset_t>(bytes);
    const auto worth = static_cast<int>(std::clamp<offset_t>(n / a_thread, 1, most_threads));
    parallel::for_pieces(
        std::min(threads, worth), n,
        [&](offset_t begin, offset_t end) {
            std::memcpy(static_cast<std::byte*>(to) + begin, static_cast<const std::byte*>(from) + begin,
                        static_cast<std::size_t>(end - begin));
        },
        page);
}

}  // namespace nz
