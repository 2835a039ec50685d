// SPDX-License-Identifier: MIT
// Pairs in the order of the rows; what they are coupled by, on all threads.
#include "dwell/solvers/preconditioners/aggregation/pairs.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "dwell/base/interruption.hpp"
#include "dwell/solvers/preconditioners/aggregation/row_sums.hpp"

namespace dwell::aggregation {
namespace {

/// Diagonals of rows that are apart, over what is beside them.
constexpr double dominant = 2.0;
/// The weakest coupling of a pair, over the strongest one of its rows.
constexpr double weakest_of_pair = 0.25;
/// Couplings that differ by less are equally strong: the first one is taken.
constexpr double tie = 1.0 + 1e-4;

/// f(column, a, b) for the columns of row i of two matrices, in rising order.
template <class F>
void each_column(index i, const sequences::rows_f64& a, const sequences::rows_f64& b, F&& f) {
  index k = a.row_ptr[i], l = b.row_ptr[i];
  const index end_of_a = a.row_ptr[i + 1], end_of_b = b.row_ptr[i + 1];
  while (k < end_of_a || l < end_of_b) {
    const bool in_a = k < end_of_a && (l == end_of_b || a.col[k] <= b.col[l]);
    const bool in_b = l < end_of_b && (k == end_of_a || b.col[l] <= a.col[k]);
    const index column = in_a ? a.col[k] : b.col[l];
    f(column, in_a ? a.val[k] : 0.0, in_b ? b.val[l] : 0.0);
    k += in_a, l += in_b;
  }
}

}  // namespace

couplings find_couplings(const cpu::setup_loops& loops, const sequences::rows_f64& a,
                         const sequences::rows_f64& b, const double* diagonal) {
  couplings out;
  out.apart.assign(at(a.rows), 0);
  summed_rows sums = sum_rows(
      loops, a.rows, a.rows,
      [&](index i) { return a.row_ptr[i + 1] - a.row_ptr[i] + b.row_ptr[i + 1] - b.row_ptr[i]; },
      [&](index i, row_adder& add) {
        double beside = 0.0;
        each_column(i, a, b, [&](index j, double here, double there) {
          if (j == i) return;
          beside += 0.5 * (std::fabs(here) + std::fabs(there));
          if (const double w = -0.5 * (here + there); w > 0.0) add(j, w);
        });
        out.apart[at(i)] = diagonal[i] >= dominant * beside;
      });
  out.row_ptr = std::move(sums.row_ptr);
  out.col = std::move(sums.col);
  out.weight = std::move(sums.val);
  return out;
}

group_members members_of(const grouping& of) {
  group_members out;
  out.begin.assign(at(of.count) + 1, 0);
  for (const index g : of.group)
    if (g >= 0) ++out.begin[at(g) + 1];
  for (std::size_t g = 0; g < at(of.count); ++g) out.begin[g + 1] += out.begin[g];
  out.row.resize(at(out.begin.back()));
  std::vector<index> next(out.begin.begin(), out.begin.end() - 1);
  for (std::size_t i = 0; i < of.group.size(); ++i)
    if (const index g = of.group[i]; g >= 0) out.row[at(next[at(g)]++)] = static_cast<index>(i);
  return out;
}

couplings group_couplings(const cpu::setup_loops& loops, const couplings& of, const grouping& by) {
  const group_members members = members_of(by);
  const auto each_member = [&](index g, auto&& f) {
    for (index m = members.begin[at(g)]; m < members.begin[at(g) + 1]; ++m) f(members.row[at(m)]);
  };
  summed_rows sums = sum_rows(
      loops, by.count, by.count,
      [&](index g) {
        index most = 0;
        each_member(g, [&](index i) { most += of.row_ptr[at(i) + 1] - of.row_ptr[at(i)]; });
        return most;
      },
      [&](index g, row_adder& add) {
        each_member(g, [&](index i) {
          for (index k = of.row_ptr[at(i)]; k < of.row_ptr[at(i) + 1]; ++k)
            if (const index to = by.group[at(of.col[at(k)])]; to >= 0 && to != g)
              add(to, of.weight[at(k)]);
        });
      });
  couplings out;
  out.row_ptr = std::move(sums.row_ptr);
  out.col = std::move(sums.col);
  out.weight = std::move(sums.val);
  out.apart.assign(at(by.count), 0);
  return out;
}

grouping find_pairs(const couplings& of) {
  const index n = of.rows();
  std::vector<double> strongest(at(n), 0.0);
  for (index i = 0; i < n; ++i)
    for (index k = of.row_ptr[at(i)]; k < of.row_ptr[at(i) + 1]; ++k)
      strongest[at(i)] = std::max(strongest[at(i)], of.weight[at(k)]);
  grouping out{std::vector<index>(at(n), -1), 0};
  for (index i = 0; i < n; ++i) {
    if (i % 4096 == 0) poll_interruption();
    if (of.apart[at(i)] || out.group[at(i)] >= 0) continue;
    double best = 0.0;
    index with = -1;
    for (index k = of.row_ptr[at(i)]; k < of.row_ptr[at(i) + 1]; ++k) {
      const index j = of.col[at(k)];
      const double w = of.weight[at(k)];
      if (out.group[at(j)] < 0 && !of.apart[at(j)] && w > tie * best &&
          w >= weakest_of_pair * std::max(strongest[at(i)], strongest[at(j)]))
        best = w, with = j;
    }
    out.group[at(i)] = out.count;
    if (with >= 0) out.group[at(with)] = out.count;
    ++out.count;
  }
  return out;
}

grouping find_aggregates(const cpu::setup_loops& loops, const couplings& of) {
  grouping first = find_pairs(of);
  const grouping second = find_pairs(group_couplings(loops, of, first));
  for (index& g : first.group)
    if (g >= 0) g = second.group[at(g)];
  first.count = second.count;
  return first;
}

}  // namespace dwell::aggregation
