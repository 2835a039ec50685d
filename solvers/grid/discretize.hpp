// SPDX-License-Identifier: MIT
// From a description of a problem to conductances, volumes, and what sides give to right-hand
// sides.
#pragma once
#include <array>
#include <span>
#include <vector>

#include "dwell/grid/grid_operator.hpp"
#include "dwell/solvers/grid/axis_order.hpp"
#include "dwell/solvers/grid/coefficients.hpp"
#include "dwell/solvers/grid/face_rules.hpp"

namespace dwell::grids {

/// What one side adds to the right-hand side, per cell of the side, in the order of memory.
template <class T>
struct side_term {
  int axis = 0;
  bool high = false;
  std::vector<T> of_cell;
};

/// A problem on a grid, discretised: all in the order of a solve.
template <class T>
struct system {
  axis_order order;
  coefficients<T> a;
  std::array<std::vector<T>, 3> volume;  ///< factors of W along z, y, x
  std::vector<side_term<T>> sides;       ///< those that are not 0
  bool singular = false;
  bool negative_s = false;  ///< s is below 0 somewhere: the operator may be indefinite
};

/// Throws input_error where grid_operator does.
template <class T>
system<T> discretize(const grid_description<T>& d, const axis_order& order);
/// Likewise, with vectors in the order of the caller.
template <class T>
system<T> discretize(const grid_description<T>& d) {
  return discretize(d, axis_order(d.cells, reordering::one_cell));
}

/// Arrays of a description in the order of a solve, where that is another one.
template <class T>
struct turned_arrays {
  std::vector<T> k_cells, s_cells, faces[3];
};

/// A problem whose operator is made elsewhere: all but its coefficients, of which the shape is
/// there, and what they follow from.
template <class T>
struct undiscretized {
  /// Arrays that are where the operator is made, in place of those of `rules`; null: none.
  struct arrays {
    const T *k_cells = nullptr, *s_cells = nullptr;
    const T* faces[3] = {};  ///< along z, y, x
  };
  grids::system<T> system;
  face_rules<T> rules;  ///< with the description's arrays, or these
  turned_arrays<T> turned;
  arrays there{};
};
/// Throws what discretize() throws, but for what values of arrays per cell or face say.
template <class T>
undiscretized<T> discretize_elsewhere(const grid_description<T>& d, const axis_order& order);
template <class T>
undiscretized<T> discretize_elsewhere(const grid_description<T>& d) {
  return discretize_elsewhere(d, axis_order(d.cells, reordering::one_cell));
}
/// Rows are not shared: coefficients have an array per cell or face.
template <class T>
bool has_arrays(const grid_description<T>& d);

/// b = W f + what the sides give, both in the order of a solve.
template <class T>
void right_hand_side(const system<T>& s, std::span<const T> f, std::span<T> b);

extern template undiscretized<double> discretize_elsewhere(const grid_description<double>&,
                                                           const axis_order&);
extern template undiscretized<float> discretize_elsewhere(const grid_description<float>&,
                                                          const axis_order&);
extern template bool has_arrays(const grid_description<double>&);
extern template bool has_arrays(const grid_description<float>&);
extern template system<double> discretize(const grid_description<double>&, const axis_order&);
extern template system<float> discretize(const grid_description<float>&, const axis_order&);
extern template void right_hand_side(const system<double>&, std::span<const double>,
                                     std::span<double>);
extern template void right_hand_side(const system<float>&, std::span<const float>,
                                     std::span<float>);

}  // namespace dwell::grids
