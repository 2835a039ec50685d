// SPDX-License-Identifier: MIT
// Cuts on the host, and the way to those on a GPU.
#include <fmt/format.h>

#include "dwell/base/error.hpp"
#include "dwell/execution/krylov/spmv/cutting.hpp"
#include "dwell/execution/team/setup_cpu.hpp"

namespace dwell {

void throw_empty_row(index row) {
  throw input_error(fmt::format(
      "matrix: expected an entry in every row, found none in row {} (counted from 1)", row + 1));
}

template <class T>
cut_matrix<T> cut(const device& where, const large_csr_arrays<T>& a, const cut_request& asked) {
  const cutting::csr_pattern pattern = cutting::pattern_of(a);
  cut_matrix<T> m;
  static_cast<cut_pattern&>(m) = where.on() == backend::cpu
                                     ? cutting::cut_with<cpu::setup_loops>(where, pattern, asked)
                                     : cuda_backend<cut_functions<T>>().cut(where, pattern, asked);
  return m;
}

template <class T>
void fill(const device& where, const large_csr_arrays<T>& a, int exponent, cut_matrix<T>& m) {
  if (where.on() == backend::cpu)
    cutting::fill_all<cpu::setup_loops>(where, a, exponent, m);
  else
    cuda_backend<cut_functions<T>>().fill(where, a, exponent, m);
}

template <class T>
void fill_values(const device& where, const large_csr_arrays<T>& a, int exponent,
                 cut_matrix<T>& m) {
  if (where.on() == backend::cpu)
    cutting::fill_values_again<cpu::setup_loops>(where, a, exponent, m);
  else
    cuda_backend<cut_functions<T>>().fill_values(where, a, exponent, m);
}

#define DWELL_CUT_OF(T)                                                                      \
  template cut_matrix<T> cut(const device&, const large_csr_arrays<T>&, const cut_request&); \
  template void fill(const device&, const large_csr_arrays<T>&, int, cut_matrix<T>&);        \
  template void fill_values(const device&, const large_csr_arrays<T>&, int, cut_matrix<T>&);
DWELL_CUT_OF(double)
DWELL_CUT_OF(float)
DWELL_CUT_OF(complex_value<double>)
DWELL_CUT_OF(complex_value<float>)
#undef DWELL_CUT_OF

}  // namespace dwell
