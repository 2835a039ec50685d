// SPDX-License-Identifier: MIT
// Coordinate form, and its conversion to CSR: parallel, duplicates summed in input order, explicit
// zeros kept, columns ascending.
#pragma once
#include <vector>

#include "dwell/base/api.hpp"
#include "dwell/formats/csr.hpp"

namespace dwell {

/// Entries in any order; the three vectors have the same length.
template <class T>
struct triplets {
  index rows = 0;          ///< rows of the matrix
  index cols = 0;          ///< columns of the matrix
  std::vector<index> row;  ///< row of each entry
  std::vector<index> col;  ///< column of each entry
  std::vector<T> val;      ///< value of each entry
};

/// Throws input_error if the lengths differ, an index is out of range or the result would have
/// 2^31 or more entries. The result does not depend on the number of threads (0:
/// default_threads()).
template <class T>
DWELL_API csr<T> to_csr(const triplets<T>& t, int threads = 0);

}  // namespace dwell
