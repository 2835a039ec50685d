// SPDX-License-Identifier: MIT
// Which axes are halved, the levels, and where they end.
#include "dwell/solvers/grid/hierarchy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "dwell/base/interruption.hpp"
#include "dwell/solvers/grid/half_rows.hpp"

namespace dwell::grids {
namespace {

constexpr std::size_t bottom_cells = 64, bottom_cells_of_jumps = 1024,
                      bottom_cells_of_galerkin = 4096;
constexpr double jump = 10;  ///< contrast, from which coefficients are said to jump
constexpr double strong = 0.5;

/// The mean conductance of the faces between cells of an axis; 0 where there are none.
template <class V>
double strength(const coefficients<V>& a, int axis) {
  const int nz = a.shape.n[0], ny = a.shape.n[1], nx = a.shape.n[2];
  double sum = 0;
  std::size_t faces = 0;
  const auto add = [&](const V* row, int begin, int end) {
    double part = 0;
    for (int i = begin; i < end; ++i) part += double(row[i]);
    sum += part;
    faces += std::size_t(end - begin);
  };
  if (axis == x_axis && nx > 1)
    for (int k = 0; k < nz; ++k)
      for (int j = 0; j < ny; ++j) add(a.x_faces(k, j), 1, nx);
  if (axis == y_axis && ny > 1)
    for (int k = 0; k < nz; ++k)
      for (int j = 1; j < ny; ++j) add(a.y_faces(k, j), 0, nx);
  if (axis == z_axis && nz > 1)
    for (int k = 1; k < nz; ++k)
      for (int j = 0; j < ny; ++j) add(a.z_faces(k, j), 0, nx);
  return faces ? sum / double(faces) : 0;
}

/// Puts the rows of n elements at these places into halves, or back, each once; row 0 of a pool of
/// coefficients is 0 and stays.
template <class V>
void halve_at(std::vector<V>& pool, std::vector<std::size_t> places, int n, bool back = false) {
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  std::vector<V> row(static_cast<std::size_t>(n));
  for (const std::size_t at : places) {
    if (back)
      join_row(&pool[at], row.data(), n);
    else
      split_row(&pool[at], row.data(), n);
    std::copy(row.begin(), row.end(), pool.begin() + std::ptrdiff_t(at));
  }
}
std::vector<std::size_t> joined(std::vector<std::size_t> a, const std::vector<std::size_t>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

template <class V>
void make_inverse(level<V>& l) {
  const int nz = l.a.shape.n[0], ny = l.a.shape.n[1], nx = l.a.shape.n[2];
  row_places<V> places(l.inverse, l.a.shared);
  if (!l.a.shared) l.inverse.reserve(l.a.shape.cells());
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j) {
      const std::size_t at = l.a.row(k, j), y0 = l.a.y[l.a.face_y(k, j)],
                        y1 = l.a.y[l.a.face_y(k, j + 1)];
      const std::size_t z0 = l.a.z[at], z1 = l.a.z[l.a.row(k + 1, j)];
      l.inverse_at.push_back(places.place({l.a.x[at], y0, y1, z0, z1, l.a.s[at]}, nx, [&](V* row) {
        const V* const p = l.a.pool.data();
        const V *const x = p + l.a.x[at], *const s = p + l.a.s[at];
        for (int i = 0; i < nx; ++i) {
          const V d = ((x[i] + x[i + 1]) + (p[z0 + std::size_t(i)] + p[z1 + std::size_t(i)])) +
                      ((p[y0 + std::size_t(i)] + p[y1 + std::size_t(i)]) + s[i]);
          row[i] = d > V(0) ? V(1) / d : V(0);
        }
      }));
    }
}

/// Inverse pivots of the lines along an axis, each a matrix of three diagonals that is factored. A
/// pivot that rounding has made 0 leaves its cell out. Rows are in the order of memory.
template <class V>
std::vector<V> line_pivots(const coefficients<V>& a, int axis) {
  const auto [nz, ny, nx] = a.shape.n;
  std::vector<V> by(a.shape.cells());
  const std::size_t row = std::size_t(nx), back = axis == x_axis   ? 1
                                                  : axis == y_axis ? row
                                                                   : row * std::size_t(ny);
  std::size_t at = 0;
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i, ++at) {
        const V *const x = a.x_faces(k, j), *const y0 = a.y_faces(k, j),
                       *const y1 = a.y_faces(k, j + 1), *const z0 = a.z_faces(k, j),
                       *const z1 = a.z_faces(k + 1, j);
        const double d = (double(x[i]) + double(x[i + 1])) + (double(y0[i]) + double(y1[i])) +
                         (double(z0[i]) + double(z1[i])) + double(a.s_cells(k, j)[i]);
        const int place = axis == x_axis ? i : axis == y_axis ? j : k;
        const double w = place == 0 ? 0
                                    : double(axis == x_axis   ? x[i]
                                             : axis == y_axis ? y0[i]
                                                              : z0[i]);
        const double pivot = d - (place == 0 ? 0 : w * w * double(by[at - back]));
        by[at] = pivot > 1e-6 * d ? V(1 / pivot) : V(0);
      }
  return by;
}

/// The largest of the conductances of faces between cells over the least, of the axis where it is
/// largest.
template <class V>
double contrast(const coefficients<V>& a) {
  const int nz = a.shape.n[0], ny = a.shape.n[1], nx = a.shape.n[2];
  double worst = 1;
  const auto axis = [&](auto&& rows) {
    V least = std::numeric_limits<V>::max(), most = 0;
    rows([&](const V* row, int begin, int end) {
      for (int i = begin; i < end; ++i) {
        least = std::min(least, row[i]);
        most = std::max(most, row[i]);
      }
    });
    if (most > V(0)) worst = std::max(worst, double(most) / double(least));
  };
  axis([&](auto&& add) {
    for (int k = 0; k < nz; ++k)
      for (int j = 0; j < ny; ++j) add(a.x_faces(k, j), 1, nx);
  });
  axis([&](auto&& add) {
    for (int k = 0; k < nz; ++k)
      for (int j = 1; j < ny; ++j) add(a.y_faces(k, j), 0, nx);
  });
  axis([&](auto&& add) {
    for (int k = 1; k < nz; ++k)
      for (int j = 0; j < ny; ++j) add(a.z_faces(k, j), 0, nx);
  });
  return worst;
}

template <class V>
void reorder_rows(coefficients<V>& a, bool back) {
  halve_at(a.pool, joined(joined(a.s, a.y), a.z), a.shape.n[2], back);
  std::vector<std::size_t> faces = a.x;
  std::erase(faces, std::size_t(0));  // a row of cells, too
  halve_at(a.pool, std::move(faces), a.shape.n[2] + 1, back);
}
}  // namespace

template <class V>
void halve_rows(coefficients<V>& a) {
  reorder_rows(a, false);
}
template <class V>
void join_rows(coefficients<V>& a) {
  reorder_rows(a, true);
}

template <class V>
hierarchy<V> make_hierarchy(coefficients<V> finest, bool singular, const chosen_method& method) {
  const bool coarser = method.has_levels();
  hierarchy<V> h;
  h.zeros.assign(std::size_t(finest.shape.n[2] + 1), V(0));
  h.jumps = coarser && !finest.shared && contrast(finest) > jump;
  h.twice = coarser &&
            (method.cycle == grid_cycle::w || (method.cycle == grid_cycle::automatic && h.jumps));
  const bool galerkin = method.coarse == coarse_operators::galerkin;
  h.lines = coarser && method.smoother == grid_smoother::lines;
  if (h.lines) {
    h.line_residual.resize(finest.shape.cells());
    h.line_sums.resize(finest.shape.cells());
  }
  const std::size_t bottom = !h.jumps   ? bottom_cells
                             : galerkin ? bottom_cells_of_galerkin
                                        : bottom_cells_of_jumps;
  coefficients<V> now = std::move(finest);
  while (true) {
    poll_interruption();
    h.levels.emplace_back();
    level<V>& l = h.levels.back();
    l.a = std::move(now);
    const grid_shape g = l.a.shape;
    for (int axis = 0; axis < 3; ++axis)
      if (g.wraps[std::size_t(axis)] && g.n[std::size_t(axis)] > 1 && g.n[std::size_t(axis)] % 2)
        l.colours = 3;
    l.u.assign(g.cells(), V(0));
    l.f.assign(g.cells(), V(0));
    if (!coarser) {
      make_inverse(l);
      halve_rows(l.a);
      halve_at(l.inverse, l.inverse_at, g.n[2]);
      return h;
    }
    if (g.cells() <= bottom) {
      h.bottom = profile_factor(l.a, singular);
      halve_rows(l.a);
      return h;
    }
    make_inverse(l);
    if (h.lines)
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (g.n[axis] == 1) continue;
        l.pivots[axis] = line_pivots(l.a, int(axis));
        std::vector<std::size_t> rows;
        for (std::size_t r = 0; r < g.rows(); ++r) rows.push_back(r * std::size_t(g.n[2]));
        halve_at(l.pivots[axis], std::move(rows), g.n[2]);
      }
    if (galerkin) {
      h.galerkin = make_galerkin(l.a, singular, bottom);
      halve_rows(l.a);
      halve_at(l.inverse, l.inverse_at, g.n[2]);
      return h;
    }
    std::array<double, 3> by{};
    for (int axis = 0; axis < 3; ++axis) by[std::size_t(axis)] = strength(l.a, axis);
    const double most = std::max({by[0], by[1], by[2]});
    for (std::size_t axis = 0; axis < 3; ++axis)
      l.step.axes[axis] = {g.n[axis], g.wraps[axis], g.n[axis] > 1 && by[axis] >= strong * most};
    const coefficients<V>* from = &l.a;
    coefficients<V> next;
    for (const int axis : {x_axis, y_axis, z_axis}) {
      if (!l.step.axes[std::size_t(axis)].halved) continue;
      auto [a, w] = coarsened(*from, axis);
      next = std::move(a);
      from = &next;
      if (axis != x_axis) halve_at(w.pool, joined(w.before, w.after), next.shape.n[2]);
      (axis == x_axis ? l.step.x : axis == y_axis ? l.step.y : l.step.z) = std::move(w);
    }
    h.most_plane = std::max(h.most_plane, l.step.axes[1].coarse() * l.step.axes[2].coarse());
    halve_rows(l.a);
    halve_at(l.inverse, l.inverse_at, g.n[2]);
    now = std::move(next);
  }
}

template void halve_rows(coefficients<double>&);
template void halve_rows(coefficients<float>&);
template void join_rows(coefficients<float>&);
template hierarchy<double> make_hierarchy(coefficients<double>, bool, const chosen_method&);
template hierarchy<float> make_hierarchy(coefficients<float>, bool, const chosen_method&);

}  // namespace dwell::grids
