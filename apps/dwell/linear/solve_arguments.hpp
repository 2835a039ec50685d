// SPDX-License-Identifier: MIT
// What dwell solve and dwell cg are asked for, and the options that say it.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

#include "cli/destination.hpp"
#include "cli/device_choice.hpp"
#include "cli/device_facts_option.hpp"
#include "cli/ranks.hpp"
#include "cli/report_target.hpp"
#include "linear/near_null.hpp"

#include "dwell/linear/solve.hpp"

namespace dwell::app {

struct solve_arguments {
  std::string command;
  const CLI::App* parsed = nullptr;  ///< which options were given
  std::string matrix, rhs = "row-sums", start, null_vectors;
  device_choice device;
  device_facts_choice device_facts;
  int threads = 0;
  std::string precision = "f64";
  solve_options options;
  near_null_files near_null;
  int rhs_count = 1;
  rank_choice ranks;
  std::string partition = "rows";
  int monitor = 0;  ///< a line for so many iterations; 0: none
  bool timing = false;
  bool no_refine = false;
  destination output, history;
  report_target report;
};

/// The options of `args.command`, in groups.
void add_arguments(CLI::App& app, solve_arguments& args);

}  // namespace dwell::app
