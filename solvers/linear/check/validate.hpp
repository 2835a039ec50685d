// SPDX-License-Identifier: MIT
// The checks of a system where its arrays are: on a GPU by kernels, on a CPU in one pass of its
// threads. They say whether a matrix is sound; what is wrong with one that is not, and where, says
// check_system() of system_check.hpp, which reads it on the host. Private to the solver.
#pragma once
#include <cstdint>

#include "dwell/device/device.hpp"
#include "dwell/execution/krylov/spmv/csr_arrays.hpp"
#include "dwell/linear/matrix_class.hpp"
#include "dwell/solvers/linear/run/system_scale.hpp"

namespace dwell {

/// An element and its mirror that differ, in rows and columns of the whole matrix; row -1: none.
struct unequal_pair {
  std::int64_t row = -1, column = -1;
  double here = 0, there = 0;  ///< at (row, column) and at (column, row)
  bool stored_there = false;   ///< else nothing is
};

struct system_facts {
  bool sound = false;      ///< square, finite numbers, no row empty; else nothing else counts
  bool symmetric = false;  ///< also where nobody looked
  bool positive_diagonal = false;                ///< stored in every row
  bool full_diagonal = false;                    ///< stored in every row, and not zero
  int exponent = exponent_of_zero;               ///< ilogb of the largest |a_ij|
  double least_diagonal = 0, most_diagonal = 0;  ///< range of the positive a_ii, 0 without any
  /// The first one in the order of the rows, where several ranks have looked for symmetry in vain.
  unequal_pair unequal;
  /// In no row the sum of the elements is larger than rounding explains: the constant vectors are
  /// in the null space. Rows of zeros alone do not count as such.
  bool zero_row_sums = false;
  /// Share of the rows, 0 to 1, in which more than a twentieth of the magnitude beside the diagonal
  /// is positive: 0 for M-matrices. Rows of more than 4096 elements do not count as such.
  double rows_with_positive = 0;

  /// Row pointers have 64 bits: what counts nonzeros in 32 bits is not for it.
  bool large = false;

  bool is(matrix_class c) const {
    return sound && (c == matrix_class::general ||
                     (symmetric && (c == matrix_class::symmetric || positive_diagonal)));
  }
};

/// |a_ij - a_ji| may be so large beside the largest of sqrt(|a_ii a_jj|), |a_ij| and |a_ji|.
template <class T>
inline constexpr double symmetry_tolerance = sizeof(T) == 8 ? 1e-12 : 1e-5;

/// Arrays in memory of the device; they need not be sound, but row_ptr must have rows + 1 elements,
/// col and val `nonzeros`. Waits for the device. Throws device_error.
template <class T>
system_facts validate(const device& where, const large_csr_arrays<T>& a, bool check_symmetry,
                      double tolerance = symmetry_tolerance<T>);
template <class T>
system_facts validate(const device& where, const csr_arrays<T>& a, bool check_symmetry,
                      double tolerance = symmetry_tolerance<T>) {
  return validate(where, large_csr_arrays<T>(a), check_symmetry, tolerance);
}

struct vector_magnitude {
  bool finite = false;
  int exponent = exponent_of_zero;  ///< ilogb of the largest magnitude, if finite
};

/// Looks at n elements in memory of the device. Waits for the device.
template <class T>
vector_magnitude validate_vector(const device& where, const T* v, index n);

/// The inverse of the diagonal of 2^exponent A, or of its magnitudes, with the same bits on every
/// device; a is sound and has a full diagonal. `to`: rows elements in memory of the device. Ordered
/// by the stream of the device.
template <class T>
void invert_diagonal(const device& where, const large_csr_arrays<T>& a, int exponent,
                     bool magnitudes, T* to);
template <class T>
void invert_diagonal(const device& where, const csr_arrays<T>& a, int exponent, bool magnitudes,
                     T* to) {
  invert_diagonal(where, large_csr_arrays<T>(a), exponent, magnitudes, to);
}

}  // namespace dwell
