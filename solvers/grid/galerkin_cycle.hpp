// SPDX-License-Identifier: MIT
// Cycles over Galerkin's levels. The smoother is Gauss-Seidel: even planes, then odd ones (of a
// ring of an odd number the last one by itself), within a plane row by row, of a row even cells,
// then odd ones; after the correction all in reverse, so that a cycle is symmetric. Planes of a
// kind do not touch each other, so that bits do not depend on the number of teams.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "dwell/solvers/grid/galerkin.hpp"
#include "dwell/solvers/grid/plane_team.hpp"

namespace dwell::grids {

/// Rows of coarse cells that a row of fine ones lies between, -1 where there is none, and the bits
/// of their corners.
struct coarse_rows {
  struct one {
    int plane, row, corner;
  };
  one rows[4];
  int count = 0;

  coarse_rows(const std::array<halved_axis, 3>& axes, int k, int j) {
    const int bit_y = axes[2].halved ? 2 : 1, bit_z = bit_y * (axes[1].halved ? 2 : 1);
    const auto ends = [](const halved_axis& ax, int i, int(&at)[2]) {
      if (ax.is_coarse(i))
        at[0] = ax.coarse_at(i), at[1] = -1;
      else
        at[0] = ax.coarse_before(i), at[1] = ax.coarse_after(i);
    };
    int planes[2], rows_of[2];
    ends(axes[0], k, planes), ends(axes[1], j, rows_of);
    for (const int z : {0, 1})
      for (const int y : {0, 1})
        if (planes[z] >= 0 && rows_of[y] >= 0)
          rows[count++] = {planes[z], rows_of[y], z * bit_z + y * bit_y};
  }
};

/// Coarse cells before and after each cell of a row along x (itself, if it is coarse); 0 where
/// there is none, whose weight is 0.
struct coarse_columns {
  std::vector<int> before, after;
  bool halved = false;
  explicit coarse_columns(const halved_axis& ax) : halved(ax.halved) {
    for (int i = 0; i < ax.n; ++i) {
      before.push_back(std::max(ax.is_coarse(i) ? ax.coarse_at(i) : ax.coarse_before(i), 0));
      after.push_back(std::max(ax.is_coarse(i) ? 0 : ax.coarse_after(i), 0));
    }
  }
};

/// to[i] += the interpolation of `coarse` (cells in the order of memory) to a row of fine cells.
template <class To>
void add_interpolated(const corner_weights& s, const coarse_columns& columns,
                      const grid_shape& fine, const grid_shape& next, const double* coarse, int k,
                      int j, To* to) {
  const int nx = fine.n[2];
  const float* const w = &s.w[(std::size_t(k) * std::size_t(fine.n[1]) + std::size_t(j)) *
                              std::size_t(nx) * std::size_t(s.corners)];
  const coarse_rows rows(s.axes, k, j);
  const auto corners = std::size_t(s.corners);
  for (int n = 0; n < rows.count; ++n) {
    const auto [plane, row, corner] = rows.rows[n];
    const double* const from =
        coarse +
        (std::size_t(plane) * std::size_t(next.n[1]) + std::size_t(row)) * std::size_t(next.n[2]);
    const float* const of = w + corner;
    if (columns.halved)
      for (std::size_t i = 0; i < std::size_t(nx); ++i)
        to[i] += To(double(of[i * corners]) * from[columns.before[i]] +
                    double(of[i * corners + 1]) * from[columns.after[i]]);
    else
      for (std::size_t i = 0; i < std::size_t(nx); ++i)
        to[i] += To(double(of[i * corners]) * from[i]);
  }
}

/// A plane of the right-hand side of the next level: row(k, j), a pointer to residuals of a fine
/// row, gathered with the weights of interpolation.
template <class Row>
void gather_plane(const corner_weights& s, const coarse_columns& columns, const grid_shape& fine,
                  const grid_shape& next, int plane, double* f, Row&& row) {
  const halved_axis& az = s.axes[0];
  const auto corners = std::size_t(s.corners);
  double* const to_plane = f + std::size_t(plane) * next.plane();
  std::fill_n(to_plane, next.plane(), 0.0);
  int planes[3] = {az.centre(plane), az.before(plane), az.after(plane)};
  if (planes[2] == planes[1]) planes[2] = -1;  // a ring of two: both its corners, once
  for (const int k : planes) {
    if (k < 0) continue;
    for (int j = 0; j < fine.n[1]; ++j) {
      const auto* const r = row(k, j);
      const float* const w = &s.w[(std::size_t(k) * std::size_t(fine.n[1]) + std::size_t(j)) *
                                  std::size_t(fine.n[2]) * corners];
      const coarse_rows rows(s.axes, k, j);
      for (int n = 0; n < rows.count; ++n) {
        if (rows.rows[n].plane != plane) continue;
        double* const to = to_plane + std::size_t(rows.rows[n].row) * std::size_t(next.n[2]);
        const float* const of = w + rows.rows[n].corner;
        for (std::size_t i = 0; i < std::size_t(fine.n[2]); ++i) {
          to[std::size_t(columns.before[i])] += double(of[i * corners]) * double(r[i]);
          if (columns.halved)
            to[std::size_t(columns.after[i])] += double(of[i * corners + 1]) * double(r[i]);
        }
      }
    }
  }
}

class galerkin_cycle {
 public:
  /// finest: cells of the finest level. Levels of at most a twelfth of them are visited twice, if
  /// `twice`. few: is a level one team's?
  galerkin_cycle(galerkin_levels& h, std::size_t finest, bool (*few)(const grid_shape&))
      : h_(h), finest_(finest), few_(few), top_(h.step.axes[2]) {
    for (const galerkin_level& l : h.levels) columns_.emplace_back(l.step.axes[2]);
  }
  const coarse_columns& top() const { return top_; }

  /// Full multigrid, from f of level 0. Teams have met, and meet.
  void full(plane_team& team, bool twice) {
    const std::size_t last = h_.levels.size() - 1;
    for (std::size_t n = 0; n < last; ++n)
      gather(team, n, [l = &h_.levels[n]](int k, int j) { return &l->f[row_at(*l, k, j)]; });
    solve(team, last, twice);
    for (std::size_t n = last; n-- > 0;) {
      galerkin_level& l = h_.levels[n];
      const auto [begin, end] = team.share(l.shape.n[0]);
      std::fill(l.u.begin() + std::ptrdiff_t(std::size_t(begin) * l.shape.plane()),
                l.u.begin() + std::ptrdiff_t(std::size_t(end) * l.shape.plane()), 0.0);
      interpolate(team, n);
      team.sync();
      solve(team, n, twice, true);
    }
  }

  /// u of level n, whose f is there: teams have met, and meet. `again`: from the u that is there.
  void solve(plane_team& team, std::size_t n, bool twice, bool again = false) {
    galerkin_level& l = h_.levels[n];
    if (n + 1 == h_.levels.size()) {
      if (team.worker == 0) h_.bottom.solve(l.f.data(), l.u.data());
      team.sync();
      return;
    }
    if (team.workers > 1 && few_(l.shape)) {
      plane_team alone;
      if (team.worker == 0) solve(alone, n, twice, again);
      team.sync();
      return;
    }
    const auto [begin, end] = team.share(l.shape.n[0]);
    const std::size_t plane = l.shape.plane();
    if (!again) {
      std::fill(l.u.begin() + std::ptrdiff_t(std::size_t(begin) * plane),
                l.u.begin() + std::ptrdiff_t(std::size_t(end) * plane), 0.0);
      team.sync();
    }
    const int visits = twice && !again && 12 * l.shape.cells() <= finest_ ? 2 : 1;
    for (int visit = 0; visit < visits; ++visit) {
      sweep(team, l, false);
      residual(l, begin, end);
      team.sync();
      gather(team, n, [&l](int k, int j) { return &l.r[row_at(l, k, j)]; });
      solve(team, n + 1, twice);
      interpolate(team, n);
      team.sync();
      sweep(team, l, true);
    }
  }

 private:
  /// f of level n + 1 from rows of level n. Teams meet at the end.
  template <class Row>
  void gather(plane_team& team, std::size_t n, Row&& row) {
    galerkin_level &l = h_.levels[n], &next = h_.levels[n + 1];
    const auto [begin, end] = team.share(next.shape.n[0]);
    for (int c = begin; c < end; ++c)
      gather_plane(l.step, columns_[n], l.shape, next.shape, c, next.f.data(), row);
    team.sync();
  }
  /// The answer of level n + 1 is added to a team's own planes of level n.
  void interpolate(const plane_team& team, std::size_t n) {
    galerkin_level &l = h_.levels[n], &next = h_.levels[n + 1];
    const auto [begin, end] = team.share(l.shape.n[0]);
    for (int k = begin; k < end; ++k)
      for (int j = 0; j < l.shape.n[1]; ++j)
        add_interpolated(l.step, columns_[n], l.shape, next.shape, next.u.data(), k, j,
                         &l.u[row_at(l, k, j)]);
  }
  static std::size_t row_at(const galerkin_level& l, int k, int j) {
    return (std::size_t(k) * std::size_t(l.shape.n[1]) + std::size_t(j)) *
           std::size_t(l.shape.n[2]);
  }
  /// f(cell of the row i, sum over neighbours of a u) for `cells` (first, step, count) of a row.
  /// Rows beyond a side have no elements; any row stands for them.
  template <int of_rows, class F>
  static void each_sum(const galerkin_level& l, int k, int j, bool backward, int parity, F&& put) {
    const int n = l.shape.n[2];
    const double* rows[9];
    int count = 0;
    for (int dz = -l.box.reach[0]; dz <= l.box.reach[0]; ++dz)
      for (int dy = -l.box.reach[1]; dy <= l.box.reach[1]; ++dy) {
        const auto inside = [](int i, int size, bool wraps) {
          return i >= 0 && i < size ? i : wraps ? (i + size) % size : 0;
        };
        rows[count++] = &l.u[row_at(l, inside(k + dz, l.shape.n[0], l.shape.wraps[0]),
                                    inside(j + dy, l.shape.n[1], l.shape.wraps[1]))];
      }
    const float* const a = &l.a[row_at(l, k, j) * std::size_t(3 * of_rows)];
    constexpr int own = of_rows / 2;
    const auto cell = [&](int i) {
      const int before = i > 0 ? i - 1 : l.shape.wraps[2] ? n - 1 : 0;
      const int after = i + 1 < n ? i + 1 : l.shape.wraps[2] ? 0 : i;
      const float* const e = a + std::size_t(i) * std::size_t(3 * of_rows);
      double sum = 0;
      for (int r = 0; r < of_rows; ++r) {
        sum += double(e[3 * r]) * rows[r][before] + double(e[3 * r + 2]) * rows[r][after];
        if (r != own) sum += double(e[3 * r + 1]) * rows[r][i];
      }
      put(i, sum);
    };
    const int step = parity < 0 ? 1 : 2, first = std::max(parity, 0);
    if (!backward)
      for (int i = first; i < n; i += step) cell(i);
    else if (first < n)
      for (int i = first + (n - 1 - first) / step * step; i >= first; i -= step) cell(i);
  }
  template <class F>
  static void sums(const galerkin_level& l, int k, int j, bool backward, int parity, F&& put) {
    switch (l.box.count()) {
      case 3:
        return each_sum<1>(l, k, j, backward, parity, put);
      case 9:
        return each_sum<3>(l, k, j, backward, parity, put);
      default:
        return each_sum<9>(l, k, j, backward, parity, put);
    }
  }
  /// All planes, of one kind after the other. Teams meet after each.
  void sweep(plane_team& team, galerkin_level& l, bool backward) {
    const int n = l.shape.n[0], ny = l.shape.n[1];
    const int kinds = l.shape.wraps[0] && n > 1 && n % 2 ? 3 : 2;
    const auto [begin, end] = team.share(n);
    for (int one = 0; one < kinds; ++one) {
      const int kind = backward ? kinds - 1 - one : one;
      for (int k = begin; k < end; ++k) {
        if ((kinds == 3 && k == n - 1 ? 2 : k % 2) != kind) continue;
        for (int r = 0; r < ny; ++r) {
          const int j = backward ? ny - 1 - r : r;
          const std::size_t at = row_at(l, k, j);
          double* const u = l.u.data() + at;
          const double *const f = l.f.data() + at, *const by = l.inverse.data() + at;
          for (const int parity : {backward ? 1 : 0, backward ? 0 : 1})
            sums(l, k, j, backward, parity,
                 [=](int i, double sum) { u[i] = (f[i] + sum) * by[i]; });
        }
      }
      team.sync();
    }
  }
  /// Own planes.
  void residual(galerkin_level& l, int begin, int end) {
    for (int k = begin; k < end; ++k)
      for (int j = 0; j < l.shape.n[1]; ++j) {
        const std::size_t at = row_at(l, k, j);
        double* const r = l.r.data() + at;
        const double *const f = l.f.data() + at, *const u = l.u.data() + at,
                            *const by = l.inverse.data() + at;
        sums(l, k, j, false, -1,
             [=](int i, double sum) { r[i] = by[i] > 0 ? (f[i] + sum) - u[i] / by[i] : 0; });
      }
  }

  galerkin_levels& h_;
  std::size_t finest_;
  bool (*few_)(const grid_shape&);
  coarse_columns top_;
  std::vector<coarse_columns> columns_;
};

}  // namespace dwell::grids
