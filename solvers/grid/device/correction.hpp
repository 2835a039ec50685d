// SPDX-License-Identifier: MIT
// The step back from the next level of multigrid, on a device: its correction is interpolated. Of
// two colours where x is halved, the coarse cells that a cell of the first colour is interpolated
// from are known of a whole row. Other levels take a loop that asks for each cell.
#pragma once
#include "dwell/base/fn.hpp"
#include "dwell/solvers/grid/device/half_cells.hpp"
#include "dwell/solvers/grid/device/over_rows.hpp"

namespace dwell::grids {

/// Flat: no level has faces along y.
template <bool Flat>
class device_correction {
 public:
  /// zeros, ones: as many as cells of a row and two.
  DWELL_FN device_correction(const float* zeros, const float* ones) : zeros_(zeros), ones_(ones) {}

  /// Adds the correction of the next level; of two colours to the first only.
  template <class Team>
  DWELL_APART void operator()(Team& team, bool alone, const device_level& l,
                              const device_level& next) const {
    if (is_known_by_rows<Flat>(l) && has_row_each(l.a.deal))
      return prolong_rows(team, alone, l, next);
    for (int half = 0; half < (l.colours == 3 ? 2 : 1); ++half) {
      if constexpr (!Flat) {
        if (l.axes[1].halved) {
          prolong_half<2>(team, alone, l, next, half);
          continue;
        }
      }
      prolong_half<1>(team, alone, l, next, half);
    }
  }

 private:
  /// Lanes that go together, 2^5 of them, have a row together: of rows of several kinds they would
  /// do one kind after the other.
  DWELL_FN static bool has_row_each(const row_deal& d) { return d.lane_bits == 5; }

  /// Coarse rows that a fine row is interpolated from, Lines along y (1 or 2) of Planes each, and
  /// their weights.
  template <int Planes, int Lines>
  struct coarse_rows {
    const float *u[Lines][Planes], *of_plane[Lines][Planes], *of_line[Lines];

    DWELL_FN float of(int y, int place) const {
      if constexpr (Planes == 1) return u[y][0][place];
      return of_plane[y][0][place] * u[y][0][place] +
             of_plane[y][Planes - 1][place] * u[y][Planes - 1][place];
    }
    DWELL_FN float at(int place) const {
      if constexpr (Lines == 1) return of(0, place);
      return of_line[0][place] * of(0, place) + of_line[Lines - 1][place] * of(Lines - 1, place);
    }
  };
  template <int Planes, int Lines>
  DWELL_FN coarse_rows<Planes, Lines> rows_of(const device_level& l, const device_level& next,
                                              int k, int j) const {
    const int ny = next.a.n[1], nx = next.a.n[2];
    const halved_axis &az = l.axes[0], &ay = l.axes[1];
    coarse_rows<Planes, Lines> c;
    const bool own_line = ay.is_coarse(j), own_plane = az.is_coarse(k);
    DWELL_UNROLL
    for (int y = 0; y < Lines; ++y) {
      const int line = own_line ? (y == 0 ? ay.coarse_at(j) : -1)
                                : (y == 0 ? ay.coarse_before(j) : ay.coarse_after(j));
      c.of_line[y] = ones_;
      if (Lines > 1 && !own_line) {
        const unsigned* const places = y == 0 ? l.weights[1].after : l.weights[1].before;
        c.of_line[y] =
            line >= 0 ? l.weights[1].pool + places[static_cast<long long>(k) * ny + line] : zeros_;
      }
      DWELL_UNROLL
      for (int z = 0; z < Planes; ++z) {
        const int plane = own_plane ? (z == 0 ? az.coarse_at(k) : -1)
                                    : (z == 0 ? az.coarse_before(k) : az.coarse_after(k));
        const bool there = line >= 0 && plane >= 0;
        const int row = there ? plane * ny + line : 0;
        c.u[y][z] = there ? next.u + static_cast<long long>(row) * nx : zeros_;
        const unsigned* const places = z == 0 ? l.weights[0].after : l.weights[0].before;
        c.of_plane[y][z] = !there ? zeros_ : own_plane ? ones_ : l.weights[0].pool + places[row];
        in_memory(c.u[y][z], c.of_plane[y][z], c.of_line[y]);
      }
    }
    return c;
  }

  template <class Team>
  DWELL_FN void prolong_rows(Team& team, bool alone, const device_level& l,
                             const device_level& next) const {
    each_row<true, true>(team, alone, l.a.deal, l.a.rows(),
                         [&](int, int row, const row_part& part) {
                           const int ny = l.a.n[1], k = row / ny, j = row % ny;
                           const auto of = [&]<int Planes, int Lines, int Across>() {
                             const auto from = rows_of<Planes, Lines>(l, next, k, j);
                             prolong_row<Flat ? 4 : 2, Across>(part, l, next, row, from);
                           };
                           const bool own_plane = l.axes[0].is_coarse(k);
                           if constexpr (Flat) {
                             if (!own_plane)  // and so even cells have the first colour
                               of.template operator()<2, 1, 2>();
                             else if (k % 2)
                               of.template operator()<1, 1, 1>();
                             else
                               of.template operator()<1, 1, 2>();
                           } else {
                             const bool own_line = l.axes[1].is_coarse(j);
                             if (own_plane && own_line)
                               of.template operator()<1, 1, 2>();
                             else if (own_plane)
                               of.template operator()<1, 2, 1>();
                             else if (own_line)
                               of.template operator()<2, 1, 1>();
                             else
                               of.template operator()<2, 2, 2>();
                           }
                         });
  }
  /// Across: coarse cells along x that a cell is interpolated from: 1, as odd cells are coarse
  /// ones, or 2.
  template <int Together, int Across, class Rows>
  DWELL_FN void prolong_row(const row_part& part, const device_level& l, const device_level& next,
                            int row, const Rows& from) const {
    const int nx = l.a.n[2], evens = l.a.evens(), odds = l.a.odds();
    const int coarse_evens = next.a.evens(), m = next.a.n[2];
    float* const u = l.u + static_cast<long long>(row) * nx + (Across == 1 ? evens : 0);
    const float* const of_low = l.weights[2].pool + l.weights[2].after[row];
    const float* const of_high = l.weights[2].pool + l.weights[2].before[row];
    const int before_first = l.axes[2].wraps ? m - 1 : -1;
    in_memory(u, of_low, of_high);
    const auto place_of = [=](int c) { return (c & 1 ? coarse_evens : 0) + (c >> 1); };
    part.template take<Together>(job(
        Across == 1 ? odds : evens,
        [=](int i) {
          if constexpr (Across == 1) return u[i] + from.at(place_of(i));
          const int low = i > 0 ? i - 1 : before_first, high = i < m ? i : m - 1;
          const int some_low = low < 0 ? 0 : low;
          const float low_w = of_low[some_low], high_w = of_high[high];
          return u[i] + ((low < 0 ? 0.0f : low_w) * from.at(place_of(some_low)) +
                         (i < m ? high_w : 0.0f) * from.at(place_of(high)));
        },
        [=](int i, float v) { u[i] = v; }));
  }

  /// half: of three colours 0, even cells, or 1, odd ones.
  template <int Lines, class Team>
  DWELL_FN void prolong_half(Team& team, bool alone, const device_level& l,
                             const device_level& next, int half_asked) const {
    const int ny = l.a.n[1], nx = l.a.n[2], evens = l.a.evens(), odds = l.a.odds();
    const halved_axis ax = l.axes[2];
    const int coarse_evens = next.a.evens(), m = ax.coarse();
    over_rows<2, true>(team, alone, l.a.deal, l.a.rows(), [&](int, int row) {
      const int k = row / ny, j = row % ny;
      const bool odd = l.colours == 2 ? colour_of_row(l.a, 2, k, j) == 1 : half_asked == 1;
      const coarse_rows<2, Lines> from = rows_of<2, Lines>(l, next, k, j);
      const int at = odd ? evens : 0;
      float* const u = l.u + static_cast<long long>(row) * nx + at;
      // Even cells have a part of the coarse cells beside them, odd ones are coarse themselves.
      const bool between = ax.halved && !odd;
      const float* const of_low = between ? l.weights[2].pool + l.weights[2].after[row] : zeros_;
      const float* const of_high = between ? l.weights[2].pool + l.weights[2].before[row] : ones_;
      const int last_of_ring = between && ax.odd_ring() ? evens - 1 : -1;
      in_memory(u, of_low, of_high);
      const auto place = [=](int c) {
        return !ax.halved ? at + c : c % 2 ? coarse_evens + c / 2 : c / 2;
      };
      return job(
          odd ? odds : evens,
          [=](int i) {
            const bool is_last = i == last_of_ring;
            const int low = i > 0 ? i - 1 : ax.wraps && between ? m - 1 : -1;
            const int high = i < m ? i : m - 1;
            const float by_low = low < 0 || is_last ? 0.0f : of_low[low];
            const float by_high = is_last ? 1.0f : between && i >= m ? 0.0f : of_high[high];
            const float sum = by_low * from.at(place(low < 0 ? 0 : low)) +
                              by_high * from.at(place(is_last ? m - 1 : high));
            return u[i] + sum;
          },
          [=](int i, float v) { u[i] = v; });
    });
  }

  const float *zeros_, *ones_;
};

}  // namespace dwell::grids
