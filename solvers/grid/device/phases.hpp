// SPDX-License-Identifier: MIT
// The steps of a cycle of multigrid on a device, cell by cell: what cycle.hpp does by rows. Every
// step writes what none of its own cells reads, so the lanes of a step need not meet; between two
// steps teams do.
#pragma once
#include "dwell/base/fn.hpp"
#include "dwell/solvers/grid/device/box_phases.hpp"
#include "dwell/solvers/grid/device/correction.hpp"
#include "dwell/solvers/grid/device/gather.hpp"
#include "dwell/solvers/grid/device/half_cells.hpp"
#include "dwell/solvers/grid/device/line_phases.hpp"
#include "dwell/solvers/grid/device/over_rows.hpp"

namespace dwell::grids {

/// For those who see nothing.
struct sees_nothing {
  DWELL_FN void operator()(int, float, float) const {}
};

/// Flat: no level has faces along y. What a grid does not need is not compiled.
template <bool Flat, level_kind Kind>
class device_phases {
  static constexpr bool Boxes = Kind == level_kind::boxes;

 public:
  /// levels, boxes: where this team reads them.
  template <class T>
  DWELL_FN device_phases(const device_level* levels, const device_box_level* boxes,
                         const grid_solve_args<T>& a)
      : levels_(levels),
        boxes_(boxes, levels, a.residual, a.zeros),
        gather_(a.residual, a.zeros, a.ones),
        correct_(a.zeros, a.ones),
        lines_(a.residual, a.line_sums),
        count_(a.level_count),
        bottom_inverse_(a.bottom_inverse),
        residual_(a.residual) {}

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
    if constexpr (Kind == level_kind::lines) {
      if (step.op == cycle_op::line_residual) return lines_.residual(team, alone, l, step.colour);
      if (step.op == cycle_op::line_correct) return lines_.correct(team, alone, l, step.colour);
    } else {
      if (step.op == cycle_op::relax) return relax(team, alone, l, step.colour);
    }
    if (step.op == cycle_op::residual) return residual(team, alone, l, step.colour == 1);
    if constexpr (!Boxes) {
      if (step.op == cycle_op::bottom) return bottom(team, alone, l.a.rows() * l.a.n[2], l.f, l.u);
      const device_level& next = levels_[step.level + 1];
      const bool is_bottom = step.level + 2 == count_;
      if (step.op == cycle_op::gather) return gather_(team, alone, l, next, is_bottom);
      return correct_(team, alone, l, next);
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
  device_gather<Flat> gather_;
  device_correction<Flat> correct_;
  line_phases<Flat> lines_;
  int count_;
  const double* bottom_inverse_;
  float* residual_;
};

/// There are no levels.
template <bool Flat>
class device_phases<Flat, level_kind::none> {
 public:
  template <class T>
  DWELL_FN device_phases(const device_level*, const device_box_level*, const grid_solve_args<T>&) {}
};

}  // namespace dwell::grids
