// SPDX-License-Identifier: MIT
// CLI11 options of comparisons and their checks.
#include "compare/options.hpp"
#include "cli/file_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/execution/device/executors.hpp"

namespace dwell::app {

void add_compared(CLI::App& app, compare_options& args, const std::vector<std::string>& executors,
                  std::vector<std::string> policies) {
  args.executors = executors;
  std::string left_out;
  std::erase_if(args.executors, [&](const std::string& name) {
    if (!is_reference(name)) return false;
    left_out += ", " + name + " only where it is named";
    return true;
  });
  add_choices(app, "--executors", args.executors, executors,
              fmt::format("Some of {}; host-loop, the baseline, is always run{}",
                          fmt::join(executors, ", "), left_out));
  policies = after_auto(std::move(policies));
  add_choices(app, "--policies", args.policies, policies,
              fmt::format("What perks caches on the chip; some of {}", fmt::join(policies, ", ")));
}

void require_executor_for(const CLI::App& app, const compare_options& args,
                          const std::vector<std::string>& options, bool (*heeds)(std::string_view),
                          const char* which) {
  if (std::any_of(args.executors.begin(), args.executors.end(), heeds)) return;
  for (const auto& option : options)
    if (app.count(option) > 0)
      throw input_error(fmt::format("{}: is for {}, and --executors has only {}", option, which,
                                    fmt::join(args.executors, ", ")));
}
void require_perks_for(const CLI::App& app, const compare_options& args,
                       const std::vector<std::string>& options) {
  require_executor_for(app, args, options, has_policies, "executor perks");
}

void add_where(CLI::App& app, compare_options& args, const char* but) {
  add_device(app, args.device, "Where to run; auto is the first usable GPU, else the CPU");
  add_device_facts(app, args.device_facts, planned_with_help);
  add_positive(app, "--threads", args.threads,
               std::string("Threads of all that runs on the CPU (default: of those there are, "
                           "as many as the work is worth)") +
                   but);
}

void add_measuring(CLI::App& app, compare_options& args, bool mixed) {
  add_positive(app, "--repetitions", args.repetitions, "Runs of each, after one not counted");
  std::vector<std::string> precisions = {"f64", "f32"};
  if (mixed) precisions.emplace_back("mixed");
  add_choice(app, "--precision", args.precision, precisions,
             mixed ? "Of all that is computed with; of mixed peers are f64"
                   : "Of all that is computed with");
}

void add_peer_commands(CLI::App& app, peer_options& args, std::string_view problem) {
  app.add_option("--peer", args.commands,
                 fmt::format("A program to run beside, in place of {{names}}: {}; may be given "
                             "several times",
                             fmt::join(peer_placeholders(problem), ", ")))
      ->type_name("NAME=COMMAND")
      ->allow_extra_args(false);
  app.add_option(
         "--peer-rules", args.rules,
         fmt::format("How the output of --peer is read: a TOML file, or one of {}; once, or "
                     "for each --peer in its order (default: the one of its name)",
                     shipped_rule_names()))
      ->type_name("FILE|NAME")
      ->allow_extra_args(false);
}

void add_results(CLI::App& app, compare_options& args) {
  app.option_defaults()->group("Results");
  add_choice(app, "--format", args.format, {"table", "markdown", "csv", "json"}, "Of the results");
  add_destination(app, "-o,--output", args.output,
                  "Where to write them (default: standard output)");
}

}  // namespace dwell::app
