// SPDX-License-Identifier: MIT
// Linear systems A x = b with complex numbers: conjugate gradients for Hermitian positive definite
// matrices, Bi-CGSTAB and GMRES for all. Nothing here needs CUDA.
//
//   dwell::complex_solver<double> solver(dwell::device::best(), a.view(), options);
//   for (...) report = solver.solve(b, x);
#pragma once
#include <complex>
#include <memory>
#include <span>

#include "dwell/base/api.hpp"
#include "dwell/device/device.hpp"
#include "dwell/formats/csr_view.hpp"
#include "dwell/linear/solve.hpp"

namespace dwell {

/// A solver of systems with one complex matrix. R: double or float, of the real and of the
/// imaginary parts. Movable. One thread at a time may use a solver.
///
/// Options are those of solve() that mean something here; others are refused with input_error.
/// Methods are "cg" (of a Hermitian matrix with a positive diagonal), "bicgstab", "gmres" and
/// "auto": cg where the matrix is Hermitian with a positive diagonal, else bicgstab; where one of
/// them breaks down, gmres goes on. Preconditioners are none, jacobi and, of bicgstab and gmres,
/// ilu0; automatic is jacobi where the diagonal has no zero, and of these methods ilu0 goes on
/// where that breaks down or, on a CPU, rests. There are neither null spaces nor mixed precision,
/// and the report has no condition; its precision is "complex f64" or "complex f32".
///
/// Scalar products are conjugate-linear in the first vector. A matrix that is taken for Hermitian
/// (assume_symmetric) and is not shows in p^H A p, whose imaginary part the report's advice then
/// names. The true residual that decides is computed in complex f64, on the host.
///
/// A CPU reads the arrays of the matrix in place (values whose address is not a multiple of 2
/// sizeof(R) are copied): they must stay valid and unchanged for the life of the solver.
template <class R>
class DWELL_API complex_solver {
 public:
  using number = std::complex<R>;  ///< an element of the matrix and of vectors

  /// Checks the matrix (unless options.assume_symmetric also whether it is Hermitian) and prepares
  /// its solves; options hold for all of them. Throws what solve() of solve.hpp throws.
  complex_solver(const device& where, const csr_view<number>& a, const solve_options& options = {});
  complex_solver(complex_solver&&) noexcept;  ///< what was moved from can only be destroyed
  complex_solver& operator=(complex_solver&&) noexcept;  ///< moves; first frees what it had
  ~complex_solver();                                     ///< frees everything

  index rows() const;                ///< rows of the matrix
  index nonzeros() const;            ///< stored entries of the matrix
  const solve_setup& setup() const;  ///< what the constructor's time went to

  /// Solves A x = b: x is the start vector on entry and the answer on return, in memory of the
  /// host. x is never worse than the start.
  solve_report solve(std::span<const number> b, std::span<number> x);

  /// From the next solve on: converged when ||r|| <= max(rtol ||b||, atol).
  void set_tolerances(double rtol, double atol = 0);
  /// From the next solve on: solve_options::progress, or none.
  void set_progress(progress_function<solve_progress> progress);

 private:
  struct state;
  std::unique_ptr<state> s_;
};

extern template class complex_solver<double>;
extern template class complex_solver<float>;

/// Prepares and solves once.
DWELL_API solve_report solve(const device& where, const csr_view<std::complex<double>>& a,
                             std::span<const std::complex<double>> b,
                             std::span<std::complex<double>> x, const solve_options& options = {});
/// Solves in f32.
DWELL_API solve_report solve(const device& where, const csr_view<std::complex<float>>& a,
                             std::span<const std::complex<float>> b,
                             std::span<std::complex<float>> x, const solve_options& options = {});

}  // namespace dwell
