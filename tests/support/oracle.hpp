// SPDX-License-Identifier: MIT
// What the answer should be, computed by Eigen's direct and iterative solvers and by loops in long
// double: nothing here shares code with the solver under test. Tests see no header of Eigen, which
// takes longer to compile than they do.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "dwell/formats/csr.hpp"
#include "dwell/linear/solve.hpp"

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

/// The solution of A x = b by SparseLU; empty if it finds no factors.
std::vector<double> solve_by_lu(const csr<double>& a, const std::vector<double>& b);
/// The least-squares solution of the least norm, by a complete orthogonal decomposition.
std::vector<double> least_norm(const csr<double>& a, const std::vector<double>& b);
/// Is A - shift I positive definite, by a dense L L^T?
bool is_definite(const csr<double>& a, double shift);
/// The least eigenvalue of a symmetric matrix, by a dense decomposition.
double least_eigenvalue(const csr<double>& a);

/// Iterations that Eigen::ConjugateGradient takes from a zero start until ||r|| <= rtol ||b||,
/// counted as Dwell counts them (one per product with A). -1 if it does not converge.
template <class T>
int eigen_iterations(const csr_view<T>& a, std::span<const T> b, preconditioner p, double rtol,
                     int max_iterations);

/// Iterations of Eigen's MINRES, BiCGSTAB or GMRES, as they count; `restart` is for GMRES.
int eigen_iterations(const std::string& method, const csr<double>& a, const std::vector<double>& b,
                     double rtol, int max_iterations, int restart = 30);

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
/// ||a - b|| / ||b||
double distance(const std::vector<double>& a, const std::vector<double>& b);
/// ||b - A x||, products and sums in long double.
template <class T>
double residual_norm(const csr_view<T>& a, std::span<const T> b, std::span<const T> x);
/// Row sums: the right-hand side whose solution is all ones.
std::vector<double> row_sums(const csr_view<double>& a);

/// Converts values to double.
std::vector<double> widen(std::span<const float> v);
std::vector<double> widen(std::span<const double> v);
csr<double> widen(const csr<float>& a);
csr<double> widen(const csr<double>& a);

}  // namespace dwell::test
