// SPDX-License-Identifier: MIT
// The matrices of a batch as one: diagonal blocks, the rows of a system after those of the one
// before, columns shifted alike. Set-up then checks and cuts one matrix, wherever it is. Private to
// the solver.
#pragma once
#include <span>
#include <vector>

#include "dwell/formats/csr.hpp"
#include "dwell/solvers/linear/check/system_check.hpp"

namespace dwell {

/// Where the systems of a batch begin.
struct batch_rows {
  std::vector<index> first = {0};  ///< count + 1 rows
  index most = 0;                  ///< rows of a system

  int count() const { return static_cast<int>(first.size()) - 1; }
};

template <class T>
struct joined_systems {
  csr<T> matrix;
  batch_rows rows;
};

/// Copies the arrays. Throws input_error, naming the system, unless each is square with sound
/// arrays of the host and columns of its own, and input_error if all together have more rows or
/// nonzeros than an index can count. Values and what only whole rows show are checked later.
template <class T>
joined_systems<T> join_systems(std::span<const csr_view<T>> systems);
/// `count` systems of one pattern, whose values follow each other.
template <class T>
joined_systems<T> join_systems(const csr_view<T>& pattern, std::span<const T> values, int count);

/// Throws input_error for the first system that check_system() refuses, naming it.
template <class T>
void check_systems(const csr_view<T>& joined, const batch_rows& rows, const matrix_demand& demand);

}  // namespace dwell
