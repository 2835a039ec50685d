// SPDX-License-Identifier: MIT
// A polynomial in D^-1 A as a sequence of products: M = p(D^-1 A) D^-1, D the diagonal of A, where
// 1 - x p(x) is the Chebyshev polynomial of an interval [a, b], scaled to 1 at 0 (Adams, Brezina,
// Hu and Tuminaro, J. Comput. Phys. 188, 2003; Saad, Iterative Methods for Sparse Linear Systems,
// 2003, algorithm 12.1). With g = D^-1 r, z_0 = 0, z_1 = g / theta, theta = (a + b) / 2,
// delta = (b - a) / 2, sigma = theta / delta and rho_1 = 1 / sigma the result z_degree+1 comes by
//
//   rho_j+1 = 1 / (2 sigma - rho_j),
//   z_j+1 = 2 rho_j+1 / delta ((theta I - D^-1 A) z_j + g) - rho_j+1 rho_j z_j-1,
//
// one product and one phase for each degree. b is the largest eigenvalue of D^-1 A as some steps of
// Lanczos see it, with a margin and within Gershgorin's bound; a is the least that they see, at
// least b / (4 (degree + 1)^2), which is about as far as the polynomial reaches, and at most b / 4.
// M is
// symmetric, and positive definite where A is and has no eigenvalue beyond a + b. Private to the
// solvers.
#pragma once
#include "dwell/device/device.hpp"
#include "dwell/execution/krylov/spmv/csr_arrays.hpp"
#include "dwell/solvers/preconditioners/prepared_preconditioner.hpp"

namespace dwell {

/// Makes the preconditioner of a checked matrix with a positive diagonal. Work on a GPU goes to the
/// device's stream. Throws input_error if o.degree is not 1 to 16, device_error if the device has
/// too little memory.
template <class T>
prepared_preconditioner chebyshev_preconditioner(const device& where, const csr_arrays<T>& a,
                                                 const preconditioner_options& o);

namespace chebyshev {

/// Where the polynomial is small.
struct interval {
  double least = 0, most = 0;
};
/// The preconditioner's interval, of a matrix of either precision.
template <class T>
interval interval_of(const device& where, const csr_arrays<T>& a, int degree);

}  // namespace chebyshev
}  // namespace dwell
