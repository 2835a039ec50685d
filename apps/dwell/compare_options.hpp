// SPDX-License-Identifier: MIT
// What the subcommands of `dwell compare` share of their command lines, and how the result is
// handed over.
#pragma once
#include <string>
#include <vector>

#include "arguments.hpp"
#include "output.hpp"

namespace dwell::app {

struct compare_options {
  device_choice device;
  int threads = 0;
  std::vector<std::string> executors = {"host-loop", "graph", "persistent", "perks"};
  std::vector<std::string> policies = {"auto"};
  std::string precision = "f64", format = "table", output;
  int repetitions = 5;
};

/// --executors, --policies (with "auto" before `policies`).
void add_compared(CLI::App& app, compare_options& args, const std::vector<std::string>& executors,
                  std::vector<std::string> policies);
/// Throws input_error if one of these options was given and no executor is perks, which alone heeds
/// them.
void require_perks_for(const CLI::App& app, const compare_options& args,
                       const std::vector<std::string>& options);
/// --device, --threads.
void add_where(CLI::App& app, compare_options& args);
/// --repetitions, --precision.
void add_measuring(CLI::App& app, compare_options& args);
/// --format, --output, in a group of their own.
void add_results(CLI::App& app, compare_options& args);

/// What follows a failure or a signal, for the footers.
inline constexpr const char* compare_conduct =
    "What cannot run here has a row that says why. The first\n"
    "Ctrl-C ends the run under way and writes the rows before it, a second one ends\n"
    "the program at once.\n\n";

/// Writes a comparison in the format that was asked for, to where it was asked for.
template <class Comparison>
void hand_over(const Comparison& c, const compare_options& args) {
  if (args.format == "json") return write_json(args.output.empty() ? "-" : args.output, to_json(c));
  const auto text = args.format == "csv"        ? to_csv(c)
                    : args.format == "markdown" ? to_markdown(c)
                                                : to_text(c);
  if (args.output.empty())
    write_stdout(text);
  else
    write_file(args.output, text);
}

}  // namespace dwell::app
