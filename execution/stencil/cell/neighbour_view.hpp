// SPDX-License-Identifier: MIT
// A lane's view of one layer of a stream (a row in two dimensions, a plane in three): its own tile
// of cells, and the cells around it that the taps of the shape reach. Rows above and below come
// from other warps (engines/stream3d/edges.hpp), columns to either side from neighbouring lanes.
#pragma once
#include "dwell/execution/stencil/cell/cached_layers.hpp"
#include "dwell/execution/stencil/cell/register_tile.hpp"
#include "dwell/stencil/stencil.hpp"

namespace dwell {

/// Tile: how many cells a lane has across and down.
template <class S, class T, class Tile = stream_tile<S, T>>
class neighbour_view {
 public:
  using tile = Tile;
  static constexpr int R = radius_of<S>, RX = tile::across, RY = tile::down;
  /// Cells above and below that may count.
  static constexpr int RV = S::dims == 3 ? R : 0;
  using layer = lane_layer<T, tile::cells>;

  /// The neighbours of cell (k, i) in this layer, as a shape asks for them.
  struct near {
    const neighbour_view& w;
    int k, i;
    DWELL_FN T operator()(int, int dy, int dx) const {
      const int row = S::dims == 3 ? dy : 0;  // in two dimensions dy is the layer
      return w.v_[k + row + RV][i + dx + R];
    }
  };
  DWELL_FN T at(int k, int i) const { return v_[k + RV][i + R]; }

  /// Fills the views of all lanes; get(lane) is the lane's own tile, and beyond(lane, k) row k
  /// of the layer where that is another lane's: above the tile for k < 0, else below.
  template <class Team, class Views, class Get, class Beyond>
  DWELL_FN static void spread(Team& team, Views& all, Get&& get, const Beyond& beyond) {
    team.each([&](int l) {
      const layer& own = get(l);
      DWELL_UNROLL
      for (int c = 0; c < tile::cells; ++c) all[l].v_[c / RX + RV][c % RX + R] = own.v[c];
      unrolled<0, RV>([&](auto d) {
        all[l].take_row(-1 - d, beyond(l, -1 - d));
        all[l].take_row(RY + d, beyond(l, RY + d));
      });
    });
    unrolled<-RV, RY + RV>([&]<int k>(constant<k>) {
      unrolled<1, R + 1>([&]<int d>(constant<d>) {
        constexpr int far = (d + RX - 1) / RX;
        if constexpr (needs(k, -d)) {
          auto v =
              team.template from_left<T>([&](int l) { return all[l].at(k, far * RX - d); }, far);
          team.each([&](int l) { all[l].v_[k + RV][R - d] = v[l]; });
        }
        if constexpr (needs(k, RX - 1 + d)) {
          auto v =
              team.template from_right<T>([&](int l) { return all[l].at(k, (d - 1) % RX); }, far);
          team.each([&](int l) { all[l].v_[k + RV][RX - 1 + d + R] = v[l]; });
        }
      });
    });
  }
  /// Spreads a row in two dimensions, whose ends are not those of a warp's lanes: wherever a lane
  /// is at one, ends(lane, view, first, last) fills columns first to before last beyond it. Columns
  /// beyond the next lane's cells are copied from that lane's view.
  template <class Team, class Views, class Get, class Ends>
  DWELL_FN static void spread_row(Team& team, Views& all, Get&& get, const Ends& ends) {
    static_assert(RY == 1 && RV == 0);
    team.each([&](int l) { all[l].take(get(l)); });
    unrolled<0, (R + RX - 1) / RX>([&]<int far>(constant<far>) {
      constexpr int first = far * RX + 1, last = R < first + RX ? R + 1 : first + RX;
      unrolled<first, last>([&]<int d>(constant<d>) {
        auto before = team.template from_left<T>([&](int l) { return all[l].v_[0][R + RX - d]; });
        auto after = team.template from_right<T>([&](int l) { return all[l].v_[0][R + d - 1]; });
        team.each([&](int l) {
          all[l].v_[0][R - d] = before[l];
          all[l].v_[0][RX - 1 + d + R] = after[l];
        });
      });
      team.each([&](int l) {
        ends(l, all[l], std::integral_constant<int, first>{}, std::integral_constant<int, last>{});
      });
    });
  }
  /// Columns first to before last beside the tile: get(d) is column d beyond it.
  template <int First, int Last, class Get>
  DWELL_FN void take_before(const Get& get) {
    unrolled<First, Last>([&]<int d>(constant<d>) { v_[0][R - d] = get(d); });
  }
  template <int First, int Last, class Get>
  DWELL_FN void take_after(const Get& get) {
    unrolled<First, Last>([&]<int d>(constant<d>) { v_[0][RX - 1 + d + R] = get(d); });
  }
  /// The lane's own tile; columns beside it are zero until they are filled.
  DWELL_FN void take(const layer& own) {
    DWELL_UNROLL
    for (int i = 0; i < RX + 2 * R; ++i) v_[RV][i] = i < R || i >= R + RX ? T{} : own.v[i - R];
  }
  /// Columns beside the tile from elsewhere: get(k, d) is column d beyond it of row k.
  template <class Get>
  DWELL_FN void take_left(const Get& get) {
    unrolled<-RV, RY + RV>([&]<int k>(constant<k>) {
      unrolled<1, R + 1>([&]<int d>(constant<d>) {
        if constexpr (needs(k, -d)) v_[k + RV][R - d] = get(k, d);
      });
    });
  }
  template <class Get>
  DWELL_FN void take_right(const Get& get) {
    unrolled<-RV, RY + RV>([&]<int k>(constant<k>) {
      unrolled<1, R + 1>([&]<int d>(constant<d>) {
        if constexpr (needs(k, RX - 1 + d)) v_[k + RV][RX - 1 + d + R] = get(k, d);
      });
    });
  }

 private:
  /// Some cell of the tile reads cell (k, i), which lies in it or around it.
  static constexpr bool needs(int k, int i) {
    for (const tap& t : S::taps) {
      const int row = k - (S::dims == 3 ? t.dy : 0), column = i - t.dx;
      if (row >= 0 && row < RY && column >= 0 && column < RX) return true;
    }
    return false;
  }
  template <class Row>
  DWELL_FN void take_row(int k, const Row& row) {
    DWELL_UNROLL
    for (int i = 0; i < RX; ++i) v_[k + RV][i + R] = row.v[i];
  }

  T v_[RY + 2 * RV][RX + 2 * R];
};

}  // namespace dwell
