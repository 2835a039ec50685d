// SPDX-License-Identifier: MIT
// Coarse operators on a device, element by element: what coarsening.cpp does by rows, with the same
// operations in the same order. Each element is made by one lane, which adds all that others would
// give to it.
#pragma once
#include "dwell/base/fn.hpp"
#include "dwell/solvers/grid/device/half_cells.hpp"
#include "dwell/solvers/grid/device/setup_args.hpp"
#include "dwell/solvers/grid/elimination.hpp"

namespace dwell::grids {

/// f(row, i) for n elements of so many rows, by all lanes of all teams.
template <class Team, class F>
DWELL_FN void each_element(Team& team, int rows, int n, F&& f) {
  const long long all = static_cast<long long>(rows) * n;
  const long long step = static_cast<long long>(team.workers()) * Team::lanes();
  const unsigned length = static_cast<unsigned>(n);
  team.each([&](int lane) {
    DWELL_ROLLED
    for (long long e = static_cast<long long>(team.worker()) * Team::lanes() + lane; e < all;
         e += step) {
      const unsigned at = static_cast<unsigned>(e), row = at / length;
      f(static_cast<int>(row), static_cast<int>(at - row * length));
    }
  });
}

/// Every second cell of rows is eliminated.
struct halving_x {
  const made_operator<float>& fine;
  const made_operator<float>& coarse;
  halved_axis axis;
  made_weights w;

  DWELL_FN float of_x(int row, int i) const {
    return fine.row(rows_of_x, row)[halved_place(i, axis.n + 1)];
  }
  DWELL_FN float of_cell(int kind, int number, int i) const {
    return fine.row(kind, number)[halved_place(i, axis.n)];
  }
  /// Cell p of a row, between two coarse ones.
  DWELL_FN elimination<float> eliminated(int row, int p) const {
    return {of_x(row, p), of_x(row, p + 1), of_cell(rows_of_s, row, p)};
  }
  DWELL_FN void put_weights(int row, int c) const {
    const int m = axis.coarse(), before = axis.before(c), after = axis.after(c);
    const long long at = static_cast<long long>(row) * m + c;
    w.before[at] = before < 0 ? 0.0f : eliminated(row, before).after;
    w.after[at] = after < 0 ? 0.0f : eliminated(row, after).before;
  }

  /// The faces of a coarse row along x, 0 to m.
  DWELL_FN float along(int row, int i) const {
    const int m = axis.coarse(), n = axis.n;
    if (axis.wraps && m == 1) return 0;  // its own neighbour
    const int slot = axis.wraps && i == m ? 0 : i;
    if (slot < axis.between()) return series(row, slot);
    if (axis.odd_ring() && slot == m - 1) return of_x(row, n - 1);
    return slot == m && n % 2 == 0 ? of_x(row, n) : 0.0f;
  }
  DWELL_FN float series(int row, int slot) const {
    const int ny = fine.n[1], nz = fine.n[0], k = row / ny, j = row % ny, p = 2 * slot;
    const elimination<float> own = eliminated(row, p);
    float all = own.series;
    // Faces across, in the order of their numbers: those of this row, and those of the next one.
    const auto add = [&](int kind, int face, int other) {
      all += shear(of_cell(kind, face, p), own.before, eliminated(other, p).before);
    };
    const bool ring_y = fine.wraps[1] && ny > 1, ring_z = fine.wraps[0] && nz > 1;
    const auto through_y = [&](int at, int other) {
      add(rows_of_y, fine.number_of_y(k, at), fine.number(k, other));
    };
    const auto through_z = [&](int at, int other) {
      add(rows_of_z, fine.number(at, j), fine.number(other, j));
    };
    if (ring_y && j == ny - 1) through_y(0, 0);
    if (j > 0 || ring_y) through_y(j, j > 0 ? j - 1 : ny - 1);
    if (j + 1 < ny) through_y(j + 1, j + 1);
    if (ring_z && k == nz - 1) through_z(0, 0);
    if (k > 0 || ring_z) through_z(k, k > 0 ? k - 1 : nz - 1);
    if (k + 1 < nz) through_z(k + 1, k + 1);
    return all;
  }
  DWELL_FN float s_of(int row, int c) const {
    const int m = axis.coarse(), before = axis.before(c), after = axis.after(c);
    const long long at = static_cast<long long>(row) * m + c;
    return of_cell(rows_of_s, row, axis.centre(c)) +
           w.before[at] * of_cell(rows_of_s, row, before < 0 ? 0 : before) +
           w.after[at] * of_cell(rows_of_s, row, after < 0 ? 0 : after);
  }
  /// Faces across, by the mean of the weights on both sides.
  DWELL_FN float across(int kind, int number, int c) const {
    const int lines = kind == rows_of_y ? fine.n[1] + 1 : fine.n[1];
    const int k = number / lines, j = number % lines, m = axis.coarse();
    const bool y = kind == rows_of_y;
    const auto row = [&](int step) {
      return y ? fine.number(k, inside(j + step, fine.n[1], fine.wraps[1]))
               : fine.number(inside(k + step, fine.n[0], fine.wraps[0]), j);
    };
    const long long one = static_cast<long long>(row(-1)) * m + c,
                    other = static_cast<long long>(row(0)) * m + c;
    const int before = axis.before(c), after = axis.after(c);
    return of_cell(kind, number, axis.centre(c)) +
           0.5f *
               ((w.before[one] + w.before[other]) * of_cell(kind, number, before < 0 ? 0 : before) +
                (w.after[one] + w.after[other]) * of_cell(kind, number, after < 0 ? 0 : after));
  }

  template <class Team>
  DWELL_FN void operator()(Team& team) const {
    const int rows = fine.rows(), m = axis.coarse();
    each_element(team, rows, m, [&](int row, int c) { put_weights(row, c); });
    team.sync_grid();
    each_element(team, rows, m + 1, [&](int row, int i) {
      coarse.row(rows_of_x, row)[halved_place(i, m + 1)] = along(row, i);
    });
    if (coarse.step[rows_of_s])
      each_element(team, rows, m, [&](int row, int c) {
        coarse.row(rows_of_s, row)[halved_place(c, m)] = s_of(row, c);
      });
    for (int kind = rows_of_y; kind <= rows_of_z; ++kind)
      if (coarse.step[kind])
        each_element(team, coarse.count(kind), m, [&](int number, int c) {
          coarse.row(kind, number)[halved_place(c, m)] = across(kind, number, c);
        });
  }
};

/// Every second row is eliminated, along y or z. p: along that axis, q: along the other one.
struct halving_rows {
  const made_operator<float>& fine;
  const made_operator<float>& coarse;
  halved_axis axis;
  made_weights w;
  bool along_z;

  DWELL_FN int others() const { return fine.n[along_z ? 1 : 0]; }
  DWELL_FN bool others_wrap() const { return fine.wraps[along_z ? 1 : 0]; }
  DWELL_FN static int row_of(const made_operator<float>& a, bool along_z, int p, int q) {
    return along_z ? a.number(p, q) : a.number(q, p);
  }
  DWELL_FN int fine_row(int p, int q) const { return row_of(fine, along_z, p, q); }
  DWELL_FN int coarse_row(int p, int q) const { return row_of(coarse, along_z, p, q); }
  /// Faces before p along the axis, and before q across it.
  DWELL_FN const float* face(int p, int q) const {
    return along_z ? fine.row(rows_of_z, fine.number(p, q))
                   : fine.row(rows_of_y, fine.number_of_y(q, p));
  }
  DWELL_FN const float* cross(int p, int q) const {
    return along_z ? fine.row(rows_of_y, fine.number_of_y(p, q))
                   : fine.row(rows_of_z, fine.number(q, p));
  }
  /// at: a place in halved rows of cells.
  DWELL_FN elimination<float> eliminated(int p, int q, int at) const {
    return {face(p, q)[at], face(p + 1, q)[at], fine.row(rows_of_s, fine_row(p, q))[at]};
  }
  DWELL_FN long long weight_at(int row, int at) const {
    return static_cast<long long>(row) * fine.n[2] + at;
  }
  DWELL_FN void put_weights(int row, int at) const {
    const int ny = coarse.n[1], k = row / ny, j = row % ny;
    const int p = along_z ? k : j, q = along_z ? j : k;
    const int before = axis.before(p), after = axis.after(p);
    w.before[weight_at(row, at)] = before < 0 ? 0.0f : eliminated(before, q, at).after;
    w.after[weight_at(row, at)] = after < 0 ? 0.0f : eliminated(after, q, at).before;
  }

  /// The face before coarse row p, 0 to m, of cell i.
  DWELL_FN float along(int p, int q, int i) const {
    const int m = axis.coarse(), n = axis.n, nx = fine.n[2], at = halved_place(i, nx);
    if (axis.wraps && m == 1) return 0;
    const int slot = axis.wraps && p == m ? 0 : p;
    if (slot >= axis.between()) return face(axis.odd_ring() ? n - 1 : n, q)[at];
    const int cell = 2 * slot, nq = others();
    const elimination<float> own = eliminated(cell, q, at);
    float all = own.series;
    const auto through = [&](int number, int other) {
      all += shear(cross(cell, number)[at], own.before, eliminated(cell, other, at).before);
    };
    const auto along_x = [&](int number, int other) {
      const float t = fine.row(rows_of_x, fine_row(cell, q))[halved_place(number, nx + 1)];
      all += shear(t, own.before, eliminated(cell, q, halved_place(other, nx)).before);
    };
    const bool ring = others_wrap() && nq > 1;
    if (q > 0) through(q, q - 1);
    if (i > 0) along_x(i, i - 1);
    if (i + 1 < nx) along_x(i + 1, i + 1);
    if (fine.wraps[2] && nx > 1) {
      if (i == 0) along_x(0, nx - 1);
      if (i == nx - 1) along_x(0, 0);
    }
    if (q + 1 < nq) through(q + 1, q + 1);
    if (ring && q == nq - 1) through(0, 0);
    if (ring && q == 0) through(0, nq - 1);
    return all;
  }
  /// Sums over a coarse row and the parts of its neighbours, by the weights of two places.
  DWELL_FN float summed(const float* centre, const float* before, const float* after, int at,
                        long long one, long long two) const {
    return centre[at] + 0.5f * ((w.before[one] + w.before[two]) * before[at] +
                                (w.after[one] + w.after[two]) * after[at]);
  }
  /// Rows of x (of its faces i = 0 to nx), of s, and of faces across, of coarse row p.
  DWELL_FN float of_row(int kind, int row, int i) const {
    const int ny = coarse.n[1], nx = fine.n[2], k = row / ny, j = row % ny;
    const int p = along_z ? k : j, q = along_z ? j : k;
    const auto from = [&](int at) { return fine.row(kind, fine_row(at < 0 ? 0 : at, q)); };
    const bool faces = kind == rows_of_x;
    const int last = nx - 1,
              before = !faces          ? i
                       : i > 0         ? i - 1
                       : fine.wraps[2] ? last
                                       : 0,
              after = !faces          ? i
                      : i <= last     ? i
                      : fine.wraps[2] ? 0
                                      : last;
    return summed(from(axis.centre(p)), from(axis.before(p)), from(axis.after(p)),
                  halved_place(i, faces ? nx + 1 : nx), weight_at(row, halved_place(before, nx)),
                  weight_at(row, halved_place(after, nx)));
  }
  DWELL_FN float across(int p, int q, int at) const {
    const int nq = others();
    const bool ring = others_wrap();
    const auto from = [&](int cell) { return cross(cell < 0 ? 0 : cell, q); };
    const int one = coarse_row(p, q > 0 ? q - 1 : ring ? nq - 1 : 0);
    const int two = coarse_row(p, q < nq ? q : ring ? 0 : nq - 1);
    return summed(from(axis.centre(p)), from(axis.before(p)), from(axis.after(p)), at,
                  weight_at(one, at), weight_at(two, at));
  }

  template <class Team>
  DWELL_FN void operator()(Team& team) const {
    const int rows = coarse.rows(), nx = fine.n[2];
    each_element(team, rows, nx, [&](int row, int at) { put_weights(row, at); });
    team.sync_grid();
    const int moving = along_z ? rows_of_z : rows_of_y, other = along_z ? rows_of_y : rows_of_z;
    // Lines of numbers: along_z (p, q), else (q, p).
    each_element(team, coarse.count(moving), nx, [&](int number, int i) {
      const int lines = along_z ? coarse.n[1] : coarse.n[1] + 1;
      const int k = number / lines, j = number % lines;
      coarse.row(moving, number)[halved_place(i, nx)] = along(along_z ? k : j, along_z ? j : k, i);
    });
    each_element(team, rows, nx + 1, [&](int row, int i) {
      coarse.row(rows_of_x, row)[halved_place(i, nx + 1)] = of_row(rows_of_x, row, i);
    });
    if (coarse.step[rows_of_s])
      each_element(team, rows, nx, [&](int row, int i) {
        coarse.row(rows_of_s, row)[halved_place(i, nx)] = of_row(rows_of_s, row, i);
      });
    if (coarse.step[other])
      each_element(team, coarse.count(other), nx, [&](int number, int at) {
        const int lines = along_z ? coarse.n[1] + 1 : coarse.n[1];
        const int k = number / lines, j = number % lines;
        coarse.row(other, number)[at] = across(along_z ? k : j, along_z ? j : k, at);
      });
  }
};

}  // namespace dwell::grids
