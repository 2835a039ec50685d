// SPDX-License-Identifier: MIT
// Relaxation of whole lines on a device: what line_smoother.hpp does by rows, with the same
// operations. A step has the residuals of the lines of an axis whose place among the others is even
// or odd; the next one has their corrections, a lane for each line.
#pragma once
#include "dwell/base/fn.hpp"
#include "dwell/solvers/grid/device/half_cells.hpp"
#include "dwell/solvers/grid/device/over_rows.hpp"

namespace dwell::grids {

/// Flat: no level has faces along y.
template <bool Flat>
class line_phases {
 public:
  /// residual, sums: as many as cells of the finest level.
  DWELL_FN line_phases(float* residual, double* sums) : residual_(residual), sums_(sums) {}

  /// kind: of a step, see cycle_op.
  template <class Team>
  DWELL_APART void residual(Team& team, bool alone, const device_level& l, int kind) const {
    const int axis = kind / 2, colour = kind % 2;
    for (int half = 0; half < 2; ++half) {
      const bool odd = half == 1;
      const int at = odd ? l.a.evens() : 0;
      over_rows<2, true>(team, alone, l.a.deal, l.a.rows(), [&](int, int row) {
        const int ny = l.a.n[1], k = row / ny, j = row % ny;
        const half_cells<float, Flat> cells(l.a, l.u, k, j, odd);
        const long long here = static_cast<long long>(row) * l.a.n[2] + at;
        const float *const f = l.f + here, *const by = l.inverse + l.inverse_at[row] + at;
        float* const r = residual_ + here;
        in_memory(f, by, r);
        const int count = odd ? l.a.odds() : l.a.evens();
        return job(
            is_chosen(axis, colour, k, j, odd) ? count : 0,
            [=](int i) {
              const float sum = cells.sum(i, [](float w, float other) { return w * other; });
              const float left = (f[i] + sum) - cells.own[i] / by[i];
              return by[i] > 0 ? left : 0.0f;
            },
            [=](int i, float v) { r[i] = v; });
      });
    }
  }

  template <class Team>
  DWELL_APART void correct(Team& team, bool alone, const device_level& l, int kind) const {
    const int axis = kind / 2, colour = kind % 2;
    const int ny = l.a.n[1], nx = l.a.n[2], evens = l.a.evens();
    if (axis == 2) {
      // Neighbouring lanes would not read neighbours: lines are spread over the teams.
      each_line(team, alone, l.a.rows(), 1, [&](int row) {
        const int k = row / ny, j = row % ny;
        if (!is_chosen(axis, colour, k, j, false)) return;
        const float* const faces = l.a.pool + l.a.x[row];
        const float* const odd_faces = faces + nx / 2 + 1;
        in_memory(faces, odd_faces);
        correct_line(
            l, axis, static_cast<long long>(row) * nx, nx,
            [=](int i) { return static_cast<long long>((i & 1 ? evens : 0) + (i >> 1)); },
            [=](int i) { return (i & 1 ? odd_faces : faces)[i >> 1]; });
      });
      return;
    }
    // Lines through the cells of rows along x; `others` of these rows.
    const int others = axis == 1 ? l.a.n[0] : ny;
    each_line(team, alone, others * nx, Team::warp, [&](int line) {
      const int other = line / nx, at = line % nx;
      const bool odd = at >= evens;
      const int k = axis == 1 ? other : 0, j = axis == 1 ? 0 : other;
      if (!is_chosen(axis, colour, k, j, odd)) return;
      const long long step = axis == 1 ? nx : static_cast<long long>(ny) * nx;
      const unsigned* const places =
          axis == 1 ? l.a.y + static_cast<long long>(k) * (ny + 1) : l.a.z + j;
      const int next = axis == 1 ? 1 : ny;
      const float* const pool = l.a.pool + at;
      in_memory(places, pool);
      correct_line(
          l, axis, (static_cast<long long>(k) * ny + j) * nx + at, l.a.n[axis],
          [=](int i) { return i * step; }, [=](int i) { return pool[places[i * next]]; });
    });
  }

 private:
  /// Is this half of row (k, j) in lines of the colour?
  DWELL_FN static bool is_chosen(int axis, int colour, int k, int j, bool odd) {
    const int place = axis == 2 ? k + j : (axis == 1 ? k : j) + (odd ? 1 : 0);
    return place % 2 == colour;
  }
  /// f(line), by a lane each; `together` of them follow each other in a team.
  template <class Team, class F>
  DWELL_FN static void each_line(Team& team, bool alone, int count, int together, F&& f) {
    const int workers = alone ? 1 : team.workers(), worker = alone ? 0 : team.worker();
    const int step = workers * Team::lanes();
    team.each([&](int lane) {
      for (int line = (lane / together * workers + worker) * together + lane % together;
           line < count; line += step)
        f(line);
    });
  }
  /// L D L' of a line, L having -w times the inverse pivot before: u += its solution for r. place:
  /// of cell i, behind `first`; face(i): conductance before cell i. What does not depend on the
  /// cell before is read for several cells at once.
  template <class Place, class Face>
  DWELL_FN void correct_line(const device_level& l, int axis, long long first, int n, Place place,
                             Face face) const {
    constexpr int together = 8;
    const float *const r = residual_ + first, *const by = l.pivots[axis] + first;
    double* const y = sums_ + first;
    float* const u = l.u + first;
    in_memory(r, by, y, u);
    double carried = 0;
    for (int begin = 0; begin < n; begin += together) {
      float of_r[together], of_by[together], w[together];
      DWELL_UNROLL
      for (int c = 0; c < together; ++c) {
        const int i = begin + c < n ? begin + c : n - 1;
        of_r[c] = r[place(i)], of_by[c] = by[place(i)], w[c] = face(i);
      }
      DWELL_UNROLL
      for (int c = 0; c < together; ++c) {
        if (begin + c >= n) break;
        const double before = begin + c > 0 ? static_cast<double>(w[c]) * carried : 0.0;
        carried = (static_cast<double>(of_r[c]) + before) * static_cast<double>(of_by[c]);
        y[place(begin + c)] = carried;
      }
    }
    double x = 0;
    for (int end = n; end > 0; end -= together) {
      double of_y[together];
      float of_by[together], w[together], of_u[together];
      DWELL_UNROLL
      for (int c = 0; c < together; ++c) {
        const int i = end - 1 - c > 0 ? end - 1 - c : 0;
        of_y[c] = y[place(i)], of_by[c] = by[place(i)], of_u[c] = u[place(i)];
        w[c] = face(i + 1 < n ? i + 1 : i);
      }
      DWELL_UNROLL
      for (int c = 0; c < together; ++c) {
        const int i = end - 1 - c;
        if (i < 0) break;
        const double after =
            i + 1 < n ? static_cast<double>(w[c]) * static_cast<double>(of_by[c]) * x : 0.0;
        x = of_y[c] + after;
        u[place(i)] = of_u[c] + static_cast<float>(x);
      }
    }
  }

  float* residual_;
  double* sums_;
};

}  // namespace dwell::grids
