// SPDX-License-Identifier: MIT
// What the models say of the fetches of a traced problem, beside a simulation of it. Exact counts:
// every block of an order (a column, a tile, the whole grid) fetches its own lines once, or once
// for every row of tasks. The document's equations, which round up, and Lam et al.'s interference.
#pragma once
#include <cstdint>
#include <optional>

#include "studies/trace/accesses.hpp"
#include "studies/trace/cache.hpp"

#include "dwell/execution/stencil/order/cell_order.hpp"

namespace dwell::trace {

struct fetch_model {
  /// Each block fetches its lines once: exact where the cache holds what a row of tasks shares
  /// with the next, and no line survives until the next block; else no more is fetched as long as
  /// the first is true.
  std::int64_t once = 0;
  /// Each row of tasks of a block fetches its lines: exact where the cache holds what the tasks of
  /// a row share, and nothing from row to row.
  std::int64_t every_row = 0;
  /// Lines of cache that suffice for `once`, with LRU replacement and one set: all lines of the
  /// rows of the widest block that the next row of tasks reads again, and those that come between.
  std::int64_t lines_needed = 0;
  /// The document's: lines of cache, and fetches at most, or about. None for three dimensions, for
  /// orders and problems that it has no equation for.
  std::optional<double> document_lines, document_fetches;
  const char* equation = "";  ///< equation of document_fetches
  /// Lam et al.'s misses: by probability, for a cache whose sets are hit at random. None of
  /// stencils in three dimensions.
  std::optional<double> interference;
  /// Misses by the lines in each set of the cache (set_conflicts.hpp), `once` among them. None
  /// where replacement is not LRU, and of stencils in three dimensions, in orders whose rows go to
  /// and fro, and with rows without taps.
  std::optional<std::int64_t> conflicts;
};

/// For the first level `cache`, one thread.
fetch_model model_fetches(const traced_problem& problem, const cell_order& order,
                          const cache_shape& cache);

}  // namespace dwell::trace
