// SPDX-License-Identifier: MIT
// Two steps of a cycle in one, where there are no faces along y and two colours, so with one
// barrier fewer. What lies between them is computed where it is needed, by several lanes, and is
// not stored.
//   Residuals of the first colour and their gathering: in a first visit they were 0 before the
//   second colour was relaxed from 0, and so are the sums over faces of w times its values.
//   The correction of the first colour and the relaxation of the second: of the first one the
//   values before the correction stay, since it is relaxed next, whatever it is.
#pragma once
#include "dwell/base/fn.hpp"
#include "dwell/solvers/grid/device/half_cells.hpp"
#include "dwell/solvers/grid/device/over_rows.hpp"

namespace dwell::grids {

/// The neighbours along x of cell i of a half, in the other half: -1 where there is none.
struct beside_x {
  int low, high;
  DWELL_FN beside_x(const device_operator<float>& a, bool odd, int i) {
    const int others = odd ? a.evens() : a.odds();
    const bool ring = a.wraps[2] && a.n[2] > 1;
    low = odd ? i : i - 1;
    high = low + 1;
    if (low < 0) low = ring ? others - 1 : -1;
    if (high >= others) high = ring ? 0 : -1;
  }
};

/// The rows before and after a row along z: planes, -1 where there is none.
struct beside_z {
  int before, after;
  DWELL_FN beside_z(const device_operator<float>& a, int k) {
    const int n = a.n[0];
    const bool ring = a.wraps[0] && n > 1;
    before = k > 0 ? k - 1 : ring ? n - 1 : -1;
    after = k < n - 1 ? k + 1 : ring ? 0 : -1;
  }
};

class fused_phases {
 public:
  DWELL_FN fused_phases(const float* zeros, const float* ones) : zeros_(zeros), ones_(ones) {}

  /// begin(next, colours of the coarse row, inverse, u, f, odd half?, cell) of each coarse cell.
  template <class Team, class Begin>
  DWELL_FN void gather(Team& team, bool alone, const device_level& l, const device_level& next,
                       bool is_bottom, Begin begin) const {
    for (int odd = 0; odd < 2; ++odd) gather_half(team, alone, l, next, is_bottom, odd == 1, begin);
  }

  /// seen(lane, f, u) of the cells that are relaxed.
  template <class Team, class Seen>
  DWELL_FN void correct(Team& team, bool alone, const device_level& l, const device_level& next,
                        Seen seen) const {
    const int ny = l.a.n[1], nx = l.a.n[2], evens = l.a.evens(), odds = l.a.odds();
    over_rows<1, true>(team, alone, l.a.deal, l.a.rows(), [&](int lane, int row) {
      const int k = row / ny, j = row % ny;
      const bool odd = colour_of_row(l.a, 2, k, j) == 0;
      const int at = odd ? evens : 0;
      const beside_z planes(l.a, k);
      // A row of one cell has no other half.
      const corrected_row own = row_of(l, next, nx > 1 ? k : -1, j, !odd),
                          before = row_of(l, next, planes.before, j, odd),
                          after = row_of(l, next, planes.after, j, odd);
      const float* const faces = l.a.pool + l.a.x[row];
      const float *const low_w = faces + (odd ? nx / 2 + 1 : 0),
                         *const high_w = faces + (odd ? 1 : nx / 2 + 1),
                         *const z0 = l.a.pool + l.a.z[row] + at,
                         *const z1 = l.a.pool + l.a.z[row + ny] + at;
      const long long here = static_cast<long long>(row) * nx + at;
      float* const u = l.u + here;
      const float *const f = l.f + here, *const by = l.inverse + l.inverse_at[row] + at;
      in_memory(low_w, high_w, z0, z1, u, f, by);
      const corrections by_x(l, next);
      struct value {
        float u, f;
      };
      return job(
          odd ? odds : evens,
          [=, &l](int i) {
            const beside_x x(l.a, odd, i);
            const float low = by_x(own, !odd, x.low < 0 ? 0 : x.low),
                        high = by_x(own, !odd, x.high < 0 ? 0 : x.high);
            const float sum =
                (low_w[i] * (x.low < 0 ? 0.0f : low) + high_w[i] * (x.high < 0 ? 0.0f : high)) +
                (z0[i] * by_x(before, odd, i) + z1[i] * by_x(after, odd, i));
            const float v = f[i];
            return value{(v + sum) * by[i], v};
          },
          [=](int i, const value& v) {
            u[i] = v.u;
            seen(lane, v.f, v.u);
          });
    });
  }

 private:
  /// A half of a row, and what is interpolated to it: coarse rows, their weights, and those of
  /// coarse cells along x. All zeros where there is no row.
  struct corrected_row {
    const float *u, *coarse[2], *of_plane[2], *of_low, *of_high;
  };
  DWELL_FN corrected_row row_of(const device_level& l, const device_level& next, int k, int j,
                                bool odd) const {
    corrected_row r{zeros_, {zeros_, zeros_}, {zeros_, zeros_}, zeros_, zeros_};
    const halved_axis &az = l.axes[0], &ax = l.axes[2];
    if (k >= 0) {
      const int ny = l.a.n[1], row = k * ny + j;
      const bool own_plane = az.is_coarse(k);
      r.u = l.u + static_cast<long long>(row) * l.a.n[2] + (odd ? l.a.evens() : 0);
      DWELL_UNROLL
      for (int z = 0; z < 2; ++z) {
        const int plane = own_plane ? (z == 0 ? az.coarse_at(k) : -1)
                          : z == 0  ? az.coarse_before(k)
                                    : az.coarse_after(k);
        if (plane < 0) continue;
        const int from = plane * ny + j;
        const unsigned* const places = z == 0 ? l.weights[0].after : l.weights[0].before;
        r.coarse[z] = next.u + static_cast<long long>(from) * next.a.n[2];
        r.of_plane[z] = own_plane ? ones_ : l.weights[0].pool + places[from];
      }
      const bool between = ax.halved && !odd;
      r.of_low = between ? l.weights[2].pool + l.weights[2].after[row] : zeros_;
      r.of_high = between ? l.weights[2].pool + l.weights[2].before[row] : ones_;
    }
    in_memory(r.u, r.coarse[0], r.coarse[1], r.of_plane[0], r.of_plane[1], r.of_low, r.of_high);
    return r;
  }
  /// What cell i of a half of a row becomes by the correction.
  struct corrections {
    bool halved, wraps;
    int coarse, coarse_n, evens;

    DWELL_FN corrections(const device_level& l, const device_level& next)
        : halved(l.axes[2].halved),
          wraps(l.axes[2].wraps),
          coarse(l.axes[2].coarse()),
          coarse_n(next.a.n[2]),
          evens(l.a.evens()) {}
    DWELL_FN float operator()(const corrected_row& r, bool odd, int i) const {
      const bool between = halved && !odd;
      const int low = i > 0 ? i - 1 : wraps && between ? coarse - 1 : -1;
      const int high = i < coarse ? i : coarse - 1;
      const float by_low = low < 0 ? 0.0f : r.of_low[low];
      const float by_high = between && i >= coarse ? 0.0f : r.of_high[high];
      const auto at = [&](int c) {
        const int place = !halved ? (odd ? evens : 0) + c : halved_place(c, coarse_n);
        return r.of_plane[0][place] * r.coarse[0][place] +
               r.of_plane[1][place] * r.coarse[1][place];
      };
      return r.u[i] + (by_low * at(low < 0 ? 0 : low) + by_high * at(high));
    }
  };

  /// The half of a fine row that has the first colour, where residuals are, the other half of the
  /// row, and the weights along x of two of its cells. All zeros where it gives nothing.
  struct residual_row {
    const float *others, *before, *after, *faces, *z0, *z1, *of_low, *of_high;
    bool odd;
  };
  DWELL_FN residual_row residuals_of(const device_level& l, int k, int j, bool odd_coarse) const {
    const int ny = l.a.n[1], nx = l.a.n[2], row = k * ny + j;
    const bool odd = colour_of_row(l.a, 2, k, j) == 1, halved = l.axes[2].halved;
    // Its cells are not those of the coarse half, which may have more.
    if (!halved && odd != odd_coarse)
      return {zeros_, zeros_, zeros_, zeros_, zeros_, zeros_, zeros_, zeros_, odd};
    const int at = odd ? l.a.evens() : 0;
    const beside_z planes(l.a, k);
    const auto row_at = [&](int plane) {
      return plane < 0 ? zeros_ : l.u + (static_cast<long long>(plane) * ny + j) * nx + at;
    };
    const float* const others = l.u + static_cast<long long>(row) * nx + (odd ? 0 : l.a.evens());
    residual_row r{nx > 1 ? others : zeros_,
                   row_at(planes.before),
                   row_at(planes.after),
                   l.a.pool + l.a.x[row],
                   l.a.pool + l.a.z[row] + at,
                   l.a.pool + l.a.z[row + ny] + at,
                   ones_,
                   zeros_,
                   odd};
    if (halved && !odd) {
      r.of_low = l.weights[2].pool + l.weights[2].before[row];
      r.of_high = l.weights[2].pool + l.weights[2].after[row];
    }
    in_memory(r.others, r.before, r.after, r.faces, r.z0, r.z1, r.of_low, r.of_high);
    return r;
  }
  DWELL_FN static float residual(const device_operator<float>& a, const residual_row& r, int i) {
    const beside_x x(a, r.odd, i);
    const float low = r.others[x.low < 0 ? 0 : x.low], high = r.others[x.high < 0 ? 0 : x.high];
    const int odd_faces = a.n[2] / 2 + 1;
    return (r.faces[i + (r.odd ? odd_faces : 0)] * (x.low < 0 ? 0.0f : low) +
            r.faces[i + (r.odd ? 1 : odd_faces)] * (x.high < 0 ? 0.0f : high)) +
           (r.z0[i] * r.before[i] + r.z1[i] * r.after[i]);
  }

  template <class Team, class Begin>
  DWELL_FN void gather_half(Team& team, bool alone, const device_level& l, const device_level& next,
                            bool is_bottom, bool odd, Begin begin) const {
    const int ny = next.a.n[1], nx = next.a.n[2], evens = next.a.evens(), odds = next.a.odds();
    const halved_axis az = l.axes[0], ax = l.axes[2];
    over_rows<1, true>(team, alone, next.a.deal, next.a.rows(), [&](int, int row) {
      const int k = row / ny, j = row % ny, at = odd ? evens : 0;
      const int planes[3] = {az.before(k), az.centre(k), az.after(k)};
      const float *of_before = zeros_, *of_after = zeros_;
      if (planes[0] >= 0) of_before = l.weights[0].pool + l.weights[0].before[row] + at;
      if (planes[2] >= 0) of_after = l.weights[0].pool + l.weights[0].after[row] + at;
      const residual_row own = residuals_of(l, planes[1], j, odd),
                         before = residuals_of(l, planes[planes[0] < 0 ? 1 : 0], j, odd),
                         after = residuals_of(l, planes[planes[2] < 0 ? 1 : 2], j, odd);
      const int of_row = next.colours == 2 ? colour_of_row(next.a, 2, k, j) : 0;
      const float* const inverse = is_bottom ? nullptr : next.inverse + next.inverse_at[row] + at;
      const long long here = static_cast<long long>(row) * nx + at;
      float *const next_f = next.f + here, *const next_u = next.u + here;
      in_memory(of_before, of_after, inverse, next_f, next_u);
      return job(
          odd ? odds : evens,
          [=, &l](int i) {
            // Coarse cells of a halved axis are made of their own, odd, one or of the two even
            // ones beside it.
            const int c = ax.halved ? 2 * i + (odd ? 1 : 0) : i;
            const auto of = [&](const residual_row& r) {
              const int second = !ax.halved || r.odd ? c : c + 1 < l.a.evens() ? c + 1 : 0;
              return r.of_low[c] * residual(l.a, r, c) + r.of_high[c] * residual(l.a, r, second);
            };
            return (of(own) + of_before[i] * of(before)) + of_after[i] * of(after);
          },
          [=, &next](int i, float v) {
            next_f[i] = v;
            if (!is_bottom) begin(next, of_row, inverse, next_u, v, odd, i);
          });
    });
  }

  const float *zeros_, *ones_;
};

}  // namespace dwell::grids
