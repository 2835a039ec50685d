// SPDX-License-Identifier: MIT
// The fill of a factorisation L D L^T of a symmetric pattern, counted without computing it:
// elimination tree (Liu 1986) and column counts (Gilbert, Ng and Peyton 1994), in a time that is
// about that of reading the pattern. Private to the solver.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "dwell/base/index.hpp"

namespace dwell {

/// The place of a row or a nonzero in an array.
inline std::size_t slot(index i) { return static_cast<std::size_t>(i); }

/// A pattern in compressed rows.
struct row_pattern {
  index rows = 0;
  const index* row_ptr = nullptr;
  const index* col = nullptr;
};

/// A pattern that owns its arrays.
struct owned_pattern {
  std::vector<index> row_ptr, col;
  row_pattern view() const {
    return {static_cast<index>(row_ptr.size()) - 1, row_ptr.data(), col.data()};
  }
};

/// The pattern of A + A^T; the diagonal stays as it is.
owned_pattern with_mirrors(const row_pattern& a);
/// Is the pattern that of its transpose? Columns ascend.
bool has_mirrors(const row_pattern& a);

/// How large the factor of a matrix is.
struct factor_fill {
  double nonzeros = 0;  ///< nonzeros of L, the diagonal included
  double flops = 0;     ///< multiplications and additions of the factorisation
};

/// What a count of the fill has found, of the pattern of A + A^T.
struct counted_fill {
  std::vector<index> order;  ///< order of elimination: minimum degree
  factor_fill fill;
  std::size_t free_memory = 0;  ///< bytes that were free then; 0: not known
  /// Is there room for factors of a matrix that is symmetric, or not? By the memory of then:
  /// factors that are kept since do not count.
  bool has_room(bool symmetric) const;
};

/// Fill of L where rows and columns of a symmetric pattern are eliminated in this order: order[k]
/// is the row that comes as number k.
factor_fill fill_of(const row_pattern& symmetric, std::span<const index> order);

}  // namespace dwell
