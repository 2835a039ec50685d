// SPDX-License-Identifier: MIT
// What `dwell compare cg` measured, and the forms in which it is handed over.
#pragma once
#include <string>
#include <vector>

#include "compare/measured_run.hpp"
#include "linear/prospect.hpp"
#include "report/json.hpp"

#include "dwell/formats/csr.hpp"

namespace dwell::app {

/// One executor with one variant and one policy, or one peer, on one system.
struct compared_run : measured_run {
  using measured_run::measured_run;
  std::string policy_chosen = {};  ///< whose plan it was, where the policy picks among others'
  int iterations = 0;              ///< count of the last repetition
  std::string stopped = {};        ///< stop_reason of the last repetition, as text
  double residual = 0;             ///< true and relative, likewise; NaN: not known
  double floor_us = 0;             ///< per iteration; 0: not known
  solve_prospect prospect = {};    ///< where phases are not launches

  double solve_us() const { return median_us() * iterations; }
  /// What is compared: the time of an iteration or, to a tolerance, of the solution.
  double cost_us(bool fixed) const { return fixed ? median_us() : solve_us(); }
  /// Is there such a time, and was it for what was asked?
  bool arrived(bool fixed) const;
};

struct compared_matrix {
  std::string name;
  std::string refusal;  ///< why nothing was run on it; empty if something was
  index rows = 0, nonzeros = 0;
  std::size_t bytes_per_iteration = 0;  ///< nothing cached, as the baseline reports it
  std::vector<compared_run> runs;       ///< the baseline first
  std::string rhs_note = {};  ///< which right-hand side it is, where not the one asked for
};

struct comparison {
  std::string device, backend;
  std::string precision, preconditioner, rhs;
  bool fixed = true;   ///< a fixed number of iterations; else until rtol
  int iterations = 0;  ///< that number, or the limit
  double rtol = 0;
  int repetitions = 0;
  std::string partition;  ///< which rows ranks get; empty where there are none
  bool interrupted = false;
  std::vector<compared_matrix> matrices;
};

/// How many times faster than the baseline: per iteration, or with a tolerance in time to solution.
/// 0 where there is none.
double speed_up(const comparison& c, const compared_matrix& m, const compared_run& run);
/// Bytes per second of an iteration with nothing cached; and the share of the floor. 0: not known.
double bandwidth(const compared_matrix& m, const compared_run& run);
double of_floor(const compared_run& run);
/// Measured rate over the projected one: the projected time over the median; 0: not known.
double of_projected(const compared_run& run);

std::size_t rows_of(const comparison& c);
std::string to_text(const comparison& c);
std::string to_markdown(const comparison& c);
/// A line for each run and each mean, under a line of heads; empty where nothing is known.
std::string to_csv(const comparison& c);
json to_json(const comparison& c);

}  // namespace dwell::app
