// SPDX-License-Identifier: MIT
// Finite volumes, face by face: the conductance of a face from k of its cells, and of a side from
// its condition.
#pragma once
#include "dwell/base/fn.hpp"

namespace dwell::grids {

/// Kinds of sides, as of boundary_kind.
enum class side_rule : int { dirichlet, neumann, robin, periodic };

/// A problem with axes z, y, x: numbers, and arrays where they are read.
template <class T>
struct face_rules {
  struct side {
    side_rule kind = side_rule::neumann;
    double alpha = 0;
  };
  struct position {
    int at[3];  ///< along z, y, x
  };
  int n[3] = {1, 1, 1};
  bool wraps[3] = {};
  bool is_there[3] = {};  ///< the problem has the axis
  side sides[3][2];
  double h[3] = {1, 1, 1}, factor[3] = {1, 1, 1};
  bool divides_at_once[3] = {true, true, true};  ///< h^2 is a normal number
  double k = 1, s = 0;
  const T *k_cells = nullptr, *s_cells = nullptr;  ///< or null
  const T* faces[3] = {};
  bool vertex = false, arithmetic = false;

  DWELL_HD bool has_s() const { return s_cells || s != 0; }
  DWELL_HD long long cell(const position& p) const {
    return (static_cast<long long>(p.at[0]) * n[1] + p.at[1]) * n[2] + p.at[2];
  }
  /// The part of a cell that unknown i has along an axis.
  DWELL_HD double part(int m, int i) const {
    if (!vertex || !is_there[m] || wraps[m]) return 1;
    const bool low = i == 0 && sides[m][0].kind != side_rule::dirichlet;
    const bool high = i == n[m] - 1 && sides[m][1].kind != side_rule::dirichlet;
    return low || high ? 0.5 : 1;
  }
  /// Parts that p has along the other axes.
  DWELL_HD double area(int m, const position& p) const {
    double a = 1;
    for (int o = 0; o < 3; ++o)
      if (o != m) a *= part(o, p.at[o]);
    return a;
  }
  /// s of a cell, times its part of the volume.
  DWELL_HD T s_of_cell(const position& p) const {
    return static_cast<T>((s_cells ? static_cast<double>(s_cells[cell(p)]) : s) * part(0, p.at[0]) *
                          part(1, p.at[1]) * part(2, p.at[2]));
  }

  DWELL_HD double given_face(int m, const position& p) const {
    const int ny = n[1] + (m == 1 ? 1 : 0), nx = n[2] + (m == 2 ? 1 : 0);
    return static_cast<double>(
        faces[m][(static_cast<long long>(p.at[0]) * ny + p.at[1]) * nx + p.at[2]]);
  }
  DWELL_HD double k_of_cell(const position& p) const {
    return k_cells ? static_cast<double>(k_cells[cell(p)]) : k;
  }
  /// k of the face before p, along axis m; p.at[m] from 0 to n.
  DWELL_HD double k_of_face(int m, const position& p) const {
    const double by = factor[m];
    if (faces[m]) return by * given_face(m, p);
    position before = p, after = p;
    const int i = p.at[m];
    before.at[m] = i > 0 ? i - 1 : wraps[m] ? n[m] - 1 : 0;
    after.at[m] = i < n[m] ? i : wraps[m] ? 0 : n[m] - 1;
    return by * mean_of(k_of_cell(before), k_of_cell(after));
  }
  DWELL_HD double mean_of(double a, double b) const {
    if (a == b) return a;
    if (arithmetic) return 0.5 * a + 0.5 * b;
    const double of_a = 1 / a, of_b = 1 / b;
    if (!(of_a - of_a == 0) || !(of_b - of_b == 0)) {  // not finite
      const double least = b < a ? b : a, most = a < b ? b : a;
      return 2 * least / (1 + least / most);
    }
    return 2 / (of_a + of_b);
  }
  DWELL_HD double over_square(int m, double k) const {
    return divides_at_once[m] ? k / (h[m] * h[m]) : k / h[m] / h[m];
  }

  /// The conductance of a side's face, to u = 0, and what its value is multiplied by for the
  /// right-hand side.
  struct wall {
    double conductance = 0, by_value = 0;
  };
  DWELL_HD wall wall_of(int m, bool high, const position& p) const {
    const side b = sides[m][high];
    const double size = h[m], a = area(m, p);
    // Conductance of the half cell, or whole one, per area.
    const double t = (vertex ? 1 : 2) * k_of_face(m, p) / size;
    if (b.kind == side_rule::dirichlet) return {a * t / size, a * t / size};
    if (b.kind == side_rule::neumann) return {0, a / size};
    if (b.kind == side_rule::periodic) return {};
    if (b.alpha == 0) return {0, a / size};
    if (vertex) return {a * b.alpha / size, a / size};
    return {a * t * b.alpha / (b.alpha + t) / size, a * t / (b.alpha + t) / size};
  }
  /// vanished: becomes true if a conductance above 0 is too small for T.
  DWELL_HD T conductance(int m, const position& p, bool& vanished) const {
    if (!is_there[m]) return T(0);
    const int i = p.at[m];
    T out;
    if ((i == 0 || i == n[m]) && !wraps[m]) {
      const side b = sides[m][i != 0];
      if (b.kind == side_rule::neumann) return T(0);
      out = static_cast<T>(wall_of(m, i != 0, p).conductance);
      if (b.kind == side_rule::robin && b.alpha == 0) return out;
    } else {
      if (wraps[m] && n[m] == 1) return T(0);
      out = static_cast<T>(over_square(m, area(m, p) * k_of_face(m, p)));
    }
    if (out == 0) vanished = true;
    return out;
  }
};

}  // namespace dwell::grids
