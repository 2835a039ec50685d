// SPDX-License-Identifier: MIT
// Aggregates of up to four rows by pairs of pairs (Notay, SIAM J. Sci. Comput. 34, 2012), of rows
// that are strongly coupled in either direction. Private to the solvers.
#pragma once
#include <cstddef>
#include <vector>

#include "dwell/base/index.hpp"
#include "dwell/execution/team/setup_cpu.hpp"
#include "dwell/solvers/preconditioners/sequences/steps.hpp"

namespace dwell::aggregation {

inline std::size_t at(index i) { return static_cast<std::size_t>(i); }

/// Couplings of rows, symmetric: -(a_ij + a_ji) / 2 where that is positive, no diagonal.
struct couplings {
  std::vector<index> row_ptr, col;
  std::vector<double> weight;
  std::vector<char> apart;  ///< per row: Jacobi's sweeps alone are good enough for it
  index rows() const { return static_cast<index>(row_ptr.size()) - 1; }
};

/// Groups of rows; -1: in none.
struct grouping {
  std::vector<index> group;
  index count = 0;
};

/// Rows of each group in order: those of group g from begin[g] to begin[g + 1] - 1.
struct group_members {
  std::vector<index> begin, row;
};
group_members members_of(const grouping& of);

/// b: the transpose of a. Rows with a diagonal of at least twice what is beside it, by the mean of
/// row and column, are apart.
couplings find_couplings(const cpu::setup_loops& loops, const sequences::rows_f64& a,
                         const sequences::rows_f64& b, const double* diagonal);
/// Couplings of groups, as sums; none is apart.
couplings group_couplings(const cpu::setup_loops& loops, const couplings& of, const grouping& by);

/// Each row with its strongest neighbour that is free, in the order of the rows; a coupling must be
/// at least a quarter of the strongest one of either row. Rows that are apart are in none.
grouping find_pairs(const couplings& of);
/// Pairs of pairs.
grouping find_aggregates(const cpu::setup_loops& loops, const couplings& of);

}  // namespace dwell::aggregation
