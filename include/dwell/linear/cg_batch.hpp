// SPDX-License-Identifier: MIT
// Many small systems at once: each is solved by one team, a thread block of a GPU, which keeps it
// on the chip; all of them in one launch, and each stops by itself. Nothing here needs CUDA.
//
//   dwell::cg_batch<double> batch(dwell::device::best(), systems, options);
//   for (...) report = batch.solve(b, x);
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dwell/base/api.hpp"
#include "dwell/device/device.hpp"
#include "dwell/device/device_views.hpp"
#include "dwell/formats/csr.hpp"
#include "dwell/linear/solve.hpp"

namespace dwell {

/// How the solve of one system of a batch ended. Fields mean what they mean in solve_report.
struct cg_batch_entry {
  int iterations = 0;                            ///< done
  stop_reason stopped = stop_reason::converged;  ///< why it ended; not_finite also where an element
                                                 ///< of b or of the start vector is not finite
  double rhs_norm = 0;                           ///< ||b||
  double residual_relative_recursive = 0;        ///< ||r|| / ||b|| (||r|| if b = 0), carried
  double residual_relative_true = 0;             ///< ||b - Ax|| / ||b||, recomputed in f64
  bool residuals_disagree = false;               ///< by more than a factor of ten
  bool target_missed = false;  ///< it converged, and the true residual is above the tolerance
  /// The largest |b - Ax|_i / (|A||x| + |b|)_i of its rows.
  double componentwise_backward_error = 0;
  bool rows_missed = false;  ///< the norm meets the tolerance, and a row of it does not
  /// Condition that the first 127 iterations and the diagonal show; 0: not known.
  double condition_estimate = 0;
  double error_estimate = 0;  ///< condition_estimate times the true relative residual
};

/// What was run, what it cost, and how each system ended.
struct cg_batch_report {
  std::string executor = "batch";  ///< "batch"
  std::string policy = "none";     ///< the rule by which a team caches data on the chip
  std::string reason;              ///< why this plan, one line
  std::string compiler;            ///< what compiled its kernels when they were needed, or empty
  std::string device;              ///< name of the device
  backend on = backend::cpu;       ///< kind of the device
  std::string precision;           ///< "f64" or "f32"
  dwell::preconditioner preconditioner =
      dwell::preconditioner::none;  ///< asked for; of auto jacobi
  int teams = 0;                    ///< one for each system
  int lanes = 0;                    ///< per team
  solve_setup setup;                ///< times of solve_batch(); zeros where a cg_batch was prepared
  double setup_s = 0;               ///< setup.total(), and of the vectors: checks and transfers
  double solve_s = 0;               ///< all iterations of all systems, on the device's clock
  double finish_s = 0;              ///< after them: true residuals, estimates, the answers
  std::vector<cg_batch_entry> systems;  ///< in the order of the batch
  int converged = 0;                    ///< so many of them
};

/// A solver of `count` symmetric positive definite systems by textbook CG. T: double or float.
/// Move-only. One thread at a time may use a batch; several threads may use several batches.
///
/// Vectors are those of all systems, one after the other: rows() elements, of which system k has
/// those from first_row(k) to before first_row(k + 1). The batch has copies of all matrices. On a
/// GPU the fastest systems have up to 2048 rows; any size is solved. Systems of a batch run under
/// one kernel, chosen for the largest.
///
/// What is solved is scaled by a power of two that the matrices have in common, each right-hand
/// side by its own: in f64 matrices may differ by 2^300 in size, in f32 by 2^40.
///
/// Options that hold for a batch: preconditioner, rtol, atol, max_iterations, assume_symmetric,
/// fixed_iterations, interrupt; for tests config, scratch_per_team and reverse_lanes. Others are
/// refused (unsupported_error) unless they are as by default. An interrupt ends all systems that
/// have not ended. x of a system that did not converge is never worse than its start vector, by the
/// true residual.
///
/// Functions throw what those of linear_solver throw; a refusal of a matrix names its system,
/// counted from 0. A matrix that is unsound (not symmetric, with a diagonal element that is missing
/// or not positive) is refused before any work; one that turns out not to be positive definite, or
/// a right-hand side that is not finite, ends that system alone. Together the systems may have 2^31
/// - 1 rows and as many nonzeros (input_error).
template <class T>
class DWELL_API cg_batch {
 public:
  /// Checks, plans, cuts and uploads the matrices; options hold for all solves.
  cg_batch(const device& where, std::span<const csr_view<T>> systems,
           const solve_options& options = {});
  /// `count` systems of one pattern, whose own values are not read: system k has the values from
  /// k * nonzeros on, count * nonzeros in all.
  cg_batch(const device& where, const csr_view<T>& pattern, std::span<const T> values, int count,
           const solve_options& options = {});
  cg_batch(cg_batch&&) noexcept;  ///< what was moved from can only be destroyed or assigned to
  /// Moves; first frees what this batch had.
  cg_batch& operator=(cg_batch&&) noexcept;
  ~cg_batch();  ///< frees everything

  int count() const;             ///< systems
  index rows() const;            ///< rows of all systems
  index nonzeros() const;        ///< stored entries of all systems
  index first_row(int k) const;  ///< first row of system k, 0 <= k <= count(); else input_error
  /// What the constructor's time went to, or that of the last update_values().
  const solve_setup& setup() const;

  /// Solves all systems: x holds the start vectors on entry and the answers on return. rows()
  /// elements each, in the host's memory; they may not overlap.
  cg_batch_report solve(std::span<const T> b, std::span<T> x);
  /// Solves with vectors in the memory of the batch's CUDA device, which are used in place.
  cg_batch_report solve(device_span<const T> b, device_span<T> x);

  /// From the next solve on with other values of all systems: nonzeros() of them, copied, and
  /// checked as the first ones were. Refused values leave the batch as it was.
  void update_values(std::span<const T> values);
  /// Takes values in the memory of the batch's CUDA device.
  void update_values(device_span<const T> values);

 private:
  struct state;
  std::unique_ptr<state> s_;
};

extern template class cg_batch<double>;
extern template class cg_batch<float>;

/// Prepares a batch and solves it once: see cg_batch.
DWELL_API cg_batch_report solve_batch(const device& where,
                                      std::span<const csr_view<double>> systems,
                                      std::span<const double> b, std::span<double> x,
                                      const solve_options& options = {});
/// Prepares and solves a batch in f32.
DWELL_API cg_batch_report solve_batch(const device& where, std::span<const csr_view<float>> systems,
                                      std::span<const float> b, std::span<float> x,
                                      const solve_options& options = {});

}  // namespace dwell
