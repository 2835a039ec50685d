// SPDX-License-Identifier: MIT
// Chebyshev polynomials on a CPU, and the choice of the interval.
#include "dwell/solvers/preconditioners/chebyshev/chebyshev.hpp"

#include <algorithm>

#include "dwell/execution/team/setup_cpu.hpp"
#include "dwell/solvers/preconditioners/chebyshev/building.hpp"
#include "dwell/solvers/preconditioners/sequences/set_up_table.hpp"

namespace dwell {
namespace chebyshev {
namespace {

/// How many eigenvalues of t are less than x: the negative pivots of t - x I.
int less_than(const tridiagonal& t, double x) {
  int n = 0;
  double pivot = 1.0;
  for (std::size_t k = 0; k < t.diagonal.size(); ++k) {
    const double beside = k > 0 ? t.beside[k - 1] : 0.0;
    pivot = t.diagonal[k] - x - (k > 0 ? beside * beside / pivot : 0.0);
    if (pivot == 0.0) pivot = 1e-300;
    n += pivot < 0.0;
  }
  return n;
}
/// The eigenvalue with so many less ones, between 0 and most, by bisection.
double eigenvalue(const tridiagonal& t, int rank, double most) {
  double low = 0.0, high = most;
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (low + high);
    (less_than(t, middle) > rank ? high : low) = middle;
  }
  return high;
}

}  // namespace

interval choose_interval(const tridiagonal& seen, double bound, int degree) {
  const int n = static_cast<int>(seen.diagonal.size());
  const double most = std::min(1.05 * eigenvalue(seen, n - 1, bound), bound);
  // Lanczos' least value serves well on matrices of moderate condition; where eigenvalues are far
  // smaller than the polynomial can reach, an end far below is wasted on them.
  const double degrees = degree + 1.0;
  const double least =
      std::clamp(eigenvalue(seen, 0, bound), 0.25 * most / (degrees * degrees), 0.25 * most);
  return {least, most};
}

template <class T>
interval interval_of(const device& where, const csr_arrays<T>& a, int degree) {
  return builder<cpu::setup_loops>(where).find_interval(a, degree);
}
template interval interval_of(const device&, const csr_arrays<double>&, int);
template interval interval_of(const device&, const csr_arrays<float>&, int);

}  // namespace chebyshev

template <class T>
prepared_preconditioner chebyshev_preconditioner(const device& where, const csr_arrays<T>& a,
                                                 const preconditioner_options& o) {
  if (where.on() == backend::cuda) return cuda_backend<chain_set_ups<T>>().chebyshev(where, a, o);
  return chebyshev::builder<cpu::setup_loops>(where).build(a, o);
}
template prepared_preconditioner chebyshev_preconditioner(const device&, const csr_arrays<double>&,
                                                          const preconditioner_options&);
template prepared_preconditioner chebyshev_preconditioner(const device&, const csr_arrays<float>&,
                                                          const preconditioner_options&);

}  // namespace dwell
