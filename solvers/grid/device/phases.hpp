// SPDX-License-Identifier: MIT
// The steps of a cycle of multigrid on a device, cell by cell: what cycle.hpp does by rows. Every
// step writes what none of its own cells reads, so the lanes of a step need not meet; between two
// steps teams do.
#pragma once
#include "dwell/base/fn.hpp"
#include "dwell/solvers/grid/device/box_phases.hpp"
#include "dwell/solvers/grid/device/half_cells.hpp"
#include "dwell/solvers/grid/device/over_rows.hpp"

namespace dwell::grids {

/// For those who see nothing.
struct sees_nothing {
  DWELL_FN void operator()(int, float, float) const {}
};

/// Flat: no level has faces along y. Boxes: the
/// levels below the finest one are Galerkin's. What a grid does not need is not compiled.
template <bool Flat, bool Boxes>
class device_phases {
 public:
  /// levels, boxes: where this team reads them.
  template <class T>
  DWELL_FN device_phases(const device_level* levels, const device_box_level* boxes,
                         const grid_solve_args<T>& a)
      : levels_(levels),
        boxes_(boxes, levels, a.residual, a.zeros),
        count_(a.level_count),
        bottom_inverse_(a.bottom_inverse),
        residual_(a.residual),
        zeros_(a.zeros),
        ones_(a.ones) {}

  /// All steps of a list. Teams have met, and meet.
  template <class Team>
  DWELL_FN void run(Team& team, const cycle_step* steps, int count) const {
    for (int s = 0; s < count; ++s) {
      const cycle_step step = steps[s];
      if (!step.alone) {
        take(team, step);
        team.sync_grid();
        continue;
      }
      if (team.worker() == 0) {
        take(team, step);
        team.section([](int) {});
      }
      if (s + 1 == count || !steps[s + 1].alone) team.sync_grid();
    }
  }

  /// The end of a cycle of a finest level of two colours, which tells seen(lane, f, u) of all
  /// cells, as they are afterwards.
  template <class Team, class Seen>
  DWELL_FN void end(Team& team, Seen seen) const {
    const device_level& l = levels_[0];
    relax_with(team, false, l, 1, seen);
    team.sync_grid();
    relax_with(team, false, l, 0, seen);
  }

  /// u of the finest level's first colour, of its f; of three colours zeros.
  DWELL_FN static void begin(const device_level& l, int of_row, const float* inverse, float* u,
                             float f, bool odd, int i) {
    if (l.colours == 3)
      u[i] = 0;
    else if (of_row == (odd ? 1 : 0))
      u[i] = f * inverse[i];
  }

 private:
  template <class Team>
  DWELL_FN void take(Team& team, const cycle_step& step) const {
    const bool alone = step.alone;
    if constexpr (Boxes) {
      if (step.op == cycle_op::box_bottom) {
        const device_box_level& b = boxes_[step.level];
        return bottom(team, alone, b.rows() * b.n[2], b.f, b.u);
      }
      if (step.op > cycle_op::box_bottom) return boxes_.take(team, step);
    }
    const device_level& l = levels_[step.level];
    if (step.op == cycle_op::relax) return relax(team, alone, l, step.colour);
    if (step.op == cycle_op::residual) return residual(team, alone, l, step.colour == 1);
    if constexpr (!Boxes) {
      if (step.op == cycle_op::bottom) return bottom(team, alone, l.a.rows() * l.a.n[2], l.f, l.u);
      const device_level& next = levels_[step.level + 1];
      const bool is_bottom = step.level + 2 == count_;
      if (step.op == cycle_op::gather) return gather(team, alone, l, next, is_bottom);
      return prolong(team, alone, l, next);
    }
  }

  template <class Team>
  DWELL_APART void relax(Team& team, bool alone, const device_level& l, int colour) const {
    relax_with<Team, sees_nothing>(team, alone, l, colour, sees_nothing{});
  }
  /// seen(lane, f, u) of the cells that are relaxed, of two colours.
  template <class Team, class Seen>
  DWELL_FN void relax_with(Team& team, bool alone, const device_level& l, int colour,
                           Seen seen) const {
    const int ny = l.a.n[1], nx = l.a.n[2], evens = l.a.evens(), odds = l.a.odds();
    const auto term = [](float w, float other) { return w * other; };
    if (l.colours == 2) {  // one half of each row
      over_rows<4, true>(team, alone, l.a.deal, l.a.rows(), [&](int lane, int row) {
        const int k = row / ny, j = row % ny;
        const bool odd = colour_of_row(l.a, 2, k, j) != colour;
        const int at = odd ? evens : 0;
        const half_cells<float, Flat> half(l.a, l.u, k, j, odd);
        const long long here = static_cast<long long>(row) * nx + at;
        float* const u = l.u + here;
        const float *const f = l.f + here, *const by = l.inverse + l.inverse_at[row] + at;
        in_memory(u, f, by);
        struct value {
          float u, f;
        };
        return job(
            odd ? odds : evens,
            [=](int i) {
              const float v = f[i];
              return value{(v + half.sum(i, term)) * by[i], v};
            },
            [=](int i, const value& v) {
              u[i] = v.u;
              seen(lane, v.f, v.u);
            });
      });
      return;
    }
    over_rows<1, true>(team, alone, l.a.deal, l.a.rows(), [&](int, int row) {
      const int k = row / ny, j = row % ny, of_row = colour_of_row(l.a, 3, k, j);
      return job(
          evens, [](int) { return 0; },
          [=, &l](int i, int) {
            for (int odd = 0; odd < 2; ++odd) {
              if (i >= (odd ? odds : evens) || colour_of_cell(l, of_row, odd, i) != colour)
                continue;
              const half_cells<float, Flat> half(l.a, l.u, k, j, odd);
              const int at = (odd ? evens : 0) + i;
              const long long here = static_cast<long long>(row) * nx + at;
              l.u[here] = (l.f[here] + half.sum(i, term)) * l.inverse[l.inverse_at[row] + at];
            }
          });
    });
  }

  /// first: of two colours, where the residuals of the first one were 0 before the other one was
  /// relaxed from 0.
  template <class Team>
  DWELL_APART void residual(Team& team, bool alone, const device_level& l, bool first) const {
    // Two colours: one half; else both, one after the other.
    if (first) return residual_of<true>(team, alone, l, 0);
    for (int half = 0; half < (l.colours == 3 ? 2 : 1); ++half)
      residual_of<false>(team, alone, l, half);
  }
  /// half: of three colours 0, even cells, or 1, odd ones.
  template <bool First, class Team>
  DWELL_FN void residual_of(Team& team, bool alone, const device_level& l, int half_asked) const {
    const int ny = l.a.n[1], nx = l.a.n[2], evens = l.a.evens(), odds = l.a.odds();
    float* const to = residual_;
    over_rows<4, true>(team, alone, l.a.deal, l.a.rows(), [&](int, int row) {
      const int k = row / ny, j = row % ny;
      const bool odd = l.colours == 2 ? colour_of_row(l.a, 2, k, j) == 1 : half_asked == 1;
      const int at = odd ? evens : 0;
      const half_cells<float, Flat> half(l.a, l.u, k, j, odd);
      const long long here = static_cast<long long>(row) * nx + at;
      const float *const f = l.f + here, *const diagonal = l.diagonal + l.inverse_at[row] + at;
      float* const r = to + here;
      in_memory(f, diagonal, r);
      return job(
          odd ? odds : evens,
          [=](int i) {
            const float sum = half.sum(i, [](float w, float other) { return w * other; });
            if constexpr (First) return sum;
            return (f[i] + sum) - half.own[i] * diagonal[i];
          },
          [=](int i, float v) { r[i] = v; });
    });
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

  template <class Team>
  DWELL_APART void gather(Team& team, bool alone, const device_level& l, const device_level& next,
                          bool is_bottom) const {
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
            if (!is_bottom) begin(next, of_row, inverse, next_u, v, odd, i);
          });
    });
  }

  /// Coarse rows that a fine row is interpolated from, up to two along y, of up to two planes each,
  /// and their weights.
  template <int Lines>
  struct coarse_rows {
    const float *u[Lines][2], *of_plane[Lines][2], *of_line[Lines];

    DWELL_FN float at(int place) const {
      float all = 0;
      DWELL_UNROLL
      for (int y = 0; y < Lines; ++y) {
        const float sum =
            of_plane[y][0][place] * u[y][0][place] + of_plane[y][1][place] * u[y][1][place];
        all += Lines > 1 ? of_line[y][place] * sum : sum;
      }
      return all;
    }
  };
  template <int Lines>
  DWELL_FN coarse_rows<Lines> rows_of(const device_level& l, const device_level& next, int k,
                                      int j) const {
    const int ny = next.a.n[1], nx = next.a.n[2];
    const halved_axis &az = l.axes[0], &ay = l.axes[1];
    coarse_rows<Lines> c;
    const bool own_line = ay.is_coarse(j), own_plane = az.is_coarse(k);
    DWELL_UNROLL
    for (int y = 0; y < Lines; ++y) {
      const int line = own_line ? (y == 0 ? ay.coarse_at(j) : -1)
                                : (y == 0 ? ay.coarse_before(j) : ay.coarse_after(j));
      c.of_line[y] = ones_;
      if (Lines > 1 && !own_line && line >= 0) {
        const unsigned* const places = y == 0 ? l.weights[1].after : l.weights[1].before;
        c.of_line[y] = l.weights[1].pool + places[static_cast<long long>(k) * ny + line];
      }
      DWELL_UNROLL
      for (int z = 0; z < 2; ++z) {
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
  DWELL_APART void prolong(Team& team, bool alone, const device_level& l,
                           const device_level& next) const {
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
      const coarse_rows<Lines> from = rows_of<Lines>(l, next, k, j);
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

  /// A warp for each row of the inverse.
  template <class Team, class V>
  DWELL_APART void bottom(Team& team, bool alone, int n, const V* f, V* u) const {
    const int workers = alone ? 1 : team.workers(), worker = alone ? 0 : team.worker();
    team.warps([&](auto& w) {
      constexpr int lanes = Team::warp;
      for (int row = worker * Team::warp_count + w.number(); row < n;
           row += workers * Team::warp_count) {
        auto sum = w.template per_lane<double>();
        const double* const inverse = bottom_inverse_ + static_cast<long long>(row) * n;
        w.each([&](int lane) {
          double s = 0;
          for (int c = lane % lanes; c < n; c += lanes) s += inverse[c] * static_cast<double>(f[c]);
          sum[lane] = s;
        });
        w.halve_groups(sum, lanes);
        w.each([&](int lane) {
          if (lane % lanes == 0) u[row] = static_cast<V>(sum[lane]);
        });
      }
    });
  }

  const device_level* levels_;
  box_phases<Flat> boxes_;
  int count_;
  const double* bottom_inverse_;
  float* residual_;
  const float *zeros_, *ones_;
};

}  // namespace dwell::grids
