// SPDX-License-Identifier: MIT
// A batch of systems, prepared as one matrix and solved again and again: what cg_batch holds.
// Private to the solver.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/device/plan_target.hpp"
#include "dwell/execution/device/work_queue.hpp"
#include "dwell/linear/cg_batch.hpp"
#include "dwell/solvers/linear/batch/batch_matrix.hpp"
#include "dwell/solvers/linear/batch/batch_steps.hpp"
#include "dwell/solvers/linear/choose/variant.hpp"
#include "dwell/solvers/linear/run/prepared_system.hpp"

namespace dwell {

template <class T>
class prepared_batch {
 public:
  /// Checks, plans, cuts and loads; `begun` has what joining the systems took. Options have been
  /// checked.
  prepared_batch(const device& where, joined_systems<T> systems, const solve_options& options,
                 const solve_setup& begun);

  const device& where() const { return queue_.where(); }
  bool on_gpu() const { return where().on() == backend::cuda; }
  const batch_rows& rows() const { return rows_; }
  csr_arrays<T> matrix() const { return matrix_.arrays().in_32_bits(); }
  const solve_setup& setup() const { return setup_; }

  /// Vectors in the device's memory, of which the call began at `began` on the host's clock. On
  /// return the answers are in x, or on their way there in the stream; finish_s is not set.
  cg_batch_report solve(double began, const T* b, T* x);
  /// When the run of the last solve ended, on the host's clock.
  double ended() const { return ended_; }
  /// Waits for all that is in the stream.
  void finish() const { queue_.finish(); }
  /// A GPU's copies of host vectors.
  buffer<T>& host_b() { return b_; }
  buffer<T>& host_x() { return x_; }

  /// The values that update(matrix, setup) brings. Where they are refused, values() returns them.
  void take(const std::function<void(prepared_system<T>&, solve_setup&)>& update,
            const std::function<std::vector<T>()>& values);

 private:
  prepared_system<T> prepared();
  void prepare();
  void place_vectors();
  void place_matrix();
  /// Returns whether each system had an answer of its own.
  std::vector<bool> verify_all(cg_batch_report& report) const;
  /// Answers that are worse than their start vectors become these.
  void keep_starts(const std::vector<bool>& answered, cg_batch_report& report);
  cg_batch_entry verified(int system, const solve_numbers& numbers,
                          const std::vector<step_coefficients>& of_all) const;

  solve_options options_;
  solve_setup setup_;
  batch_rows rows_;
  csr<T> joined_;  ///< matrix of a CPU, which reads it in place; its values until the first update
  work_queue queue_;  ///< ends after all that its work touches
  plan_target target_;
  prepared_system<T> matrix_;
  cg_batch_report known_;  ///< what every report begins with
  buffer<index> first_rows_;
  std::unique_ptr<prepared_run<T>> run_;
  batch_places<T> places_;
  buffer<T> b_, x_;
  buffer<row_residual> residual_;
  buffer<solve_numbers> numbers_;
  std::vector<diagonal_range> diagonals_;
  double ended_ = 0;
};

}  // namespace dwell
