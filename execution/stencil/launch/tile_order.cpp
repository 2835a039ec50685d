// SPDX-License-Identifier: MIT
// Numbers the tiles by the map of the order.
#include "dwell/execution/stencil/launch/tile_order.hpp"

#include "dwell/execution/stencil/order/index_map.hpp"

namespace dwell {

std::vector<unsigned> tile_order(const stencil_plan& how, int dims) {
  if (how.cells == cell_order{}) return {};
  extents tiles(how.tiles_z, how.tiles_y, how.tiles_x);
  tiles.dims = dims;
  const index_map map(how.cells, tiles, {how.tile_z, how.tile_y, how.tile_x});
  std::vector<unsigned> all(static_cast<std::size_t>(map.cells()));
  for (std::size_t n = 0; n < all.size(); ++n) {
    const grid_cell t = map.at(static_cast<std::int64_t>(n));
    const std::int64_t row = static_cast<std::int64_t>(t.z) * tiles.y + t.y;
    all[n] = static_cast<unsigned>(row * tiles.x + t.x);
  }
  return all;
}

}  // namespace dwell
