// SPDX-License-Identifier: MIT
// Parts of a matrix by METIS (Karypis and Kumar 1998): few entries between two parts, so that ranks
// exchange few elements. All of it is compiled in the program that includes it, with METIS.
#pragma once
#include <metis.h>

#include <cstddef>
#include <string>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/formats/csr.hpp"

namespace dwell {

/// A part from 0 to parts - 1 for each row of a square matrix, whose pattern is taken as symmetric
/// (an entry counts where it or its mirror is stored); about as many rows and nonzeros in each. For
/// divide_by_parts(). The same in every run. Throws input_error if parts < 1 or the matrix is not
/// square, device_error if METIS fails.
template <class T>
std::vector<int> metis_parts(const csr_view<T>& a, int parts) {
  if (parts < 1) throw input_error("parts: expected at least 1, found " + std::to_string(parts));
  if (a.rows != a.cols)
    throw input_error("matrix: expected as many rows as columns, found " + std::to_string(a.rows) +
                      " x " + std::to_string(a.cols));
  const auto n = static_cast<std::size_t>(a.rows);
  std::vector<int> part(n, 0);
  if (parts == 1 || n == 0) return part;
  if (n <= static_cast<std::size_t>(parts)) {
    for (std::size_t i = 0; i < n; ++i) part[i] = static_cast<int>(i);
    return part;
  }
  // The graph of A + A^T without its diagonal: neighbours may be listed twice, once for each of two
  // entries, which METIS takes as a heavier edge.
  std::vector<idx_t> begin(n + 1, 0), weight(n);
  for (index i = 0; i < a.rows; ++i) {
    weight[static_cast<std::size_t>(i)] = 1 + a.row_ptr[i + 1] - a.row_ptr[i];
    for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
      if (const index j = a.col[k]; j != i) {
        ++begin[static_cast<std::size_t>(i) + 1];
        ++begin[static_cast<std::size_t>(j) + 1];
      }
  }
  for (std::size_t i = 1; i <= n; ++i) begin[i] += begin[i - 1];
  std::vector<idx_t> next(begin.begin(), begin.end() - 1),
      neighbour(static_cast<std::size_t>(begin.back()));
  const auto link = [&](index from, index to) {
    neighbour[static_cast<std::size_t>(next[static_cast<std::size_t>(from)]++)] = to;
  };
  for (index i = 0; i < a.rows; ++i)
    for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
      if (const index j = a.col[k]; j != i) link(i, j), link(j, i);

  idx_t rows = static_cast<idx_t>(n), constraints = 1, wanted = parts, cut = 0;
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  options[METIS_OPTION_NUMBERING] = 0;
  std::vector<idx_t> found(n);
  const int status =
      METIS_PartGraphKway(&rows, &constraints, begin.data(), neighbour.data(), weight.data(),
                          nullptr, nullptr, &wanted, nullptr, nullptr, options, &cut, found.data());
  if (status != METIS_OK)
    throw device_error(status == METIS_ERROR_MEMORY ? "METIS: too little memory"
                                                    : "METIS: it could not divide the matrix");
  part.assign(found.begin(), found.end());
  return part;
}

}  // namespace dwell
