// SPDX-License-Identifier: MIT
// The steps of a cycle over Galerkin's levels on a device: what galerkin_cycle.hpp does by rows.
// Cells of a kind along each axis are relaxed together: in one and two dimensions that is the order
// of CPUs, in three CPUs take the rows of a plane one after the other. A step reads what it does
// not write, but for a cell's own value. Reads beyond a side, whose element is 0, are of the own
// row, so that none meets a write.
#pragma once
#include <type_traits>

#include "dwell/base/fn.hpp"
#include "dwell/solvers/grid/device/half_cells.hpp"
#include "dwell/solvers/grid/device/over_rows.hpp"

namespace dwell::grids {

/// The row of a stencil's elements, and the rows of u that it is multiplied with. Rows: 1, 3 or 9,
/// with neighbours along none, one or both of y and z.
template <int Rows>
class box_row {
 public:
  DWELL_FN box_row(const device_box_level& l, int k, int j) : cells_(l.cells()), n_(l.n[2]) {
    const auto inside = [&](int axis, int i, int step) {
      const int n = l.n[axis], to = i + step;
      return to >= 0 && to < n ? to : !l.wraps[axis] ? i : to < 0 ? n - 1 : 0;
    };
    const int lines = 2 * l.reach[1] + 1;
    DWELL_UNROLL
    for (int r = 0; r < Rows; ++r) {
      const int plane = inside(0, k, r / lines - l.reach[0]);
      const int line = inside(1, j, r % lines - l.reach[1]);
      u_[r] = l.u + (static_cast<long long>(plane) * l.n[1] + line) * n_;
      in_memory(u_[r]);
    }
    a_ = l.a + (static_cast<long long>(k) * l.n[1] + j) * n_;
    in_memory(a_);
    wraps_ = l.wraps[2];
  }

  /// The sum over the neighbours of cell x of elements times u, in the order of CPUs.
  DWELL_FN double sum(int x) const {
    const int own = halved_place(x, n_);
    const int low = x > 0 ? x - 1 : wraps_ ? n_ - 1 : x;
    const int high = x + 1 < n_ ? x + 1 : wraps_ ? 0 : x;
    const int before = halved_place(low, n_), after = halved_place(high, n_);
    double all = 0;
    DWELL_UNROLL
    for (int r = 0; r < Rows; ++r) {
      const float* const e = a_ + 3 * r * cells_ + own;
      all += static_cast<double>(e[0]) * u_[r][before] +
             static_cast<double>(e[2 * cells_]) * u_[r][after];
      if (r != Rows / 2) all += static_cast<double>(e[cells_]) * u_[r][own];
    }
    return all;
  }

 private:
  const double* u_[Rows];
  const float* a_;
  long long cells_;
  int n_;
  bool wraps_;
};

/// Flat: there is one cell along y.
template <bool Flat>
class box_phases {
 public:
  /// boxes, levels: where this team reads them. residual: of the finest level.
  DWELL_FN box_phases(const device_box_level* boxes, const device_level* levels,
                      const float* residual, const float* zeros)
      : boxes_(boxes), levels_(levels), residual_(residual), zeros_(zeros) {}

  DWELL_FN const device_box_level& operator[](int level) const { return boxes_[level]; }

  template <class Team>
  DWELL_FN void take(Team& team, const cycle_step& step) const {
    const bool alone = step.alone;
    const device_box_level& l = boxes_[step.level];
    switch (step.op) {
      case cycle_op::box_relax:
        return relax(team, alone, l, step.colour);
      case cycle_op::box_residual:
        return residual(team, alone, l);
      case cycle_op::box_gather: {
        const device_box_level& next = boxes_[step.level + 1];
        if (step.level > 0) return gather(team, alone, l, next, l.r, static_cast<int*>(nullptr));
        // Residuals of the second of two colours are 0, and not there.
        return gather(team, alone, l, next, residual_, levels_);
      }
      default: {
        const device_box_level& next = boxes_[step.level + 1];
        if (step.level > 0) return prolong(team, alone, l, next, l.u, static_cast<int*>(nullptr));
        return prolong(team, alone, l, next, levels_[0].u, levels_);
      }
    }
  }

 private:
  template <class F>
  DWELL_FN static void with_rows(const device_box_level& l, F&& f) {
    if constexpr (!Flat)
      if (l.reach[0] && l.reach[1]) return f(std::integral_constant<int, 9>{});
    if (l.reach[0] || l.reach[1])
      f(std::integral_constant<int, 3>{});
    else
      f(std::integral_constant<int, 1>{});
  }

  template <class Team>
  DWELL_APART void relax(Team& team, bool alone, const device_box_level& l, int colour) const {
    with_rows(l, [&](auto rows) { relax_of<decltype(rows)::value>(team, alone, l, colour); });
  }
  template <int Rows, class Team>
  DWELL_FN void relax_of(Team& team, bool alone, const device_box_level& l, int colour) const {
    const axis_kind planes = kind_of(l.n[0], l.kinds[0], colour / 9),
                    lines = kind_of(l.n[1], l.kinds[1], colour / 3 % 3),
                    columns = kind_of(l.n[2], l.kinds[2], colour % 3);
    const int most = kind_of(l.n[1], l.kinds[1], 0).count;
    const int all = kind_of(l.n[0], l.kinds[0], 0).count * most;
    over_rows<Rows == 9 ? 1 : 2, true>(team, alone, l.deal_of_kind, all, [&](int, int number) {
      const int plane = number / most, line = number % most;
      const bool there = plane < planes.count && line < lines.count;
      const int k = there ? planes.at(plane) : 0, j = there ? lines.at(line) : 0;
      const box_row<Rows> row(l, k, j);
      const long long at = (static_cast<long long>(k) * l.n[1] + j) * l.n[2];
      double* const u = l.u + at;
      const double *const f = l.f + at, *const by = l.inverse + at;
      in_memory(u, f, by);
      const int nx = l.n[2];
      return job(
          there ? columns.count : 0,
          [=](int i) {
            const int x = columns.at(i), own = halved_place(x, nx);
            return (f[own] + row.sum(x)) * by[own];
          },
          [=](int i, double v) { u[halved_place(columns.at(i), nx)] = v; });
    });
  }

  template <class Team>
  DWELL_APART void residual(Team& team, bool alone, const device_box_level& l) const {
    with_rows(l, [&](auto rows) {
      for (int odd = 0; odd < 2; ++odd) residual_of<decltype(rows)::value>(team, alone, l, odd);
    });
  }
  template <int Rows, class Team>
  DWELL_FN void residual_of(Team& team, bool alone, const device_box_level& l, int odd) const {
    const int ny = l.n[1], nx = l.n[2], count = odd ? nx / 2 : (nx + 1) / 2;
    over_rows<Rows == 9 ? 1 : 2, true>(team, alone, l.deal, l.rows(), [&](int, int number) {
      const box_row<Rows> row(l, number / ny, number % ny);
      const long long at = static_cast<long long>(number) * nx + (odd ? (nx + 1) / 2 : 0);
      const double *const u = l.u + at, *const f = l.f + at, *const diagonal = l.diagonal + at;
      double* const r = l.r + at;
      in_memory(u, f, diagonal, r);
      return job(
          count,
          [=](int i) {
            const double d = diagonal[i], left = (f[i] + row.sum(2 * i + odd)) - u[i] * d;
            return d > 0 ? left : 0.0;
          },
          [=](int i, double v) { r[i] = v; });
    });
  }

  /// Bits of corners along z and y; that along x is the lowest, if x is halved.
  struct corner_bits {
    int y, z;
    DWELL_FN explicit corner_bits(const device_corners& s)
        : y(!s.axes[1].halved  ? 0
            : s.axes[2].halved ? 2
                               : 1),
          z(!s.axes[0].halved ? 0 : (s.axes[2].halved ? 2 : 1) * (s.axes[1].halved ? 2 : 1)) {}
  };

  /// Halves of a row of residuals, null where they are 0.
  template <class V>
  struct fine_halves {
    const V *even, *odd;
    DWELL_FN double operator[](int x) const {
      return static_cast<double>((x % 2 ? odd : even)[x / 2]);
    }
  };
  DWELL_FN static fine_halves<double> halves_of(const device_box_level& l, const double* r, int k,
                                                int j, const int*, const float*) {
    const double* const row = r + (static_cast<long long>(k) * l.n[1] + j) * l.n[2];
    in_memory(row);
    return {row, row + (l.n[2] + 1) / 2};
  }
  DWELL_FN static fine_halves<float> halves_of(const device_box_level& l, const float* r, int k,
                                               int j, const device_level* finest,
                                               const float* zeros) {
    const float* const row = r + (static_cast<long long>(k) * l.n[1] + j) * l.n[2];
    const int of_row = finest->colours == 2 ? colour_of_row(finest->a, 2, k, j) : -1;
    fine_halves<float> to{of_row == 1 ? zeros : row, of_row == 0 ? zeros : row + (l.n[2] + 1) / 2};
    in_memory(to.even, to.odd);
    return to;
  }

  template <class Team, class V, class Finest>
  DWELL_APART void gather(Team& team, bool alone, const device_box_level& l,
                          const device_box_level& next, const V* r, const Finest* finest) const {
    for (int odd = 0; odd < 2; ++odd) {
      if constexpr (!Flat) {
        if (l.step.axes[1].halved) {
          gather_half<3>(team, alone, l, next, r, finest, odd);
          continue;
        }
      }
      gather_half<1>(team, alone, l, next, r, finest, odd);
    }
  }
  /// Gathers a half of the coarse rows. Lines: of fine cells along y that have a part, at most.
  template <int Lines, class Team, class V, class Finest>
  DWELL_FN void gather_half(Team& team, bool alone, const device_box_level& l,
                            const device_box_level& next, const V* r, const Finest* finest,
                            int odd) const {
    const int ny = next.n[1], nx = next.n[2], fine_n = l.n[2];
    const halved_axis az = l.step.axes[0], ay = l.step.axes[1], ax = l.step.axes[2];
    const corner_bits bits(l.step);
    const long long cells = l.cells();
    over_rows<1, true>(team, alone, next.deal, next.rows(), [&](int, int row) {
      const int k = row / ny, j = row % ny, at = odd ? (nx + 1) / 2 : 0;
      const long long here = static_cast<long long>(row) * nx + at;
      double *const f = next.f + here, *const u = next.u + here;
      const double* const inverse = next.inverse + here;
      in_memory(f, u, inverse);
      // Along x, y and z only cells of the first kind are relaxed first.
      const bool first_kind = k < next.n[0] - (next.kinds[0] == 3) && k % 2 == 0 &&
                              j < ny - (next.kinds[1] == 3) && j % 2 == 0 && odd == 0;
      const int kind_end = first_kind ? kind_of(nx, next.kinds[2], 0).count : 0;
      // What fine cells of part p along an axis (before, own, after) give to coarse cell c.
      const auto fine = [](const halved_axis& axis, int c, int part) {
        return part == 0 ? axis.before(c) : part == 1 ? axis.centre(c) : axis.after(c);
      };
      const auto of_row = [=, &l, this](int plane_part, int line_part, int own, int before,
                                        int after) {
        const int plane = fine(az, k, plane_part), line = fine(ay, j, line_part);
        const bool there = plane >= 0 && line >= 0;
        const int fine_k = plane < 0 ? az.centre(k) : plane,
                  fine_j = line < 0 ? ay.centre(j) : line;
        const int corner = (plane_part == 0 ? bits.z : 0) + (line_part == 0 ? bits.y : 0);
        const float* const low =
            there ? l.step.w + corner * cells +
                        (static_cast<long long>(fine_k) * l.n[1] + fine_j) * fine_n
                  : zeros_;
        const float* const high = there && ax.halved ? low + cells : zeros_;
        in_memory(low, high);
        const fine_halves<V> from = halves_of(l, r, fine_k, fine_j, finest, zeros_);
        // Reads the own cell in place of a missing one, without a weight.
        const double of_before =
            before < 0 ? 0.0 : static_cast<double>(high[halved_place(before, fine_n)]);
        const double of_after =
            after < 0 ? 0.0 : static_cast<double>(low[halved_place(after, fine_n)]);
        return static_cast<double>(low[halved_place(own, fine_n)]) * from[own] +
               (of_before * from[before < 0 ? own : before] +
                of_after * from[after < 0 ? own : after]);
      };
      return job(
          odd ? nx / 2 : (nx + 1) / 2,
          [=](int i) {
            const int c = 2 * i + odd;
            const int own = ax.centre(c), before = ax.before(c), after = ax.after(c);
            const auto of_plane = [=](int part) {
              if constexpr (Lines == 1) return of_row(part, 1, own, before, after);
              return of_row(part, 1, own, before, after) +
                     (of_row(part, 0, own, before, after) + of_row(part, 2, own, before, after));
            };
            return of_plane(1) + (of_plane(0) + of_plane(2));
          },
          [=](int i, double v) {
            f[i] = v;
            u[i] = i < kind_end ? v * inverse[i] : 0.0;
          });
    });
  }

  /// Which half of a row of the finest level has its first colour: 0 or 1, or both, -1.
  DWELL_FN static int half_of(const device_level* finest, int k, int j) {
    return finest->colours == 2 ? colour_of_row(finest->a, 2, k, j) : -1;
  }
  DWELL_FN static int half_of(const int*, int, int) { return -1; }

  template <class Team, class V, class Finest>
  DWELL_APART void prolong(Team& team, bool alone, const device_box_level& l,
                           const device_box_level& next, V* u, const Finest* finest) const {
    for (int odd = 0; odd < 2; ++odd) {
      if constexpr (!Flat) {
        if (l.step.axes[1].halved) {
          prolong_half<2>(team, alone, l, next, u, finest, odd);
          continue;
        }
      }
      prolong_half<1>(team, alone, l, next, u, finest, odd);
    }
  }
  /// Adds the correction to a half of the rows; of the finest level's to the first of two colours.
  /// Lines: of coarse cells along y that a cell lies between, at most.
  template <int Lines, class Team, class V, class Finest>
  DWELL_FN void prolong_half(Team& team, bool alone, const device_box_level& l,
                             const device_box_level& next, V* u, const Finest* finest,
                             int odd) const {
    const int ny = l.n[1], nx = l.n[2], coarse_n = next.n[2];
    const halved_axis az = l.step.axes[0], ay = l.step.axes[1], ax = l.step.axes[2];
    const corner_bits bits(l.step);
    const long long cells = l.cells();
    over_rows<2, true>(team, alone, l.deal, l.rows(), [&](int, int row) {
      const int k = row / ny, j = row % ny, at = odd ? (nx + 1) / 2 : 0;
      const int first = half_of(finest, k, j);
      const long long here = static_cast<long long>(row) * nx + at;
      V* const to = u + here;
      const float *low[2 * Lines], *high[2 * Lines];
      const double* from[2 * Lines];
      DWELL_UNROLL
      for (int part = 0; part < 2 * Lines; ++part) {
        const int z = part / Lines, y = part % Lines;
        const auto coarse = [](const halved_axis& axis, int i, int side) {
          return axis.is_coarse(i) ? (side == 0 ? axis.coarse_at(i) : -1)
                 : side == 0       ? axis.coarse_before(i)
                                   : axis.coarse_after(i);
        };
        const int plane = coarse(az, k, z), line = coarse(ay, j, y);
        const bool there = plane >= 0 && line >= 0;
        low[part] = there ? l.step.w + (z * bits.z + y * bits.y) * cells + here : zeros_;
        high[part] = there && ax.halved ? low[part] + cells : zeros_;
        from[part] =
            there ? next.u + (static_cast<long long>(plane) * next.n[1] + line) * coarse_n : next.u;
        in_memory(low[part], high[part], from[part]);
      }
      in_memory(to);
      const bool there = first < 0 || first == (odd ? 1 : 0);
      return job(
          !there ? 0
          : odd  ? nx / 2
                 : (nx + 1) / 2,
          [=](int i) {
            const int x = 2 * i + odd;
            // The weight of a coarse cell that is not there is 0.
            const int before = ax.is_coarse(x) ? ax.coarse_at(x) : ax.coarse_before(x);
            const int after = ax.is_coarse(x) ? 0 : ax.coarse_after(x);
            const int b = halved_place(before < 0 ? 0 : before, coarse_n),
                      a = halved_place(after < 0 ? 0 : after, coarse_n);
            double sum = 0;
            DWELL_UNROLL
            for (int part = 0; part < 2 * Lines; ++part)
              sum += static_cast<double>(low[part][i]) * from[part][b] +
                     static_cast<double>(high[part][i]) * from[part][a];
            return to[i] + static_cast<V>(sum);
          },
          [=](int i, V v) { to[i] = v; });
    });
  }

  const device_box_level* boxes_;
  const device_level* levels_;
  const float* residual_;
  const float* zeros_;
};

}  // namespace dwell::grids
