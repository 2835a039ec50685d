// SPDX-License-Identifier: MIT
// Sorts rows by part, and those that need no ghosts first.
#include "dwell/linear/divide.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "dwell/base/error.hpp"

namespace dwell {

template <class T>
row_division divide_by_parts(const csr_view<T>& a, std::span<const int> parts, int ranks,
                             index rows_of_node) {
  if (a.rows != a.cols)
    throw input_error(
        fmt::format("matrix: expected as many rows as columns, found {} x {}", a.rows, a.cols));
  if (parts.size() != static_cast<std::size_t>(a.rows))
    throw input_error(
        fmt::format("parts: expected one for each of {} rows, found {}", a.rows, parts.size()));
  if (rows_of_node < 1)
    throw input_error(fmt::format("rows_of_node: expected at least 1, found {}", rows_of_node));
  for (const int part : parts)
    if (part < 0 || part >= ranks)
      throw input_error(fmt::format("parts: expected 0 to {}, found {}", ranks - 1, part));
  const auto part_of = [&](index i) {
    return parts[static_cast<std::size_t>(i - i % rows_of_node)];
  };
  row_division made;
  made.first_rows.assign(static_cast<std::size_t>(std::max(ranks, 0)) + 1, 0);
  for (index i = 0; i < a.rows; ++i) ++made.first_rows[static_cast<std::size_t>(part_of(i)) + 1];
  for (std::size_t r = 1; r < made.first_rows.size(); ++r)
    made.first_rows[r] += made.first_rows[r - 1];
  const auto end_of = [&](index node) {
    return rows_of_node < a.rows - node ? node + rows_of_node : a.rows;
  };
  const auto reads_others = [&](index node) {
    for (index k = a.row_ptr[node]; k < a.row_ptr[end_of(node)]; ++k)
      if (part_of(a.col[k]) != part_of(node)) return true;
    return false;
  };
  made.order.resize(parts.size());
  std::vector<std::int64_t> next(made.first_rows.begin(), made.first_rows.end() - 1);
  for (const bool boundary : {false, true})
    for (index node = 0; node < a.rows; node = end_of(node))
      if (reads_others(node) == boundary)
        for (index i = node; i < end_of(node); ++i)
          made.order[static_cast<std::size_t>(next[static_cast<std::size_t>(part_of(i))]++)] = i;
  return made;
}

template <class T>
csr<T> in_order(const csr_view<T>& a, std::span<const index> order) {
  std::vector<index> place(order.size());
  for (std::size_t k = 0; k < order.size(); ++k)
    place[static_cast<std::size_t>(order[k])] = static_cast<index>(k);
  csr<T> to{a.rows, a.cols, {0}, {}, {}};
  to.row_ptr.reserve(order.size() + 1);
  to.col.reserve(static_cast<std::size_t>(a.nonzeros()));
  to.val.reserve(static_cast<std::size_t>(a.nonzeros()));
  std::vector<std::pair<index, T>> row;
  for (const index i : order) {
    row.clear();
    for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
      row.emplace_back(place[static_cast<std::size_t>(a.col[k])], a.val[k]);
    std::sort(row.begin(), row.end(),
              [](const auto& x, const auto& y) { return x.first < y.first; });
    for (const auto& [column, value] : row) {
      to.col.push_back(column);
      to.val.push_back(value);
    }
    to.row_ptr.push_back(static_cast<index>(to.col.size()));
  }
  return to;
}

template row_division divide_by_parts(const csr_view<double>&, std::span<const int>, int, index);
template row_division divide_by_parts(const csr_view<float>&, std::span<const int>, int, index);
template csr<double> in_order(const csr_view<double>&, std::span<const index>);
template csr<float> in_order(const csr_view<float>&, std::span<const index>);

}  // namespace dwell
