// SPDX-License-Identifier: MIT
// What the subcommands of `dwell compare` share of their command lines, and how the result is
// handed over.
#pragma once
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/device_facts_option.hpp"
#include "cli/output.hpp"
#include "compare/peers/command.hpp"
#include "report/json.hpp"

#include "dwell/base/error.hpp"

namespace dwell::app {

struct compare_options {
  device_choice device;
  device_facts_choice device_facts;
  int threads = 0;
  std::vector<std::string> executors, policies = {automatic};
  std::string precision = "f64", format = "table";
  destination output;
  int repetitions = 5;
  peer_options by_command;
};

/// --executors (default: all but naive, which is not made for speed), --policies (with "auto"
/// before `policies`).
void add_compared(CLI::App& app, compare_options& args, const std::vector<std::string>& executors,
                  std::vector<std::string> policies);
/// Throws input_error if one of these options was given and no executor heeds them; which: of those
/// that do.
void require_executor_for(const CLI::App& app, const compare_options& args,
                          const std::vector<std::string>& options, bool (*heeds)(std::string_view),
                          const char* which);
/// require_executor_for() of options for perks alone.
void require_perks_for(const CLI::App& app, const compare_options& args,
                       const std::vector<std::string>& options);
/// --device, --device-facts, --threads; `but` follows the latter's help.
void add_where(CLI::App& app, compare_options& args, const char* but = "");
/// --repetitions, --precision. mixed: that is one of its choices.
void add_measuring(CLI::App& app, compare_options& args, bool mixed = false);
/// --peer, --peer-rules. problem: as of peer_placeholders().
void add_peer_commands(CLI::App& app, peer_options& args, std::string_view problem);
/// What they do, for the footers.
inline constexpr const char* peer_conduct =
    "A peer of --peer is a program of its own, started between our runs, the first\n"
    "start not counted: NAME=COMMAND, without a shell, {names} filled in, {{ and }}\n"
    "for braces. Its rule, a TOML file, says how its output is read. One that fails,\n"
    "or prints nothing that its rule finds, has a row that says so, and exit code 4;\n"
    "what by its rule it cannot do is no error.\n\n";
/// --format, --output, in a group of their own.
void add_results(CLI::App& app, compare_options& args);

/// What follows a failure or a signal, for the footers.
inline constexpr const char* compare_conduct =
    "What cannot run here has a row that says why. The first\n"
    "Ctrl-C ends the run under way and writes the rows before it, a second one ends\n"
    "the program at once.\n\n";

/// Writes a comparison in the format that was asked for, to where it was asked for; a file that
/// cannot be written is an error after it has gone to standard output instead.
template <class Comparison>
void hand_over(const Comparison& c, const compare_options& args) {
  const auto text = args.format == "json"       ? json_text(to_json(c))
                    : args.format == "csv"      ? to_csv(c)
                    : args.format == "markdown" ? to_markdown(c)
                                                : to_text(c);
  if (!args.output || args.output.standard()) return write_stdout(text);
  try {
    args.output.write(text);
  } catch (const error& e) {
    write_stdout(text);
    throw input_error(fmt::format("{}; what was measured is on standard output", e.what()));
  }
}

}  // namespace dwell::app
