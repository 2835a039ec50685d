// SPDX-License-Identifier: MIT
// What `dwell compare solve` measured: whole solves, set-up included, of methods with
// preconditioners; and the forms in which it is handed over.
#pragma once
#include <string>
#include <vector>

#include "compare/measured_run.hpp"
#include "report/json.hpp"

#include "dwell/formats/csr.hpp"

namespace dwell::app {

/// A method with a preconditioner, or a peer, on one system. `us` are times of whole solves, from
/// arrays on the host to the answer on the host.
struct compared_solve : measured_run {
  std::string method, preconditioner;
  std::vector<double> setup_s, solve_s;  ///< parts of each run, with the first that is not counted
  int iterations = 0;                    ///< count of the last repetition
  std::string stopped;                   ///< stop_reason of the last repetition, as text
  double residual = 0;                   ///< true and relative, likewise; NaN: not known
  bool target_missed = false;  ///< converged in the last repetition, but not by the true residual

  bool converged() const;  ///< by the true residual, where it is known
};

struct solved_system {
  std::string name;
  std::string refusal;  ///< why nothing was run on it; empty if something was
  index rows = 0, nonzeros = 0;
  std::vector<compared_solve> runs;
  std::string rhs_note = {};  ///< which right-hand side it is, where not the one asked for
};

struct solve_comparison {
  std::string device, backend, precision, rhs;
  double rtol = 0;
  int max_iterations = 0, repetitions = 0;
  bool interrupted = false;
  std::vector<solved_system> matrices;
};

/// How many times faster than the fastest peer that converged; 0: there is none, or this is one.
double over_best_peer(const solved_system& m, const compared_solve& run);

std::size_t rows_of(const solve_comparison& c);
std::string to_text(const solve_comparison& c);
std::string to_markdown(const solve_comparison& c);
/// A line for each run, under a line of heads; empty where nothing is known.
std::string to_csv(const solve_comparison& c);
json to_json(const solve_comparison& c);

}  // namespace dwell::app
