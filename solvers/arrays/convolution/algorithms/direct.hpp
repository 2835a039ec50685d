// SPDX-License-Identifier: MIT
// The definition, cell by cell: every tap asks the border where its cell lies. To compare the other
// algorithms with.
#pragma once
#include <cmath>

#include "dwell/solvers/arrays/convolution/pass.hpp"

namespace dwell {

struct direct_convolution {
  static constexpr const char* name = "direct";
  using on_cpu = direct_convolution;
  using on_cuda = direct_convolution;
  static constexpr int groups = 1;             ///< groups of a warp on a CPU
  static constexpr bool whole_pieces = false;  ///< a lane on a GPU has one column
  static constexpr int instances = 1;
  static constexpr int instance_of(int) { return 0; }

  static constexpr int warps_of(int) { return 32; }
  template <class Warp, class Pass>
  static DWELL_HD tile_grid tiles(const Pass& a) {
    return tiles_of(a, 1, Warp::columns);
  }
  /// Cells of memory of its own that a warp needs.
  template <class Warp, class Pass>
  static DWELL_HD std::size_t scratch(const Pass&) {
    return 0;
  }

  /// weights(): called once by every warp, before it reads any.
  template <int Instance, class Warp, class Pass, class Weights>
  static DWELL_FN void compute(Warp& warp, const Pass& a, const convolution_tile& at,
                               typename Pass::cell*, Weights&& weights) {
    weights();
    for (int k = 0; k < a.filter.z; ++k) {
      const auto* const plane = plane_for(a, at, k);
      typename Warp::row sums;
      warp.each([&](int g) {
        sums[g] = Warp::group::of([&](int i) {
          return chain<Warp>(a, plane, tap_plane(a, k), at.y, at.x + Warp::column(g) + i);
        });
      });
      store_row(warp, a, at, {0, k, 0, Warp::columns}, sums);
    }
  }

 private:
  template <class Warp, class Pass>
  static DWELL_FN typename Pass::sum chain(const Pass& a, const typename Pass::cell* plane,
                                           const typename Pass::sum* taps, int y, int x) {
    using T = typename Pass::sum;
    const int pitch = column_pitch(a.filter.y);
    T sum = T(0);
    for (int m = 0; m < a.filter.x; ++m)
      for (int n = 0; n < a.filter.y; ++n)
        sum = std::fma(
            Warp::value(cell_of(a, row_for(a, plane, y + n - a.before_y), x + m - a.before_x)),
            taps[m * pitch + n], sum);
    return sum;
  }
};

}  // namespace dwell
