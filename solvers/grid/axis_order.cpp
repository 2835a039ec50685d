// SPDX-License-Identifier: MIT
#include "dwell/solvers/grid/axis_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "dwell/base/error.hpp"
#include "dwell/base/parallel.hpp"

namespace dwell::grids {
namespace {

/// Rows of so few cells take longer than others together with turning vectors, if there is an axis
/// that is so many times longer (docs/results/grids.md).
constexpr int most_narrow = 128, times_longer = 2;
bool is_narrow(int row, int longest) { return row <= most_narrow && longest / times_longer >= row; }

/// Axes from `fixed` on, the slowest first, as they are to lie in memory.
std::vector<int> ordered(const std::vector<int>& cells, std::size_t fixed, bool may_turn) {
  const auto of = [&](int axis) { return cells[std::size_t(axis)]; };
  std::vector<int> axes(cells.size());
  std::iota(axes.begin(), axes.end(), 0);
  const auto first = axes.begin() + std::ptrdiff_t(fixed);
  // Those of one cell first; then the slowest of the others before them, so that there are planes.
  const auto several =
      std::stable_partition(first, axes.end(), [&](int axis) { return of(axis) == 1; });
  if (axes.end() - several > 1 && may_turn) {
    const auto longest =
        std::max_element(several, axes.end(), [&](int a, int b) { return of(a) < of(b); });
    if (is_narrow(of(axes.back()), of(*longest))) {
      std::rotate(longest, longest + 1, axes.end());
      std::stable_sort(several, axes.end() - 1, [&](int a, int b) { return of(a) > of(b); });
    }
  }
  if (axes.end() - several == 2) std::rotate(first, several, several + 1);
  return axes;
}

constexpr std::size_t tile_of_x = 64, tile_of_rows = 8;

/// f(place inside, place in the caller's array) for all elements: by tiles along x and along an
/// axis whose neighbours lie side by side for the caller.
template <class F>
void each_place(const axis_order& order, const axis_order::sizes& n, int threads, F&& f) {
  const std::array<std::size_t, 3> far = order.distances(n);
  const std::size_t nx = std::size_t(n[2]), near[] = {std::size_t(n[1]) * nx, nx};
  const std::size_t dense = n[0] > 1 && far[0] == 1 ? 0 : 1, other = 1 - dense;
  const auto rows = std::size_t(n[dense]), of_row = (nx + tile_of_x - 1) / tile_of_x;
  const std::size_t pieces = std::size_t(n[other]) * of_row;
  const int parts = int(std::min(std::size_t(threads), pieces));
  const auto tile = [&](std::size_t plane, std::size_t begin, std::size_t end, std::size_t row) {
    const std::size_t at = plane * near[other] + row * near[dense];
    const std::size_t callers = plane * far[other] + row * far[dense];
    for (std::size_t x = begin; x < end; ++x) f(at + x, callers + x * far[2]);
  };
  for_parts(parts, [&](int part) {
    const auto [first, last] = piece(pieces, part, parts);
    for (std::size_t p = first; p < last; ++p) {
      const std::size_t begin = p % of_row * tile_of_x, end = std::min(begin + tile_of_x, nx);
      for (std::size_t low = 0; low < rows; low += tile_of_rows)
        for (std::size_t row = low; row < std::min(low + tile_of_rows, rows); ++row)
          tile(p / of_row, begin, end, row);
    }
  });
}

}  // namespace

axis_order::axis_order(const std::vector<int>& cells, reordering may) : dims_(cells.size()) {
  if (dims_ < 1 || dims_ > 3)
    throw input_error(fmt::format("grid: cells: expected 1 to 3 axes, found {}", dims_));
  for (const int n : cells)
    if (n < 1)
      throw input_error(
          fmt::format("grid: cells: expected at least 1 along each axis, found {}", n));
  const bool planes_stay = may == reordering::planes_stay;
  const std::vector<int> axes = ordered(cells, planes_stay ? 1 : 0, may != reordering::one_cell);
  // A grid of two dimensions has planes of one row.
  for (std::size_t place = 0; place < dims_; ++place)
    inside_[std::size_t(axes[place])] = dims_ == 2 ? int(2 * place) : int(place + 3 - dims_);
  for (std::size_t a = dims_; a < 3; ++a) inside_[a] = -1;
}

int axis_order::described(int inside) const {
  for (std::size_t a = 0; a < dims_; ++a)
    if (inside_[a] == inside) return int(a);
  return -1;
}
axis_order::sizes axis_order::inside(const std::vector<int>& described) const {
  sizes n{1, 1, 1};
  for (std::size_t a = 0; a < dims_; ++a) n[std::size_t(inside_[a])] = described[a];
  return n;
}
std::vector<int> axis_order::described(const sizes& n) const {
  std::vector<int> all;
  for (std::size_t a = 0; a < dims_; ++a) all.push_back(n[std::size_t(inside_[a])]);
  return all;
}

bool axis_order::turns(const sizes& n) const {
  int before = -1;
  for (std::size_t a = 0; a < dims_; ++a) {
    if (n[std::size_t(inside_[a])] == 1) continue;
    if (inside_[a] < before) return true;
    before = inside_[a];
  }
  return false;
}
std::array<std::size_t, 3> axis_order::distances(const sizes& n) const {
  std::array<std::size_t, 3> far{};
  std::size_t next = 1;
  for (std::size_t a = dims_; a-- > 0;) {
    const auto m = std::size_t(inside_[a]);
    far[m] = next;
    next *= std::size_t(n[m]);
  }
  return far;
}
template <class T>
void axis_order::take(std::span<const T> callers, std::span<T> inside, const sizes& n,
                      int threads) const {
  each_place(*this, n, threads, [&](std::size_t to, std::size_t at) { inside[to] = callers[at]; });
}
template <class T>
void axis_order::give(std::span<const T> inside, std::span<T> callers, const sizes& n,
                      int threads) const {
  each_place(*this, n, threads, [&](std::size_t at, std::size_t to) { callers[to] = inside[at]; });
}

template void axis_order::take(std::span<const double>, std::span<double>, const sizes&, int) const;
template void axis_order::take(std::span<const float>, std::span<float>, const sizes&, int) const;
template void axis_order::give(std::span<const double>, std::span<double>, const sizes&, int) const;
template void axis_order::give(std::span<const float>, std::span<float>, const sizes&, int) const;

}  // namespace dwell::grids
