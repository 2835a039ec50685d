// SPDX-License-Identifier: MIT
// The options of dwell solve and dwell cg.
#include "linear/solve_arguments.hpp"

#include "cli/arguments.hpp"
#include "cli/completions.hpp"
#include "cli/file_options.hpp"
#include "linear/ranks.hpp"

namespace dwell::app {
namespace {

void add_group(CLI::App& app, option_group group, solve_arguments& args) {
  add_flags(app, surface::solve, group, args, args.command == "cg");
}

void add_problem(CLI::App& app, solve_arguments& args) {
  app.option_defaults()->group("System");
  set_completions(add_input(app, "MATRIX", args.matrix, matrix_help, "")->required(),
                  {matrix_kind_words(), value_completions::file});
  auto* rhs = add_input(
      app, "--rhs", args.rhs,
      "Right-hand side: ones; row-sums (A times ones, so that the exact solution is known: all "
      "ones); companion (NAME_b.mtx of a SuiteSparse .tar.gz); or a vector as --output "
      "writes them (- is standard input). The "
      "default does not depend on what an archive holds; the report says if it has a companion",
      "ones|row-sums|companion|FILE|-");
  rhs->default_str(args.rhs);
  set_completions(rhs, {{"ones", "row-sums", "companion"}, value_completions::file});
  add_positive(app, "--rhs-count", args.rhs_count,
               "Solve with so many right-hand sides: that of --rhs, to which the report and the "
               "files belong, and random ones; several in one pass over the matrix where that pays "
               "(not with --history or --monitor, nor with an executor, variant or policy that "
               "cannot)");
  add_input(app, "--x0", args.start,
            "Start vector, e.g. the --output of an earlier run (default: zeros)");
  add_group(app, option_group::system, args);
}

void add_execution(CLI::App& app, solve_arguments& args) {
  app.option_defaults()->group("Execution");
  add_group(app, option_group::method, args);
  add_device(app, args.device,
             "Where to solve; auto is the first usable GPU, else the CPU; of ranks it is the CPU");
  add_device_facts(app, args.device_facts, planned_with_help);
  add_positive(app, "--threads", args.threads,
               "Threads to read with, and to solve with on the CPU (default: of those there are, "
               "as many as the work is worth)");
  add_group(app, option_group::execution, args);
  add_group(app, option_group::preconditioner, args);
  app.option_defaults()->group("Ranks");
  add_ranks(app, args.ranks, "the rows");
  add_partition(app, args.partition);
}

void add_stops(CLI::App& app, solve_arguments& args) {
  app.option_defaults()->group("When to stop");
  add_group(app, option_group::stop, args);
}

void add_results(CLI::App& app, solve_arguments& args) {
  app.option_defaults()->group("Results");
  add_destination(app, "-o,--output", args.output,
                  "Write the answer: .mtx or .mtx.gz (Matrix Market) or .npy (NumPy); standard "
                  "output (-), a pipe or a device without an ending takes Matrix Market text");
  add_group(app, option_group::result, args);
  add_optional_positive(app, "--monitor", args.monitor, 1, "K",
                        "Write |r| and |r|/|b| of every K-th iteration (without K: of each) and of "
                        "the last one on standard error, also with --quiet. Takes the memory of "
                        "--history and some time")
      ->group("Results");
  app.add_flag("--timing", args.timing,
               "In the report: a table of where the time went, from reading to writing");
  add_report_target(app, args.report);
}

}  // namespace

void add_arguments(CLI::App& app, solve_arguments& args) {
  args.parsed = &app;
  add_problem(app, args);
  add_execution(app, args);
  add_stops(app, args);
  add_results(app, args);
}

}  // namespace dwell::app
