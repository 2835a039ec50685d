// SPDX-License-Identifier: MIT
// The order in which a run takes its steps, stages and rows. Single steps: threads have a part of
// the rows each and meet after every stage. Passes (field_pass.hpp): several steps while rows are
// in a core's cache.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "dwell/execution/device/monitor.hpp"
#include "dwell/execution/device/run_control.hpp"
#include "dwell/execution/stencil/fields/field_pass.hpp"
#include "dwell/execution/stencil/fields/field_rows.hpp"
#include "dwell/execution/stencil/fields/field_run.hpp"
#include "dwell/execution/team/team_threads.hpp"

namespace dwell {

/// Threads and their memory, kept from run to run.
template <class T>
class field_stepper {
 public:
  /// One thread: the caller's. A pass of depth 0: single steps.
  field_stepper(const field_rows<T>& rows, int threads, const field_pass& pass);

  /// Ends early, after a whole step or pass, if `control` says so. Throws what its progress
  /// function throws, all threads having stopped after the same step.
  field_run_end run(field_run<T>& r, const field_places& places, const run_control& control);

 private:
  class team;
  void work(team& t) const;
  void single_step(team& t) const;
  void pass(team& t, int depth) const;
  void keep_fixed_cells(team& t, const field_stage& stage) const;
  /// The rows of a team; in one dimension its cells.
  field_block part(const team& t) const;
  /// Those of a pass; of three dimensions they are of one layer.
  field_block block_of(const cell_range& layers, const cell_range& cells) const;
  void compute(std::size_t stage, const stage_memory<T>& memory, const field_block& b,
               team& t) const;

  const field_rows<T>& rows_;
  int threads_;
  field_pass pass_;
  std::vector<std::unique_ptr<typename field_rows<T>::scratch>> scratch_;
  std::unique_ptr<cpu::team_threads> pool_;
};

}  // namespace dwell
