// SPDX-License-Identifier: MIT
// Whether a matrix in memory is symmetric, to the bit.
#pragma once
#include "dwell/base/api.hpp"
#include "dwell/formats/csr.hpp"

namespace dwell {

/// Is there to every entry one of the same bits at its mirror place? Of a matrix that check()
/// accepts. T: double or float.
template <class T>
DWELL_API bool is_symmetric(const csr_view<T>& a);

}  // namespace dwell
