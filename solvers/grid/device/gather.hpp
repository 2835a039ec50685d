// SPDX-License-Identifier: MIT
// The step from a level of multigrid to the next one, on a device: residuals are gathered. Of two
// colours where x is halved, a row has residuals of its odd cells, which are coarse ones, or of its
// even ones, which lie between; which, is known of a whole row, and so what is 0 is not read. Other
// levels take a loop that asks for each cell.
#pragma once
#include "dwell/base/fn.hpp"
#include "dwell/solvers/grid/device/half_cells.hpp"
#include "dwell/solvers/grid/device/over_rows.hpp"

namespace dwell::grids {

/// Flat: no level has faces along y.
template <bool Flat>
class device_gather {
 public:
  /// residual: of the finer level. zeros, ones: as many as cells of a row and two.
  DWELL_FN device_gather(const float* residual, const float* zeros, const float* ones)
      : residual_(residual), zeros_(zeros), ones_(ones) {}

  /// Residuals to f of the next level, and its first colour to u; of three colours zeros.
  template <class Team>
  DWELL_APART void operator()(Team& team, bool alone, const device_level& l,
                              const device_level& next, bool is_bottom) const {
    if (is_known_by_rows<Flat>(l)) return gather_rows(team, alone, l, next, is_bottom);
    for (int odd = 0; odd < 2; ++odd) {
      if constexpr (!Flat) {
        if (l.axes[1].halved) {
          gather_half<true>(team, alone, l, next, is_bottom, odd == 1);
          continue;
        }
      }
      gather_half<false>(team, alone, l, next, is_bottom, odd == 1);
    }
  }

 private:
  /// The fine rows that a coarse row is gathered of, and their weights: Planes x Lines of them, 1
  /// or 3 each, the middle one with residuals of its odd cells or its even ones. Rows that are not
  /// there are of zeros.
  template <int Planes, int Lines, bool Odd>
  struct fine_rows {
    const float *r[Planes][Lines], *before[Planes][Lines], *after[Planes][Lines];
    const float *of_plane[Planes], *of_line[Planes][Lines];

    static constexpr bool is_odd(int p, int q) {
      return Odd != ((p != Planes / 2) != (q != Lines / 2));
    }
    /// What a row gives to coarse cell c along x; `next` is the even cell after it.
    DWELL_FN float of_row(int p, int q, int c, int next) const {
      if (is_odd(p, q)) return r[p][q][c];
      return before[p][q][c] * r[p][q][c] + after[p][q][c] * r[p][q][next];
    }
    DWELL_FN float of(int p, int c, int next, int place) const {
      if constexpr (Lines == 1) return of_row(p, 0, c, next);
      return (of_line[p][0][place] * of_row(p, 0, c, next) + of_row(p, 1, c, next)) +
             of_line[p][Lines - 1][place] * of_row(p, Lines - 1, c, next);
    }
    /// place: of the coarse cell in its halved row.
    DWELL_FN float sum(int c, int next, int place) const {
      if constexpr (Planes == 1) return of(0, c, next, place);
      return (of(1, c, next, place) + of_plane[0][place] * of(0, c, next, place)) +
             of_plane[Planes - 1][place] * of(Planes - 1, c, next, place);
    }
  };
  template <int Planes, int Lines, bool Odd>
  DWELL_FN fine_rows<Planes, Lines, Odd> rows_below(const device_level& l, int row, int k, int j,
                                                    int coarse_ny) const {
    const int ny = l.a.n[1], evens = l.a.evens();
    const auto part = [](const halved_axis& axis, int c, int which) {
      return which == 0 ? axis.before(c) : which == 1 ? axis.centre(c) : axis.after(c);
    };
    const auto weight = [&](int axis, bool before, bool there, int at) {
      const unsigned* const places = before ? l.weights[axis].before : l.weights[axis].after;
      return there ? l.weights[axis].pool + places[at] : zeros_;
    };
    fine_rows<Planes, Lines, Odd> to;
    DWELL_UNROLL
    for (int p = 0; p < Planes; ++p) {
      const int plane = part(l.axes[0], k, Planes == 1 ? 1 : p);
      to.of_plane[p] = ones_;
      if (p != Planes / 2) to.of_plane[p] = weight(0, p == 0, plane >= 0, row);
      DWELL_UNROLL
      for (int q = 0; q < Lines; ++q) {
        const int line = Lines == 1 ? j : part(l.axes[1], j, q);
        const bool there = plane >= 0 && line >= 0;
        const int fine = there ? plane * ny + line : 0;
        to.of_line[p][q] = ones_;
        if (q != Lines / 2) to.of_line[p][q] = weight(1, q == 0, there, plane * coarse_ny + j);
        const bool odd = fine_rows<Planes, Lines, Odd>::is_odd(p, q);
        to.r[p][q] = there ? residual_ + static_cast<long long>(fine) * l.a.n[2] + (odd ? evens : 0)
                           : zeros_;
        to.before[p][q] = odd ? zeros_ : weight(2, true, there, fine);
        to.after[p][q] = odd ? zeros_ : weight(2, false, there, fine);
        in_memory(to.r[p][q], to.before[p][q], to.after[p][q], to.of_line[p][q], to.of_plane[p]);
      }
    }
    return to;
  }

  template <class Team>
  DWELL_FN void gather_rows(Team& team, bool alone, const device_level& l, const device_level& next,
                            bool is_bottom) const {
    each_row<false, true>(team, alone, next.a.deal, next.a.rows(),
                          [&](int, int row, const row_part& part) {
                            const int ny = next.a.n[1], k = row / ny, j = row % ny;
                            const auto of = [&]<int Planes, int Lines, bool Odd>() {
                              const auto from = rows_below<Planes, Lines, Odd>(l, row, k, j, ny);
                              gather_row<Flat ? 4 : 1>(part, l, next, is_bottom, row, from);
                            };
                            if constexpr (!Flat)
                              of.template operator()<3, 3, false>();
                            else if (l.axes[0].halved)
                              of.template operator()<3, 1, true>();
                            else if (k % 2)
                              of.template operator()<1, 1, true>();
                            else
                              of.template operator()<1, 1, false>();
                          });
  }
  /// Coarse cells in the order of x, so that neighbouring lanes read neighbouring residuals.
  template <int Together, class Rows>
  DWELL_FN static void gather_row(const row_part& part, const device_level& l,
                                  const device_level& next, bool is_bottom, int row,
                                  const Rows& from) {
    const int ny = next.a.n[1], nx = next.a.n[2], coarse_evens = next.a.evens();
    const int fine_evens = l.a.evens();
    const bool three = next.colours == 3;
    // The half with the first colour.
    const int first = three || is_bottom ? -1 : colour_of_row(next.a, 2, row / ny, row % ny);
    const float* const inverse = first < 0 ? nullptr : next.inverse + next.inverse_at[row];
    const bool zeros = three && !is_bottom;
    const long long here = static_cast<long long>(row) * nx;
    float *const f = next.f + here, *const u = next.u + here;
    in_memory(inverse, f, u);
    struct value {
      float f, by;
    };
    const auto place_of = [=](int c) { return (c & 1 ? coarse_evens : 0) + (c >> 1); };
    part.template take<Together>(job(
        nx,
        [=](int c) {
          const int place = place_of(c);
          return value{from.sum(c, c + 1 < fine_evens ? c + 1 : 0, place),
                       (c & 1) == first ? inverse[place] : 0.0f};
        },
        [=](int c, const value& v) {
          const int place = place_of(c);
          f[place] = v.f;
          if (zeros || (c & 1) == first) u[place] = zeros ? 0.0f : v.f * v.by;
        }));
  }

  /// Residuals of a fine row and its weights along x: zeros where there are none.
  struct fine_row {
    const float *even, *odd, *before, *after;
  };
  DWELL_FN fine_row row_of(const device_level& l, int k, int j) const {
    const int row = k * l.a.n[1] + j;
    const int of_row = l.colours == 2 ? colour_of_row(l.a, 2, k, j) : -1;
    const float* const r = residual_ + static_cast<long long>(row) * l.a.n[2];
    const bool halved = l.axes[2].halved;
    const fine_row all{of_row == 1 ? zeros_ : r, of_row == 0 ? zeros_ : r + l.a.evens(),
                       halved ? l.weights[2].pool + l.weights[2].before[row] : zeros_,
                       halved ? l.weights[2].pool + l.weights[2].after[row] : zeros_};
    in_memory(all.even, all.odd, all.before, all.after);
    return all;
  }
  /// What of a fine row belongs to a coarse cell: of an axis that is halved coarse cell c, else
  /// cell c of a half.
  struct along_x {
    bool halved, odd_half;
    int evens, last_of_ring;  ///< the coarse cell that is the last, even, one of an odd ring; or -1

    DWELL_FN float operator()(const fine_row& row, int c) const {
      if (!halved) return (odd_half ? row.odd : row.even)[c];
      const bool last = c == last_of_ring;
      const float own = *(last ? row.even + evens - 1 : row.odd + c);
      const float before = last ? 0.0f : row.before[c];
      return own + (before * row.even[c] + row.after[c] * row.even[c + 1 < evens ? c + 1 : 0]);
    }
  };
  /// Gathers a half of the coarse rows. Lines: the axis y is halved.
  template <bool Lines, class Team>
  DWELL_FN void gather_half(Team& team, bool alone, const device_level& l, const device_level& next,
                            bool is_bottom, bool odd) const {
    const int ny = next.a.n[1], nx = next.a.n[2], evens = next.a.evens(), odds = next.a.odds();
    const halved_axis az = l.axes[0], ay = l.axes[1], ax = l.axes[2];
    const along_x of_x{ax.halved, odd, l.a.evens(), ax.odd_ring() ? ax.coarse() - 1 : -1};
    over_rows<Lines ? 1 : 2, true>(team, alone, next.a.deal, next.a.rows(), [&](int, int row) {
      const int k = row / ny, j = row % ny, at = odd ? evens : 0;
      // Planes that a coarse row is gathered of, and their weights: before, own, after.
      const int planes[3] = {az.before(k), az.centre(k), az.after(k)};
      const float* of_plane[3] = {zeros_, ones_, zeros_};
      if (planes[0] >= 0) of_plane[0] = l.weights[0].pool + l.weights[0].before[row] + at;
      if (planes[2] >= 0) of_plane[2] = l.weights[0].pool + l.weights[0].after[row] + at;
      fine_row rows[3]{};
      if constexpr (!Lines)
        for (int p = 0; p < 3; ++p) rows[p] = row_of(l, planes[p] < 0 ? planes[1] : planes[p], j);
      const int of_row = next.colours == 2 ? colour_of_row(next.a, 2, k, j) : 0;
      const float* const inverse = is_bottom ? nullptr : next.inverse + next.inverse_at[row] + at;
      const long long here = static_cast<long long>(row) * nx + at;
      float *const next_f = next.f + here, *const next_u = next.u + here;
      in_memory(of_plane[0], of_plane[1], of_plane[2], inverse, next_f, next_u);
      const auto of = [=, &l, this](int p, int c, int i) {
        if constexpr (!Lines) return of_x(rows[p], c);
        if (planes[p] < 0) return 0.0f;
        float sum = 0;
        DWELL_ROLLED
        for (int part = 0; part < 3; ++part) {
          const int line = part == 0 ? ay.before(j) : part == 1 ? ay.centre(j) : ay.after(j);
          if (line < 0) continue;
          const float v = of_x(row_of(l, planes[p], line), c);
          const unsigned* const places = part == 0 ? l.weights[1].before : l.weights[1].after;
          sum += part == 1 ? v : l.weights[1].pool[places[planes[p] * ny + j] + at + i] * v;
        }
        return sum;
      };
      return job(
          odd ? odds : evens,
          [=](int i) {
            const int c = ax.halved ? 2 * i + (odd ? 1 : 0) : i;
            return (of(1, c, i) + of_plane[0][i] * of(0, c, i)) + of_plane[2][i] * of(2, c, i);
          },
          [=, &next](int i, float v) {
            next_f[i] = v;
            if (is_bottom) return;
            if (next.colours == 3)
              next_u[i] = 0;
            else if (of_row == (odd ? 1 : 0))
              next_u[i] = v * inverse[i];
          });
    });
  }

  const float *residual_, *zeros_, *ones_;
};

}  // namespace dwell::grids
