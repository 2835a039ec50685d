// SPDX-License-Identifier: MIT
// Finds levels and colours, row by row.
#include "dwell/solvers/preconditioners/ilu0/row_groups.hpp"

#include <algorithm>
#include <cstddef>

#include "dwell/base/interruption.hpp"

namespace dwell::ilu0 {
namespace {

/// A level with fewer rows is a barrier for little; so many levels take no time worth sparing.
constexpr index least_rows_of_level = 32, few_levels = 128;

/// f(j) for the rows before i that are coupled with it.
template <class F>
void each_before(index i, const pattern& to, const pattern& from, F&& f) {
  for (const pattern* p : {&to, &from})
    for (const index j : p->rows(i)) {
      if (j >= i) break;
      f(static_cast<std::size_t>(j));
    }
}

row_groups find_levels(index rows, const pattern& to, const pattern& from) {
  row_groups out{std::vector<index>(static_cast<std::size_t>(rows)), 0, true};
  for (index i = 0; i < rows; ++i) {
    if (i % 4096 == 0) poll_interruption();
    index level = 0;
    each_before(i, to, from, [&](std::size_t j) { level = std::max(level, out.group[j] + 1); });
    out.group[static_cast<std::size_t>(i)] = level;
    out.count = std::max(out.count, level + 1);
  }
  return out;
}

row_groups find_colours(index rows, const pattern& to, const pattern& from) {
  row_groups out{std::vector<index>(static_cast<std::size_t>(rows)), 0, false};
  std::vector<index> taken_by;  // the last row that may not have the colour
  for (index i = 0; i < rows; ++i) {
    if (i % 4096 == 0) poll_interruption();
    each_before(i, to, from,
                [&](std::size_t j) { taken_by[static_cast<std::size_t>(out.group[j])] = i; });
    const auto free = std::ranges::find_if(taken_by, [&](index row) { return row != i; });
    out.group[static_cast<std::size_t>(i)] = static_cast<index>(free - taken_by.begin());
    if (free == taken_by.end()) taken_by.push_back(-1);
  }
  out.count = static_cast<index>(taken_by.size());
  return out;
}

}  // namespace

row_groups group_rows(index rows, const pattern& to, const pattern& from) {
  row_groups levels = find_levels(rows, to, from);
  if (levels.count <= std::max(few_levels, rows / least_rows_of_level)) return levels;
  row_groups colours = find_colours(rows, to, from);
  return colours.count < levels.count ? colours : levels;
}

}  // namespace dwell::ilu0
