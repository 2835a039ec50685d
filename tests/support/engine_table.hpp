// SPDX-License-Identifier: MIT
// data/engines_golden.tsv: which engine a run under perks takes, by shape, precision, size,
// boundary and what is asked of the plan. test_engines_golden.cpp compares the planner with it,
// test_stencil_engines.cpp what ran on a CPU.
#pragma once
#include <string>
#include <vector>

#include "dwell/base/precision.hpp"
#include "dwell/stencil/solve.hpp"

namespace dwell::test {

struct engine_row_asked {
  std::string kind;  ///< the kind of engine that the sizes are made for
  std::string shape;
  precision type = precision::f64;
  extents size;
  boundary edge = boundary::fixed;
  std::string policy, blocking;
  int depth = 0;                ///< 0: as planned
  std::vector<int> steps;       ///< steps of a run each
  std::vector<int> teams;       ///< each asked for in turn
  std::string on_cpu, on_h200;  ///< the answers, one for each number of teams

  /// Options of a run by the k-th number of teams.
  stencil_options options(std::size_t k) const;
};

/// The rows of the file, and the lines before them.
struct engine_table {
  std::string head;
  std::vector<engine_row_asked> rows;

  static engine_table read();
  void write() const;
};

/// One answer: the engine, with "+" if the whole field is in registers; "-": refused.
std::string engine_answer(const std::string& engine, bool all_in_registers);

/// Answers side by side.
std::string joined(const std::vector<std::string>& answers);

}  // namespace dwell::test
