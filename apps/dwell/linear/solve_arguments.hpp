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
#include "linear/solve_flags.hpp"

namespace dwell::app {

struct solve_arguments : solve_flags {
  std::string command;
  const CLI::App* parsed = nullptr;  ///< which options were given
  std::string matrix, rhs = "row-sums", start;
  device_choice device;
  device_facts_choice device_facts;
  int threads = 0;
  int rhs_count = 1;
  rank_choice ranks;
  std::string partition = "rows";
  int monitor = 0;  ///< a line for so many iterations; 0: none
  bool timing = false;
  destination output;
  report_target report;
};

/// The options of `args.command`, in groups.
void add_arguments(CLI::App& app, solve_arguments& args);

}  // namespace dwell::app
