// SPDX-License-Identifier: MIT
// The steps of a cycle of multigrid on a device, cell by cell: what cycle.hpp does by rows. Every
// step writes what none of its own cells reads, so the lanes of a step need not meet; between two
// steps teams do.
#pragma once
#include "dwell/base/fn.hpp"
#include "dwell/solvers/grid/device/half_cells.hpp"

namespace dwell::grids {

/// What is done with a row: get(i) reads what is there for the pair of cells i of both halves,
/// put(i, it) writes.
template <class Get, class Put>
struct row_job {
  Get get;
  Put put;
};
template <class Get, class Put>
DWELL_FN row_job<Get, Put> job(Get get, Put put) {
  return {get, put};
}

/// of_row(lane, row) gives a row_job: for all rows, dealt to the lanes of all teams, or of this one
/// alone. A lane reads for some cells before it writes for the first of them, so that their loads
/// are under way together: nothing that is read in a step may be written in it but by the same
/// cell's put.
template <int Together, class Team, class F>
DWELL_FN void over_rows(Team& team, bool alone, const row_deal& d, int rows, int evens,
                        F&& of_row) {
  const int workers = alone ? 1 : team.workers(), worker = alone ? 0 : team.worker();
  const long long units = static_cast<long long>(rows) << d.piece_bits;
  const long long first = units * worker / workers, last = units * (worker + 1) / workers;
  team.each([&](int lane) {
    const int along = lane & ((1 << d.lane_bits) - 1), groups = Team::lanes() >> d.lane_bits;
    const int step = 1 << d.lane_bits;
    for (long long unit = first + (lane >> d.lane_bits); unit < last; unit += groups) {
      const int row = static_cast<int>(unit >> d.piece_bits);
      const int piece = static_cast<int>(unit & ((1 << d.piece_bits) - 1));
      const int begin = piece * d.piece, to = begin + d.piece, end = to < evens ? to : evens;
      auto&& cells = of_row(lane, row);
      int i = begin + along;
      for (; i + (Together - 1) * step < end; i += Together * step) {
        decltype(cells.get(i)) values[Together];
        DWELL_UNROLL
        for (int c = 0; c < Together; ++c) values[c] = cells.get(i + c * step);
        DWELL_UNROLL
        for (int c = 0; c < Together; ++c) cells.put(i + c * step, values[c]);
      }
      for (; i < end; i += step) cells.put(i, cells.get(i));
    }
  });
}

/// For those who see nothing.
struct sees_nothing {
  DWELL_FN void operator()(int, float, float) const {}
};
template <class>
inline constexpr bool sees = true;
template <>
inline constexpr bool sees<sees_nothing> = false;

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

  /// Relaxes a colour, and tells seen(lane, f, u) of all cells, as they are afterwards.
  template <class Team, class Seen>
  DWELL_FN void relax_last(Team& team, const device_level& l, int colour, Seen seen) const {
    relax_with(team, false, l, colour, seen);
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
    relax_with<Team, sees_nothing>(team, alone, l, colour, sees_nothing{});
  }
  /// seen(lane, f, u) of all cells of the rows, as they are afterwards.
  template <class Team, class Seen>
  DWELL_FN void relax_with(Team& team, bool alone, const device_level& l, int colour,
                           Seen seen) const {
    const int ny = l.a.n[1], nx = l.a.n[2], evens = l.a.evens(), odds = l.a.odds();
    const auto term = [](float w, float other) { return w * other; };
    if (l.colours == 2) {  // one half of each row
      over_rows<4>(team, alone, l.a.deal, l.a.rows(), evens, [&](int lane, int row) {
        const int k = row / ny, j = row % ny;
        const bool odd = colour_of_row(l.a, 2, k, j) != colour;
        const int at = odd ? evens : 0, count = odd ? odds : evens, others = odd ? evens : odds;
        const half_cells<float> half(l.a, l.u, k, j, odd);
        const long long here = static_cast<long long>(row) * nx;
        float* const u = l.u + here + at;
        const float *const f = l.f + here + at, *const by = l.inverse + l.inverse_at[row] + at;
        const float *const f2 = l.f + here + (odd ? 0 : evens), *const u2 =
                                                                    l.u + here + (odd ? 0 : evens);
        struct value {
          float u, f, u2, f2;
        };
        return job(
            [=](int i) {
              value v{};
              if (i < count) {
                v.f = f[i];
                v.u = (v.f + half.sum(i, term)) * by[i];
              }
              if constexpr (sees<Seen>) {
                if (i < others) v.u2 = u2[i], v.f2 = f2[i];
              }
              return v;
            },
            [=](int i, const value& v) {
              if (i < count) u[i] = v.u;
              if constexpr (sees<Seen>) {
                if (i < count) seen(lane, v.f, v.u);
                if (i < others) seen(lane, v.f2, v.u2);
              }
            });
      });
      return;
    }
    over_rows<1>(team, alone, l.a.deal, l.a.rows(), evens, [&](int, int row) {
      const int k = row / ny, j = row % ny, of_row = colour_of_row(l.a, 3, k, j);
      return job([](int) { return 0; },
                 [=, &l](int i, int) {
                   for (int odd = 0; odd < 2; ++odd) {
                     if (i >= (odd ? odds : evens) || colour_of_cell(l, of_row, odd, i) != colour)
                       continue;
                     const half_cells<float> half(l.a, l.u, k, j, odd);
                     const int at = (odd ? evens : 0) + i;
                     const long long here = static_cast<long long>(row) * nx + at;
                     l.u[here] =
                         (l.f[here] + half.sum(i, term)) * l.inverse[l.inverse_at[row] + at];
                   }
                 });
    });
  }

  template <class Team>
  DWELL_APART void residual(Team& team, bool alone, const device_level& l) const {
    // Of two colours one half; else both, one after the other.
    residual_of(team, alone, l, l.colours == 2 ? -1 : 0);
    if (l.colours == 3) residual_of(team, alone, l, 1);
  }
  /// half: 0 even, 1 odd cells, or -1 those of the first colour.
  template <class Team>
  DWELL_FN void residual_of(Team& team, bool alone, const device_level& l, int half_asked) const {
    const int ny = l.a.n[1], nx = l.a.n[2], evens = l.a.evens(), odds = l.a.odds();
    float* const to = residual_;
    over_rows<4>(team, alone, l.a.deal, l.a.rows(), evens, [&](int, int row) {
      const int k = row / ny, j = row % ny;
      const bool odd = half_asked < 0 ? colour_of_row(l.a, 2, k, j) == 1 : half_asked == 1;
      const int at = odd ? evens : 0, count = odd ? odds : evens;
      const half_cells<float> half(l.a, l.u, k, j, odd);
      const long long here = static_cast<long long>(row) * nx + at;
      const float *const f = l.f + here, *const by = l.inverse + l.inverse_at[row] + at;
      float* const r = to + here;
      return job(
          [=](int i) {
            if (i >= count) return 0.0f;
            const float sum = half.sum(i, [](float w, float other) { return w * other; });
            return (f[i] + sum) - half.own[i] / by[i];
          },
          [=](int i, float v) {
            if (i < count) r[i] = v;
          });
    });
  }

  /// Residuals of a fine row, and the weights along x.
  struct fine_row {
    const float *even, *odd;  ///< null where they are 0
    const float *before, *after;
  };
  DWELL_FN fine_row row_of(const device_level& l, int k, int j) const {
    const int row = k * l.a.n[1] + j;
    const int of_row = l.colours == 2 ? colour_of_row(l.a, 2, k, j) : -1;
    const float* const r = residual_ + static_cast<long long>(row) * l.a.n[2];
    const bool halved = l.axes[2].halved;
    return {of_row == 1 ? nullptr : r, of_row == 0 ? nullptr : r + l.a.evens(),
            halved ? l.weights[2].pool + l.weights[2].before[row] : nullptr,
            halved ? l.weights[2].pool + l.weights[2].after[row] : nullptr};
  }
  /// Their sum at a coarse cell along x, which lies at `place` of the halves.
  DWELL_FN static float along_x(const fine_row& row, const halved_axis& ax, int coarse, int place,
                                int evens) {
    if (!ax.halved) {
      const float* const half = place < evens ? row.even : row.odd;
      return half ? half[place < evens ? place : place - evens] : 0.0f;
    }
    const auto even = [&](int i) { return row.even ? row.even[i] : 0.0f; };
    const float after = row.after[coarse];
    if (ax.odd_ring() && coarse == ax.coarse() - 1) return even(evens - 1) + after * even(0);
    const float own = row.odd ? row.odd[coarse] : 0.0f;
    if (!row.even) return own;
    return own +
           (row.before[coarse] * even(coarse) + after * even(coarse + 1 < evens ? coarse + 1 : 0));
  }

  template <class Team>
  DWELL_APART void gather(Team& team, bool alone, const device_level& l, const device_level& next,
                          bool is_bottom) const {
    const int ny = next.a.n[1], nx = next.a.n[2], evens = next.a.evens(), odds = next.a.odds();
    const int fine_evens = l.a.evens();
    const halved_axis az = l.axes[0], ay = l.axes[1], ax = l.axes[2];
    struct pair {
      float f[2];
    };
    over_rows<2>(team, alone, next.a.deal, next.a.rows(), evens, [&](int, int row) {
      const int k = row / ny, j = row % ny;
      // Planes and the rows of them that a coarse row is gathered of: before, own, after.
      int planes[3] = {az.before(k), az.centre(k), az.after(k)};
      const float* of_plane[3];
      for (int p = 0; p < 3; p += 2) {
        const unsigned* const places = p == 0 ? l.weights[0].before : l.weights[0].after;
        of_plane[p] = planes[p] >= 0 ? l.weights[0].pool + places[row] : nullptr;
      }
      of_plane[1] = nullptr;
      fine_row rows[3];
      if (!ay.halved)
        for (int p = 0; p < 3; ++p) rows[p] = row_of(l, planes[p] < 0 ? planes[1] : planes[p], j);
      const int of_row = next.colours == 2 ? colour_of_row(next.a, 2, k, j) : 0;
      const float* const inverse = is_bottom ? nullptr : next.inverse + next.inverse_at[row];
      const long long here = static_cast<long long>(row) * nx;
      const auto along_y = [=, &l, this](int p, int coarse, int place) {
        if (!ay.halved) return along_x(rows[p], ax, coarse, place, fine_evens);
        float sum = 0;
        DWELL_ROLLED
        for (int part = 0; part < 3; ++part) {
          const int line = part == 0 ? ay.before(j) : part == 1 ? ay.centre(j) : ay.after(j);
          if (line < 0) continue;
          const float of = along_x(row_of(l, planes[p], line), ax, coarse, place, fine_evens);
          const unsigned* const places = part == 0 ? l.weights[1].before : l.weights[1].after;
          sum += part == 1 ? of : l.weights[1].pool[places[planes[p] * ny + j] + place] * of;
        }
        return sum;
      };
      return job(
          [=](int i) {
            pair v{};
            for (int odd = 0; odd < 2; ++odd) {
              if (i >= (odd ? odds : evens)) continue;
              const int place = (odd ? evens : 0) + i, coarse = ax.halved ? 2 * i + odd : 0;
              float sum = along_y(1, coarse, place);
              if (of_plane[0]) sum += of_plane[0][place] * along_y(0, coarse, place);
              if (of_plane[2]) sum += of_plane[2][place] * along_y(2, coarse, place);
              v.f[odd] = sum;
            }
            return v;
          },
          [=, &next](int i, const pair& v) {
            for (int odd = 0; odd < 2; ++odd) {
              if (i >= (odd ? odds : evens)) continue;
              const int at = odd ? evens : 0;
              next.f[here + at + i] = v.f[odd];
              if (!is_bottom)
                begin(next, of_row, inverse + at, next.u + here + at, v.f[odd], odd, i);
            }
          });
    });
  }

  /// Coarse rows that a fine row is interpolated from: up to two along y, of up to two planes each.
  struct coarse_rows {
    const float* u[2][2];         ///< [along y][along z], null where there is none
    const float* of_plane[2][2];  ///< weights, null: 1
    const float* of_line[2];

    DWELL_FN float at(int place) const {
      float all = 0;
      DWELL_UNROLL
      for (int y = 0; y < 2; ++y) {
        float sum = 0;
        DWELL_UNROLL
        for (int z = 0; z < 2; ++z)
          if (u[y][z])
            sum += of_plane[y][z] ? of_plane[y][z][place] * u[y][z][place] : u[y][z][place];
        if (u[y][0] || u[y][1]) all += of_line[y] ? of_line[y][place] * sum : sum;
      }
      return all;
    }
  };
  DWELL_FN static coarse_rows rows_of(const device_level& l, const device_level& next, int k,
                                      int j) {
    const int ny = next.a.n[1], nx = next.a.n[2];
    const halved_axis &az = l.axes[0], &ay = l.axes[1];
    coarse_rows c{};
    const bool own_line = ay.is_coarse(j), own_plane = az.is_coarse(k);
    DWELL_UNROLL
    for (int y = 0; y < 2; ++y) {
      const int line = own_line ? (y == 0 ? ay.coarse_at(j) : -1)
                                : (y == 0 ? ay.coarse_before(j) : ay.coarse_after(j));
      if (line < 0) continue;
      if (!own_line) {
        const unsigned* const places = y == 0 ? l.weights[1].after : l.weights[1].before;
        c.of_line[y] = l.weights[1].pool + places[static_cast<long long>(k) * ay.coarse() + line];
      }
      DWELL_UNROLL
      for (int z = 0; z < 2; ++z) {
        const int plane = own_plane ? (z == 0 ? az.coarse_at(k) : -1)
                                    : (z == 0 ? az.coarse_before(k) : az.coarse_after(k));
        if (plane < 0) continue;
        const int row = plane * ny + line;
        c.u[y][z] = next.u + static_cast<long long>(row) * nx;
        if (!own_plane) {
          const unsigned* const places = z == 0 ? l.weights[0].after : l.weights[0].before;
          c.of_plane[y][z] = l.weights[0].pool + places[row];
        }
      }
    }
    return c;
  }
  template <class Team>
  DWELL_APART void prolong(Team& team, bool alone, const device_level& l,
                           const device_level& next) const {
    const int ny = l.a.n[1], nx = l.a.n[2], evens = l.a.evens(), odds = l.a.odds();
    const int coarse_nx = next.a.n[2];
    const halved_axis ax = l.axes[2];
    struct pair {
      float even, odd;
    };
    over_rows<2>(team, alone, l.a.deal, l.a.rows(), evens, [&](int, int row) {
      const int k = row / ny, j = row % ny;
      const int of_row = l.colours == 2 ? colour_of_row(l.a, 2, k, j) : -1;
      const bool even = of_row != 1, odd = of_row != 0;
      const coarse_rows from = rows_of(l, next, k, j);
      float* const u = l.u + static_cast<long long>(row) * nx;
      const float* const before =
          ax.halved ? l.weights[2].pool + l.weights[2].before[row] : nullptr;
      const float* const after = ax.halved ? l.weights[2].pool + l.weights[2].after[row] : nullptr;
      return job(
          [=](int i) {
            pair v{};
            if (even && i < evens) v.even = u[i];
            if (odd && i < odds) v.odd = u[evens + i];
            if (!ax.halved) {
              if (even && i < evens) v.even += from.at(i);
              if (odd && i < odds) v.odd += from.at(evens + i);
              return v;
            }
            const auto at = [&](int coarse) { return from.at(halved_place(coarse, coarse_nx)); };
            const int m = ax.coarse();
            if (odd && i < odds) v.odd += at(i);
            if (!even || i >= evens) return v;
            if (ax.odd_ring() && i == evens - 1) {
              v.even += at(m - 1);
              return v;
            }
            const int low = i > 0 ? i - 1 : ax.wraps ? m - 1 : -1;
            float sum = 0;
            if (low >= 0) sum = after[low] * at(low);
            if (i < m) sum += before[i] * at(i);
            v.even += sum;
            return v;
          },
          [=](int i, const pair& v) {
            if (even && i < evens) u[i] = v.even;
            if (odd && i < odds) u[evens + i] = v.odd;
          });
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
          for (int c = lane % lanes; c < n; c += lanes)
            s += inverse[c] * static_cast<double>(l.f[c]);
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
