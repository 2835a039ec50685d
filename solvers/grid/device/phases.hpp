// SPDX-License-Identifier: MIT
// The steps of a cycle of multigrid on a device, cell by cell: what cycle.hpp does by rows. Every
// step writes what none of its own cells reads, so the lanes of a step need not meet; between two
// steps teams do.
#pragma once
#include "dwell/base/fn.hpp"
#include "dwell/solvers/grid/device/half_cells.hpp"

namespace dwell::grids {

/// of_row(lane, row) gives what is done with the pair of cells i of both halves of a row, where they
/// are there: for all rows, dealt to the lanes of all teams, or of this one alone.
template <class Team, class F>
DWELL_FN void over_rows(Team& team, bool alone, const row_deal& d, int rows, int evens,
                        F&& of_row) {
  const int workers = alone ? 1 : team.workers(), worker = alone ? 0 : team.worker();
  const long long units = static_cast<long long>(rows) << d.piece_bits;
  const long long first = units * worker / workers, last = units * (worker + 1) / workers;
  team.each([&](int lane) {
    const int along = lane & ((1 << d.lane_bits) - 1), groups = Team::lanes() >> d.lane_bits;
    for (long long unit = first + (lane >> d.lane_bits); unit < last; unit += groups) {
      const int row = static_cast<int>(unit >> d.piece_bits);
      const int piece = static_cast<int>(unit & ((1 << d.piece_bits) - 1));
      const int begin = piece * d.piece, to = begin + d.piece, end = to < evens ? to : evens;
      auto&& cells = of_row(lane, row);
      for (int i = begin + along; i < end; i += 1 << d.lane_bits) cells(i);
    }
  });
}

class device_phases {
 public:
  /// residual: as large as the finest level.
  DWELL_FN device_phases(const device_level* levels, int count, const double* bottom_inverse,
                         float* residual)
      : levels_(levels), count_(count), bottom_inverse_(bottom_inverse), residual_(residual) {}

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
    const device_level& l = levels_[step.level];
    switch (step.op) {
      case cycle_op::relax:
        return relax(team, alone, l, step.colour);
      case cycle_op::residual:
        return residual(team, alone, l);
      case cycle_op::gather:
        return gather(team, alone, l, levels_[step.level + 1], step.level + 2 == count_);
      case cycle_op::prolong:
        return prolong(team, alone, l, levels_[step.level + 1]);
      case cycle_op::bottom:
        return bottom(team, alone, l);
    }
  }

  template <class Team>
  DWELL_APART void relax(Team& team, bool alone, const device_level& l, int colour) const {
    const int ny = l.a.n[1], nx = l.a.n[2], evens = l.a.evens(), odds = l.a.odds();
    const auto put = [](float w, float other) { return w * other; };
    if (l.colours == 2) {  // one half of each row
      over_rows(team, alone, l.a.deal, l.a.rows(), evens, [&](int, int row) {
        const int k = row / ny, j = row % ny;
        const bool odd = colour_of_row(l.a, 2, k, j) != colour;
        const int at = odd ? evens : 0, count = odd ? odds : evens;
        const half_cells<float> half(l.a, l.u, k, j, odd);
        const long long here = static_cast<long long>(row) * nx + at;
        float* const u = l.u + here;
        const float *const f = l.f + here, *const by = l.inverse + l.inverse_at[row] + at;
        return [=](int i) {
          if (i < count) u[i] = (f[i] + half.sum(i, put)) * by[i];
        };
      });
      return;
    }
    over_rows(team, alone, l.a.deal, l.a.rows(), evens, [&](int, int row) {
      const int k = row / ny, j = row % ny, of_row = colour_of_row(l.a, 3, k, j);
      return [=, &l](int i) {
        for (int odd = 0; odd < 2; ++odd) {
          if (i >= (odd ? odds : evens) || colour_of_cell(l, of_row, odd, i) != colour) continue;
          const half_cells<float> half(l.a, l.u, k, j, odd);
          const long long here = static_cast<long long>(row) * nx + (odd ? evens : 0) + i;
          l.u[here] = (l.f[here] + half.sum(i, put)) * l.inverse[l.inverse_at[row] + (odd ? evens : 0) + i];
        }
      };
    });
  }

  template <class Team>
  DWELL_APART void residual(Team& team, bool alone, const device_level& l) const {
    const int ny = l.a.n[1], nx = l.a.n[2], evens = l.a.evens(), odds = l.a.odds();
    float* const to = residual_;
    over_rows(team, alone, l.a.deal, l.a.rows(), evens, [&](int, int row) {
      const int k = row / ny, j = row % ny;
      // Of two colours one half; else both, one after the other.
      const bool first = l.colours == 2 && colour_of_row(l.a, 2, k, j) == 1;
      const int halves = l.colours == 2 ? 1 : 2;
      return [=, &l](int i) {
        for (int h = 0; h < halves; ++h) {
          const bool odd = first || h == 1;
          if (i >= (odd ? odds : evens)) continue;
          const half_cells<float> half(l.a, l.u, k, j, odd);
          const int at = odd ? evens : 0;
          const long long here = static_cast<long long>(row) * nx + at + i;
          const float sum = half.sum(i, [](float w, float other) { return w * other; });
          to[here] = (l.f[here] + sum) - half.own[i] / l.inverse[l.inverse_at[row] + at + i];
        }
      };
    });
  }

  /// Residuals of a fine row at a coarse cell of its axis, which lies at `place` of the halves.
  DWELL_FN float along_x(const device_level& l, int k, int j, int coarse, int place) const {
    const int nx = l.a.n[2], evens = l.a.evens(), row = k * l.a.n[1] + j;
    const int of_row = l.colours == 2 ? colour_of_row(l.a, 2, k, j) : 0;
    const bool even_is = l.colours == 3 || of_row == 0, odd_is = l.colours == 3 || of_row == 1;
    const float* const r = residual_ + static_cast<long long>(row) * nx;
    const halved_axis& ax = l.axes[2];
    if (!ax.halved) return (place < evens ? even_is : odd_is) ? r[place] : 0.0f;
    const float* const before = l.weights[2].pool + l.weights[2].before[row];
    const float* const after = l.weights[2].pool + l.weights[2].after[row];
    const auto even = [&](int i) { return even_is ? r[i] : 0.0f; };
    if (ax.odd_ring() && coarse == ax.coarse() - 1)
      return even(evens - 1) + after[coarse] * even(0);
    const float own = odd_is ? r[evens + coarse] : 0.0f;
    return own + (before[coarse] * even(coarse) +
                  after[coarse] * even(coarse + 1 < evens ? coarse + 1 : 0));
  }
  DWELL_FN float along_y(const device_level& l, int k, int coarse_j, int coarse, int place) const {
    const halved_axis& ay = l.axes[1];
    if (!ay.halved) return along_x(l, k, coarse_j, coarse, place);
    const long long at = static_cast<long long>(k) * ay.coarse() + coarse_j;
    float sum = 0;
    DWELL_ROLLED
    for (int part = 0; part < 3; ++part) {
      const int j = part == 0   ? ay.before(coarse_j)
                    : part == 1 ? ay.centre(coarse_j)
                                : ay.after(coarse_j);
      if (j < 0) continue;
      const float of = along_x(l, k, j, coarse, place);
      const unsigned* const weights = part == 0 ? l.weights[1].before : l.weights[1].after;
      sum += part == 1 ? of : l.weights[1].pool[weights[at] + place] * of;
    }
    return sum;
  }

  template <class Team>
  DWELL_APART void gather(Team& team, bool alone, const device_level& l, const device_level& next,
                       bool is_bottom) const {
    const int ny = next.a.n[1], nx = next.a.n[2], evens = next.a.evens(), odds = next.a.odds();
    const halved_axis& az = l.axes[0];
    over_rows(team, alone, next.a.deal, next.a.rows(), evens, [&](int, int row) {
      const int k = row / ny, j = row % ny;
      const int centre = az.centre(k), before = az.before(k), after = az.after(k);
      const int of_row = next.colours == 2 ? colour_of_row(next.a, 2, k, j) : 0;
      const float* const inverse = is_bottom ? nullptr : next.inverse + next.inverse_at[row];
      return [=, &l, &next, this](int i) {
        for (int odd = 0; odd < 2; ++odd) {
          if (i >= (odd ? odds : evens)) continue;
          const int place = (odd ? evens : 0) + i, coarse = l.axes[2].halved ? 2 * i + odd : 0;
          float sum = 0;
          DWELL_ROLLED
          for (int part = 0; part < 3; ++part) {
            const int plane = part == 0 ? centre : part == 1 ? before : after;
            if (plane < 0) continue;
            const float of = along_y(l, plane, j, coarse, place);
            const unsigned* const weights = part == 1 ? l.weights[0].before : l.weights[0].after;
            sum += part == 0 ? of : l.weights[0].pool[weights[row] + place] * of;
          }
          const long long here = static_cast<long long>(row) * nx + place;
          next.f[here] = sum;
          if (!is_bottom)
            begin(next, of_row, inverse + (odd ? evens : 0), next.u + here - i, sum, odd, i);
        }
      };
    });
  }

  /// The correction at a fine plane, a coarse row and a place in it.
  DWELL_FN float from_z(const device_level& l, const device_level& next, int k, int coarse_j,
                        int place) const {
    const int ny = next.a.n[1], nx = next.a.n[2];
    const halved_axis& az = l.axes[0];
    const auto of = [&](int plane) {
      return next.u[(static_cast<long long>(plane) * ny + coarse_j) * nx + place];
    };
    if (az.is_coarse(k)) return of(az.coarse_at(k));
    const int b = az.coarse_before(k), a = az.coarse_after(k);
    float sum = 0;
    if (b >= 0) sum = l.weights[0].pool[l.weights[0].after[b * ny + coarse_j] + place] * of(b);
    if (a >= 0) sum += l.weights[0].pool[l.weights[0].before[a * ny + coarse_j] + place] * of(a);
    return sum;
  }
  DWELL_FN float from_y(const device_level& l, const device_level& next, int k, int j,
                        int place) const {
    const halved_axis& ay = l.axes[1];
    if (ay.is_coarse(j)) return from_z(l, next, k, ay.coarse_at(j), place);
    const long long at = static_cast<long long>(k) * ay.coarse();
    float sum = 0;
    DWELL_ROLLED
    for (int part = 0; part < 2; ++part) {
      const int c = part == 0 ? ay.coarse_before(j) : ay.coarse_after(j);
      if (c < 0) continue;
      const unsigned* const weights = part == 0 ? l.weights[1].after : l.weights[1].before;
      sum += l.weights[1].pool[weights[at + c] + place] * from_z(l, next, k, c, place);
    }
    return sum;
  }
  template <class Team>
  DWELL_APART void prolong(Team& team, bool alone, const device_level& l, const device_level& next) const {
    const int ny = l.a.n[1], nx = l.a.n[2], evens = l.a.evens(), odds = l.a.odds();
    const int coarse_nx = next.a.n[2];
    over_rows(team, alone, l.a.deal, l.a.rows(), evens, [&](int, int row) {
      const int k = row / ny, j = row % ny;
      const int of_row = l.colours == 2 ? colour_of_row(l.a, 2, k, j) : 0;
      const bool even = l.colours == 3 || of_row == 0, odd = l.colours == 3 || of_row == 1;
      float* const u = l.u + static_cast<long long>(row) * nx;
      const halved_axis ax = l.axes[2];
      const float* const before =
          ax.halved ? l.weights[2].pool + l.weights[2].before[row] : nullptr;
      const float* const after = ax.halved ? l.weights[2].pool + l.weights[2].after[row] : nullptr;
      return [=, &l, &next, this](int i) {
        const auto from = [&](int place) { return from_y(l, next, k, j, place); };
        if (!ax.halved) {
          if (even && i < evens) u[i] += from(i);
          if (odd && i < odds) u[evens + i] += from(evens + i);
          return;
        }
        const auto at = [&](int coarse) { return from(halved_place(coarse, coarse_nx)); };
        const int m = ax.coarse();
        if (odd && i < odds) u[evens + i] += at(i);
        if (!even || i >= evens) return;
        if (ax.odd_ring() && i == evens - 1) {
          u[i] += at(m - 1);
          return;
        }
        const int low = i > 0 ? i - 1 : ax.wraps ? m - 1 : -1;
        float sum = 0;
        if (low >= 0) sum = after[low] * at(low);
        if (i < m) sum += before[i] * at(i);
        u[i] += sum;
      };
    });
  }

  /// A warp for each row of the inverse.
  template <class Team>
  DWELL_APART void bottom(Team& team, bool alone, const device_level& l) const {
    const int n = l.a.rows() * l.a.n[2];
    const int workers = alone ? 1 : team.workers(), worker = alone ? 0 : team.worker();
    team.warps([&](auto& w) {
      constexpr int lanes = Team::warp;
      for (int row = worker * Team::warp_count + w.number(); row < n;
           row += workers * Team::warp_count) {
        auto sum = w.template per_lane<double>();
        const double* const inverse = bottom_inverse_ + static_cast<long long>(row) * n;
        w.each([&](int lane) {
          double s = 0;
          for (int c = lane % lanes; c < n; c += lanes) s += inverse[c] * static_cast<double>(l.f[c]);
          sum[lane] = s;
        });
        w.halve_groups(sum, lanes);
        w.each([&](int lane) {
          if (lane % lanes == 0) l.u[row] = static_cast<float>(sum[lane]);
        });
      }
    });
  }

  const device_level* levels_;
  int count_;
  const double* bottom_inverse_;
  float* residual_;
};

}  // namespace dwell::grids
