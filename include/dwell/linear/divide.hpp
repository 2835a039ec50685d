// SPDX-License-Identifier: MIT
// Another order of the rows of a matrix, in which every rank's rows follow each other.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "dwell/base/api.hpp"
#include "dwell/formats/csr.hpp"

namespace dwell {

/// Row k of the divided system is row order[k] of the one that was given.
struct row_division {
  std::vector<std::int64_t> first_rows;  ///< first row of each rank, and the number of rows
  std::vector<index> order;              ///< order of all rows
};

/// Rank r gets the rows of part r (0 to ranks - 1 each): first those that read rows of their own
/// part only, so that their products need not wait for other ranks; else in their order. Nodes of
/// several rows, as elasticity has, stay whole: of the part of their first row. Throws input_error
/// unless there is a part of a rank for every row, a node has rows, and the matrix is square.
template <class T>
DWELL_API row_division divide_by_parts(const csr_view<T>& a, std::span<const int> parts, int ranks,
                                       index rows_of_node = 1);

/// The matrix with rows and columns in that order, columns ascending.
template <class T>
DWELL_API csr<T> in_order(const csr_view<T>& a, std::span<const index> order);
/// A vector in that order.
template <class T>
std::vector<T> in_order(std::span<const T> v, std::span<const index> order) {
  std::vector<T> to(v.size());
  for (std::size_t k = 0; k < v.size(); ++k) to[k] = v[static_cast<std::size_t>(order[k])];
  return to;
}
/// And back.
template <class T>
std::vector<T> from_order(std::span<const T> v, std::span<const index> order) {
  std::vector<T> to(v.size());
  for (std::size_t k = 0; k < v.size(); ++k) to[static_cast<std::size_t>(order[k])] = v[k];
  return to;
}

}  // namespace dwell
