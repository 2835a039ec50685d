// SPDX-License-Identifier: MIT
// Which axis of a description lies where in memory while a system is solved. All loops go along
// rows, each of which has a price; so an axis that is much shorter than another one is no axis of
// rows. Whatever names axes to the caller, or reads the caller's arrays, asks here.
#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "dwell/solvers/grid/coefficients.hpp"

namespace dwell::grids {

/// Which axes may change places.
enum class reordering {
  one_cell,     ///< those of one cell: vectors of the caller are in the order of a solve
  planes_stay,  ///< all but the slowest one, which is divided among ranks
  any
};

/// Axes of a description are numbered from the slowest one on, those inside are z, y, x.
class axis_order {
 public:
  using sizes = std::array<int, 3>;  ///< elements of an array along z, y, x

  /// Three axes, as they are described.
  axis_order() = default;
  /// Throws input_error unless there are one to three axes of at least one cell each.
  axis_order(const std::vector<int>& cells, reordering may);

  std::size_t dims() const { return dims_; }
  /// Where an axis of the description lies.
  int inside(std::size_t axis) const { return inside_[axis]; }
  /// The axis of the description that lies there, -1: none.
  int described(int inside) const;
  /// Sizes along z, y, x, and back along the axes of the description.
  sizes inside(const std::vector<int>& described) const;
  std::vector<int> described(const sizes& n) const;

  /// An array of the caller is in another order than it would have in a solve.
  bool turns(const sizes& n) const;
  /// Distances in an array of the caller between neighbours along z, y, x.
  std::array<std::size_t, 3> distances(const sizes& n) const;
  /// An array of the caller put into the order of a solve, by up to so many threads.
  template <class T>
  void take(std::span<const T> callers, std::span<T> inside, const sizes& n, int threads) const;
  /// The way back.
  template <class T>
  void give(std::span<const T> inside, std::span<T> callers, const sizes& n, int threads) const;

  bool operator==(const axis_order&) const = default;

 private:
  std::size_t dims_ = 3;
  std::array<int, 3> inside_{z_axis, y_axis, x_axis};
};

extern template void axis_order::take(std::span<const double>, std::span<double>, const sizes&,
                                      int) const;
extern template void axis_order::take(std::span<const float>, std::span<float>, const sizes&,
                                      int) const;
extern template void axis_order::give(std::span<const double>, std::span<double>, const sizes&,
                                      int) const;
extern template void axis_order::give(std::span<const float>, std::span<float>, const sizes&,
                                      int) const;

}  // namespace dwell::grids
