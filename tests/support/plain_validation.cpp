// SPDX-License-Identifier: MIT
// The rules of check_system(), entry by entry, with the matrix in a map.
#include "plain_validation.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "dwell/solvers/linear/check/validate_steps.hpp"

namespace dwell::test {

template <class T>
system_facts plainly(const csr<T>& a, bool check_symmetry) {
  if (a.rows != a.cols || a.row_ptr.front() != 0) return {};
  const auto nonzeros = static_cast<index>(a.col.size());
  for (std::size_t i = 0; i + 1 < a.row_ptr.size(); ++i)
    if (a.row_ptr[i + 1] <= a.row_ptr[i] || a.row_ptr[i + 1] > nonzeros) return {};
  if (a.row_ptr.back() != nonzeros) return {};
  std::map<std::pair<index, index>, T> entries;
  system_facts facts;
  T most = 0;
  for (index i = 0; i < a.rows; ++i)
    for (index k = a.row_ptr[static_cast<std::size_t>(i)];
         k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k) {
      const index j = a.col[static_cast<std::size_t>(k)];
      const T v = a.val[static_cast<std::size_t>(k)];
      const bool first = k == a.row_ptr[static_cast<std::size_t>(i)];
      if (j < 0 || j >= a.cols || (!first && j <= a.col[static_cast<std::size_t>(k) - 1]) ||
          !std::isfinite(v))
        return {};
      entries[{i, j}] = v;
      most = std::max(most, std::abs(v));
    }
  facts.symmetric = facts.positive_diagonal = facts.full_diagonal = true;
  const auto diagonal = [&](index i) {
    const auto at = entries.find({i, i});
    return at == entries.end() ? 0.0 : static_cast<double>(at->second);
  };
  for (index i = 0; i < a.rows; ++i) {
    const double d = diagonal(i);
    facts.full_diagonal &= d != 0;
    facts.positive_diagonal &= d > 0;
    if (!(d > 0)) continue;
    facts.least_diagonal = facts.most_diagonal > 0 ? std::min(facts.least_diagonal, d) : d;
    facts.most_diagonal = std::max(facts.most_diagonal, d);
  }
  if (check_symmetry)
    for (const auto& [at, v] : entries) {
      const auto mirror = entries.find({at.second, at.first});
      const double here = v,
                   there = mirror == entries.end() ? 0.0 : static_cast<double>(mirror->second);
      const double scale = std::max(
          {std::sqrt(std::abs(diagonal(at.first))) * std::sqrt(std::abs(diagonal(at.second))),
           std::abs(here), std::abs(there)});
      if (std::abs(here - there) > symmetry_tolerance<T> * scale) facts.symmetric = false;
    }
  constexpr double rounding = sizeof(T) == 8 ? 0x1p-53 : 0x1p-24;
  facts.zero_row_sums = a.rows > 0;
  index mixed = 0;
  for (index i = 0; i < a.rows; ++i) {
    double sum = 0, size = 0, beside = 0, positive = 0;
    index count = 0;
    for (auto at = entries.lower_bound({i, 0}); at != entries.end() && at->first.first == i; ++at) {
      const double v = at->second;
      sum += v, size += std::abs(v), ++count;
      if (at->first.second != i) beside += std::abs(v), positive += std::max(v, 0.0);
    }
    facts.zero_row_sums &= size > 0 && std::abs(sum) <= count * rounding * size;
    mixed += count <= validating::longest_row_weighed && positive > 0.05 * beside;
  }
  facts.rows_with_positive = a.rows > 0 ? static_cast<double>(mixed) / a.rows : 0.0;
  facts.sound = true;
  facts.exponent = most > T(0) ? std::ilogb(most) : exponent_of_zero;
  return facts;
}

template system_facts plainly(const csr<float>&, bool);
template system_facts plainly(const csr<double>&, bool);

}  // namespace dwell::test
