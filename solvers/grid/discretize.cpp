// SPDX-License-Identifier: MIT
// Finite volumes: k of faces, conductances of sides by their conditions, checks.
#include "dwell/solvers/grid/discretize.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/parallel.hpp"
#include "dwell/solvers/grid/grid_memory.hpp"
#include "dwell/solvers/grid/setup_threads.hpp"

namespace dwell::grids {
namespace {

/// The place of a user's axis among z, y, x.
int memory_axis(int axis, int dims) { return dims == 2 ? 2 * axis : axis + 3 - dims; }

[[noreturn]] void fail(const std::string& what) { throw input_error("grid: " + what); }

/// The first value that is not finite, or not good; as many as there are if there is none.
template <class T, class Good>
std::size_t first_bad(std::span<const T> v, Good&& good) {
  const int parts = setup_threads(v.size(), v.size());
  std::vector<std::size_t> of_parts(std::size_t(parts), v.size());
  for_parts(parts, [&](int part) {
    const auto [begin, end] = piece(v.size(), part, parts);
    for (std::size_t i = begin; i < end; ++i)
      if (!std::isfinite(v[i]) || !good(v[i])) {
        of_parts[std::size_t(part)] = i;
        return;
      }
  });
  return *std::ranges::min_element(of_parts);
}

template <class T, class Good>
void check_values(std::span<const T> v, const char* name, const char* wanted, Good&& good) {
  if (const std::size_t i = first_bad(v, good); i < v.size())
    fail(fmt::format("{}: expected numbers {}, found {} at {}", name, wanted, v[i], i));
}

void check_size(const char* name, std::size_t found, std::size_t wanted) {
  if (found && found != wanted)
    fail(fmt::format("{}: expected {} elements, found {}", name, wanted, found));
}

/// The description with axes z, y, x, checked.
template <class T>
class finite_volumes {
 public:
  explicit finite_volumes(const grid_description<T>& d) : d_(d) {
    const std::size_t dims = d.cells.size();
    if (dims < 1 || dims > 3) fail(fmt::format("cells: expected 1 to 3 axes, found {}", dims));
    if (!d.spacing.empty() && d.spacing.size() != dims)
      fail(fmt::format("spacing: expected {} numbers, found {}", dims, d.spacing.size()));
    double all = 1;
    for (std::size_t a = 0; a < dims; ++a) {
      const auto m = static_cast<std::size_t>(memory_axis(int(a), int(dims)));
      if (d.cells[a] < 1)
        fail(fmt::format("cells: expected at least 1 along each axis, found {}", d.cells[a]));
      out_.a.shape.n[m] = d.cells[a];
      all *= d.cells[a];
      h_[m] = d.spacing.empty() ? 1.0 : d.spacing[a];
      if (!(h_[m] > 0) || !std::isfinite(h_[m]))
        fail(fmt::format("spacing: expected numbers > 0, found {}", h_[m]));
      factor_[m] = d.k_axes[a];
      if (!(factor_[m] > 0) || !std::isfinite(factor_[m]))
        fail(fmt::format("k_axes: expected numbers > 0, found {}", factor_[m]));
      faces_[m] = d.k_faces[a];
      sides_[m] = &d.boundary.sides[a];
    }
    if (all > 0x1p40) fail("cells: expected at most 2^40");
    // Places of rows, and faces of cells.
    const bool shared = d.k_cells.empty() && d.s_cells.empty() &&
                        std::ranges::all_of(d.k_faces, [](const auto& f) { return f.empty(); });
    require_host_memory(d.cells, all / d.cells.back() * 4 * sizeof(std::size_t) +
                                     (shared ? 0 : all * 5 * sizeof(T)));
    check();
  }

  system<T> make() {
    coefficients<T>& c = out_.a;
    c.shared = d_.k_cells.empty() && d_.s_cells.empty() && faces_[0].empty() && faces_[1].empty() &&
               faces_[2].empty();
    const int nz = c.shape.n[0], ny = c.shape.n[1], nx = c.shape.n[2];
    if (!c.shared) c.pool.reserve(5 * c.shape.cells() + 2 * c.shape.plane() + 4 * c.shape.rows());
    c.pool.assign(std::size_t(nx + 1), T(0));
    row_places<T> places(c.pool, c.shared);
    const auto cls = [](int i, int n) { return std::size_t(i == 0) + 2 * std::size_t(i == n - 1); };
    const std::size_t rows = c.shape.rows(), cells = c.shape.cells();
    c.x.resize(rows), c.s.resize(rows);
    c.y.resize(std::size_t(nz) * std::size_t(ny + 1));
    c.z.resize(std::size_t(nz + 1) * std::size_t(ny));
    const bool has_s = !d_.s_cells.empty() || d_.s != 0;
    places.each(rows, 2 * cells, [&](auto& to, std::size_t n) {
      const int k = int(n / std::size_t(ny)), j = int(n % std::size_t(ny));
      c.x[n] = to.place({0, cls(k, nz), cls(j, ny)}, nx + 1,
                        [&](T* row) { conductances(x_axis, k, j, nx + 1, row); });
      c.s[n] = !has_s ? 0 : to.place({1, cls(k, nz), cls(j, ny)}, nx, [&](T* row) {
        for (int i = 0; i < nx; ++i)
          row[i] = T((d_.s_cells.empty() ? d_.s : double(d_.s_cells[cell({k, j, i})])) *
                     part(z_axis, k) * part(y_axis, j) * part(x_axis, i));
      });
    });
    places.each(c.y.size(), cells, [&](auto& to, std::size_t n) {
      const int k = int(n / std::size_t(ny + 1)), j = int(n % std::size_t(ny + 1));
      c.y[n] =
          !side(y_axis, false) ? 0 : to.place({2, cls(k, nz), cls(j, ny + 1)}, nx, [&](T* row) {
            conductances(y_axis, k, j, nx, row);
          });
    });
    places.each(c.z.size(), cells, [&](auto& to, std::size_t n) {
      const int k = int(n / std::size_t(ny)), j = int(n % std::size_t(ny));
      c.z[n] =
          !side(z_axis, false) ? 0 : to.place({3, cls(k, nz + 1), cls(j, ny)}, nx, [&](T* row) {
            conductances(z_axis, k, j, nx, row);
          });
    });
    if (first_bad(std::span<const T>(c.pool), [](T) { return true; }) < c.pool.size())
      fail("k over spacing squared is too large for the precision");
    if (vanished_) fail("k over spacing squared is too small for the precision");
    for (int m = 0; m < 3; ++m) {
      for (int i = 0; i < c.shape.n[std::size_t(m)]; ++i)
        out_.volume[std::size_t(m)].push_back(T(part(m, i)));
      for (const bool high : {false, true}) add_side(m, high);
    }
    out_.singular = is_singular();
    return std::move(out_);
  }

 private:
  using position = std::array<int, 3>;  ///< z, y, x

  int n(int m) const { return out_.a.shape.n[std::size_t(m)]; }
  bool wraps(int m) const { return out_.a.shape.wraps[std::size_t(m)]; }
  const grid_side* side(int m, bool high) const {
    return sides_[std::size_t(m)] ? &(*sides_[std::size_t(m)])[high] : nullptr;
  }
  std::size_t cell(const position& p) const {
    return (std::size_t(p[0]) * std::size_t(n(1)) + std::size_t(p[1])) * std::size_t(n(2)) +
           std::size_t(p[2]);
  }

  void check() {
    const std::size_t all = out_.a.shape.cells();
    const auto positive = [](double v) { return v > 0; };
    check_size("k", d_.k_cells.size(), all);
    check_size("s", d_.s_cells.size(), all);
    check_values(d_.k_cells, "k", "> 0", positive);
    check_values(d_.s_cells, "s", "that are finite", [](double) { return true; });
    if (!(d_.k > 0) || !std::isfinite(d_.k))
      fail(fmt::format("k: expected a number > 0, found {}", d_.k));
    if (!std::isfinite(d_.s)) fail(fmt::format("s: expected a finite number, found {}", d_.s));
    if (!std::isfinite(T(d_.s)))
      fail(fmt::format("s: expected a number that is finite in the precision, found {}", d_.s));
    out_.negative_s =
        d_.s_cells.empty() ? d_.s < 0 : std::ranges::any_of(d_.s_cells, [](T v) { return v < 0; });
    for (int m = 0; m < 3; ++m) {
      if (!sides_[std::size_t(m)]) continue;
      const auto others = all / std::size_t(n(m));
      check_size("k_faces", faces_[std::size_t(m)].size(), others * std::size_t(n(m) + 1));
      check_values(faces_[std::size_t(m)], "k_faces", "> 0", positive);
      const bool low = side(m, false)->kind == boundary_kind::periodic;
      if (low != (side(m, true)->kind == boundary_kind::periodic))
        fail("boundary: expected both sides of an axis to be periodic, or none");
      out_.a.shape.wraps[std::size_t(m)] = low;
      bool held = low;
      for (const bool high : {false, true}) {
        const grid_side& b = *side(m, high);
        held = held || b.kind == boundary_kind::dirichlet;
        check_size("boundary values", b.values.size(), others);
        check_values(std::span<const double>(b.values), "boundary values", "that are finite",
                     [](double) { return true; });
        if (!std::isfinite(b.value))
          fail(fmt::format("boundary: expected a finite value, found {}", b.value));
        if (b.kind == boundary_kind::robin && !(b.alpha >= 0 && std::isfinite(b.alpha)))
          fail(fmt::format("boundary: robin: expected alpha >= 0, found {}", b.alpha));
        if (low && (b.value != 0 || !b.values.empty())) fail("boundary: periodic has no value");
      }
      if (d_.centring == grid_centring::vertex && n(m) == 1 && !held)
        fail("cells: a vertex-centred axis of one unknown needs a dirichlet side");
      if (low && !faces_[std::size_t(m)].empty())
        for (int a = 0; a < n((m + 1) % 3); ++a)
          for (int b = 0; b < n((m + 2) % 3); ++b) {
            position p{};
            p[std::size_t((m + 1) % 3)] = a, p[std::size_t((m + 2) % 3)] = b;
            position q = p;
            q[std::size_t(m)] = n(m);
            if (given_face(m, p) != given_face(m, q))
              fail("k_faces: expected equal values on both ends of a periodic axis");
          }
    }
  }

  /// The part of a cell that unknown i has along an axis.
  double part(int m, int i) const {
    if (d_.centring == grid_centring::cell || !side(m, false) || wraps(m)) return 1;
    const bool low = i == 0 && side(m, false)->kind != boundary_kind::dirichlet;
    const bool high = i == n(m) - 1 && side(m, true)->kind != boundary_kind::dirichlet;
    return low || high ? 0.5 : 1;
  }
  /// Parts that p has along the other axes.
  double area(int m, const position& p) const {
    double a = 1;
    for (int o = 0; o < 3; ++o)
      if (o != m) a *= part(o, p[std::size_t(o)]);
    return a;
  }

  double given_face(int m, const position& p) const {
    std::array<int, 3> size = out_.a.shape.n;
    ++size[std::size_t(m)];
    return double(faces_[std::size_t(
        m)][(std::size_t(p[0]) * std::size_t(size[1]) + std::size_t(p[1])) * std::size_t(size[2]) +
            std::size_t(p[2])]);
  }
  double k_of_cell(const position& p) const {
    return d_.k_cells.empty() ? d_.k : double(d_.k_cells[cell(p)]);
  }
  /// k of the face before p, along axis m; p[m] from 0 to n.
  double k_of_face(int m, const position& p) const {
    const double by = factor_[std::size_t(m)];
    if (!faces_[std::size_t(m)].empty()) return by * given_face(m, p);
    position before = p, after = p;
    const int i = p[std::size_t(m)];
    before[std::size_t(m)] = i > 0 ? i - 1 : wraps(m) ? n(m) - 1 : 0;
    after[std::size_t(m)] = i < n(m) ? i : wraps(m) ? 0 : n(m) - 1;
    return by * mean_of(k_of_cell(before), k_of_cell(after));
  }
  double mean_of(double a, double b) const {
    if (a == b) return a;
    if (d_.mean == face_mean::arithmetic) return 0.5 * a + 0.5 * b;
    const double of_a = 1 / a, of_b = 1 / b;
    if (!std::isfinite(of_a) || !std::isfinite(of_b)) {
      const double least = std::min(a, b);
      return 2 * least / (1 + least / std::max(a, b));
    }
    return 2 / (of_a + of_b);
  }

  /// The conductance of a side's face, to u = 0,
  /// and what its value is multiplied by for the right-hand side.
  struct wall {
    double conductance = 0, by_value = 0;
  };
  wall wall_of(int m, bool high, const position& p) const {
    const grid_side& b = *side(m, high);
    const double h = h_[std::size_t(m)], a = area(m, p);
    const bool cells = d_.centring == grid_centring::cell;
    const double t = (cells ? 2 : 1) * k_of_face(m, p) /
                     h;  // conductance of the half cell, or whole one, per area
    switch (b.kind) {
      case boundary_kind::dirichlet:
        return {a * t / h, a * t / h};
      case boundary_kind::neumann:
        return {0, a / h};
      case boundary_kind::robin:
        if (b.alpha == 0) return {0, a / h};
        if (!cells) return {a * b.alpha / h, a / h};
        return {a * t * b.alpha / (b.alpha + t) / h, a * t / (b.alpha + t) / h};
      case boundary_kind::periodic:
        break;
    }
    return {};
  }
  /// The conductances of `count` faces before cells of a row, along m.
  void conductances(int m, int k, int j, int count, T* row) {
    const int first = m == x_axis ? 1 : 0, place = m == y_axis ? j : k;
    const bool is_inside = m == x_axis || (place > 0 && place < n(m));
    if (d_.centring != grid_centring::cell || d_.k_cells.empty() ||
        !faces_[std::size_t(m)].empty() || !is_inside) {
      for (int i = 0; i < count; ++i) row[i] = conductance(m, {k, j, i});
      return;
    }
    // Faces between cells, which are whole.
    const std::size_t own = cell({k, j, 0});
    const std::size_t back = m == x_axis   ? 1
                             : m == y_axis ? std::size_t(n(x_axis))
                                           : out_.a.shape.plane();
    const T* const of = d_.k_cells.data() + own;
    const double by = factor_[std::size_t(m)], h = h_[std::size_t(m)];
    const bool is_normal = std::isnormal(h * h);
    bool vanished = false;
    for (int i = first; i < count - first; ++i) {
      const double v = by * mean_of(double(*(of + i - back)), double(of[i]));
      row[i] = T(is_normal ? v / (h * h) : v / h / h);
      vanished |= row[i] == T(0);
    }
    if (vanished) vanished_ = true;
    for (const int i : {0, count - 1})
      if (first == 1) row[i] = conductance(m, {k, j, i});
  }
  T conductance(int m, const position& p) {
    if (!side(m, false)) return T(0);  // an axis that the problem does not have
    const int i = p[std::size_t(m)];
    T out;
    if ((i == 0 || i == n(m)) && !wraps(m)) {
      const grid_side& b = *side(m, i != 0);
      if (b.kind == boundary_kind::neumann) return T(0);
      out = T(wall_of(m, i != 0, p).conductance);
      if (b.kind == boundary_kind::robin && b.alpha == 0) return out;
    } else {
      if (wraps(m) && n(m) == 1) return T(0);
      const double h = h_[std::size_t(m)], k = area(m, p) * k_of_face(m, p);
      out = T(std::isnormal(h * h) ? k / (h * h) : k / h / h);
    }
    if (out == 0) vanished_ = true;
    return out;
  }

  void add_side(int m, bool high) {
    const grid_side* b = side(m, high);
    if (!b || b->kind == boundary_kind::periodic || (b->values.empty() && b->value == 0)) return;
    side_term<T> term{m, high, {}};
    std::array<int, 3> size = out_.a.shape.n;
    size[std::size_t(m)] = 1;
    std::size_t at = 0;
    for (int k = 0; k < size[0]; ++k)
      for (int j = 0; j < size[1]; ++j)
        for (int i = 0; i < size[2]; ++i, ++at) {
          position p{k, j, i};
          p[std::size_t(m)] = high ? n(m) : 0;
          const double v =
              wall_of(m, high, p).by_value * (b->values.empty() ? b->value : b->values[at]);
          if (!std::isfinite(T(v))) fail("boundary: a value is too large for the precision");
          term.of_cell.push_back(T(v));
        }
    out_.sides.push_back(std::move(term));
  }

  bool is_singular() const {
    for (int m = 0; m < 3; ++m)
      for (const bool high : {false, true})
        if (const grid_side* b = side(m, high))
          if (b->kind == boundary_kind::dirichlet ||
              (b->kind == boundary_kind::robin && b->alpha > 0))
            return false;
    if (d_.s_cells.empty()) return d_.s == 0;
    for (const T v : d_.s_cells)
      if (v != T(0)) return false;
    return true;
  }

  const grid_description<T>& d_;
  system<T> out_;
  std::atomic<bool> vanished_ = false;  ///< a conductance above 0 has become 0
  std::array<double, 3> h_{1, 1, 1}, factor_{1, 1, 1};
  std::array<std::span<const T>, 3> faces_;
  std::array<const std::array<grid_side, 2>*, 3> sides_{};
};

}  // namespace

template <class T>
system<T> discretize(const grid_description<T>& d) {
  return finite_volumes<T>(d).make();
}

template <class T>
void right_hand_side(const system<T>& s, std::span<const T> f, std::span<T> b) {
  const std::size_t all = s.a.shape.cells();
  if ((!f.empty() && f.size() != all) || b.size() != all)
    throw input_error(fmt::format("grid: rhs: expected {} elements, found f of {} and b of {}", all,
                                  f.size(), b.size()));
  const int nz = s.a.shape.n[0], ny = s.a.shape.n[1], nx = s.a.shape.n[2];
  std::size_t at = 0;
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j) {
      const T part = s.volume[0][std::size_t(k)] * s.volume[1][std::size_t(j)];
      for (int i = 0; i < nx; ++i, ++at)
        b[at] = f.empty() ? T(0) : f[at] * (part * s.volume[2][std::size_t(i)]);
    }
  for (const side_term<T>& side : s.sides) {
    std::array<int, 3> size = s.a.shape.n;
    const auto m = std::size_t(side.axis);
    const int end = side.high ? size[m] - 1 : 0;
    size[m] = 1;
    std::size_t of_side = 0;
    for (int k = 0; k < size[0]; ++k)
      for (int j = 0; j < size[1]; ++j)
        for (int i = 0; i < size[2]; ++i) {
          std::array<int, 3> p{k, j, i};
          p[m] = end;
          b[(std::size_t(p[0]) * std::size_t(ny) + std::size_t(p[1])) * std::size_t(nx) +
            std::size_t(p[2])] += side.of_cell[of_side++];
        }
  }
}

template system<double> discretize(const grid_description<double>&);
template system<float> discretize(const grid_description<float>&);
template void right_hand_side(const system<double>&, std::span<const double>, std::span<double>);
template void right_hand_side(const system<float>&, std::span<const float>, std::span<float>);

}  // namespace dwell::grids
