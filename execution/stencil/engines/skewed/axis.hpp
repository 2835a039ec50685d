// SPDX-License-Identifier: MIT
// How the cells of one axis are divided in a pass of several steps, so that no cell is computed
// twice (time skewing: McCalpin and Wonnacott 1999; split tiling: Krishnamoorthy et al. 2007). A
// step reads `slope` cells to either side of a cell, so a part that makes all steps by itself loses
// as many at a border to a part that comes later, in every step, and takes them from one that came
// before. Parts come one after the other (in_turn), or all at once with the cells that they leave
// between them in a second phase (at_once, between).
#pragma once
#include <cstdint>

namespace dwell {

/// Cells of an axis from `first` to before `last`; of a ring they may lie beyond either end.
struct cell_range {
  int first, last;
  friend bool operator==(const cell_range&, const cell_range&) = default;
};

struct skewed_axis {
  int begin = 0, end = 0;  ///< the cells that a step changes
  int parts = 1;
  int slope = 0;      ///< the radius of the stencil
  bool ring = false;  ///< behind the last cell comes the first one

  /// The first cell of a part before any step.
  int cut(int part) const {
    return begin + static_cast<int>(std::int64_t{end - begin} * part / parts);
  }
  /// Step `step`, from 0 on, of a part, once all parts before it have made all steps.
  cell_range in_turn(int part, int step) const {
    const int by = parts > 1 ? step * slope : 0;
    return {cut(part) + (part > 0 ? -by
                         : ring   ? by
                                  : 0),
            cut(part + 1) + (part + 1 < parts ? -by
                             : ring           ? by
                                              : 0)};
  }
  /// Cells of a part, at any time beside the other parts.
  cell_range at_once(int part, int step) const {
    const int by = step * slope;
    return {cut(part) + (part > 0 || ring ? by : 0),
            cut(part + 1) - (part + 1 < parts || ring ? by : 0)};
  }
  /// What at_once() leaves around the first cell of a part, once all of that is done; at any time
  /// beside the others of these. Nothing at the end of an axis that is no ring.
  cell_range between(int part, int step) const {
    const int at = cut(part), by = part > 0 || ring ? step * slope : 0;
    return {at - by, at + by};
  }
  /// The least cells of a part for so many steps: the cells left on both sides of it then belong to
  /// it, and so do those that it leaves to the next part.
  static int least(int slope, int steps) { return 2 * slope * (steps - 1) + 1; }
};

}  // namespace dwell
