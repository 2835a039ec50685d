// SPDX-License-Identifier: MIT
// What the answer should be, computed by Eigen (SimplicialLDLT, ConjugateGradient) and by loops in
// long double: nothing here shares code with the solver under test.
#pragma once
#include <span>
#include <vector>

#include "dwell/formats/csr.hpp"
#include "dwell/solvers/linear/solve.hpp"

namespace dwell::test {

/// The direct solution of A x = b and what is needed to judge another one.
struct oracle {
  bool definite = false;    ///< are all pivots of L D L^T positive?
  std::vector<double> x;    ///< by SimplicialLDLT with one step of refinement
  double norm = 0;          ///< largest row sum of |A|, at least ||A||
  double inverse_norm = 0;  ///< ||A^-1|| by power iteration, times 2 to be on the safe side
  double condition() const { return norm * inverse_norm; }
};
oracle solve_directly(const csr_view<double>& a, std::span<const double> b);

/// Iterations that Eigen::ConjugateGradient takes from a zero start until ||r|| <= rtol ||b||,
/// counted as Dwell counts them (one per product with A). -1 if it does not converge.
template <class T>
int eigen_iterations(const csr_view<T>& a, std::span<const T> b, preconditioner p, double rtol,
                     int max_iterations);

/// Least and most iterations of textbook CG in double over `orders` renumberings of the unknowns
/// (the first is none): the same system, other orders of all sums. What lies between is rounding
/// alone.
struct count_range {
  int least = 0;
  int most = 0;
};
count_range textbook_counts(const csr_view<double>& a, std::span<const double> b, double rtol,
                            int max_iterations, int orders);

double norm2(std::span<const double> v);
/// ||b - A x||, products and sums in long double.
template <class T>
double residual_norm(const csr_view<T>& a, std::span<const T> b, std::span<const T> x);
/// Row sums: the right-hand side whose solution is all ones.
std::vector<double> row_sums(const csr_view<double>& a);

/// The same values in double.
std::vector<double> widen(std::span<const float> v);
std::vector<double> widen(std::span<const double> v);
csr<double> widen(const csr<float>& a);
csr<double> widen(const csr<double>& a);

}  // namespace dwell::test
