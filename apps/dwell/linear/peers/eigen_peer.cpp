// SPDX-License-Identifier: MIT
// Eigen as its manual advises for several threads: row-major, both triangles, OpenMP. Of its
// iteration only the product with the matrix uses them.
#include <fmt/format.h>

#include "linear/peers/peers.hpp"

#ifdef DWELL_HAVE_EIGEN
#include <Eigen/Core>
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>
#endif
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/interruption.hpp"
#include "dwell/execution/device/threads/threads_cpu.hpp"

namespace dwell::app {

namespace {

#ifdef DWELL_HAVE_EIGEN

template <class T>
double true_residual(const csr_view<T>& a, std::span<const T> b, const T* x) {
  double rr = 0, bb = 0;
  for (index i = 0; i < a.rows; ++i) {
    const double want = b[static_cast<std::size_t>(i)];
    double r = want;
    for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
      r -= static_cast<double>(a.val[k]) * static_cast<double>(x[a.col[k]]);
    rr += r * r;
    bb += want * want;
  }
  return std::sqrt(bb > 0 ? rr / bb : rr);
}

/// A preconditioner of Eigen's that looks for an interrupt in every iteration, which Eigen does
/// not.
template <class Preconditioner>
struct interruptible : Preconditioner {
  using Preconditioner::Preconditioner;
  template <class Rhs>
  decltype(auto) solve(const Rhs& b) const {
    poll_interruption();
    return Preconditioner::solve(b);
  }
};

/// OpenMP's library ends the program if a thread does not start. Throws device_error before that:
/// so many are started here, and end again, and one more, for what the library needs besides.
void require_startable(int threads) {
  if (threads > 1) const cpu::thread_set all_together(threads, [](int) {});
}

template <class Preconditioner, class T>
bool run_eigen(const comparison_request& request, const csr_view<T>& a, std::span<const T> b,
               compared_run& row) {
  using matrix = Eigen::SparseMatrix<T, Eigen::RowMajor, index>;
  using vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;
  const Eigen::Map<const matrix> system(a.rows, a.cols, a.nonzeros(), a.row_ptr, a.col, a.val);
  const Eigen::Map<const vector> rhs(b.data(), a.rows);
  const auto& o = request.options;
  Eigen::ConjugateGradient<matrix, Eigen::Lower | Eigen::Upper, interruptible<Preconditioner>> cg;
  cg.setMaxIterations(o.max_iterations);
  cg.setTolerance(o.fixed_iterations ? T(0) : static_cast<T>(o.rtol));
  cg.compute(system);
  vector x(a.rows);
  bool startable = false;
  const bool finished = repeat(request.runs, row, [&] {
    if (!std::exchange(startable, true)) require_startable(Eigen::nbThreads());
    const auto begin = std::chrono::steady_clock::now();
    x = cg.solve(rhs);
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
    row.iterations = static_cast<int>(cg.iterations());
    return row.iterations > 0 ? time.count() / row.iterations : 0.0;
  });
  const bool finite = x.allFinite();
  row.stopped =
      to_string(!finite                                             ? stop_reason::not_finite
                : row.iterations < o.max_iterations                 ? stop_reason::converged
                : o.fixed_iterations || cg.info() != Eigen::Success ? stop_reason::iteration_limit
                                                                    : stop_reason::converged);
  row.residual = true_residual(a, b, x.data());
  return finished;
}

/// Solves until rtol, set-up included. why_no_factor: for a set-up that fails. False if
/// interrupted.
template <class Solver, class T>
bool solve_with(Solver& solver, const peer_solve& asked, const char* name,
                const char* preconditioner, const char* why_no_factor, const csr_view<T>& a,
                std::span<const T> b, std::vector<compared_solve>& rows) {
  using matrix = Eigen::SparseMatrix<T, Eigen::RowMajor, index>;
  using vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;
  const Eigen::Map<const matrix> system(a.rows, a.cols, a.nonzeros(), a.row_ptr, a.col, a.val);
  const Eigen::Map<const vector> rhs(b.data(), a.rows);
  compared_solve row;
  row.peer = true;
  row.method = name;
  row.preconditioner = preconditioner;
  row.how.ran.executor = "eigen";
  const auto cpu = asked.where.on() == backend::cpu ? asked.where : device::cpu(asked.threads);
  Eigen::setNbThreads(cpu.threads());
  row.how.device = cpu.facts().name;
  row.how.backend = to_string(backend::cpu);
  const int threads = Eigen::nbThreads();
  row.how.reason =
      fmt::format("Eigen {}.{}.{}, {} thread{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION,
                  EIGEN_MINOR_VERSION, threads, threads == 1 ? "" : "s");
  solver.setMaxIterations(asked.max_iterations);
  solver.setTolerance(static_cast<T>(asked.rtol));
  bool startable = false;
  vector x = vector::Zero(a.rows);
  const bool finished = repeat(asked.runs, row, [&] {
    if (!std::exchange(startable, true)) require_startable(Eigen::nbThreads());
    const auto begin = std::chrono::steady_clock::now();
    solver.compute(system);
    const auto ready = std::chrono::steady_clock::now();
    if (solver.info() != Eigen::Success)
      throw unsupported_error(fmt::format("expected a matrix with a factor by {}, found none{}",
                                          preconditioner, why_no_factor));
    x = solver.solve(rhs);
    const auto end = std::chrono::steady_clock::now();
    row.setup_s.push_back(std::chrono::duration<double>(ready - begin).count());
    row.solve_s.push_back(std::chrono::duration<double>(end - ready).count());
    row.iterations = static_cast<int>(solver.iterations());
    row.stopped =
        to_string(solver.info() == Eigen::Success              ? stop_reason::converged
                  : solver.iterations() < asked.max_iterations ? stop_reason::breakdown
                                                               : stop_reason::iteration_limit);
    return std::chrono::duration<double, std::micro>(end - begin).count();
  });
  row.residual = true_residual(a, b, x.data());
  if (finished) rows.push_back(std::move(row));
  return finished;
}

template <class T>
bool solve_as_eigen(const peer_solve& asked, const csr_view<T>& a, std::span<const T> b,
                    std::vector<compared_solve>& rows) {
  using matrix = Eigen::SparseMatrix<T, Eigen::RowMajor, index>;
  bool symmetric = true;
  try {
    solve_options o;
    o.max_iterations = 0;
    std::vector<T> x(b.size());
    solve(device::cpu(1), a, b, std::span<T>(x), o);
  } catch (const error&) {
    symmetric = false;
  }
  if (symmetric) {
    Eigen::ConjugateGradient<matrix, Eigen::Lower | Eigen::Upper,
                             interruptible<Eigen::DiagonalPreconditioner<T>>>
        diagonal;
    // Keeps as many elements a column as the matrix has, in the matrix's order: in Eigen's usual
    // one it takes up to twice the iterations, and is slower on every matrix that was tried.
    Eigen::ConjugateGradient<
        matrix, Eigen::Lower | Eigen::Upper,
        interruptible<Eigen::IncompleteCholesky<T, Eigen::Lower, Eigen::NaturalOrdering<index>>>>
        incomplete;
    return solve_with(diagonal, asked, "eigen cg", "diagonal", "", a, b, rows) &&
           solve_with(incomplete, asked, "eigen cg", "incomplete Cholesky",
                      " (shifts of the diagonal did not help: the matrix is far from positive "
                      "definite)",
                      a, b, rows);
  }
  Eigen::BiCGSTAB<matrix, interruptible<Eigen::DiagonalPreconditioner<T>>> diagonal;
  Eigen::BiCGSTAB<matrix, interruptible<Eigen::IncompleteLUT<T, index>>> incomplete;
  return solve_with(diagonal, asked, "eigen bicgstab", "diagonal", "", a, b, rows) &&
         solve_with(incomplete, asked, "eigen bicgstab", "incomplete LU", "", a, b, rows);
}

#else

template <class T>
bool solve_as_eigen(const peer_solve&, const csr_view<T>&, std::span<const T>,
                    std::vector<compared_solve>& rows) {
  compared_solve row;
  row.peer = true;
  row.method = "eigen";
  row.outcome = compared_run::state::unsupported;
  row.why = "not built: Eigen was missing";
  rows.push_back(std::move(row));
  return true;
}

#endif

template <class T>
bool add(const comparison_request& request, [[maybe_unused]] const csr_view<T>& a,
         [[maybe_unused]] std::span<const T> b, std::vector<compared_run>& rows) {
  compared_run row("eigen", "", "");
  row.peer = true;
  bool finished = true;
#ifdef DWELL_HAVE_EIGEN
  const preconditioner asked = request.options.preconditioner;
  if (asked != preconditioner::none && asked != preconditioner::jacobi) {
    row.outcome = compared_run::state::unsupported;
    row.why = fmt::format("Eigen has no {}",
                          asked == preconditioner::amg ? "multigrid" : to_string(asked).c_str());
    rows.push_back(std::move(row));
    return true;
  }
  const auto cpu =
      request.where.on() == backend::cpu ? request.where : device::cpu(request.threads);
  Eigen::setNbThreads(cpu.threads());
  row.how.device = cpu.facts().name;
  row.how.backend = to_string(backend::cpu);
  const int threads = Eigen::nbThreads();  // one without OpenMP
  row.how.reason =
      fmt::format("Eigen {}.{}.{} ConjugateGradient, {} thread{}", EIGEN_WORLD_VERSION,
                  EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION, threads, threads == 1 ? "" : "s");
  finished = request.options.preconditioner == preconditioner::none
                 ? run_eigen<Eigen::IdentityPreconditioner>(request, a, b, row)
                 : run_eigen<Eigen::DiagonalPreconditioner<T>>(request, a, b, row);
#else
  row.outcome = compared_run::state::unsupported;
  row.why = "not built: Eigen was missing";
#endif
  if (finished) rows.push_back(std::move(row));
  return finished;
}

}  // namespace

bool add_eigen(const comparison_request& request, const csr_view<double>& a,
               std::span<const double> b, std::vector<compared_run>& rows) {
  return add(request, a, b, rows);
}
bool add_eigen(const comparison_request& request, const csr_view<float>& a,
               std::span<const float> b, std::vector<compared_run>& rows) {
  return add(request, a, b, rows);
}

bool add_eigen_solves(const peer_solve& asked, const csr_view<double>& a, std::span<const double> b,
                      std::vector<compared_solve>& rows) {
  return solve_as_eigen(asked, a, b, rows);
}
bool add_eigen_solves(const peer_solve& asked, const csr_view<float>& a, std::span<const float> b,
                      std::vector<compared_solve>& rows) {
  return solve_as_eigen(asked, a, b, rows);
}

}  // namespace dwell::app
