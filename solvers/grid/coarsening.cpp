// SPDX-License-Identifier: MIT
// Elimination along one axis.
#include "dwell/solvers/grid/coarsening.hpp"

#include <algorithm>

#include "dwell/solvers/grid/elimination.hpp"
#include "dwell/solvers/grid/setup_threads.hpp"

namespace dwell::grids {
namespace {

/// Adds shear() to the series of both.
template <class V>
void add_shear(V t, V w, V other, V& series, V& other_series) {
  const V more = shear(t, w, other);
  series += more;
  other_series += more;
}

/// Places of weights: rows of zeros where a coarse cell has no such neighbour.
template <class V>
coefficients<V> begun(const coefficients<V>& fine, int axis, int coarse) {
  coefficients<V> c;
  c.shape = fine.shape;
  c.shape.n[std::size_t(axis)] = coarse;
  c.shared = fine.shared;
  if (!c.shared) c.pool.reserve(fine.pool.size() * 5 / 8);
  c.pool.assign(std::size_t(c.shape.n[2] + 1), V(0));
  return c;
}

/// Adds add_shear() of faces across x to the series in rows of c.
template <class V>
void add_shears_of_x(const coefficients<V>& fine, const halved_axis& ax, coefficients<V>& c) {
  const int nz = fine.shape.n[0], ny = fine.shape.n[1], m = ax.coarse();
  // Adds those of the cells that are eliminated between faces begin .. end - 1.
  const auto add = [&](std::size_t face, int k0, int j0, int k1, int j1, int begin, int end) {
    const std::size_t one = fine.row(k0, j0), other = fine.row(k1, j1);
    if (face == 0 || one == other) return;
    const V *const f0 = &fine.pool[fine.x[one]], *const s0 = &fine.pool[fine.s[one]];
    const V *const f1 = &fine.pool[fine.x[other]], *const s1 = &fine.pool[fine.s[other]];
    const V* const t = &fine.pool[face];
    V *const x0 = &c.pool[c.x[one]], *const x1 = &c.pool[c.x[other]];
    for (int i = begin, p = 2 * begin; i < end; ++i, p += 2)
      add_shear(t[p], elimination<V>(f0[p], f0[p + 1], s0[p]).before,
                elimination<V>(f1[p], f1[p + 1], s1[p]).before, x0[i], x1[i]);
  };
  const int all = ax.between();
  const std::size_t cells = c.shape.cells();
  for_pieces(std::size_t(nz), cells, [&](std::size_t begin, std::size_t end) {
    for (int k = int(begin); k < int(end); ++k)
      for (int j = fine.shape.wraps[1] ? 0 : 1; j < ny; ++j)
        add(fine.y[fine.face_y(k, j)], k, (j + ny - 1) % ny, k, j, 0, all);
  });
  const auto along_z = [&](int j, int begin, int end) {
    for (int k = fine.shape.wraps[0] ? 0 : 1; k < nz; ++k)
      add(fine.z[fine.row(k, j)], (k + nz - 1) % nz, j, k, j, begin, end);
  };
  if (ny > 1)
    for_pieces(std::size_t(ny), cells, [&](std::size_t begin, std::size_t end) {
      for (int j = int(begin); j < int(end); ++j) along_z(j, 0, all);
    });
  else
    for_pieces(std::size_t(all), cells,
               [&](std::size_t begin, std::size_t end) { along_z(0, int(begin), int(end)); });
  if (ax.wraps)
    for (const std::size_t at : c.x) c.pool[at + std::size_t(m)] = c.pool[at];
}

template <class V>
std::pair<coefficients<V>, axis_weights<V>> coarsened_x(const coefficients<V>& fine) {
  const int nz = fine.shape.n[0], ny = fine.shape.n[1], n = fine.shape.n[2];
  const halved_axis ax{n, fine.shape.wraps[2], true};
  const int m = ax.coarse();
  coefficients<V> c = begun(fine, x_axis, m);
  axis_weights<V> w;
  row_places<V> places(c.pool, c.shared), of_weights(w.pool, c.shared);
  const auto before = [&](int i) { return std::max(ax.before(i), 0); };
  const auto after = [&](int i) { return std::max(ax.after(i), 0); };
  const std::size_t rows = fine.shape.rows(), cells = c.shape.cells();
  w.before.resize(rows), w.after.resize(rows), c.x.resize(rows), c.s.resize(rows);
  of_weights.each(rows, 2 * cells, [&](auto& to, std::size_t at) {
    const std::size_t of_x = fine.x[at], of_s = fine.s[at];
    const V *const f = &fine.pool[of_x], *const s = &fine.pool[of_s];
    w.before[at] = to.place({0, of_x, of_s}, m, [&](V* row) {
      for (int i = 0; i < m; ++i) {
        const int p = ax.before(i);
        row[i] = p < 0 ? V(0) : elimination<V>(f[p], f[p + 1], s[p]).after;
      }
    });
    w.after[at] = to.place({1, of_x, of_s}, m, [&](V* row) {
      for (int i = 0; i < m; ++i) {
        const int p = ax.after(i);
        row[i] = p < 0 ? V(0) : elimination<V>(f[p], f[p + 1], s[p]).before;
      }
    });
  });
  places.each(rows, 2 * cells, [&](auto& to, std::size_t at) {
    const std::size_t of_x = fine.x[at], of_s = fine.s[at];
    const V *const f = &fine.pool[of_x], *const s = &fine.pool[of_s];
    c.x[at] = to.place({2, of_x, of_s}, m + 1, [&](V* row) {
      std::fill_n(row, m + 1, V(0));
      if (ax.wraps && m == 1) return;  // its own neighbour
      for (int i = 0; i < ax.between(); ++i)
        row[i] = elimination<V>(f[2 * i], f[2 * i + 1], s[2 * i]).series;
      if (ax.odd_ring()) row[m - 1] = f[n - 1];
      if (ax.wraps)
        row[m] = row[0];
      else if (n % 2 == 0)
        row[m] = f[n];
    });
    c.s[at] = of_s == 0 ? 0 : to.place({3, of_x, of_s}, m, [&](V* row) {
      const V *const a = &w.pool[w.before[at]], *const b = &w.pool[w.after[at]];
      for (int i = 0; i < m; ++i)
        row[i] = s[ax.centre(i)] + a[i] * s[before(i)] + b[i] * s[after(i)];
    });
  });
  // Faces across: the mean of the weights on both sides of a face.
  const auto across = [&](auto& to, std::size_t tag, std::size_t face, std::size_t one,
                          std::size_t other) {
    if (face == 0) return std::size_t(0);
    return to.place({tag, face, w.before[one], w.before[other]}, m, [&](V* row) {
      const V *const a0 = &w.pool[w.before[one]], *const a1 = &w.pool[w.before[other]];
      const V *const b0 = &w.pool[w.after[one]], *const b1 = &w.pool[w.after[other]];
      const V* const t = &fine.pool[face];
      for (int i = 0; i < m; ++i)
        row[i] = t[ax.centre(i)] +
                 V(0.5) * ((a0[i] + a1[i]) * t[before(i)] + (b0[i] + b1[i]) * t[after(i)]);
    });
  };
  c.y.resize(fine.y.size()), c.z.resize(fine.z.size());
  places.each(c.y.size(), cells, [&](auto& to, std::size_t face) {
    const int k = int(face / std::size_t(ny + 1)), j = int(face % std::size_t(ny + 1));
    c.y[face] = across(to, 4, fine.y[face], fine.row(k, inside(j - 1, ny, fine.shape.wraps[1])),
                       fine.row(k, inside(j, ny, fine.shape.wraps[1])));
  });
  places.each(c.z.size(), cells, [&](auto& to, std::size_t face) {
    const int k = int(face / std::size_t(ny)), j = int(face % std::size_t(ny));
    c.z[face] = across(to, 5, fine.z[face], fine.row(inside(k - 1, nz, fine.shape.wraps[0]), j),
                       fine.row(inside(k, nz, fine.shape.wraps[0]), j));
  });
  if (!c.shared && !(ax.wraps && m == 1)) add_shears_of_x(fine, ax, c);
  return {std::move(c), std::move(w)};
}

/// Rows are eliminated as wholes, along y or z.
template <class V>
std::pair<coefficients<V>, axis_weights<V>> coarsened_rows(const coefficients<V>& fine,
                                                           bool along_z) {
  const int nx = fine.shape.n[2];
  const std::size_t moving = along_z ? 0 : 1, other = along_z ? 1 : 0;
  const int n = fine.shape.n[moving], nq = fine.shape.n[other];
  const halved_axis ax{n, fine.shape.wraps[moving], true};
  const int m = ax.coarse();
  coefficients<V> c = begun(fine, int(moving), m);
  axis_weights<V> w;
  w.pool.assign(std::size_t(nx), V(0));
  row_places<V> places(c.pool, c.shared), of_weights(w.pool, c.shared);
  const auto row = [&](int p, int q) { return along_z ? fine.row(p, q) : fine.row(q, p); };
  const auto face = [&](int p, int q) {
    return along_z ? fine.z[fine.row(p, q)] : fine.y[fine.face_y(q, p)];
  };
  const auto cross = [&](int p, int q) {
    return along_z ? fine.y[fine.face_y(p, q)] : fine.z[fine.row(q, p)];
  };
  const auto coarse_row = [&](int p, int q) { return along_z ? c.row(p, q) : c.row(q, p); };
  const std::size_t rows = c.shape.rows();
  w.before.resize(rows), w.after.resize(rows), c.x.resize(rows), c.s.resize(rows);
  c.y.resize(std::size_t(c.shape.n[0]) * std::size_t(c.shape.n[1] + 1));
  c.z.resize(std::size_t(c.shape.n[0] + 1) * std::size_t(c.shape.n[1]));

  // `which`: the weight of the face before (0) or after (1) cell p, or the series of both (2).
  const auto eliminated = [&](auto& to, std::size_t which, int p, int q) {
    const std::size_t of_a = face(p, q), of_b = face(p + 1, q), of_s = fine.s[row(p, q)];
    const V *const a = &fine.pool[of_a], *const b = &fine.pool[of_b], *const s = &fine.pool[of_s];
    return to.place({which, of_a, of_b, of_s}, nx, [&](V* out) {
      for (int i = 0; i < nx; ++i) {
        const elimination<V> e(a[i], b[i], s[i]);
        out[i] = which == 0 ? e.before : which == 1 ? e.after : e.series;
      }
    });
  };
  const std::size_t cells = c.shape.cells();
  of_weights.each(rows, 2 * cells, [&](auto& made, std::size_t number) {
    const int p = int(number / std::size_t(nq)), q = int(number % std::size_t(nq));
    const std::size_t at = coarse_row(p, q);
    w.before[at] = ax.before(p) < 0 ? 0 : eliminated(made, 1, ax.before(p), q);
    w.after[at] = ax.after(p) < 0 ? 0 : eliminated(made, 0, ax.after(p), q);
  });
  places.each(std::size_t(m + 1) * std::size_t(nq), cells, [&](auto& made, std::size_t number) {
    const int p = int(number / std::size_t(nq)), q = int(number % std::size_t(nq));
    std::size_t& to = along_z ? c.z[c.row(p, q)] : c.y[c.face_y(q, p)];
    const int f = ax.wraps && p == m ? 0 : p;
    if (ax.wraps && m == 1)
      to = 0;  // its own neighbour
    else if (f < ax.between())
      to = eliminated(made, 2, 2 * f, q);
    else {  // no cell between: the face itself
      const std::size_t from = face(ax.odd_ring() ? n - 1 : n, q);
      to = from == 0
               ? 0
               : made.place({6, from}, nx, [&](V* out) { std::copy_n(&fine.pool[from], nx, out); });
    }
  });
  // Sums over a coarse row and the parts of its neighbours, with weights of the rows `one` and
  // `two`.
  const auto summed = [&](auto& to, std::size_t tag, int length, std::size_t centre,
                          std::size_t before, std::size_t after, std::size_t one, std::size_t two,
                          bool between_cells) {
    if (centre == 0 && before == 0 && after == 0) return std::size_t(0);
    const std::size_t a0 = w.before[one], a1 = w.before[two], b0 = w.after[one], b1 = w.after[two];
    return to.place({tag, centre, before, after, a0, a1, b0, b1}, length, [&](V* out) {
      const V *const t = &fine.pool[centre], *const ta = &fine.pool[before],
                     *const tb = &fine.pool[after];
      const V *const wa0 = &w.pool[a0], *const wa1 = &w.pool[a1], *const wb0 = &w.pool[b0],
                     *const wb1 = &w.pool[b1];
      const int last = nx - 1;
      for (int i = 0; i < length; ++i) {
        int l = i, r = i;
        if (between_cells) {
          l = i > 0 ? i - 1 : fine.shape.wraps[2] ? last : 0;
          r = i <= last ? i : fine.shape.wraps[2] ? 0 : last;
        }
        out[i] = t[i] + V(0.5) * ((wa0[l] + wa1[r]) * ta[i] + (wb0[l] + wb1[r]) * tb[i]);
      }
    });
  };
  const auto before_of = [&](int p) { return std::max(ax.before(p), 0); };
  const auto after_of = [&](int p) { return std::max(ax.after(p), 0); };
  places.each(std::size_t(m), 3 * cells, [&](auto& made, std::size_t number) {
    const int p = int(number), centre = ax.centre(p), b = before_of(p), a = after_of(p);
    for (int q = 0; q < nq; ++q) {
      const std::size_t at = coarse_row(p, q);
      c.x[at] = summed(made, 3, nx + 1, fine.x[row(centre, q)], fine.x[row(b, q)],
                       fine.x[row(a, q)], at, at, true);
      c.s[at] = summed(made, 4, nx, fine.s[row(centre, q)], fine.s[row(b, q)], fine.s[row(a, q)],
                       at, at, false);
    }
    for (int q = 0; q <= nq; ++q) {
      const bool ring = fine.shape.wraps[other];
      const std::size_t one = coarse_row(p, q > 0 ? q - 1 : ring ? nq - 1 : 0);
      const std::size_t two = coarse_row(p, q < nq ? q : ring ? 0 : nq - 1);
      std::size_t& to = along_z ? c.y[c.face_y(p, q)] : c.z[c.row(q, p)];
      to = summed(made, 5, nx, cross(centre, q), cross(b, q), cross(a, q), one, two, false);
    }
  });
  if (!c.shared && !(ax.wraps && m == 1)) {
    const auto moving_face = [&](int p, int q) {
      return along_z ? c.z[c.row(p, q)] : c.y[c.face_y(q, p)];
    };
    const auto add_shears = [&](std::size_t begin, std::size_t end) {
      std::vector<V> weight(std::size_t(nx), V(0)), before(std::size_t(nx), V(0));
      for (int slot = int(begin); slot < int(end); ++slot)
        for (int q = 0; q <= nq; ++q) {  // the row before and this one
          const int p = 2 * slot, own = q < nq ? q : 0;
          std::swap(before, weight);
          const V *const a = &fine.pool[face(p, own)], *const b = &fine.pool[face(p + 1, own)];
          const V* const s = &fine.pool[fine.s[row(p, own)]];
          for (int i = 0; i < nx; ++i)
            weight[std::size_t(i)] = elimination<V>(a[i], b[i], s[i]).before;
          if (const std::size_t at = cross(p, own);
              q > 0 && at != 0 && (q < nq || fine.shape.wraps[other]) && nq > 1) {
            const V* const t = &fine.pool[at];
            V *const f0 = &c.pool[moving_face(slot, q - 1)], *const f1 =
                                                                 &c.pool[moving_face(slot, own)];
            for (int i = 0; i < nx; ++i)
              add_shear(t[i], before[std::size_t(i)], weight[std::size_t(i)], f0[i], f1[i]);
          }
          if (q == nq) continue;
          const V* const x = &fine.pool[fine.x[row(p, q)]];
          V* const f = &c.pool[moving_face(slot, q)];
          for (int i = 1; i < nx; ++i)
            add_shear(x[i], weight[std::size_t(i) - 1], weight[std::size_t(i)], f[i - 1], f[i]);
          if (fine.shape.wraps[2] && nx > 1)
            add_shear(x[0], weight[std::size_t(nx) - 1], weight[0], f[nx - 1], f[0]);
        }
    };
    for_pieces(std::size_t(ax.between()), 2 * cells, add_shears);
    if (ax.wraps)
      for (int q = 0; q < nq; ++q)
        std::copy_n(&c.pool[moving_face(0, q)], nx, &c.pool[moving_face(m, q)]);
  }
  return {std::move(c), std::move(w)};
}

}  // namespace

template <class V>
std::pair<coefficients<V>, axis_weights<V>> coarsened(const coefficients<V>& fine, int axis) {
  return axis == x_axis ? coarsened_x(fine) : coarsened_rows(fine, axis == z_axis);
}

template std::pair<coefficients<double>, axis_weights<double>> coarsened(
    const coefficients<double>&, int);
template std::pair<coefficients<float>, axis_weights<float>> coarsened(const coefficients<float>&,
                                                                       int);

}  // namespace dwell::grids
