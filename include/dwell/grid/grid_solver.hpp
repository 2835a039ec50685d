// SPDX-License-Identifier: MIT
// Systems on grids, -div(k grad u) + s u = f on a box, by conjugate gradients with geometric
// multigrid, or by other iterations, without a matrix. Nothing here needs CUDA.
//
//   dwell::grid_solver<double> solver(dwell::device::cpu(), description);
//   for (...) report = solver.solve(f, u);
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dwell/base/api.hpp"
#include "dwell/device/device.hpp"
#include "dwell/device/device_views.hpp"
#include "dwell/device/progress_function.hpp"
#include "dwell/grid/grid_operator.hpp"
#include "dwell/linear/solve.hpp"

namespace dwell {

/// Coefficients in the memory of a solver's CUDA device, in place of the description's of the same
/// names, as many and in the same order; complete, or in the order of the caller's stream
/// (device::on_stream). Empty: the description's. They are read while a solver is made or updated.
/// Where kernels make the set-up (4,096 unknowns or more, averaged coarse operators, points)
/// k_cells need not come to the host, unless a side has a value or axes are reordered, since the
/// fastest one is short; the others do.
template <class T>
struct device_coefficients {
  device_span<const T> k_cells{};                 ///< an element per cell; all > 0
  device_span<const T> s_cells{};                 ///< an element per cell
  std::array<device_span<const T>, 3> k_faces{};  ///< per axis, as of grid_description
};

/// What solves on grids are asked to do.
struct grid_options {
  /// "cg": conjugate gradients. "minres" and "bicgstab", which also take s < 0, where the operator
  /// is indefinite. "chebyshev": no sums but those of the test for the end, between bounds of the
  /// spectrum that some steps of "cg" find. "multigrid": cycles alone, which take more iterations,
  /// where coefficients jump many more. "jacobi": damped by 0.95, to compare with.
  std::string method = "cg";
  /// "auto", which is "multigrid": a cycle; "jacobi": the diagonal; or "none". Of an operator with
  /// s < 0 it is that of the one with |s|, which is definite. Methods "multigrid" and "jacobi" have
  /// no other than "auto".
  std::string preconditioner = "auto";
  /// How levels of multigrid are visited. "v": each once; "w": those of at most a twelfth of the
  /// cells twice by each visit of the level above; "auto": "w" where conductances differ by more
  /// than 10.
  std::string cycle = "auto";
  /// Operators of multigrid's coarse levels. "averaged": conductances of faces, as of the finest
  /// level. "galerkin": P'AP with neighbours across corners, too, and interpolation that follows
  /// the coefficients in all directions: set-up and cycles take longer, and need fewer iterations
  /// where k jumps in blocks of a few cells, or in blocks that meet at corners. "auto": averaged
  /// ones; where k jumps and iterations turn out to be slow, the solve goes on with Galerkin's.
  std::string coarse = "auto";
  /// What multigrid relaxes. "points": cells, in colours (Gauss-Seidel). "lines": lines of
  /// cells along each axis, for k that is strong along one axis here and along another one there
  /// (where it is so everywhere, axes are halved one at a time, and points suffice); with averaged
  /// coarse operators.
  std::string smoother = "points";
  /// Begin by full multigrid. The residual of the start is taken to the coarsest
  /// level; its answer is interpolated from level to level and improved by a cycle on each. Where
  /// that leaves no smaller residual the start is taken. Fewer iterations, seldom less time.
  bool full_multigrid = false;
  /// Converged when ||b - A u|| <= max(rtol ||b||, atol); >= 0. None: that of the precision. In f64
  /// it is 1e-8. In f32 it is 1e-5, or where rounding allows no such residual what rounding allows,
  /// up to 0.1 (grid_report::met_by_rounding): on large grids u may be right to its last digit, and
  /// the residual of rounding it far above 1e-5.
  std::optional<double> rtol{};
  double atol = 0;           ///< see rtol
  int max_iterations = 500;  ///< the solve ends there, as iteration_limit
  bool history = false;      ///< record ||r|| of every iteration in grid_report::history
  /// Set to true (from a signal handler or another thread) to end at the next iteration.
  const std::atomic<bool>* interrupt = nullptr;
  /// Called about every `progress_interval` seconds while iterating, from the thread that called
  /// solve(). If it returns a bool, false ends the solve as an interrupt does. On CPUs an interval
  /// of 0 means each iteration, in order, none left out; calls may lag behind by some milliseconds.
  /// That takes 8 bytes for each of max_iterations.
  progress_function<solve_progress> progress;
  double progress_interval = 0.1;  ///< seconds
};

/// rtol of a precision, "f64" or "f32", where grid_options have none.
DWELL_API double default_grid_rtol(std::string_view precision);

/// Words of grid_options::method.
DWELL_API std::vector<std::string> grid_methods();
/// Words of grid_options::preconditioner, "auto" the first.
DWELL_API std::vector<std::string> grid_preconditioners();

/// Words of grid_options::cycle.
DWELL_API std::vector<std::string> grid_cycles();
/// Words of grid_options::coarse.
DWELL_API std::vector<std::string> grid_coarse_operators();

/// Words of grid_options::smoother.
DWELL_API std::vector<std::string> grid_smoothers();

/// One level of multigrid.
struct grid_level {
  std::vector<int> cells;  ///< slowest axis first
};

/// What was run, what it cost, and whether the answer is right.
struct grid_report {
  std::string method;          ///< see grid_options::method
  std::string preconditioner;  ///< "multigrid", "jacobi" or "none", never "auto"
  std::string device;          ///< name of the device
  backend on = backend::cpu;   ///< kind of the device
  /// Vectors are "f64" or "f32"; multigrid's levels are in f32 (of Galerkin's the coefficients).
  std::string precision;
  int threads = 0;                               ///< that took part; of a GPU blocks
  std::string reason;                            ///< why so many, one line
  std::string cycle;                             ///< how levels were visited, and why, one line
  std::vector<grid_level> levels;                ///< the finest first
  int iterations = 0;                            ///< done
  stop_reason stopped = stop_reason::converged;  ///< why it ended
  double rhs_norm =
      0;  ///< ||b||, b as of grid_operator::rhs(); of a singular system without its mean
  /// "constant" where the operator is singular (grid_operator::singular()): then the mean of b is
  /// taken from b, and the answer is the one whose mean is 0. Else "none".
  std::string null_space = "none";
  /// ||removed|| / ||b||: the part of b for which there is no solution, and which was taken away.
  double rhs_outside_range = 0;
  /// That is more than rounding explains (1e-6, in f32 1e-3): the system has no solution, and the
  /// answer is one of the system without that part of b.
  bool rhs_inconsistent = false;
  double residual_relative_recursive =
      0;  ///< ||r|| / ||b|| as the iteration carries it (||r|| if b = 0)
  double residual_relative_true = 0;    ///< ||b - A u|| / ||b||, computed anew
  double residual_relative_wanted = 0;  ///< max(rtol, atol / ||b||) (atol if b = 0)
  /// The residual of the iteration met the tolerance, the true one is above it (accuracy_limit).
  bool target_missed = false;
  /// It has converged as far as rounding allows in f32, which is above 1e-5; of solves whose
  /// options have no rtol.
  bool met_by_rounding = false;
  int refinements = 0;     ///< how often the iteration began anew from its answer
  bool stagnated = false;  ///< at the limit: the last third of the iterations did not halve ||r||
  std::string advice;      ///< what to try where it did not converge, one line; may be empty
  std::vector<double> history;  ///< ||r|| after 0, 1, ... iterations, if asked for
  /// That the method and cycles through all levels must move, by the model; as of explain(). Where
  /// other coarse operators took over the mean of all iterations.
  std::size_t bytes_per_iteration = 0;
  double setup_s = 0;  ///< taken by the constructor, or the last update(), and by that of levels
                       ///< that the solve itself made, to go on with
  double solve_s = 0;  ///< taken by this solve, such a set-up left out
  double per_iteration_us = 0;  ///< solve_s / iterations
};

/// A solver of systems with one operator. T: double or float. Movable. One thread at a time may use
/// a solver; several threads may use several at once. Answers have the same bits whatever the
/// number of threads.
template <class T>
class DWELL_API grid_solver {
 public:
  /// Prepares the levels. Throws what grid_operator throws, and input_error for options out of
  /// range.
  grid_solver(const device& where, const grid_description<T>& d, const grid_options& options = {});
  /// Likewise with coefficients in the memory of the device. Throws input_error also if they are
  /// not there, or given by the description, too.
  grid_solver(const device& where, const grid_description<T>& d, const grid_options& options,
              const device_coefficients<T>& there);
  grid_solver(
      grid_solver&&) noexcept;  ///< what was moved from can only be destroyed or assigned to
  /// Moves likewise; frees what this solver had.
  grid_solver& operator=(grid_solver&&) noexcept;
  ~grid_solver();

  std::size_t rows() const;  ///< unknowns
  bool singular() const;     ///< see grid_operator::singular()
  double setup_s() const;    ///< seconds of the constructor, or the last update()

  /// Solves -div(k grad u) + s u = f with the conditions of the description. u is the start on
  /// entry (but for b = 0, where the answer is 0) and the answer on return: of all attempts the one
  /// with the smallest true residual, also when the solve did not converge. A start so far above b
  /// that its residual has no place beside b (a factor of 2^480, in f32 2^60) counts as 0, which is
  /// closer. Both have rows() elements and may not overlap, else input_error, as for a value that
  /// is not finite.
  grid_report solve(std::span<const T> f, std::span<T> u);
  /// Solves A u = b for b as it is: the description's boundary values have no part in it.
  grid_report solve_algebraic(std::span<const T> b, std::span<T> u);
  /// Likewise with arrays in the memory of the solver's CUDA device, in C order, in the order of
  /// the caller's stream (device::on_stream), or once what computes them is done. Throws
  /// input_error also if the memory is not that device's.
  grid_report solve(device_span<const T> f, device_span<T> u);
  /// Likewise.
  grid_report solve_algebraic(device_span<const T> b, device_span<T> u);
  /// From the next solve on with other coefficients or conditions; cells must be as many along each
  /// axis, else input_error. The solver is as before if anything is thrown.
  void update(const grid_description<T>& d);
  /// Likewise with coefficients in the memory of the solver's device.
  void update(const grid_description<T>& d, const device_coefficients<T>& there);
  /// From the next solve on: converged when ||b - A u|| <= max(rtol ||b||, atol); see grid_options.
  void set_tolerances(std::optional<double> rtol, double atol = 0);

 private:
  struct state;
  std::unique_ptr<state> s_;
};

extern template class grid_solver<double>;
extern template class grid_solver<float>;

}  // namespace dwell
