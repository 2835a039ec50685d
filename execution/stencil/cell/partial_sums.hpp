// SPDX-License-Identifier: MIT
// What one time step of a stream keeps of the layers that came before, so that from layer y of step
// s - 1 it makes layer y - R of step s. There are two ways, with the same bits:
//
//   partial_sums   the sums of the layers it has begun, to which a layer adds the cells that its
//                  taps reach: the partial sums of Chen et al., SC 2019. A lane's view of its
//                  neighbours lives for one layer only, whatever the shape.
//   layer_windows  the layers themselves; for stars of radius 1 in two dimensions.
//
// Either has `step`, which all lanes of a team call together: now[l] is the lane's tile of layer y
// before the call, and of layer y - R after it. Cells may keep their values: is_fixed(l)(behind, k,
// i) says whether cell (k, i) of layer y - behind does; never(k, i), that no such cell does. In
// three dimensions beyond(l, k) is row k of layer y above or below the lane's tile.
#pragma once
#include "dwell/execution/stencil/cell/lanes.hpp"
#include "dwell/execution/stencil/cell/neighbour_view.hpp"
#include "dwell/execution/stencil/cell/row_window.hpp"

namespace dwell {

/// Whether step_memory of a shape is layer_windows.
template <class S>
inline constexpr bool remembers_windows = S::dims == 2 && is_star<S>&& radius_of<S> == 1;

/// Where no cell keeps its value: the cells of a fixed border belong to no team.
struct no_fixed_cells {
  static constexpr bool never(int, int) { return true; }
  DWELL_FN bool operator()(int, int, int) const { return false; }
};

template <class S, class T, class Tile = stream_tile<S, T>>
class partial_sums {
 public:
  using view = neighbour_view<S, T, Tile>;
  using layer = typename view::layer;
  static constexpr int R = view::R;
  /// Layers after which every value is again in the register where it began.
  static constexpr int unroll = 1;

  template <class Team, class Memories, class Now, class Fixed, class Beyond>
  DWELL_FN static void step(Team& team, const Memories& memory, Now& now, const T* w,
                            const Fixed& is_fixed, const Beyond& beyond) {
    auto views = team.template per_lane<view>();
    view::spread(
        team, views, [&](int l) -> const layer& { return now[l]; }, beyond);
    team.each([&](int l) { memory(l).add(now[l], views[l], w, is_fixed(l)); });
  }
  /// The lane's tile of layer y becomes that of layer y - R.
  template <class Fixed>
  DWELL_FN void add(layer& now, const view& u, const T* w, const Fixed& is_fixed) {
    unrolled<0, view::RY>([&]<int k>(constant<k>) {
      unrolled<0, view::RX>([&]<int i>(constant<i>) {
        constexpr int c = k * view::RX + i;
        const typename view::near near{u, k, i};
        now.v[c] = more<R, k, i>(v_[0][c], near, w, is_fixed);
        unrolled<1, 2 * R>([&]<int q>(constant<q>) {
          v_[q - 1][c] = more<R - q, k, i>(v_[q][c], near, w, is_fixed);
        });
        v_[2 * R - 1][c] = more<-R, k, i>(T{}, near, w, is_fixed);
      });
    });
  }

 private:
  /// The sum for the layer that lies so many behind. When its own layer comes, a cell that keeps
  /// its value takes it, and nothing is added after that.
  template <int Behind, int K, int I, class Fixed>
  DWELL_FN static T more(T sum, const typename view::near& u, const T* w, const Fixed& is_fixed) {
    const T moved = S::template add_layer<Behind>(sum, u, w);
    if constexpr (Behind < 0 || Fixed::never(K, I)) return moved;
    return is_fixed(Behind, K, I) ? (Behind == 0 ? u.w.at(K, I) : sum) : moved;
  }

  T v_[2 * R][view::tile::cells];
};

template <class S, class T>
class layer_windows {
 public:
  using layer = typename neighbour_view<S, T>::layer;
  static constexpr int R = radius_of<S>, RX = stream_tile<S, T>::across;
  static constexpr int unroll = 2 * R + 1;

  template <class Team, class Memories, class Now, class Fixed, class Beyond>
  DWELL_FN static void step(Team& team, const Memories& memory, Now& now, const T* w,
                            const Fixed& is_fixed, const Beyond&) {
    window::push(team, windows<Memories>{memory}, [&](int l) { return now[l]; });
    team.each([&](int l) {
      const window& u = memory(l).window_;
      const auto fixed = is_fixed(l);
      unrolled<0, RX>([&]<int i>(constant<i>) {
        const T moved = S::template apply<T>(typename window::template near<false>{u, i}, w);
        if constexpr (decltype(is_fixed(0))::never(0, i))
          now[l].v[i] = moved;
        else
          now[l].v[i] = fixed(R, 0, i) ? u.here[R][i] : moved;
      });
    });
  }

 private:
  using window = row_window<S, T, RX>;
  template <class Memories>
  struct windows {
    const Memories& memory;
    DWELL_FN window& operator[](int l) const { return memory(l).window_; }
  };
  window window_;
};

/// Windows take fewer registers and instructions where a shape has few taps beside a layer's own
/// column (measured: docs/lab-notebook.md).
template <class S, class T>
using step_memory =
    std::conditional_t<remembers_windows<S>, layer_windows<S, T>, partial_sums<S, T>>;

}  // namespace dwell
