// SPDX-License-Identifier: MIT
// A solver that an application holds: the matrix is checked, planned, cut and uploaded once, and
// systems with it are solved as often as needed. Nothing here needs CUDA.
//
//   dwell::linear_solver<double> solver(dwell::device::best(), a.view(), options);
//   for (...) report = solver.solve(b, x);
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dwell/base/api.hpp"
#include "dwell/device/device.hpp"
#include "dwell/device/device_views.hpp"
#include "dwell/formats/csr.hpp"
#include "dwell/linear/solve.hpp"

namespace dwell {

/// A solver of systems with one matrix. T: double or float. Movable. One thread at a time may use a
/// solver; several threads may use several solvers at once. Functions throw what solve() of
/// solve.hpp throws. In a child after fork() a solver of the parent's CPU works on, with threads of
/// its own.
///
/// A CPU reads the arrays of the matrix in place: they must stay valid and unchanged for the life
/// of the solver. A GPU has copies of its own, of host arrays as of device arrays.
///
/// On a GPU all work goes to the stream of `where` (device::on_stream), or to a stream of the
/// solver's own. A caller's stream must outlive the solver. What the caller put into it before a
/// call, such as a kernel that computes b, is done before the solve reads its data, and what the
/// caller puts into it after the call comes after the solve.
template <class T>
class DWELL_API linear_solver {
 public:
  /// Checks the matrix (unless options.assume_symmetric its symmetry too) and prepares its solves;
  /// options hold for all of them.
  linear_solver(const device& where, const csr_view<T>& a, const solve_options& options = {});
  /// With row pointers of 64 bits. A matrix of more than 2^31 - 1 nonzeros is solved without a
  /// preconditioner or with Jacobi's, which "auto" takes; others, and method "direct", throw
  /// unsupported_error before it is copied. Of a smaller one the solver has row pointers of 32 bits
  /// of its own, and all there is.
  linear_solver(const device& where, const large_csr_view<T>& a, const solve_options& options = {});
  /// With the matrix in the memory of the CUDA device `where`.
  linear_solver(const device& where, const device_csr_view<T>& a,
                const solve_options& options = {});
  /// And with row pointers of 64 bits.
  linear_solver(const device& where, const large_device_csr_view<T>& a,
                const solve_options& options = {});
  linear_solver(
      linear_solver&&) noexcept;  ///< what was moved from can only be destroyed or assigned to
  /// Moves; first frees what this solver had.
  linear_solver& operator=(linear_solver&&) noexcept;
  /// Waits for a solve in progress, and frees everything.
  ~linear_solver();

  index rows() const;             ///< rows of the matrix
  std::int64_t nonzeros() const;  ///< stored entries of the matrix
  /// What the constructor's time went to, or that of the last update_values().
  const solve_setup& setup() const;

  /// Solves A x = b: x is the start vector on entry and the answer on return. rows() elements each,
  /// in the host's memory; they may not overlap.
  solve_report solve(std::span<const T> b, std::span<T> x);
  /// Solves with vectors in the memory of the solver's CUDA device, which are used in place.
  solve_report solve(device_span<const T> b, device_span<T> x);
  /// `count` systems: right-hand side k begins at b[k * ldb], its start vector and answer at
  /// x[k * ldx]; ldb and ldx are at least rows(). Groups of 8, 4 or 2 are solved in one pass over
  /// the matrix where that pays, the others one after another (solve_options::columns_at_once): the
  /// reports say which, and why. A group reads the matrix once per iteration for all its systems;
  /// each has its own numbers and ends by itself, with bits that do not depend on the others, but
  /// are not those of a solve alone. The first call prepares the groups that it needs; they are
  /// kept, with 4 vectors per system and one for all, and on a GPU 2 more per system. Throws
  /// input_error also if an answer overlaps another system's b, and for a system that is not
  /// finite: then the systems before it and those of its group are solved, its x is as it was, and
  /// so are those after the group.
  std::vector<solve_report> solve(std::span<const T> b, std::size_t ldb, std::span<T> x,
                                  std::size_t ldx, int count);
  /// Solves with vectors in the memory of the solver's CUDA device.
  std::vector<solve_report> solve(device_span<const T> b, std::size_t ldb, device_span<T> x,
                                  std::size_t ldx, int count);

  /// Puts a solve into the device's stream and returns: what comes after in the stream finds the
  /// answer in x. wait() has the report; b and x must stay until then. Executors that launch from
  /// the host (host-loop; on a CPU all) work in these calls. The solve is one attempt: nothing is
  /// refined (solve_options::refine), and the report's target_missed says where that would be due.
  /// Nor does it choose between preconditioners (preconditioner::automatic): without a solve before
  /// it takes Jacobi's. Throws input_error if one is under way.
  void solve_async(device_span<const T> b, device_span<T> x);
  /// The report of the solve that solve_async() began. Throws input_error if there is none.
  solve_report wait();

  /// From the next solve on with other values: as many, in the order of the matrix's own. They are
  /// checked as the first ones were. On a CPU they are used in place and must stay valid. After an
  /// interrupt (interrupted_error) the solver can only be destroyed or assigned to.
  void update_values(std::span<const T> values);
  /// Takes values in the memory of the solver's CUDA device, which are copied.
  void update_values(device_span<const T> values);

  /// From the next solve on: converged when ||r|| <= max(rtol ||b||, atol).
  void set_tolerances(double rtol, double atol = 0);
  /// From the next solve on: solve_options::progress, or none. An interval of 0
  /// (solve_options::progress_interval) takes a function from the beginning, for its memory.
  void set_progress(progress_function<solve_progress> progress);

 private:
  struct state;
  template <class Matrix>
  void prepare(const device& where, const Matrix& a, const solve_options& options);
  std::unique_ptr<state> s_;
};

extern template class linear_solver<double>;
extern template class linear_solver<float>;

}  // namespace dwell
