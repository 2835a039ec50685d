// SPDX-License-Identifier: MIT
// Relaxation of whole lines of cells, for operators that are strong along one axis here and along
// another one there. Lines along x, then y, then z; of each axis first those whose place among the
// others is even, then the odd ones; after the correction all in reverse, so that a cycle is
// symmetric. Residuals of the lines come first and, when teams have met, their corrections: so bits
// do not depend on the number of teams. In a ring the face that closes it, and of a ring of an odd
// number two lines that touch, see each other's old values.
#pragma once
#include <array>
#include <cstddef>
#include <vector>

#include "dwell/base/parallel.hpp"
#include "dwell/solvers/grid/half_rows.hpp"
#include "dwell/solvers/grid/hierarchy.hpp"
#include "dwell/solvers/grid/plane_team.hpp"

namespace dwell::grids {

template <class V>
class line_smoother {
 public:
  explicit line_smoother(hierarchy<V>& h) : h_(h) {}

  /// A sweep over all lines. Teams have met, and meet.
  void sweep(plane_team& team, level<V>& l, bool backward) {
    for (int one = 0; one < 6; ++one) {
      const int at = backward ? 5 - one : one, axis = 2 - at / 2, colour = at % 2;
      if (l.a.shape.n[std::size_t(axis)] == 1) continue;
      residuals(team, l, axis, colour);
      team.sync();
      correct(team, l, axis, colour);
      team.sync();
    }
  }

 private:
  static std::size_t row_at(const level<V>& l, int k, int j) {
    return l.a.row(k, j) * std::size_t(l.a.shape.n[2]);
  }
  /// Is this half of row (k, j) in lines of the colour?
  static bool chosen(int axis, int colour, int k, int j, bool odd) {
    const int place = axis == x_axis ? k + j : (axis == y_axis ? k : j) + int(odd);
    return place % 2 == colour;
  }

  void residuals(const plane_team& team, level<V>& l, int axis, int colour) {
    const int ny = l.a.shape.n[1], nx = l.a.shape.n[2];
    const auto [begin, end] = team.share(l.a.shape.n[0]);
    for (int k = begin; k < end; ++k)
      for (int j = 0; j < ny; ++j)
        for (const bool odd : {false, true}) {
          if (!chosen(axis, colour, k, j, odd)) continue;
          const std::size_t at = row_at(l, k, j);
          V* const r = h_.line_residual.data() + at;
          const V *const u = l.u.data() + at, *const f = l.f.data() + at,
                         *const by = l.inverse_of(k, j);
          half_row(
              l.a, l.u.data(), h_.zeros.data(), k, j, odd, 0, odd ? nx / 2 : evens_of(nx),
              [](V w, V other, int) { return w * other; },
              [=](int c, V sum) { r[c] = by[c] > V(0) ? (f[c] + sum) - u[c] / by[c] : V(0); });
        }
  }

  void correct(const plane_team& team, level<V>& l, int axis, int colour) {
    const int nz = l.a.shape.n[0], ny = l.a.shape.n[1], nx = l.a.shape.n[2];
    const auto [begin, end] = team.share(nz);
    if (axis == x_axis) {
      for (int k = begin; k < end; ++k)
        for (int j = 0; j < ny; ++j)
          if (chosen(axis, colour, k, j, false)) correct_row(l, k, j);
      return;
    }
    for (const bool odd : {false, true}) {
      const int from = odd ? evens_of(nx) : 0, count = odd ? nx / 2 : evens_of(nx);
      if (axis == y_axis) {
        for (int k = begin; k < end; ++k)
          if (chosen(axis, colour, k, 0, odd))
            correct_rows(
                ny, from, from + count, [&](int j) { return row_at(l, k, j); },
                [&](int j) { return l.a.y_faces(k, j); }, l, axis);
      } else {
        const auto [first, last] = piece(count, team.worker, team.workers);
        for (int j = 0; j < ny; ++j)
          if (chosen(axis, colour, 0, j, odd))
            correct_rows(
                nz, from + int(first), from + int(last), [&](int k) { return row_at(l, k, j); },
                [&](int k) { return l.a.z_faces(k, j); }, l, axis);
      }
    }
  }

  /// L D L' of a line, L having -w times the inverse pivot before: u += its solution for r. The
  /// line is a row.
  void correct_row(level<V>& l, int k, int j) {
    const int n = l.a.shape.n[2], evens = evens_of(n);
    const std::size_t at = row_at(l, k, j);
    const V *const faces = l.a.x_faces(k, j), *const odd_faces = faces + n / 2 + 1;
    const V *const r = h_.line_residual.data() + at, *const by = l.pivots[x_axis].data() + at;
    double* const y = h_.line_sums.data() + at;
    const auto place = [=](int i) { return (i % 2 ? evens : 0) + i / 2; };
    const auto face = [=](int i) { return double(i % 2 ? odd_faces[i / 2] : faces[i / 2]); };
    double carried = 0;
    for (int i = 0; i < n; ++i) {
      const int c = place(i);
      carried = double(r[c]) + (i ? face(i) * carried : 0);
      y[c] = carried *= double(by[c]);
    }
    V* const u = l.u.data() + at;
    double x = 0;
    for (int i = n; i-- > 0;) {
      const int c = place(i);
      x = y[c] + (i + 1 < n ? face(i + 1) * double(by[c]) * x : 0);
      u[c] += V(x);
    }
  }
  /// Corrections of lines side by side: elements [first, last) of n rows.
  template <class At, class Faces>
  void correct_rows(int n, int first, int last, At&& at, Faces&& faces, level<V>& l, int axis) {
    const V* const pivots = l.pivots[std::size_t(axis)].data();
    for (int row = 0; row < n; ++row) {
      const V *const r = h_.line_residual.data() + at(row), *const by = pivots + at(row);
      double* const y = h_.line_sums.data() + at(row);
      if (row == 0) {
        for (int i = first; i < last; ++i) y[i] = double(r[i]) * double(by[i]);
        continue;
      }
      const V* const w = faces(row);
      const double* const before = h_.line_sums.data() + at(row - 1);
      DWELL_INDEPENDENT
      for (int i = first; i < last; ++i)
        y[i] = (double(r[i]) + double(w[i]) * before[i]) * double(by[i]);
    }
    for (int row = n; row-- > 0;) {
      double* const y = h_.line_sums.data() + at(row);
      V* const u = l.u.data() + at(row);
      if (row + 1 < n) {
        const V *const w = faces(row + 1), *const by = pivots + at(row);
        const double* const after = h_.line_sums.data() + at(row + 1);
        DWELL_INDEPENDENT
        for (int i = first; i < last; ++i) y[i] += double(w[i]) * double(by[i]) * after[i];
      }
      for (int i = first; i < last; ++i) u[i] += V(y[i]);
    }
  }

  hierarchy<V>& h_;
};

}  // namespace dwell::grids
