// SPDX-License-Identifier: MIT
// Whether a matrix in memory is symmetric or Hermitian, to the bit.
#pragma once
#include <complex>

#include "dwell/base/api.hpp"
#include "dwell/formats/csr.hpp"

namespace dwell {

/// Is there to every entry one of the same bits at its mirror place? Of a matrix that check()
/// accepts. T: double, float or std::complex<double>.
template <class T>
DWELL_API bool is_symmetric(const csr_view<T>& a);

/// Is there to every entry its conjugate, and is the diagonal real?
DWELL_API bool is_hermitian(const csr_view<std::complex<double>>& a);

}  // namespace dwell
