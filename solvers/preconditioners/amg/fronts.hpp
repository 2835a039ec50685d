// SPDX-License-Identifier: MIT
// Splits rows into coarse and fine ones on the host, one after another (the first pass of Ruge and
// Stueben, 1987): the open row that most depend on becomes coarse, those that depend on it fine,
// and the rows that these depend on are wanted more. So coarse rows spread in fronts, and on
// meshes they lie regularly, which random ties (look_for_coarse) do not give.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dwell/base/interruption.hpp"
#include "dwell/solvers/preconditioners/amg/classical_steps.hpp"

namespace dwell::amg {

/// Open rows by how much they are wanted, in lists; the row that came last comes out first.
class wanted_rows {
 public:
  explicit wanted_rows(index rows)
      : wanted_(static_cast<std::size_t>(rows)),
        next_(wanted_.size(), none),
        before_(wanted_.size(), none) {}

  void insert(index row, index wanted) {
    const auto list = static_cast<std::size_t>(wanted), at = static_cast<std::size_t>(row);
    if (list >= first_.size()) first_.resize(std::max(2 * first_.size(), list + 1), none);
    wanted_[at] = wanted;
    before_[at] = none;
    next_[at] = first_[list];
    if (next_[at] != none) before_[static_cast<std::size_t>(next_[at])] = row;
    first_[list] = row;
    most_ = std::max(most_, wanted);
  }
  void erase(index row) {
    const auto at = static_cast<std::size_t>(row);
    if (before_[at] != none)
      next_[static_cast<std::size_t>(before_[at])] = next_[at];
    else
      first_[static_cast<std::size_t>(wanted_[at])] = next_[at];
    if (next_[at] != none) before_[static_cast<std::size_t>(next_[at])] = before_[at];
  }
  /// Moves a row by one; returns how much it is wanted now.
  index move(index row, index by) {
    const index now = wanted_[static_cast<std::size_t>(row)] + by;
    erase(row);
    insert(row, now);
    return now;
  }
  /// The row that is wanted most, or -1.
  index most() {
    while (most_ >= 0 && (first_.empty() || first_[static_cast<std::size_t>(most_)] == none))
      --most_;
    return most_ < 0 ? -1 : first_[static_cast<std::size_t>(most_)];
  }

 private:
  static constexpr index none = -1;
  std::vector<index> wanted_, next_, before_, first_;
  index most_ = -1;
};

/// Decides all open rows and returns the coarse ones in the order of fronts, in which neighbours
/// are near each other however rows are numbered. bits: find_dependences.
inline std::vector<index> split_in_fronts(const graph& a, const std::uint8_t* bits,
                                          std::uint64_t* key) {
  wanted_rows open(a.rows);
  for (index i = a.rows; i-- > 0;)
    if (is_open(key[i])) open.insert(i, static_cast<index>(key[i] >> 32));
  const auto decide = [&](index row, std::uint64_t as) {
    open.erase(row);
    key[row] = as;
  };
  std::vector<index> coarse;
  for (index i; (i = open.most()) >= 0;) {
    if (coarse.size() % 4096 == 0) poll_interruption();
    decide(i, coarse_key);
    coarse.push_back(i);
    for (index k = a.row_ptr[i]; k < a.row_end[i]; ++k) {
      const index j = a.col[k];
      if (!(bits[k] & is_needed) || !is_open(key[j])) continue;
      decide(j, fine_key);
      for (index e = a.row_ptr[j]; e < a.row_end[j]; ++e)
        if ((bits[e] & depends) && is_open(key[a.col[e]])) open.move(a.col[e], 1);
    }
    for (index k = a.row_ptr[i]; k < a.row_end[i]; ++k)
      if ((bits[k] & depends) && is_open(key[a.col[k]]) && open.move(a.col[k], -1) == 0)
        decide(a.col[k], fine_key);
  }
  return coarse;
}

}  // namespace dwell::amg
