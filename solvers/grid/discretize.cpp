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
#include "dwell/formats/field_values.hpp"
#include "dwell/solvers/grid/face_rules.hpp"
#include "dwell/solvers/grid/grid_memory.hpp"
#include "dwell/solvers/grid/setup_threads.hpp"

namespace dwell::grids {
namespace {

static_assert(int(boundary_kind::dirichlet) == int(side_rule::dirichlet) &&
              int(boundary_kind::neumann) == int(side_rule::neumann) &&
              int(boundary_kind::robin) == int(side_rule::robin) &&
              int(boundary_kind::periodic) == int(side_rule::periodic));

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

/// sizes: of the array along the user's axes, the slowest first.
template <class T, class Good>
void check_values(std::span<const T> v, const std::vector<int>& sizes, const char* name,
                  const char* wanted, Good&& good) {
  if (const std::size_t i = first_bad(v, good); i < v.size())
    fail(fmt::format("{}: expected numbers {}, found {} at {}", name, wanted, v[i],
                     place_of_cell(sizes, i)));
}

void check_size(const char* name, std::size_t found, std::size_t wanted) {
  if (found && found != wanted)
    fail(fmt::format("{}: expected {} elements, found {}", name, wanted, found));
}

/// The description with axes z, y, x, checked.
template <class T>
class finite_volumes {
 public:
  finite_volumes(const grid_description<T>& d, const axis_order& order, bool made_here)
      : d_(d), order_(order), made_here_(made_here) {
    const std::size_t dims = order.dims();
    if (!d.spacing.empty() && d.spacing.size() != dims)
      fail(fmt::format("spacing: expected {} numbers, found {}", dims, d.spacing.size()));
    double all = 1;
    for (std::size_t a = 0; a < dims; ++a) {
      const auto m = static_cast<std::size_t>(order.inside(a));
      out_.a.shape.n[m] = rules_.n[m] = d.cells[a];
      all *= d.cells[a];
      const double h = d.spacing.empty() ? 1.0 : d.spacing[a], factor = d.k_axes[a];
      if (!(h > 0) || !std::isfinite(h))
        fail(fmt::format("spacing: expected numbers > 0, found {}", h));
      if (!(factor > 0) || !std::isfinite(factor))
        fail(fmt::format("k_axes: expected numbers > 0, found {}", factor));
      rules_.h[m] = h, rules_.factor[m] = factor;
      rules_.divides_at_once[m] = std::isnormal(h * h);
      rules_.is_there[m] = true;
      faces_[m] = d.k_faces[a];
      sides_[m] = &d.boundary.sides[a];
      for (const bool high : {false, true})
        rules_.sides[m][high] = {side_rule((*sides_[m])[high].kind), (*sides_[m])[high].alpha};
    }
    if (all > 0x1p40) fail("cells: expected at most 2^40");
    // Places of rows, and faces of cells.
    if (made_here)
      require_host_memory(d.cells, all / rules_.n[x_axis] * 4 * sizeof(std::size_t) +
                                       (has_arrays(d) ? all * 5 * sizeof(T) : 0));
    take_numbers();
    check();
    take_arrays();
    check_rings();
  }

  system<T> make() {
    coefficients<T>& c = out_.a;
    c.shared = !has_arrays(d_);
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
        for (int i = 0; i < nx; ++i) row[i] = rules_.s_of_cell({{k, j, i}});
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
    return rest();
  }
  undiscretized<T> elsewhere() { return {rest(), rules_, std::move(turned_)}; }

 private:
  system<T> rest() {
    for (int m = 0; m < 3; ++m)
      for (int i = 0; i < n(m); ++i) out_.volume[std::size_t(m)].push_back(T(rules_.part(m, i)));
    // A cell that several have adds them up in the order of the caller's axes.
    for (std::size_t axis = 0; axis < order_.dims(); ++axis)
      for (const bool high : {false, true}) add_side(order_.inside(axis), high);
    out_.singular = is_singular();
    out_.order = order_;
    return std::move(out_);
  }
  using position = typename face_rules<T>::position;

  int n(int m) const { return out_.a.shape.n[std::size_t(m)]; }
  bool wraps(int m) const { return out_.a.shape.wraps[std::size_t(m)]; }
  const grid_side* side(int m, bool high) const {
    return sides_[std::size_t(m)] ? &(*sides_[std::size_t(m)])[high] : nullptr;
  }
  void take_numbers() {
    rules_.k = d_.k, rules_.s = d_.s;
    rules_.vertex = d_.centring == grid_centring::vertex;
    rules_.arithmetic = d_.mean == face_mean::arithmetic;
  }
  /// Arrays as they are, or in another order.
  void take_arrays() {
    const axis_order::sizes& cells = out_.a.shape.n;
    const auto take = [&](std::span<const T> v, std::vector<T>& turned, axis_order::sizes n) {
      if (v.empty()) return static_cast<const T*>(nullptr);
      if (!order_.turns(n)) return v.data();
      turned.resize(v.size());
      order_.take<T>(v, turned, n, setup_threads(v.size(), v.size()));
      return static_cast<const T*>(turned.data());
    };
    rules_.k_cells = take(d_.k_cells, turned_.k_cells, cells);
    rules_.s_cells = take(d_.s_cells, turned_.s_cells, cells);
    for (std::size_t m = 0; m < 3; ++m) {
      axis_order::sizes n = cells;
      ++n[m];
      rules_.faces[m] = take(faces_[m], turned_.faces[m], n);
    }
  }
  void check() {
    const std::size_t all = out_.a.shape.cells();
    const auto positive = [](double v) { return v > 0; };
    check_size("k", d_.k_cells.size(), all);
    check_size("s", d_.s_cells.size(), all);
    if (made_here_) {
      check_values(d_.k_cells, d_.cells, "k", "> 0", positive);
      check_values(d_.s_cells, d_.cells, "s", "that are finite", [](double) { return true; });
    }
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
      std::vector<int> of_faces = d_.cells, of_side = d_.cells;
      ++of_faces[std::size_t(order_.described(m))];
      of_side[std::size_t(order_.described(m))] = 1;
      if (made_here_) check_values(faces_[std::size_t(m)], of_faces, "k_faces", "> 0", positive);
      const bool low = side(m, false)->kind == boundary_kind::periodic;
      if (low != (side(m, true)->kind == boundary_kind::periodic))
        fail("boundary: expected both sides of an axis to be periodic, or none");
      out_.a.shape.wraps[std::size_t(m)] = rules_.wraps[m] = low;
      bool held = low;
      for (const bool high : {false, true}) {
        const grid_side& b = *side(m, high);
        held = held || b.kind == boundary_kind::dirichlet;
        check_size("boundary values", b.values.size(), others);
        check_values(std::span<const double>(b.values), of_side, "boundary values",
                     "that are finite", [](double) { return true; });
        if (!std::isfinite(b.value))
          fail(fmt::format("boundary: expected a finite value, found {}", b.value));
        if (b.kind == boundary_kind::robin && !(b.alpha >= 0 && std::isfinite(b.alpha)))
          fail(fmt::format("boundary: robin: expected alpha >= 0, found {}", b.alpha));
        if (low && (b.value != 0 || !b.values.empty())) fail("boundary: periodic has no value");
      }
      if (d_.centring == grid_centring::vertex && n(m) == 1 && !held)
        fail("cells: a vertex-centred axis of one unknown needs a dirichlet side");
    }
  }
  /// Both ends of a periodic axis have the same faces.
  void check_rings() {
    for (int m = 0; m < 3; ++m) {
      if (!wraps(m) || !rules_.faces[m]) continue;
      for (int a = 0; a < n((m + 1) % 3); ++a)
        for (int b = 0; b < n((m + 2) % 3); ++b) {
          position p{};
          p.at[(m + 1) % 3] = a, p.at[(m + 2) % 3] = b;
          position q = p;
          q.at[m] = n(m);
          if (rules_.given_face(m, p) != rules_.given_face(m, q))
            fail("k_faces: expected equal values on both ends of a periodic axis");
        }
    }
  }

  /// The conductances of `count` faces before cells of a row, along m.
  void conductances(int m, int k, int j, int count, T* row) {
    const int first = m == x_axis ? 1 : 0, place = m == y_axis ? j : k;
    const bool is_inside = m == x_axis || (place > 0 && place < n(m));
    if (d_.centring != grid_centring::cell || !rules_.k_cells || rules_.faces[m] || !is_inside) {
      bool vanished = false;
      for (int i = 0; i < count; ++i) row[i] = rules_.conductance(m, {{k, j, i}}, vanished);
      if (vanished) vanished_ = true;
      return;
    }
    // Faces between cells, which are whole.
    const auto own = std::size_t(rules_.cell({{k, j, 0}}));
    const std::size_t back = m == x_axis   ? 1
                             : m == y_axis ? std::size_t(n(x_axis))
                                           : out_.a.shape.plane();
    const T* const of = rules_.k_cells + own;
    const double by = rules_.factor[m];
    bool vanished = false;
    for (int i = first; i < count - first; ++i) {
      row[i] =
          T(rules_.over_square(m, by * rules_.mean_of(double(*(of + i - back)), double(of[i]))));
      vanished |= row[i] == T(0);
    }
    for (const int i : {0, count - 1})
      if (first == 1) row[i] = rules_.conductance(m, {{k, j, i}}, vanished);
    if (vanished) vanished_ = true;
  }
  void add_side(int m, bool high) {
    const grid_side* b = side(m, high);
    if (!b || b->kind == boundary_kind::periodic || (b->values.empty() && b->value == 0)) return;
    side_term<T> term{m, high, {}};
    std::array<int, 3> size = out_.a.shape.n;
    size[std::size_t(m)] = 1;
    const auto [of_z, of_y, of_x] = order_.distances(size);
    for (int k = 0; k < size[0]; ++k)
      for (int j = 0; j < size[1]; ++j)
        for (int i = 0; i < size[2]; ++i) {
          position p{{k, j, i}};
          p.at[m] = high ? n(m) : 0;
          const std::size_t at =
              std::size_t(k) * of_z + std::size_t(j) * of_y + std::size_t(i) * of_x;
          const double v =
              rules_.wall_of(m, high, p).by_value * (b->values.empty() ? b->value : b->values[at]);
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
  const axis_order& order_;
  bool made_here_;
  system<T> out_;
  std::atomic<bool> vanished_ = false;  ///< a conductance above 0 has become 0
  face_rules<T> rules_;
  turned_arrays<T> turned_;
  std::array<std::span<const T>, 3> faces_;
  std::array<const std::array<grid_side, 2>*, 3> sides_{};
};

}  // namespace

template <class T>
system<T> discretize(const grid_description<T>& d, const axis_order& order) {
  return finite_volumes<T>(d, order, true).make();
}
template <class T>
undiscretized<T> discretize_elsewhere(const grid_description<T>& d, const axis_order& order) {
  return finite_volumes<T>(d, order, false).elsewhere();
}
template <class T>
bool has_arrays(const grid_description<T>& d) {
  return !d.k_cells.empty() || !d.s_cells.empty() ||
         !std::ranges::all_of(d.k_faces, [](const auto& f) { return f.empty(); });
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

template undiscretized<double> discretize_elsewhere(const grid_description<double>&,
                                                    const axis_order&);
template undiscretized<float> discretize_elsewhere(const grid_description<float>&,
                                                   const axis_order&);
template bool has_arrays(const grid_description<double>&);
template bool has_arrays(const grid_description<float>&);
template system<double> discretize(const grid_description<double>&, const axis_order&);
template system<float> discretize(const grid_description<float>&, const axis_order&);
template void right_hand_side(const system<double>&, std::span<const double>, std::span<double>);
template void right_hand_side(const system<float>&, std::span<const float>, std::span<float>);

}  // namespace dwell::grids
