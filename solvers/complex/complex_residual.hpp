// SPDX-License-Identifier: MIT
// The true residual of a complex system, on the host, in complex f64. Private to the solver.
#pragma once
#include <complex>
#include <span>

#include "dwell/formats/csr_view.hpp"

namespace dwell {

struct complex_residual {
  double norm = 0;      ///< ||b - A x||
  double by_terms = 0;  ///< max |b - A x|_i / (|A||x| + |b|)_i
  double by_row = 0;    ///< max |b - A x|_i / ((|A||x| + |b|)_i + (|A| max|x|)_i)
};

/// In units of 2^rhs: of 2^-rhs b and 2^-rhs A x. The same bits for any number of threads.
template <class R>
complex_residual residual_of(const csr_view<std::complex<R>>& a, std::span<const std::complex<R>> b,
                             std::span<const std::complex<R>> x, int matrix, int rhs);
/// ||2^-rhs b||.
template <class R>
double norm_of(std::span<const std::complex<R>> b, int rhs);
/// The exponent of the largest part of an element.
template <class R>
int largest_exponent(std::span<const std::complex<R>> v);

}  // namespace dwell
