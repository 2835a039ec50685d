// SPDX-License-Identifier: MIT
// Which preconditioner a solve takes, where the options leave it open: which may be tried, by the
// facts of the matrix, and which one begins. Of runs that nobody judges step by step (on GPUs, of
// several ranks), for large M-matrices, by the first iterations with Jacobi, which are compared
// with a model of multigrid. Private to the solver.
#pragma once
#include <climits>
#include <string>
#include <vector>

#include "dwell/device/device.hpp"
#include "dwell/linear/solve.hpp"
#include "dwell/solvers/linear/check/validate.hpp"

namespace dwell {

struct preconditioner_choice {
  preconditioner is = preconditioner::none;
  std::string why;
  bool probe = false;  ///< try `is` for probe_iterations, then choose_after()
  /// All that may be tried, `is` first; empty where nothing is open.
  std::vector<preconditioner> all = {};
  int patience = INT_MAX;  ///< for choose_after(): iterations after which multigrid takes over
};

/// Iterations that say how fast the residual falls.
inline constexpr int probe_iterations = 60;
/// Matrices of fewer rows are solved by Jacobi before multigrid is set up.
inline constexpr index least_rows_of_multigrid = 20000;
/// Multigrid is for matrices of which at most this part of the rows has much that is positive
/// beside the diagonal.
inline constexpr double most_rows_with_positive = 0.05;

/// By the facts of a sound matrix, for o.method, which is not "auto". To be made before a solve.
/// judged: runs ask after every step (preconditioner_search), so that there is no probe.
preconditioner_choice choose_preconditioner(const solve_options& o, const system_facts& facts,
                                            double rows, bool judged);

/// What the first iterations with Jacobi have shown.
struct jacobi_probe {
  double residual = 0;   ///< the norm at their end
  double target = 0;     ///< that ends a solve
  double reduction = 0;  ///< factor of the residual by an iteration, under 1, by the latter half
  double condition = 0;  ///< condition of the scaled matrix, as far as it was seen; 0: not known
  double seconds = 0;    ///< time of an iteration
  double rows = 0, nonzeros = 0;
  int ranks = 1;  ///< among which they are divided
  /// A hierarchy on a GPU would be the process's first: its kernels are loaded, memory is got.
  bool first_on_gpu = false;
};

/// Seconds from the end of the probe on. The iterations with Jacobi go on from there; multigrid is
/// set up and goes on from the same answer.
struct preconditioner_forecast {
  double jacobi_iterations = 0, jacobi_s = 0;
  double amg_iterations = 0, amg_setup_s = 0, amg_s = 0;  ///< amg_s without the set-up
};
/// The model of multigrid on a GPU is that of docs/results/preconditioners.md (H200); on a CPU it
/// is counted in iterations with Jacobi, as measured there.
preconditioner_forecast forecast(const jacobi_probe& seen, backend on);
/// Where Jacobi goes on, it has the patience of the time that multigrid would take, so that a wrong
/// projection costs no more than about that. A power of two: the seconds that decide are measured,
/// and the bits of an answer should not depend on their last digits.
preconditioner_choice choose_after(const jacobi_probe& seen, backend on);

}  // namespace dwell
