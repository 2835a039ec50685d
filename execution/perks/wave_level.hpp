// SPDX-License-Identifier: MIT
// What one level of a wave remembers of the layers that came before, so that with layer y, step
// s - 1, it has layer y - R, step s. There are two ways, with the same bits:
//
//   wave_sums     the sums of the layers it has begun, to which a layer adds what its taps reach:
//                 the partial sums of Chen et al., SC 2019. What a lane sees of its neighbours
//                 lives for one layer only, whatever the shape.
//   wave_windows  the layers themselves; stars of radius 1 in two dimensions.
//
// Either has `step`, which all lanes of a team call together: now[l] is the lane's patch of layer
// y, and of layer y - R after it. Cells may keep their values: still(l)(behind, k, i) says so of
// cell (k, i) of layer y - behind; never(k, i), that none does. In three dimensions beyond(l, k) is
// row k of layer y above or below the lane's patch.
#pragma once
#include "dwell/execution/perks/perks_rungs.hpp"
#include "dwell/execution/perks/row_window.hpp"
#include "dwell/execution/perks/wave_view.hpp"

namespace dwell {

/// Where no cell keeps its value: those of a fixed border are nobody's.
struct still_nowhere {
  static constexpr bool never(int, int) { return true; }
  DWELL_FN bool operator()(int, int, int) const { return false; }
};

template <class S, class T, class Patch = wave_patch<S, T>>
class wave_sums {
 public:
  using view = wave_view<S, T, Patch>;
  using layer = typename view::layer;
  static constexpr int R = view::R;
  /// Turns after which the compiler finds every value in the register where it began.
  static constexpr int turns = 1;

  template <class Team, class Levels, class Now, class Still, class Beyond>
  DWELL_FN static void step(Team& team, const Levels& level, Now& now, const T* w,
                            const Still& still, const Beyond& beyond) {
    auto seen = team.template per_lane<view>();
    view::spread(
        team, seen, [&](int l) -> const layer& { return now[l]; }, beyond);
    team.each([&](int l) { level(l).add(now[l], seen[l], w, still(l)); });
  }
  /// The lane's patch of layer y becomes that of layer y - R.
  template <class Still>
  DWELL_FN void add(layer& now, const view& u, const T* w, const Still& still) {
    unrolled<0, view::RY>([&](auto k) {
      unrolled<0, view::RX>([&](auto i) {
        constexpr int c = k * view::RX + i;
        const typename view::near near{u, k, i};
        now.v[c] = more<R, k, i>(v_[0][c], near, w, still);
        unrolled<1, 2 * R>(
            [&](auto q) { v_[q - 1][c] = more<R - q, k, i>(v_[q][c], near, w, still); });
        v_[2 * R - 1][c] = more<-R, k, i>(T{}, near, w, still);
      });
    });
  }

 private:
  /// The sum for the layer that lies so many behind. When its own layer comes, a cell that keeps
  /// its value takes it, and nothing is added after that.
  template <int Behind, int K, int I, class Still>
  DWELL_FN static T more(T sum, const typename view::near& u, const T* w, const Still& still) {
    const T moved = S::template add_layer<Behind>(sum, u, w);
    if constexpr (Behind < 0 || Still::never(K, I)) return moved;
    return still(Behind, K, I) ? (Behind == 0 ? u.w.at(K, I) : sum) : moved;
  }

  T v_[2 * R][view::patch::cells];
};

template <class S, class T>
class wave_windows {
 public:
  using layer = typename wave_view<S, T>::layer;
  static constexpr int R = radius_of<S>, RX = wave_patch<S, T>::across;
  static constexpr int turns = 2 * R + 1;

  template <class Team, class Levels, class Now, class Still, class Beyond>
  DWELL_FN static void step(Team& team, const Levels& level, Now& now, const T* w,
                            const Still& still, const Beyond&) {
    window::push(team, windows<Levels>{level}, [&](int l) { return now[l]; });
    team.each([&](int l) {
      const window& u = level(l).window_;
      const auto stands = still(l);
      unrolled<0, RX>([&](auto i) {
        const T moved = S::template apply<T>(typename window::template near<false>{u, i}, w);
        if constexpr (stands.never(0, i))
          now[l].v[i] = moved;
        else
          now[l].v[i] = stands(R, 0, i) ? u.here[R][i] : moved;
      });
    });
  }

 private:
  using window = row_window<S, T, RX>;
  template <class Levels>
  struct windows {
    const Levels& level;
    DWELL_FN window& operator[](int l) const { return level(l).window_; }
  };
  window window_;
};

/// Windows take fewer registers and instructions where a shape has few taps beside a layer's own
/// column (measured, docs/design.md).
template <class S, class T>
using wave_level = std::conditional_t<perks_windows<S>, wave_windows<S, T>, wave_sums<S, T>>;

}  // namespace dwell
