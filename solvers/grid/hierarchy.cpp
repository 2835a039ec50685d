// SPDX-License-Identifier: MIT
// Which axes are halved, the levels, and where they end.
#include "dwell/solvers/grid/hierarchy.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dwell/base/interruption.hpp"
#include "dwell/solvers/grid/half_rows.hpp"
#include "dwell/solvers/grid/setup_threads.hpp"

namespace dwell::grids {
namespace {

constexpr std::size_t bottom_cells = 64, bottom_cells_of_jumps = 1024;
constexpr double jump = 10;  ///< contrast, from which coefficients are said to jump
constexpr double strong = 0.5;

/// Puts the rows of n elements at these places into halves, or back, each once; row 0 of a pool of
/// coefficients is 0 and stays.
template <class V>
void halve_at(std::vector<V>& pool, std::vector<std::size_t> places, int n, bool back = false) {
  const auto once = [&] { places.erase(std::unique(places.begin(), places.end()), places.end()); };
  once();  // rows that share their memory mostly follow each other
  if (!std::ranges::is_sorted(places)) std::ranges::sort(places);
  once();
  const std::size_t elements = places.size() * std::size_t(n);
  for_pieces(places.size(), elements, [&](std::size_t begin, std::size_t end) {
    std::vector<V> row(static_cast<std::size_t>(n));
    for (std::size_t p = begin; p < end; ++p) {
      const std::size_t at = places[p];
      if (back)
        join_row(&pool[at], row.data(), n);
      else
        split_row(&pool[at], row.data(), n);
      std::ranges::copy(row, pool.begin() + std::ptrdiff_t(at));
    }
  });
}
std::vector<std::size_t> joined(std::vector<std::size_t> a, const std::vector<std::size_t>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

template <class V>
void make_inverse(level<V>& l) {
  const auto ny = std::size_t(l.a.shape.n[1]);
  const int nx = l.a.shape.n[2];
  row_places<V> places(l.inverse, l.a.shared);
  l.inverse_at.resize(l.a.shape.rows());
  places.each(l.a.shape.rows(), l.a.shape.cells(), [&](auto& to, std::size_t at) {
    const int k = int(at / ny), j = int(at % ny);
    const std::size_t y0 = l.a.y[l.a.face_y(k, j)], y1 = l.a.y[l.a.face_y(k, j + 1)];
    const std::size_t z0 = l.a.z[at], z1 = l.a.z[l.a.row(k + 1, j)];
    l.inverse_at[at] = to.place({l.a.x[at], y0, y1, z0, z1, l.a.s[at]}, nx, [&](V* row) {
      const V* const p = l.a.pool.data();
      const V *const x = p + l.a.x[at], *const s = p + l.a.s[at];
      for (int i = 0; i < nx; ++i) {
        const V d = ((x[i] + x[i + 1]) + (p[z0 + std::size_t(i)] + p[z1 + std::size_t(i)])) +
                    ((p[y0 + std::size_t(i)] + p[y1 + std::size_t(i)]) + s[i]);
        row[i] = d > V(0) ? V(1) / d : V(0);
      }
    });
  });
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

bool jumps(const axis_facts& f) {
  double worst = 1;
  for (std::size_t m = 0; m < 3; ++m)
    if (f.most[m] > 0) worst = std::max(worst, f.most[m] / f.least[m]);
  return worst > jump;
}
std::array<bool, 3> halved_axes(const axis_facts& f) {
  std::array<double, 3> mean{};
  for (std::size_t m = 0; m < 3; ++m) mean[m] = f.faces[m] > 0 ? f.sum[m] / f.faces[m] : 0;
  const double strongest = std::max({mean[0], mean[1], mean[2]});
  std::array<bool, 3> halved{};
  for (std::size_t m = 0; m < 3; ++m) halved[m] = f.faces[m] > 0 && mean[m] >= strong * strongest;
  return halved;
}

template <class V>
axis_facts facts_of_axes(const coefficients<V>& a, plane_range own, bool first) {
  const auto ny = std::size_t(a.shape.n[1]);
  const int nx = a.shape.n[2];
  const std::size_t rows = std::size_t(own.size()) * ny;
  struct row_key {
    std::size_t x = 0, y = 0, z = 0;
    bool has_y = false, has_z = false;
    bool operator==(const row_key&) const = default;
  };
  const auto key_of = [&](std::size_t r) {
    const int k = own.begin + int(r / ny), j = int(r % ny);
    return row_key{a.x[a.row(k, j)], a.y[a.face_y(k, j)], a.z[a.row(k, j)], j > 0,
                   k > own.begin || !first};
  };
  const auto take = [&](axis_facts& f, const row_key& row) {
    const auto along = [&](int axis, std::size_t place, int from) {
      f.take_row(axis, from, nx, [of = &a.pool[place]](int i) { return of[i]; });
    };
    if (nx > 1) along(x_axis, row.x, 1);
    if (row.has_y) along(y_axis, row.y, 0);
    if (row.has_z) along(z_axis, row.z, 0);
  };
  std::vector<axis_facts> all(rows);
  if (a.shared) {  // what follows each other is mostly the same
    row_key before;
    for (std::size_t r = 0; r < rows; ++r) {
      const row_key now = key_of(r);
      if (r > 0 && now == before)
        all[r] = all[r - 1];
      else
        take(all[r], now);
      before = now;
    }
  } else {
    for_pieces(rows, rows * std::size_t(nx), [&](std::size_t begin, std::size_t end) {
      for (std::size_t r = begin; r < end; ++r) take(all[r], key_of(r));
    });
  }
  while (all.size() > 1) {
    std::size_t sums = 0;
    for (std::size_t r = 0; r < all.size(); r += facts_together) {
      axis_facts sum = all[r];
      for (std::size_t i = r + 1; i < std::min(r + facts_together, all.size()); ++i)
        sum.add(all[i]);
      all[sums++] = sum;
    }
    all.resize(sums);
  }
  return all.empty() ? axis_facts{} : all[0];
}

std::size_t bottom_cells_of(bool jumps, const chosen_method& method) {
  return !jumps                                        ? bottom_cells
         : method.coarse == coarse_operators::galerkin ? method.galerkin_bottom
                                                       : bottom_cells_of_jumps;
}

int colours_of(const grid_shape& g) {
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (g.wraps[axis] && g.n[axis] > 1 && g.n[axis] % 2) return 3;
  return 2;
}
std::array<halved_axis, 3> step_axes(const grid_shape& g, const std::array<bool, 3>& halved) {
  std::array<halved_axis, 3> axes;
  for (std::size_t axis = 0; axis < 3; ++axis)
    axes[axis] = {g.n[axis], g.wraps[axis], g.n[axis] > 1 && halved[axis]};
  return axes;
}

template <class V>
void begin_level(level<V>& l, const chosen_method& method) {
  const grid_shape& g = l.a.shape;
  l.colours = colours_of(g);
  const std::size_t cells = method.host_vectors ? g.cells() : 0;
  l.u.assign(cells, V(0));
  l.f.assign(cells, V(0));
  make_inverse(l);
}
template <class V>
void finish_level(level<V>& l) {
  halve_rows(l.a);
  halve_at(l.inverse, l.inverse_at, l.a.shape.n[2]);
}

template <class V>
coefficients<V> halve_level(level<V>& l, const std::array<bool, 3>& halved) {
  l.step.axes = step_axes(l.a.shape, halved);
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
  finish_level(l);
  return next;
}

template <class V>
hierarchy<V> make_hierarchy(coefficients<V> finest, bool singular, const chosen_method& method) {
  const grid_shape shape = finest.shape;
  const bool jumps = method.has_levels() && !finest.shared &&
                     grids::jumps(facts_of_axes(finest, {0, shape.n[0]}, true));
  return make_hierarchy(std::move(finest), singular, method, shape, jumps);
}

template <class V>
hierarchy<V> make_hierarchy(coefficients<V> top, bool singular, const chosen_method& method,
                            const grid_shape& finest, bool jumps) {
  hierarchy<V> h;
  h.begin(method, top.shape, finest, jumps);
  const bool galerkin = method.coarse == coarse_operators::galerkin;
  const std::size_t bottom = bottom_cells_of(h.jumps, method);
  coefficients<V> now = std::move(top);
  while (true) {
    poll_interruption();
    h.levels.emplace_back();
    level<V>& l = h.levels.back();
    l.a = std::move(now);
    const grid_shape g = l.a.shape;
    l.own = {0, g.n[0]};
    l.all = g;
    begin_level(l, method);
    if (!method.has_levels()) {
      finish_level(l);
      return h;
    }
    if (g.cells() <= bottom) {
      h.bottom = profile_factor(l.a, singular);
      finish_level(l);
      return h;
    }
    if (h.lines)
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (g.n[axis] == 1) continue;
        l.pivots[axis] = line_pivots(l.a, int(axis));
        std::vector<std::size_t> rows;
        for (std::size_t r = 0; r < g.rows(); ++r) rows.push_back(r * std::size_t(g.n[2]));
        halve_at(l.pivots[axis], std::move(rows), g.n[2]);
      }
    if (galerkin) {
      h.galerkin = make_galerkin(l.a, singular, bottom, method.host_vectors);
      finish_level(l);
      return h;
    }
    now = halve_level(l, halved_axes(facts_of_axes(l.a, l.own, true)));
    h.most_plane = std::max(h.most_plane, l.step.axes[1].coarse() * l.step.axes[2].coarse());
  }
}

template void halve_rows(coefficients<double>&);
template void halve_rows(coefficients<float>&);
template void join_rows(coefficients<float>&);
template hierarchy<double> make_hierarchy(coefficients<double>, bool, const chosen_method&);
template hierarchy<float> make_hierarchy(coefficients<float>, bool, const chosen_method&);
template hierarchy<float> make_hierarchy(coefficients<float>, bool, const chosen_method&,
                                         const grid_shape&, bool);
template axis_facts facts_of_axes(const coefficients<float>&, plane_range, bool);
template void begin_level(level<float>&, const chosen_method&);
template void finish_level(level<float>&);
template coefficients<float> halve_level(level<float>&, const std::array<bool, 3>&);

}  // namespace dwell::grids
