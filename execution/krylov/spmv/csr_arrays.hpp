// SPDX-License-Identifier: MIT
// The arrays of a CSR matrix in memory that the teams of a device read: the host's for a CPU, the
// device's for a GPU.
#pragma once
#include "dwell/base/index.hpp"

namespace dwell {

/// Arrays of a csr_view (include/dwell/formats/csr.hpp). The number of nonzeros is explicit,
/// because the host may be unable to read row_ptr.
template <class T>
struct csr_arrays {
  index rows = 0;
  index cols = 0;
  index nonzeros = 0;
  const index* row_ptr = nullptr;
  const index* col = nullptr;
  const T* val = nullptr;
};

}  // namespace dwell
