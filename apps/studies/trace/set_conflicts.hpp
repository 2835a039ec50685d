// SPDX-License-Identifier: MIT
// Reuse that a product of matrices, or a step of a stencil in two dimensions, loses to conflicts in
// the sets of a cache: rows a power of two apart lie in few sets, which overflow while the others
// are empty (Lam et al. 1991, section 3).
#pragma once
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "studies/trace/accesses.hpp"
#include "studies/trace/cache.hpp"

#include "dwell/execution/stencil/order/index_map.hpp"

namespace dwell::trace {

/// Misses beside the first one of each line of a block of C, by one thread, with LRU replacement: a
/// line is lost between two uses if as many others of its set as there are ways are used from one
/// to the other. They are counted line by line, not access by access as a simulation does.
class set_conflicts {
 public:
  /// The problem is a product; the cache's replacement is LRU.
  set_conflicts(const traced_problem& product, const cache_shape& cache);

  std::int64_t misses(const cell_block& block) const;

 private:
  /// Lines `begin` to `end` - 1 of row y of A in a set.
  std::int64_t of_row(std::int64_t y, std::int64_t set, std::int64_t begin, std::int64_t end) const;
  /// Lines of B in a set, of the column of lines `column`.
  std::int64_t of_column(std::int64_t column, std::int64_t set) const;
  /// Lines of row y of A that are lost from a task to the next one, by their columns of lines of B.
  std::int64_t lost_of_row(std::int64_t y, std::int64_t column, std::int64_t next) const;
  /// Set of line `row` of B's column of lines.
  std::size_t set_of_b(std::int64_t row, std::int64_t column) const;
  /// Misses of the tasks of a block in row y, first those from task to task, then those from this
  /// row of tasks to the next one.
  std::int64_t within_row(const cell_block& block, std::int64_t y) const;
  std::int64_t to_next_row(const cell_block& block, std::int64_t y,
                           const std::vector<std::int64_t>& of_block) const;
  /// Elements of row y of A, of a task, whose line the element of B before them has displaced: with
  /// one line a set.
  std::int64_t displaced_elements(std::int64_t y, std::int64_t column) const;

  const traced_problem& p_;
  std::int64_t sets_, ways_, row_lines_;
  std::vector<std::int64_t> first_column_;  ///< lines of B's first column of lines, in each set
};

/// Reuse that a step of a stencil loses likewise: a line of the field serves the tasks of a row one
/// after the other, and the next row of tasks as the row before it.
class stencil_set_conflicts {
 public:
  /// The problem is a stencil in two dimensions whose taps leave no row out; LRU replacement.
  stencil_set_conflicts(const traced_problem& stencil, const cache_shape& cache);

  /// Misses of a block beside the first one of each line; its rows all go the same way.
  std::int64_t misses(const cell_block& block);

 private:
  /// Taps of one row, from the first cell that a task may read.
  struct reach {
    int front, back;
  };
  /// Lines `begin` to `end` - 1 of the row that lies `row` rows from the first one of a task.
  struct lines {
    std::int64_t row, begin, end;
  };
  std::int64_t line_at(std::int64_t x) const { return x * p_.unit / p_.line; }
  /// How many of these lie in the set of line (row, column), without itself.
  std::int64_t in_set_of(std::int64_t row, std::int64_t column, const lines& of) const;
  bool lost_in_row(int j, std::int64_t column, int x) const;
  bool lost_to_next_row(int j, std::int64_t column, int x0, int width) const;

  const traced_problem& p_;
  std::vector<reach> rows_;
  std::int64_t sets_, ways_, pitch_;  ///< pitch: lines from row to row
  std::map<std::tuple<int, int, int>, std::int64_t> known_;
};

}  // namespace dwell::trace
