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

#include "dwell/execution/device/threads_cpu.hpp"

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
  Eigen::ConjugateGradient<matrix, Eigen::Lower | Eigen::Upper, Preconditioner> cg;
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

}  // namespace dwell::app
