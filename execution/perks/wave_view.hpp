// SPDX-License-Identifier: MIT
// What a lane sees of one layer of a wave (a row in two dimensions, a plane in three): its own
// patch of cells, and of the cells around those that the taps of the shape reach. They come from
// the lanes beside it by shift, those at corners in two shifts.
#pragma once
#include "dwell/execution/core/sweep.hpp"
#include "dwell/execution/perks/kept_layers.hpp"
#include "dwell/execution/perks/wave_patch.hpp"

namespace dwell {

/// f(std::integral_constant<int, First>) ... f(std::integral_constant<int, Last - 1>).
template <int First, int Last, class F>
DWELL_FN void unrolled(F&& f) {
  if constexpr (First < Last) {
    f(std::integral_constant<int, First>{});
    unrolled<First + 1, Last>(f);
  }
}

template <class S, class T>
class wave_view {
 public:
  using patch = wave_patch<S, T>;
  static constexpr int R = radius_of<S>, RX = patch::across, RY = patch::down;
  /// Cells above and below that may count.
  static constexpr int RV = S::dims == 3 ? R : 0;
  using layer = lane_layer<T, patch::cells>;

  /// The neighbours of cell (k, i) in this layer, as a shape asks for them.
  struct near {
    const wave_view& w;
    int k, i;
    DWELL_FN T operator()(int, int dy, int dx) const {
      const int row = S::dims == 3 ? dy : 0;  // in two dimensions dy is the layer
      return w.v_[k + row + RV][i + dx + R];
    }
  };
  DWELL_FN T at(int k, int i) const { return v_[k + RV][i + R]; }

  /// All lanes see a layer; get(lane) is the lane's own patch.
  template <class Team, class Views, class Get>
  DWELL_FN static void spread(Team& team, Views& all, Get&& get) {
    team.each([&](int l) {
      const layer& own = get(l);
      DWELL_UNROLL
      for (int c = 0; c < patch::cells; ++c) all[l].v_[c / RX + RV][c % RX + R] = own.v[c];
    });
    unrolled<0, RY>([&](auto k) {
      unrolled<1, R + 1>([&](auto d) {
        constexpr int far = (d + RX - 1) / RX;
        if constexpr (passes_on(k, -d)) {
          auto v =
              team.template from_left<T>([&](int l) { return all[l].at(k, far * RX - d); }, far);
          team.each([&](int l) { all[l].v_[k + RV][R - d] = v[l]; });
        }
        if constexpr (passes_on(k, RX - 1 + d)) {
          auto v =
              team.template from_right<T>([&](int l) { return all[l].at(k, (d - 1) % RX); }, far);
          team.each([&](int l) { all[l].v_[k + RV][RX - 1 + d + R] = v[l]; });
        }
      });
    });
    if constexpr (RV > 0) {
      static_assert(RV <= RY, "a neighbour above or below is in the next lane's patch");
      unrolled<1, RV + 1>([&](auto d) {
        unrolled<-R, RX + R>([&](auto i) {
          if constexpr (needs(-d, i)) {
            auto v = team.template from_left<T>([&](int l) { return all[l].at(RY - d, i); },
                                                patch::lanes_x);
            team.each([&](int l) { all[l].v_[RV - d][i + R] = v[l]; });
          }
          if constexpr (needs(RY - 1 + d, i)) {
            auto v = team.template from_right<T>([&](int l) { return all[l].at(d - 1, i); },
                                                 patch::lanes_x);
            team.each([&](int l) { all[l].v_[RY - 1 + d + RV][i + R] = v[l]; });
          }
        });
      });
    }
  }

 private:
  /// Some cell of the patch reads cell (k, i), which lies in it or around it.
  static constexpr bool needs(int k, int i) {
    for (const tap& t : S::taps) {
      const int row = k - (S::dims == 3 ? t.dy : 0), column = i - t.dx;
      if (row >= 0 && row < RY && column >= 0 && column < RX) return true;
    }
    return false;
  }
  /// So does one of this lane's or of a lane above or below.
  static constexpr bool passes_on(int k, int i) {
    return needs(k, i) || (k < RV && needs(RY + k, i)) || (k >= RY - RV && needs(k - RY, i));
  }

  T v_[RY + 2 * RV][RX + 2 * R];
};

}  // namespace dwell
