// A span into a vector that is gone when the line ends.
// expect: use of deleted function .*values
#include "nonzero/nonzero.hpp"

double first(const nz::context& ctx, const nz::matrix& a) {
    const auto levels = nz::bfs(ctx, a, 0).levels.values<std::int32_t>();
    return levels[0];
}
