// Lists of cells put together; for the units that expand them.
#pragma once

#include "instantiate/mxv_cells.hpp"

#include <array>

namespace nz::instantiate {

template <class... Lists>
struct joined;
template <class... A>
struct joined<cell_list<A...>> {
    using list = cell_list<A...>;
};
template <class... A, class... B, class... Rest>
struct joined<cell_list<A...>, cell_list<B...>, Rest...> {
    using list = typename joined<cell_list<A..., B...>, Rest...>::list;
};

}  // namespace nz::instantiate
