// SPDX-License-Identifier: MIT
// Weights from the operator of a level, and the operator of the next one.
#include "dwell/solvers/grid/galerkin.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "dwell/base/interruption.hpp"

namespace dwell::grids {
namespace {

constexpr double strong_axis = 0.5;  ///< axes are halved whose mean conductance is so much of the
                                     ///< strongest one's

using box_row = std::array<double, 27>;
using position = std::array<int, 3>;  ///< z, y, x

/// The neighbour along an axis, -1 if there is none; a cell is none of its own.
int beside(const grid_shape& g, std::size_t axis, int i, int step) {
  const int n = g.n[axis], to = i + step;
  if (to >= 0 && to < n) return to;
  return g.wraps[axis] && n > 1 ? (to + n) % n : -1;
}

std::size_t cell_of(const grid_shape& g, const position& p) {
  return (std::size_t(p[0]) * std::size_t(g.n[1]) + std::size_t(p[1])) * std::size_t(g.n[2]) +
         std::size_t(p[2]);
}

template <class F>
void each_cell(const grid_shape& g, F&& f) {
  position p;
  for (p[0] = 0; p[0] < g.n[0]; ++p[0])
    for (p[1] = 0; p[1] < g.n[1]; ++p[1])
      for (p[2] = 0; p[2] < g.n[2]; ++p[2]) f(p);
}

/// f(step, its slot) for all steps of a stencil but none.
template <class F>
void each_step(const box_stencil& b, F&& f) {
  position o;
  for (o[0] = -b.reach[0]; o[0] <= b.reach[0]; ++o[0])
    for (o[1] = -b.reach[1]; o[1] <= b.reach[1]; ++o[1])
      for (o[2] = -1; o[2] <= 1; ++o[2])
        if (o[0] || o[1] || o[2]) f(o, b.slot(o[0], o[1], o[2]));
}

/// Rows of the finest operator.
template <class V>
struct face_rows {
  const coefficients<V>& a;
  const grid_shape& shape = a.shape;
  box_stencil box = box_stencil::of(a.shape);

  void get(const position& p, box_row& row) const {
    row.fill(0);
    const auto [k, j, i] = p;
    double sum = double(a.s_cells(k, j)[i]);
    const V faces[3][2] = {{a.z_faces(k, j)[i], a.z_faces(k + 1, j)[i]},
                           {a.y_faces(k, j)[i], a.y_faces(k, j + 1)[i]},
                           {a.x_faces(k, j)[i], a.x_faces(k, j)[i + 1]}};
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (const int high : {0, 1}) {
        const double w = double(faces[axis][high]);
        if (beside(shape, axis, p[axis], 2 * high - 1) < 0) {
          sum += w;  // a side, beyond which u is 0
        } else if (shape.n[axis] > 1) {
          position o{};
          o[axis] = 2 * high - 1;
          row[std::size_t(box.slot(o[0], o[1], o[2]))] = w;
        }
      }
    row[std::size_t(box.slot(0, 0, 0))] = sum;
  }
};
struct level_rows {
  const galerkin_level& l;
  const grid_shape& shape = l.shape;
  box_stencil box = l.box;
  void get(const position& p, box_row& row) const {
    const auto count = std::size_t(box.count());
    std::copy_n(&l.a[cell_of(shape, p) * count], count, row.begin());
  }
};

/// Axes whose faces conduct, on average, at least half as well as the strongest one's.
template <class Rows>
std::array<halved_axis, 3> halved_axes(const Rows& a) {
  std::array<double, 3> by{};
  box_row row;
  each_cell(a.shape, [&](const position& p) {
    a.get(p, row);
    each_step(a.box, [&](const position& o, int slot) {
      for (std::size_t axis = 0; axis < 3; ++axis)
        if (o[axis] != 0) by[axis] += row[std::size_t(slot)];
    });
  });
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const int n = a.shape.n[axis];
    const double faces = n > 1 ? double(n - (a.shape.wraps[axis] ? 0 : 1)) / n : 1;
    by[axis] /= 2 * faces;
  }
  const double most = std::max({by[0], by[1], by[2]});
  std::array<halved_axis, 3> axes;
  for (std::size_t axis = 0; axis < 3; ++axis)
    axes[axis] = {a.shape.n[axis], a.shape.wraps[axis],
                  a.shape.n[axis] > 1 && by[axis] >= strong_axis * most};
  return axes;
}

/// Bits of corners, by axis: 0 where an axis is not halved.
std::array<int, 3> corner_bits(const std::array<halved_axis, 3>& axes) {
  std::array<int, 3> bits{};
  int next = 1;
  for (const std::size_t axis : {2, 1, 0})
    if (axes[axis].halved) bits[axis] = next, next *= 2;
  return bits;
}

/// The weights of a cell between coarse ones along the axes of `among`: of its own row, whose
/// elements along all other axes are added up, so that it is a row along these alone. Neighbours in
/// it lie between coarse cells along fewer axes, and have their weights.
template <class Rows>
void interpolate(const Rows& a, corner_weights& s, const std::array<int, 3>& bits, int among,
                 const position& p, box_row& row) {
  a.get(p, row);
  std::array<double, 27> lumped{};
  double all = std::max(row[std::size_t(a.box.slot(0, 0, 0))], 0.0);
  const auto number = [&](const position& o) {
    int at = 0;
    for (std::size_t axis = 0; axis < 3; ++axis)
      at = at * 3 + (among & bits[axis] ? o[axis] + 1 : 1);
    return std::size_t(at);
  };
  each_step(a.box,
            [&](const position& o, int slot) { lumped[number(o)] += row[std::size_t(slot)]; });
  lumped[13] = 0;
  for (double& w : lumped) w = std::max(w, 0.0), all += w;
  std::array<double, 8> sum{};
  if (all > 0)
    each_step(a.box, [&](const position& o, int) {
      const std::size_t at = number(o);
      if (lumped[at] == 0) return;
      position q = p;
      int fixed = 0, free = among;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (o[axis] == 0) continue;
        if (!(among & bits[axis])) return;  // has been added up
        q[axis] = beside(a.shape, axis, p[axis], o[axis]);
        if (o[axis] > 0) fixed |= bits[axis];
        free &= ~bits[axis];
      }
      const float* const of = &s.w[cell_of(a.shape, q) * std::size_t(s.corners)];
      for (int c = 0; c < s.corners; ++c)
        if ((c & ~free) == 0) sum[std::size_t(c | fixed)] += lumped[at] / all * double(of[c]);
    });
  float* const to = &s.w[cell_of(a.shape, p) * std::size_t(s.corners)];
  for (int c = 0; c < s.corners; ++c) to[c] = float(sum[std::size_t(c)]);
}

template <class Rows>
corner_weights weights_of(const Rows& a) {
  corner_weights s;
  s.axes = halved_axes(a);
  const std::array<int, 3> bits = corner_bits(s.axes);
  for (const halved_axis& axis : s.axes) s.corners *= axis.halved ? 2 : 1;
  s.w.assign(a.shape.cells() * std::size_t(s.corners), 0.0f);
  box_row row;
  for (int axes = 0; axes <= 3; ++axes)  // that a cell lies between coarse ones along
    each_cell(a.shape, [&](const position& p) {
      int among = 0;
      for (std::size_t axis = 0; axis < 3; ++axis)
        if (!s.axes[axis].is_coarse(p[axis])) among |= bits[axis];
      if (std::popcount(unsigned(among)) != axes) return;
      if (axes == 0)
        s.w[cell_of(a.shape, p) * std::size_t(s.corners)] = 1;
      else
        interpolate(a, s, bits, among, p, row);
    });
  return s;
}

/// Calls f(coarse cell along each axis, weight) for the corners of a cell.
template <class F>
void each_corner(const corner_weights& s, const std::array<int, 3>& bits, const grid_shape& fine,
                 const position& p, F&& f) {
  const float* const w = &s.w[cell_of(fine, p) * std::size_t(s.corners)];
  for (int c = 0; c < s.corners; ++c) {
    if (w[c] == 0) continue;
    position to;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const halved_axis& ax = s.axes[axis];
      to[axis] = ax.is_coarse(p[axis]) ? ax.coarse_at(p[axis])
                 : c & bits[axis]      ? ax.coarse_after(p[axis])
                                       : ax.coarse_before(p[axis]);
    }
    f(to, double(w[c]));
  }
}

/// The step from coarse cell c to d along an axis; of a ring of two always 1.
int step_between(int c, int d, int n, bool wraps) {
  int step = d - c;
  if (!wraps || n < 2) return step;
  if (n == 2) return step != 0;
  if (step == n - 1) step = -1;
  if (step == 1 - n) step = 1;
  return step;
}

/// P'AP.
template <class Rows>
galerkin_level next_level(const Rows& a, const corner_weights& s, bool singular, bool vectors) {
  const std::array<int, 3> bits = corner_bits(s.axes);
  galerkin_level next;
  grid_shape& g = next.shape;
  g = a.shape;
  for (std::size_t axis = 0; axis < 3; ++axis) g.n[axis] = s.axes[axis].coarse();
  next.box = box_stencil::of(g);
  const auto count = std::size_t(next.box.count());
  std::vector<double> sums(g.cells() * count, 0.0);
  std::vector<float> whole(a.shape.cells());  // P 1
  for (std::size_t i = 0; i < whole.size(); ++i)
    for (int c = 0; c < s.corners; ++c)
      whole[i] += s.w[i * std::size_t(s.corners) + std::size_t(c)];
  box_row row;
  const auto add = [&](const position& from, double by, const position& to, double w) {
    position o;
    for (std::size_t axis = 0; axis < 3; ++axis)
      o[axis] = step_between(from[axis], to[axis], g.n[axis], g.wraps[axis]);
    if (o[0] == 0 && o[1] == 0 && o[2] == 0) return;
    sums[cell_of(g, from) * count + std::size_t(next.box.slot(o[0], o[1], o[2]))] += by * w;
  };
  each_cell(a.shape, [&](const position& p) {
    a.get(p, row);
    const double own = double(whole[cell_of(a.shape, p)]);
    double diagonal = row[std::size_t(a.box.slot(0, 0, 0))], of_whole = diagonal * own;
    std::array<std::pair<position, double>, 27> around;
    std::size_t found = 0;
    each_step(a.box, [&](const position& o, int slot) {
      const double w = row[std::size_t(slot)];
      if (w == 0) return;
      position q;
      for (std::size_t axis = 0; axis < 3; ++axis)
        q[axis] = beside(a.shape, axis, p[axis], o[axis]);
      diagonal += w;
      of_whole += w * (own - double(whole[cell_of(a.shape, q)]));
      around[found++] = {q, w};
    });
    each_corner(s, bits, a.shape, p, [&](const position& from, double by) {
      sums[cell_of(g, from) * count + std::size_t(next.box.slot(0, 0, 0))] += by * of_whole;
      each_corner(s, bits, a.shape, p,
                  [&](const position& to, double w) { add(from, by, to, -diagonal * w); });
      for (std::size_t n = 0; n < found; ++n)
        each_corner(s, bits, a.shape, around[n].first,
                    [&](const position& to, double w) { add(from, by, to, around[n].second * w); });
    });
  });
  // Symmetric to the last bit: a pair has the element of the one that lies first.
  each_cell(g, [&](const position& p) {
    const std::size_t own = cell_of(g, p);
    each_step(next.box, [&](const position& o, int slot) {
      position q, back;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        q[axis] = beside(g, axis, p[axis], o[axis]);
        if (q[axis] < 0) return;
        back[axis] = step_between(q[axis], p[axis], g.n[axis], g.wraps[axis]);
      }
      const std::size_t other = cell_of(g, q);
      if (own < other)
        sums[other * count + std::size_t(next.box.slot(back[0], back[1], back[2]))] =
            sums[own * count + std::size_t(slot)];
    });
  });
  next.a.assign(sums.begin(), sums.end());
  next.inverse.resize(g.cells());
  const auto middle = std::size_t(next.box.slot(0, 0, 0));
  for (std::size_t i = 0; i < g.cells(); ++i) {
    float* const of = &next.a[i * count];
    if (singular) of[middle] = 0;
    double d = 0;
    for (std::size_t e = 0; e < count; ++e) d += double(of[e]);
    next.inverse[i] = d > 0 ? 1 / d : 0;
  }
  if (vectors)
    for (std::vector<double>* const v : {&next.u, &next.f, &next.r}) v->assign(g.cells(), 0.0);
  return next;
}

profile_factor factor_of(const galerkin_level& l, bool singular) {
  const level_rows rows{l};
  box_row row;
  return profile_factor(l.shape.n, singular, false, [&](auto&& element) {
    each_cell(l.shape, [&](const position& p) {
      rows.get(p, row);
      double diagonal = row[std::size_t(l.box.slot(0, 0, 0))];
      each_step(l.box, [&](const position& o, int slot) {
        position q;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          q[axis] = beside(l.shape, axis, p[axis], o[axis]);
          if (q[axis] < 0) return;
        }
        const double w = row[std::size_t(slot)];
        diagonal += w;
        element(p, q, -w);
      });
      element(p, p, diagonal);
    });
  });
}

}  // namespace

std::size_t galerkin_levels::bytes() const {
  std::size_t all = step.w.size() * sizeof(float) + bottom.bytes();
  for (const galerkin_level& l : levels)
    all += (l.a.size() + l.step.w.size()) * sizeof(float) +
           (l.inverse.size() + 3 * l.shape.cells()) * sizeof(double);
  return all;
}

template <class V>
galerkin_levels make_galerkin(const coefficients<V>& finest, bool singular, std::size_t most_bottom,
                              bool vectors) {
  galerkin_levels h;
  {
    const face_rows<V> a{finest};
    h.step = weights_of(a);
    poll_interruption();
    h.levels.push_back(next_level(a, h.step, singular, vectors));
  }
  while (h.levels.back().shape.cells() > most_bottom) {
    poll_interruption();
    galerkin_level& l = h.levels.back();
    const level_rows a{l};
    l.step = weights_of(a);
    galerkin_level next = next_level(a, l.step, singular, vectors);
    h.levels.push_back(std::move(next));
  }
  h.bottom = factor_of(h.levels.back(), singular);
  return h;
}

template galerkin_levels make_galerkin(const coefficients<double>&, bool, std::size_t, bool);
template galerkin_levels make_galerkin(const coefficients<float>&, bool, std::size_t, bool);

}  // namespace dwell::grids
