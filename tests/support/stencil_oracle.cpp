// SPDX-License-Identifier: MIT
// Loops over cells and taps, and formulas of shapes that are not linear.
#include "stencil_oracle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <stdexcept>
#include <utility>

#include "dwell/execution/stencil/launch/kernel_table.hpp"

namespace dwell::test {
namespace {

int place(int i, int n, boundary edge) {
  while (i < 0 || i >= n) {
    if (edge == boundary::periodic)
      i += i < 0 ? n : -n;
    else
      i = i < 0 ? -1 - i : 2 * n - 1 - i;
  }
  return i;
}

/// Sum of a linear shape, whose taps are in the order in which they are added.
template <class T>
T fused_sum(const std::vector<T>& u, const std::vector<T>& w) {
  T v = w[0] * u[0];
  for (std::size_t k = 1; k < u.size(); ++k) v = std::fma(w[k], u[k], v);
  return v;
}

template <class T>
T gradient(const std::vector<T>& u, const std::vector<T>& w) {  // taps: here, then four neighbours
  T above[2], below[2];
  for (std::size_t k = 0; k < 2; ++k) {
    const T p = u[2 * k + 1] - u[0], q = u[2 * k + 2] - u[0];
    const T below_p = std::fma(p * p, w[1], T(1)), below_q = std::fma(q * q, w[1], T(1));
    above[k] = std::fma(p, below_q, q * below_p);
    below[k] = below_p * below_q;
  }
  const T dataflow = sizeof(T) == 8
                         ? std::fma(above[0], below[1], above[1] * below[0]) / (below[0] * below[1])
                         : above[0] / below[0] + above[1] / below[1];
  return std::fma(w[0], dataflow, u[0]);
}

std::invalid_argument no_formula(const std::string& name) {
  return std::invalid_argument(fmt::format("stencil_oracle: no formula for {}", name));
}

/// Formula of a shape that is not linear.
template <class T>
cell_formula<T> formula_of(const std::string& name) {
  if (name == "gradient2d") return gradient<T>;
  throw no_formula(name);
}

}  // namespace

template <class T>
grid<T> stencil_by_loops(const stencil_shape& shape, grid<T> u, int steps, boundary edge,
                         const std::vector<double>& weights, const grid<T>* source,
                         cell_formula<T> formula) {
  const extents n = u.size();
  std::vector<T> w;
  for (const double v : weights.empty() ? shape.weights : weights) w.push_back(static_cast<T>(v));
  std::vector<tap> taps = shape.taps;
  if (shape.linear) {  // which add what they read row by row, or plane by plane
    const auto layer = [&](std::size_t k) {
      return n.dims == 3 ? shape.taps[k].dz : shape.taps[k].dy;
    };
    std::vector<std::size_t> order(taps.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t i, std::size_t k) { return layer(i) < layer(k); });
    const std::vector<T> as_given = w;
    for (std::size_t k = 0; k < order.size(); ++k) {
      taps[k] = shape.taps[order[k]];
      w[k] = as_given[order[k]];
    }
    formula = fused_sum<T>;
  } else if (!formula) {
    formula = formula_of<T>(shape.name);
  }
  const int r = shape.radius;
  const auto in_ring = [&](int i, int cells) { return i < r || i >= cells - r; };
  std::vector<T> near(taps.size());
  for (int s = 0; s < steps; ++s) {
    const grid<T> before = u;
    for (int z = 0; z < n.z; ++z)
      for (int y = 0; y < n.y; ++y)
        for (int x = 0; x < n.x; ++x) {
          if (edge == boundary::fixed &&
              (in_ring(y, n.y) || in_ring(x, n.x) || (n.dims == 3 && in_ring(z, n.z))))
            continue;
          for (std::size_t k = 0; k < near.size(); ++k)
            near[k] = before(place(z + taps[k].dz, n.z, edge), place(y + taps[k].dy, n.y, edge),
                             place(x + taps[k].dx, n.x, edge));
          const T v = formula(near, w);
          u(z, y, x) = source ? v + (*source)(z, y, x) : v;
        }
  }
  return u;
}

template <class T>
grid<T> stencil_by_loops(const std::string& name, grid<T> u, int steps, boundary edge,
                         const std::vector<double>& weights, const grid<T>* source) {
  return stencil_by_loops<T>(find_stencil_shape(name), std::move(u), steps, edge, weights, source);
}

template <class T>
grid<T> random_field(const extents& n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> values(-1, 1);
  grid<T> u(n);
  for (T& v : u.cells()) v = static_cast<T>(values(random));
  return u;
}

std::vector<double> uneven_weights(const std::string& name) {
  return uneven_weights(find_stencil_shape(name));
}
std::vector<double> uneven_weights(const stencil_shape& shape) {
  if (shape.name == "gradient2d") return {0.17, 3.0};
  if (!shape.linear) throw no_formula(shape.name);
  std::vector<double> w;
  double sum = 0;
  for (std::size_t k = 0; k < shape.weights.size(); ++k) {
    w.push_back((k % 3 == 1 ? -1.0 : 1.0) * (3.0 + static_cast<double>(k * 7 % 11)));
    sum += std::abs(w.back());
  }
  for (double& v : w) v /= sum;
  return w;
}

std::vector<std::string> shape_names() {
  std::vector<std::string> names;
  for (const auto& s : stencil_shapes()) names.push_back(s.name);
  return names;
}
bool has_stencil_shape(const std::string& name) {
  return std::ranges::count(shape_names(), name) > 0;
}
bool has_gpu_stencil(const std::string& name) {
  return std::ranges::any_of(stencil_kernels(), [&](const stencil_kernel& v) {
    return v.shape.name == name && v.on == backend::cuda;
  });
}

template <class T>
std::string difference(const grid<T>& found, const grid<T>& expected) {
  using bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  if (found.size() != expected.size())
    return fmt::format("{} cells instead of {}", to_string(found.size()),
                       to_string(expected.size()));
  std::size_t wrong = 0, first = 0;
  for (std::size_t i = 0; i < found.cells().size(); ++i)
    if (std::bit_cast<bits>(found.cells()[i]) != std::bit_cast<bits>(expected.cells()[i]) &&
        wrong++ == 0)
      first = i;
  if (wrong == 0) return {};
  const auto n = expected.size();
  const std::size_t row = first / static_cast<std::size_t>(n.x);
  return fmt::format("{} of {} cells differ, first (z {}, y {}, x {}): {:.17g} instead of {:.17g}",
                     wrong, n.cells(), row / static_cast<std::size_t>(n.y),
                     row % static_cast<std::size_t>(n.y), first % static_cast<std::size_t>(n.x),
                     found.cells()[first], expected.cells()[first]);
}

template grid<double> stencil_by_loops(const stencil_shape&, grid<double>, int, boundary,
                                       const std::vector<double>&, const grid<double>*,
                                       cell_formula<double>);
template grid<double> stencil_by_loops(const std::string&, grid<double>, int, boundary,
                                       const std::vector<double>&, const grid<double>*);
template grid<float> stencil_by_loops(const stencil_shape&, grid<float>, int, boundary,
                                      const std::vector<double>&, const grid<float>*,
                                      cell_formula<float>);
template grid<float> stencil_by_loops(const std::string&, grid<float>, int, boundary,
                                      const std::vector<double>&, const grid<float>*);
template grid<double> random_field(const extents&, unsigned);
template grid<float> random_field(const extents&, unsigned);
template std::string difference(const grid<double>&, const grid<double>&);
template std::string difference(const grid<float>&, const grid<float>&);

}  // namespace dwell::test
