// SPDX-License-Identifier: MIT
// A u = -div(k grad u) + s u on a box, by finite volumes, without a matrix. Nothing here needs
// CUDA.
//
//   dwell::grid_description<double> d{.cells = {200, 300}};
//   d.boundary = dwell::parse_grid_boundary("x: dirichlet 0, y: neumann", 2);
//   dwell::grid_operator<double> a(dwell::device::cpu(), d);
//   a.apply(u, y);                     // y = A u
#pragma once
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dwell/base/api.hpp"
#include "dwell/device/device.hpp"
#include "dwell/formats/csr.hpp"
#include "dwell/grid/boundary.hpp"

namespace dwell {

/// Where the unknowns are.
enum class grid_centring {
  /// In the centres of cells. The sides of the box are half a spacing beyond the outermost ones.
  cell,
  /// On vertices. The outermost ones lie on the sides of the box, where u is not given: there they
  /// have half a cell (a quarter on an edge). On a Dirichlet side u is known, and the outermost
  /// unknowns are one spacing inside.
  vertex
};

/// k of a face between two cells.
enum class face_mean {
  harmonic,   ///< 2 a b / (a + b): the flux through layers is exact
  arithmetic  ///< (a + b) / 2
};

/// The problem. Arrays are read while an operator or a solver is made of it. They have an element
/// per cell (per unknown), in C order (x fastest), as NumPy stores them.
template <class T>
struct grid_description {
  /// Unknowns along each of one to three axes, slowest first: {y, x}.
  std::vector<int> cells{};
  std::vector<double> spacing{};                 ///< per axis, slowest first; empty: all 1
  grid_centring centring = grid_centring::cell;  ///< where the unknowns are
  double k = 1;                                  ///< where `k_cells` is empty; > 0
  std::span<const T> k_cells{};                  ///< an element per cell; all > 0
  std::array<double, 3> k_axes{1, 1, 1};  ///< factors of k, and of k_faces, along each axis; > 0
  face_mean mean = face_mean::harmonic;   ///< k of a face, from k of its cells
  /// In place of k and k_cells, for each axis: k of each face, border faces included: one more
  /// along this axis than there are cells. Faces of the two ends of a periodic axis must agree.
  std::array<std::span<const T>, 3> k_faces{};
  double s = 0;                  ///< where `s_cells` is empty; below 0: see grid_options
  std::span<const T> s_cells{};  ///< an element per cell
  grid_boundary boundary{};      ///< conditions of all sides
};

/// The operator. T: double or float. It is symmetric, and positive definite unless singular() or s
/// < 0. An element of A u is what leaves a cell, over the volume of a whole cell. Movable. One
/// thread at a time may use an operator; several threads may use several at once. Results have the
/// same bits whatever the number of threads.
template <class T>
class DWELL_API grid_operator {
 public:
  /// Copies what it needs of the description. Throws input_error, in one line, for sizes that do
  /// not fit, values that are not finite or of the wrong sign, a periodic side opposite one that is
  /// not, or a vertex-centred axis of one unknown without a Dirichlet side; unsupported_error on a
  /// GPU.
  grid_operator(const device& where, const grid_description<T>& d);
  grid_operator(
      grid_operator&&) noexcept;  ///< what was moved from can only be destroyed or assigned to
  /// Moves likewise; frees what this operator had.
  grid_operator& operator=(grid_operator&&) noexcept;
  ~grid_operator();  ///< frees them

  std::size_t rows() const;  ///< unknowns
  /// No side is Dirichlet's, none is Robin's with alpha > 0, and s is 0: A has the constant vectors
  /// in its null space.
  bool singular() const;
  std::size_t bytes() const;  ///< that an application must move: coefficients, u and A u once each

  /// y = A u. Both have rows() elements and may not overlap, else input_error.
  void apply(std::span<const T> u, std::span<T> y);
  /// The right-hand side of A u = b for -div(k grad u) + s u = f: b = W f + what the conditions on
  /// the sides give, where W has the part of a cell that an unknown has (1 but on the sides of
  /// vertex-centred grids). An empty f is 0. f and b may be the same memory.
  void rhs(std::span<const T> f, std::span<T> b) const;
  /// A in compressed sparse rows. Throws input_error where it has more than 2^31 - 1 entries.
  csr<T> to_matrix() const;

 private:
  struct state;
  std::unique_ptr<state> s_;
};

extern template class grid_operator<double>;
extern template class grid_operator<float>;

}  // namespace dwell
