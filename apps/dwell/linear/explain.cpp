// SPDX-License-Identifier: MIT
// dwell explain solve and dwell explain cg: what perks would do with a matrix on a device, be it
// here or not, and why.
#include <fmt/format.h>

#include <memory>

#include "cli/arguments.hpp"
#include "cli/completions.hpp"
#include "cli/device_facts_option.hpp"
#include "cli/file_options.hpp"
#include "cli/matrix_source.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "linear/choices.hpp"
#include "linear/commands.hpp"
#include "linear/explanation.hpp"
#include "linear/near_null.hpp"
#include "linear/vectors.hpp"
#include "linear/without_effect.hpp"

#include "dwell/base/error.hpp"
#include "dwell/execution/device/thread_limit.hpp"
#include "dwell/execution/program/plan/policy.hpp"

namespace dwell::app {

namespace {

struct explain_arguments {
  std::string command;
  const CLI::App* parsed = nullptr;  ///< which options were given
  std::string matrix;
  device_choice device;
  device_facts_choice device_facts;
  int threads = 0;
  std::string policy = "auto", precision = "f64";
  solve_options options;
  near_null_files near_null;
  destination json_target;
};

exit_code run(explain_arguments args) {
  output_files outputs;
  outputs.add(args.json_target);
  outputs.protect(args.matrix);
  args.near_null.protect_from(outputs);
  args.device_facts.protect_from(outputs);
  auto inputs = args.near_null.inputs();
  inputs.emplace_back("MATRIX", args.matrix);
  inputs.emplace_back("--device-facts", args.device_facts.file());
  require_one_reader(inputs);
  require_source(args.matrix);
  require_threads(args.threads);
  const auto facts = args.device_facts.given()
                         ? args.device_facts.read()
                         : resolve(args.device, args.threads, threads_for::all_work).facts();
  args.options.policy = args.policy;
  args.options.mixed_precision = args.precision == "mixed";

  progress_line progress(true);
  progress.show("reading " + args.matrix);
  const auto source = load_matrix(args.matrix, args.threads);
  const auto a = source.content.matrix.view();
  read_near_null(args.near_null, source, args.threads, args.options.preconditioning);
  progress.show("planning");
  const auto found = args.precision != "f32"
                         ? explain(a, facts, args.options)
                         : explain(convert<float>(a).view(), facts, args.options);
  progress.erase();
  const heeded had = {args.options.method, args.options.preconditioner, args.near_null.any()};
  for (const auto& line : without_effect(*args.parsed, {had})) warn(line);
  if (!args.json_target.standard()) write_stdout(app::to_text(found, source.name, args.command));
  if (args.json_target)
    args.json_target.write(json_text(app::to_json(found, source.name, args.command)));
  return exit_code::done;
}

command add_command(CLI::App& app, const std::string& name) {
  const auto args = std::make_shared<explain_arguments>();
  args->command = name;
  args->parsed = &app;
  set_completions(add_input(app, "MATRIX", args->matrix, matrix_help, "")->required(),
                  {matrix_kind_words(), value_completions::file});
  auto* here = add_device(app, args->device, "Explain for this device");
  add_device_facts(app, args->device_facts,
                   "Explain for a device that need not be here, by name or from a file that 'dwell "
                   "measure --save' wrote. For a GPU it needs a build with CUDA, but no GPU")
      ->excludes(here);
  add_positive(app, "--threads", args->threads,
               "Threads to read with, and of the CPU as a device (default: of those there are, as "
               "many as the work is worth)");
  add_choice(app, "--policy", args->policy, after_auto(planning_policies()),
             "The policy whose plan is shown in full");
  if (name == "solve") add_solver(app, args->options.method);
  add_variant(app, args->options.variant, "Form of the iteration, of cg");
  add_choice(app, "--precision", args->precision, {"f64", "f32", "mixed"},
             "Of the solve; of mixed the plan of its iterations, in f32");
  add_preconditioner(app, args->options.preconditioner, args->options.preconditioning,
                     "Of the solve", true, name == "solve" ? automatic : "cg");
  add_near_null(app, args->near_null);
  app.add_flag("--assume-symmetric", args->options.assume_symmetric,
               "Skip the check that the matrix is symmetric");
  add_json(app, args->json_target, "all this");
  app.footer(
      fmt::format("Examples:\n"
                  "  dwell explain {0} like:ecology2 --device-facts h200\n"
                  "  dwell explain {0} A.mtx --device cuda --policy mixed --json -",
                  name));
  return [args] { return run(*args); };
}

}  // namespace

command add_explain_solve(CLI::App& app) { return add_command(app, "solve"); }

command add_explain_cg(CLI::App& app) { return add_command(app, "cg"); }

}  // namespace dwell::app
