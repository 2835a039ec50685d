// SPDX-License-Identifier: MIT
// One team's part of an order, run after run: the cells of an order are dealt to teams in equal
// parts, each a stretch of the order that begins and ends with a row of a block. A run is as many
// whole rows of a block below one another as the part has, so that teams whose lanes are vectors
// loop over rows. Host only.
#pragma once
#include <cstdint>

#include "dwell/execution/stencil/order/index_map.hpp"

namespace dwell {

/// Rows of `width` cells below one another in one plane, the first of which begins at `first`.
struct row_run {
  grid_cell first;
  int width = 0;
  int rows = 0;
};

/// Cells of a row that goes backwards that are taken at a time, from left to right: eight lines in
/// f64. Loops over single cells from right to left would be no vector code.
inline constexpr int mirrored_piece = 64;

class order_walk {
 public:
  /// Part `part` of `parts`.
  order_walk(const index_map& map, int part, int parts)
      : map_(map), at_(begin_of(part, parts)), last_(begin_of(part + 1, parts)) {
    if (at_ < last_) block_ = map.block_at(at_);
  }

  /// The next run, or false if there is none any more. Runs are in the order's own order.
  bool next(row_run& run) {
    if (at_ >= last_) return false;
    if (at_ == block_.before + block_.size.cells()) block_ = map_.block_at(at_);
    const int width = block_.size.width, height = block_.size.height;
    const std::int64_t row = (at_ - block_.before) / width;
    const int y = static_cast<int>(row % height), z = static_cast<int>(row / height);
    run.first = {block_.first.z + z, block_.first.y + y, block_.first.x};
    if (map_.mirrors() && row % 2 == 0) return next_piece(run);
    const std::int64_t left = map_.mirrors() ? 1 : (last_ - at_) / width;
    run.width = width;
    run.rows = left < height - y ? static_cast<int>(left) : height - y;
    at_ += static_cast<std::int64_t>(run.rows) * width;
    return true;
  }

 private:
  /// Where a part begins: with a row of a block.
  std::int64_t begin_of(int part, int parts) const {
    const std::int64_t i = map_.cells() / parts * part + map_.cells() % parts * part / parts;
    if (i >= map_.cells()) return map_.cells();
    const cell_block b = map_.block_at(i);
    return i - (i - b.before) % b.size.width;
  }
  /// A piece of a row that goes backwards; done_ cells of the row are taken.
  bool next_piece(row_run& run) {
    const int left = block_.size.width - done_;
    run.width = left < mirrored_piece ? left : mirrored_piece;
    run.rows = 1;
    run.first.x += left - run.width;
    done_ += run.width;
    if (done_ == block_.size.width) {
      at_ += done_;
      done_ = 0;
    }
    return true;
  }

  const index_map& map_;
  std::int64_t at_, last_;
  cell_block block_;
  int done_ = 0;
};

}  // namespace dwell
