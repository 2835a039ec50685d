// SPDX-License-Identifier: MIT
// The null space that a caller gives, as vectors or as that of constants: made orthonormal, placed
// where the device's teams read it, and checked against a matrix. Private to the solver.
#pragma once
#include <string>
#include <vector>

#include "dwell/comm/halo.hpp"
#include "dwell/device/device.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/krylov/spmv/csr_arrays.hpp"
#include "dwell/linear/solve.hpp"

namespace dwell {

/// The vectors of the options, by modified Gram-Schmidt, twice: column after column, orthonormal up
/// to rounding. Throws input_error if they do not fit a matrix of so many rows, or if one of them
/// is not finite, zero, or in the span of those before it. Of several ranks, which call it together
/// and throw together, each gives and gets the elements of its rows; a rank without rows may give
/// anything.
std::vector<double> orthonormal(const std::vector<double>& vectors, index rows,
                                communicator* ranks = nullptr);

class null_vectors {
 public:
  null_vectors() = default;
  /// Vectors of the options; none where they give none. ranks: among which rows are divided, or
  /// null; they must stay, and either all ranks give vectors or none does. Throws as orthonormal()
  /// does.
  null_vectors(const device& where, const solve_options& o, index rows, const row_ranks* ranks);

  /// A constant vector, to be checked where null_space is "constant"; of other options none. ranks:
  /// as above.
  static null_vectors constants(const device& where, const solve_options& o, index rows,
                                const row_ranks* ranks);

  int count() const { return count_; }
  /// In memory of the device.
  const double* data() const { return data_.data(); }
  /// Throws input_error unless A takes all of them to about zero: ||A n|| at most 1e-8 (in f32
  /// 1e-4) of || |A| |n| ||. Waits for the device. exponent: of the largest element of A. Ranks
  /// call it together and throw together.
  template <class T>
  void check(const large_csr_arrays<T>& a, int exponent) const;

 private:
  /// Vector k as rows of the matrix read it: with the ghosts of other ranks.
  buffer<double> with_ghosts(int k, std::size_t rows) const;

  device where_ = device::cpu(1);
  const row_ranks* ranks_ = nullptr;
  int count_ = 0;
  bool constants_ = false;  ///< not given as vectors
  buffer<double> data_;
};

}  // namespace dwell
