// SPDX-License-Identifier: MIT
// Random systems on grids of every kind: sizes, centrings, coefficients, boundaries.
#pragma once
#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "dwell/grid/grid_operator.hpp"

namespace dwell::testing {

/// A description and the arrays that it reads. Not movable: the description points into it.
template <class T>
struct grid_problem {
  grid_description<T> d;
  std::vector<T> k, s, faces[3];
  std::string says;  ///< for messages of tests

  grid_problem() = default;
  grid_problem(const grid_problem&) = delete;

  std::size_t cells() const {
    std::size_t n = 1;
    for (const int c : d.cells) n *= std::size_t(c);
    return n;
  }
};

/// Fills `p` with what `seed` stands for; at most `most` unknowns along an axis (in three
/// dimensions a quarter of them), or `cells` of them, unless empty. jump: k is between 1 / jump and
/// jump.
template <class T>
void random_grid_problem(unsigned seed, int most, double jump, grid_problem<T>& p,
                         const std::vector<int>& cells = {}) {
  std::mt19937 random(seed);
  const auto below = [&](int n) { return int(random() % unsigned(n)); };
  const auto real = [&](double low, double high) {
    return low + (high - low) * (double(random()) / double(std::mt19937::max()));
  };
  const int dims = cells.empty() ? 1 + below(3) : int(cells.size());
  grid_description<T>& d = p.d;
  d.centring = below(2) ? grid_centring::cell : grid_centring::vertex;
  d.mean = below(2) ? face_mean::harmonic : face_mean::arithmetic;
  for (int a = 0; a < dims; ++a) {
    d.cells.push_back(cells.empty() ? 1 + below(dims == 3 ? (most + 3) / 4 : most)
                                    : cells[std::size_t(a)]);
    d.spacing.push_back(real(0.5, 2));
    d.k_axes[std::size_t(a)] = real(0.5, 2);
    auto& sides = d.boundary.sides[std::size_t(a)];
    if (below(4) == 0)
      sides[0].kind = sides[1].kind = boundary_kind::periodic;
    else
      for (auto& side : sides) {
        side.kind = boundary_kind(below(3));
        side.value = real(-1, 1);
        if (side.kind == boundary_kind::robin) side.alpha = below(3) ? real(0, 3) : 0;
      }
    if (d.centring == grid_centring::vertex && d.cells.back() == 1 &&
        sides[0].kind != boundary_kind::periodic)
      sides[std::size_t(below(2))].kind = boundary_kind::dirichlet;
  }
  const std::size_t all = p.cells();
  const auto fill = [&](std::vector<T>& v, std::size_t n) {
    v.resize(n);
    for (T& e : v) e = T(std::exp(real(-std::log(jump), std::log(jump))));
  };
  for (int a = 0; a < dims; ++a)
    if (auto& side = d.boundary.sides[std::size_t(a)][std::size_t(below(2))];
        side.kind != boundary_kind::periodic && below(3) == 0)
      for (std::size_t i = 0; i < all / std::size_t(d.cells[std::size_t(a)]); ++i)
        side.values.push_back(real(-1, 1));
  switch (below(3)) {
    case 0:
      d.k = real(0.5, 2);
      break;
    case 1:
      fill(p.k, all);
      d.k_cells = p.k;
      break;
    default:
      for (int a = 0; a < dims; ++a) {
        const auto axis = std::size_t(a);
        if (below(4) == 0) continue;
        fill(p.faces[a], all / std::size_t(d.cells[axis]) * std::size_t(d.cells[axis] + 1));
        if (d.boundary.sides[axis][0].kind == boundary_kind::periodic) {  // both ends alike
          std::size_t inner = 1;
          for (int o = a + 1; o < dims; ++o) inner *= std::size_t(d.cells[std::size_t(o)]);
          const std::size_t along = std::size_t(d.cells[axis]) * inner, block = along + inner;
          for (std::size_t at = 0; at < p.faces[a].size(); at += block)
            for (std::size_t i = 0; i < inner; ++i) p.faces[a][at + along + i] = p.faces[a][at + i];
        }
        d.k_faces[axis] = p.faces[a];
      }
  }
  switch (below(3)) {
    case 0:
      break;
    case 1:
      d.s = real(0, 1);
      break;
    default:
      p.s.resize(all);
      for (T& e : p.s) e = below(3) ? T(0) : T(real(0, 2));
      d.s_cells = p.s;
  }
  p.says = "seed " + std::to_string(seed) + ", cells";
  for (const int c : d.cells) p.says += " " + std::to_string(c);
  p.says += d.centring == grid_centring::cell ? ", cell" : ", vertex";
  for (int a = 0; a < dims; ++a)
    for (const auto& side : d.boundary.sides[std::size_t(a)]) p.says += ", " + to_string(side);
}

}  // namespace dwell::testing
