// SPDX-License-Identifier: MIT
// Cells beyond borders of the grid in a region of engine resident_fields: their values are found
// among those of cells within, in scratch, by the rule of the plain step.
#pragma once
#include "dwell/execution/stencil/engines/resident_fields/region.hpp"
#include "dwell/execution/stencil/fields/border_place.hpp"

namespace dwell {

/// Ghosts of array A, in scratch.
template <class S, class T, resident_config C, int A>
struct resident_ghosts {
  using sizes = resident_sizes<S, T, C>;
  const resident_run<T>& a;
  const resident_region<S, T, C>& region;
  T* array;  ///< the region's first cell

  /// Beyond the sides of the grid that the region reaches.
  template <class Team>
  DWELL_FN void find(Team& team) const {
    side<1, 0>(team);
    side<1, 1>(team);
    side<0, 0>(team);
    side<0, 1>(team);
    side<2, 0>(team);
    side<2, 1>(team);
  }

 private:
  template <int Axis, int Side, class Team>
  DWELL_FN void side(Team& team) const {
    if constexpr (sizes::has_ghosts(Axis, Side)) {
      constexpr int reach = sizes::template reach_along<Axis>;
      constexpr int width = Axis == 1 ? reach : sizes::width;
      constexpr int height = Axis == 0 ? reach : sizes::height;
      constexpr int planes = Axis == 2 ? reach : sizes::planes;
      const resident_span& span = region.template along<Axis>();
      const int begin = span.begin();
      if (Side == 0 ? begin >= 0 : begin + sizes::template extent<Axis> <= span.n) return;
      team.flat(0, width * height * planes, [&](int, int i) {
        resident_place at{sizes::flat ? 0 : i / (width * height),
                          sizes::flat ? i / width : i / width % height, i % width};
        int& across = Axis == 0 ? at.y : Axis == 1 ? at.x : at.z;
        across = Side == 0 ? -begin - 1 - across : span.n - begin + across;
        put(at);
      });
    }
  }
  /// By places in the region.
  DWELL_FN static bool is_there(const resident_place& at) {
    return within(at.y, sizes::height) && within(at.x, sizes::width) &&
           (sizes::flat || within(at.z, sizes::planes));
  }
  DWELL_FN void put(const resident_place& to) const {
    if (!is_there(to)) return;
    int y = region.y.begin() + to.y, x = region.x.begin() + to.x, z = region.z.begin() + to.z;
    bool minus = false;
    T v{};
    if (found<1>(x, minus, v) && found<0>(y, minus, v) && found<2>(z, minus, v)) {
      const resident_place from{z - region.z.begin(), y - region.y.begin(), x - region.x.begin()};
      // Values that nobody needs may have no source here.
      if (!is_there(from)) return;
      v = array[sizes::offset(from.z, from.y, from.x)];
    }
    array[sizes::offset(to.z, to.y, to.x)] = minus ? -v : v;
  }
  /// Cells of an axis that goes around are in the region as they are.
  template <int Axis>
  DWELL_FN bool found(int& i, bool& minus, T& v) const {
    if constexpr (sizes::template around<Axis> || (Axis == 2 && sizes::flat))
      return true;
    else
      return is_within_border<S, A, Axis>(a.n[Axis], a.outside[A][Axis], i, minus, v);
  }
};

}  // namespace dwell
