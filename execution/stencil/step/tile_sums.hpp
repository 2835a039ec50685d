// SPDX-License-Identifier: MIT
// The sums of a register tile: the cells that a lane loads for it, and the sums that it makes of
// them (register_tile.hpp). Most shapes load all cells that their tile reaches before anything is
// computed; wide shapes go layer by layer.
#pragma once
#include "dwell/base/cell_piece.hpp"
#include "dwell/stencil/stencil.hpp"

namespace dwell {

/// The cells of a tile, and the teams on a multiprocessor (4 leave a lane 64 registers, 3 leave
/// 80, 2 leave 128): the larger the tile, the fewer loads per cell, until registers run out. Found
/// by trying (docs/results/stencil-h200.md).
template <class S, class T>
struct tile_shape {
  static constexpr bool flat = S::dims == 2, star = is_star<S>;
  static constexpr int radius = radius_of<S>;
  /// Wide shapes, whose windows would take too many registers, go layer by layer if they are
  /// linear.
  static constexpr bool wide = flat ? radius > (star ? 3 : 1)
                                    : tap_count<S> > 20 || (star && radius > 1);
  static constexpr bool by_layers = wide && is_linear<S>;
  /// A row that a box of radius 3 reaches takes more registers than it is worth.
  static constexpr bool pays = is_linear<S> ? !flat || star || radius <= 2 : !wide;
  static constexpr int across = cell_piece<T>::size;
  static constexpr int down = flat ? 4 : 2;
  static constexpr int deep = flat ? 1 : star && radius == 1 ? 4 : 2;
  static constexpr int teams = flat ? 4 : deep > 2 || by_layers ? 2 : 3;
};

/// The cells of a tile.
template <class S, class T>
struct register_tile {
  cell_piece<T> row[tile_shape<S, T>::deep][tile_shape<S, T>::down];
};

/// What a tile reads: its own cells and their neighbours. Own cells first, which are whole pieces;
/// the cells beside them are then on their way for other lanes.
template <class S, class T>
class tile_window {
  using tile = tile_shape<S, T>;
  static constexpr int Across = tile::across, Down = tile::down, Deep = tile::deep;
  static constexpr int R = radius_of<S>, RZ = S::dims == 3 ? R : 0;
  static constexpr int X = Across + 2 * R, Y = Down + 2 * R, Z = Deep + 2 * RZ;

 public:
  DWELL_FN tile_window(const T* p, std::ptrdiff_t pitch, std::ptrdiff_t plane) {
    const auto row = [&](int z, int y) { return p + ((z - RZ) * plane + (y - R) * pitch); };
    unrolled<0, Z>([&]<int z>(constant<z>) {
      unrolled<0, Y>([&]<int y>(constant<y>) {
        if constexpr (own_needed(z, y)) {
          const auto some = *reinterpret_cast<const cell_piece<T>*>(row(z, y));
          unrolled<0, Across>([&]<int i>(constant<i>) { v_[z][y][R + i] = some.v[i]; });
        }
      });
    });
    unrolled<0, Z>([&]<int z>(constant<z>) {
      unrolled<0, Y>([&]<int y>(constant<y>) {
        unrolled<0, X>([&]<int x>(constant<x>) {
          if constexpr ((x < R || x >= R + Across) && needed(z, y, x))
            v_[z][y][x] = row(z, y)[x - R];
        });
      });
    });
  }
  /// Neighbours of cell (d, k, i) of the tile.
  struct near {
    const tile_window& w;
    int d, k, i;
    DWELL_FN T operator()(int dy, int dx) const { return w.v_[d][k + R + dy][i + R + dx]; }
    DWELL_FN T operator()(int dz, int dy, int dx) const {
      return w.v_[d + RZ + dz][k + R + dy][i + R + dx];
    }
  };

 private:
  static constexpr bool needed(int z, int y, int x) {
    for (const tap& t : S::taps) {
      const int d = z - RZ - t.dz, k = y - R - t.dy, i = x - R - t.dx;
      if (d >= 0 && d < Deep && k >= 0 && k < Down && i >= 0 && i < Across) return true;
    }
    return false;
  }
  static constexpr bool own_needed(int z, int y) {
    for (int i = 0; i < Across; ++i)
      if (needed(z, y, R + i)) return true;
    return false;
  }

  T v_[Z][Y][X];
};

/// The cells of one layer (a row in two dimensions, a plane in three) that a tile reads: its own
/// columns, and the columns beside them that a tap of one of its cells reaches.
template <class S, class T>
class tile_layer {
  using tile = tile_shape<S, T>;
  static constexpr bool flat = S::dims == 2;
  static constexpr int R = radius_of<S>, RY = flat ? 0 : R, across = tile::across;
  static constexpr int X = across + 2 * R, Y = (flat ? 1 : tile::down) + 2 * RY;

 public:
  static constexpr int own = flat ? tile::down : tile::deep;  ///< layers of the tile
  static constexpr int rows = flat ? 1 : tile::down;          ///< rows of the tile in one of them

  /// Layer number Layer, where the tile's own are 0 to own - 1. Own columns are whole pieces; the
  /// columns beside them are then on their way for other lanes.
  template <int Layer>
  DWELL_FN void load(const T* p, std::ptrdiff_t pitch) {
    unrolled<0, Y>([&]<int y>(constant<y>) {
      const T* row = p + (y - RY) * pitch;
      if constexpr (needed(Layer, y, R, R + across)) {
        const auto some = *reinterpret_cast<const cell_piece<T>*>(row);
        unrolled<0, across>([&]<int i>(constant<i>) { v_[y][R + i] = some.v[i]; });
      }
      unrolled<0, X>([&]<int x>(constant<x>) {
        if constexpr ((x < R || x >= R + across) && needed(Layer, y, x, x + 1))
          v_[y][x] = row[x - R];
      });
    });
  }
  /// Neighbours in this layer of cell (k, i) of the tile.
  struct near {
    const tile_layer& layer;
    int k, i;
    DWELL_FN T operator()(int, int dx) const { return layer.v_[0][i + R + dx]; }
    DWELL_FN T operator()(int, int dy, int dx) const {
      return layer.v_[flat ? 0 : k + R + dy][i + R + dx];
    }
  };

 private:
  /// A tap of a cell of the tile is one of columns x0 to x1 - 1 of row y.
  static constexpr bool needed(int layer, int y, int x0, int x1) {
    for (const tap& t : S::taps) {
      const int d = layer - t.layer(S::dims), k = flat ? 0 : y - R - t.dy;
      if (d < 0 || d >= own || k < 0 || k >= rows) continue;
      for (int x = x0; x < x1; ++x)
        if (x - R - t.dx >= 0 && x - R - t.dx < across) return true;
    }
    return false;
  }

  T v_[Y][X];
};

/// A step of all cells of the tile from `in` on. Layer by layer, each adds its taps to the
/// cells that it reaches: the sums are those of apply(), and take fewer registers.
template <class S, class T>
DWELL_FN register_tile<S, T> tile_sums(const T* in, std::ptrdiff_t pitch, std::ptrdiff_t plane,
                                       const T* w) {
  using tile = tile_shape<S, T>;
  constexpr bool flat = S::dims == 2;
  register_tile<S, T> v;
  if constexpr (tile::by_layers) {
    using layer = tile_layer<S, T>;
    constexpr int R = radius_of<S>;
    unrolled<-R, layer::own + R>([&]<int j>(constant<j>) {
      layer u;
      u.template load<j>(in + j * (flat ? pitch : plane), pitch);
      unrolled<0, layer::own>([&]<int d>(constant<d>) {
        if constexpr (j - d >= -R && j - d <= R)
          unrolled<0, layer::rows>([&]<int k>(constant<k>) {
            unrolled<0, tile::across>([&]<int i>(constant<i>) {
              T& sum = v.row[flat ? 0 : d][flat ? d : k].v[i];
              sum = S::template add_layer<j - d>(sum, typename layer::near{u, k, i}, w);
            });
          });
      });
    });
  } else {
    using window = tile_window<S, T>;
    const window all(in, pitch, plane);
    DWELL_UNROLL
    for (int d = 0; d < tile::deep; ++d) {
      DWELL_UNROLL
      for (int k = 0; k < tile::down; ++k) {
        DWELL_UNROLL
        for (int i = 0; i < tile::across; ++i)
          v.row[d][k].v[i] = S::template apply<T>(typename window::near{all, d, k, i}, w);
      }
    }
  }
  return v;
}

}  // namespace dwell
