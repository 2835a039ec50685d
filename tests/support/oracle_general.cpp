// SPDX-License-Identifier: MIT
// Eigen's solvers for matrices that are not definite.
#include <Eigen/SparseLU>
#include <stdexcept>
#include <unsupported/Eigen/IterativeSolvers>

#include "oracle.hpp"

namespace dwell::test {
namespace {

using sparse = Eigen::SparseMatrix<double, Eigen::RowMajor, index>;
using vector = Eigen::VectorXd;
using no_preconditioner = Eigen::IdentityPreconditioner;

sparse as_eigen(const csr<double>& a) {
  return Eigen::Map<const sparse>(a.rows, a.cols, a.nonzeros(), a.row_ptr.data(), a.col.data(),
                                  a.val.data());
}
Eigen::Map<const vector> as_eigen(const std::vector<double>& v) {
  return {v.data(), static_cast<Eigen::Index>(v.size())};
}

template <class Solver>
int count(Solver& solver, const csr<double>& a, const std::vector<double>& b, double rtol,
          int max_iterations) {
  const sparse m = as_eigen(a);
  solver.setMaxIterations(max_iterations);
  solver.setTolerance(rtol);
  solver.compute(m);
  const vector rhs = as_eigen(b);
  (void)solver.solve(rhs).eval();
  return solver.info() == Eigen::Success ? static_cast<int>(solver.iterations()) : -1;
}

}  // namespace

std::vector<double> solve_by_lu(const csr<double>& a, const std::vector<double>& b) {
  const Eigen::SparseMatrix<double> by_columns = as_eigen(a);
  Eigen::SparseLU<Eigen::SparseMatrix<double>> lu(by_columns);
  if (lu.info() != Eigen::Success) return {};
  const vector x = lu.solve(as_eigen(b));
  return {x.begin(), x.end()};
}

int eigen_iterations(const std::string& method, const csr<double>& a, const std::vector<double>& b,
                     double rtol, int max_iterations, int restart) {
  if (method == "minres") {
    Eigen::MINRES<sparse, Eigen::Lower | Eigen::Upper, no_preconditioner> minres;
    return count(minres, a, b, rtol, max_iterations);
  }
  if (method == "bicgstab") {
    Eigen::BiCGSTAB<sparse, no_preconditioner> bicgstab;
    return count(bicgstab, a, b, rtol, max_iterations);
  }
  if (method != "gmres") throw std::invalid_argument("eigen_iterations: " + method);
  Eigen::GMRES<sparse, no_preconditioner> gmres;
  gmres.set_restart(restart);
  return count(gmres, a, b, rtol, max_iterations);
}

}  // namespace dwell::test
