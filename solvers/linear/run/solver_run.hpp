// SPDX-License-Identifier: MIT
// A run of a solver: what was prepared for a method with a preconditioner in a precision. Private
// to the solver.
#pragma once
#include <memory>
#include <string>

#include "dwell/comm/halo.hpp"
#include "dwell/execution/comm/device_halo.hpp"
#include "dwell/linear/solve.hpp"
#include "dwell/solvers/linear/choose/solver_choice.hpp"
#include "dwell/solvers/linear/choose/variant.hpp"
#include "dwell/solvers/linear/run/column_groups.hpp"
#include "dwell/solvers/preconditioners/prepared_preconditioner.hpp"

namespace dwell {

/// What a solve asks of a run in mixed precision besides what it asks of every run.
class mixed_run {
 public:
  virtual ~mixed_run() = default;
  /// What the report of the last run begins with.
  virtual solve_report prepared() const = 0;
  /// What it is to end with: refinements, what it has set up, and accuracy_limit where f32 was too
  /// short.
  virtual void conclude(solve_report& report) const = 0;
  /// What the first attempt has shown; 0: nothing.
  virtual double condition() const = 0;
  /// Why f32 cannot go on; empty if it can.
  virtual const std::string& why_too_short() const = 0;
  /// Chosen for the solves in f32, where the options left it open.
  virtual preconditioner current_preconditioner() const = 0;
  virtual const std::string& preconditioner_reason() const = 0;
  /// What preparing the solves in f32 took, or their last update.
  virtual const solve_setup& setup() const = 0;
};

/// What a solve asks of a run with factors besides.
class factorised_run {
 public:
  virtual ~factorised_run() = default;
  /// Sums of squares of the next run's residuals, and what they are to come to, are of numbers
  /// divided by two to this power.
  virtual void take_unit(int exponent) = 0;
  /// What the report is to end with: the factors, what was set up amid the run, and why it broke
  /// down.
  virtual void conclude(solve_report& report) const = 0;
  /// Whose factors they are.
  virtual std::string library() const = 0;
};

template <class T>
struct solver_run {
  run_choice choice;
  int version = 0;  ///< version of the matrix's values that it has
  std::unique_ptr<prepared_preconditioner>
      sequence;  ///< preconditioners that are a sequence of products
  std::unique_ptr<cut_cache<T>> cuts;
  std::unique_ptr<prepared_run<T>> code;
  mixed_run* mixed = nullptr;                      ///< the run itself, where it iterates in f32
  factorised_run* factorised = nullptr;            ///< the run itself, of method direct
  std::unique_ptr<column_groups<T>> groups;        ///< groups of columns; they use the cuts
  std::unique_ptr<halo_exchange> ghosts_of_x;      ///< exchange of several ranks
  std::unique_ptr<device_halo> ghosts_of_x_there;  ///< exchange of several ranks on GPUs
  solve_report prepared;                           ///< what every report begins with
};

}  // namespace dwell
