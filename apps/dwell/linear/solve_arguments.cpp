// SPDX-License-Identifier: MIT
// The options of dwell solve and dwell cg.
#include "linear/solve_arguments.hpp"

#include "cli/arguments.hpp"
#include "cli/completions.hpp"
#include "cli/file_options.hpp"
#include "linear/choices.hpp"
#include "linear/ranks.hpp"

#include "dwell/execution/krylov/launch/kernel_table.hpp"
#include "dwell/execution/krylov/plan/policy.hpp"

namespace dwell::app {
namespace {

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
  add_choice(app, "--null-space", args.options.null_space, {"auto", "none", "constant"},
             "constant: solve modulo constant vectors, b without its mean and x with mean 0; auto "
             "does so where a symmetric matrix has row sums of zero, as with Neumann boundaries");
  add_input(app, "--null-vectors", args.null_vectors,
            "The null space of a symmetric matrix: up to 6 columns of a .mtx, .mtx.gz or .npy file "
            "that span it, such as the rigid-body modes of a body that nothing holds; b counts "
            "without its part in it, x is orthogonal to it");
  app.add_flag("--assume-symmetric", args.options.assume_symmetric,
               "Skip the check that the matrix is symmetric");
}

void add_execution(CLI::App& app, solve_arguments& args) {
  app.option_defaults()->group("Execution");
  if (args.command == "solve") add_solver(app, args.options.method);
  add_device(app, args.device,
             "Where to solve; auto is the first usable GPU, else the CPU; of ranks it is the CPU");
  add_device_facts(app, args.device_facts, planned_with_help);
  add_positive(app, "--threads", args.threads,
               "Threads to read with, and to solve with on the CPU (default: of those there are, "
               "as many as the work is worth)");
  set_completions(
      add_choice(app, "--executor", args.options.executor, after_auto(executors_of("cg")),
                 "In which loop the iterations run; the report says why auto chose what it chose"),
      executor_completions_of("cg", program_kernels()));
  add_choice(app, "--policy", args.options.policy, after_auto(built_policies()),
             "What is cached on the chip between iterations, by executors that cache");
  if (args.command == "solve")
    add_positive(app, "--restart", args.options.restart,
                 "Of gmres: iterations from one restart to the next, and vectors that it keeps; at "
                 "most 500");
  add_variant(app, args.options.variant,
              "The form of cg's iteration: three, two or one barrier; fewer move more bytes");
  add_choice(app, "--precision", args.precision, {"f64", "f32", "mixed"}, precision_help);
  add_preconditioner(app, args.options.preconditioner, args.options.preconditioning,
                     std::string(preconditioner_help) +
                         "; auto tries jacobi first, the report says why it went on with what",
                     true, args.command == "solve" ? automatic : "cg");
  add_near_null(app, args.near_null);
  app.option_defaults()->group("Ranks");
  add_ranks(app, args.ranks, "the rows");
  add_partition(app, args.partition);
}

void add_stops(CLI::App& app, solve_arguments& args) {
  app.option_defaults()->group("When to stop");
  add_tolerance(app, "--rtol", args.options.rtol,
                "Converged when |r| <= max(rtol |b|, atol): relative tolerance");
  add_tolerance(app, "--atol", args.options.atol, "Absolute tolerance");
  add_positive(app, "--max-iterations", args.options.max_iterations,
               "Iteration limit, of all attempts together");
  app.add_flag(
      "--no-refine", args.no_refine,
      "Where the true residual misses the tolerance that the recursive one has met, do not "
      "begin anew from the answer");
}

void add_results(CLI::App& app, solve_arguments& args) {
  app.option_defaults()->group("Results");
  add_destination(app, "-o,--output", args.output,
                  "Write the answer: .mtx or .mtx.gz (Matrix Market) or .npy (NumPy); standard "
                  "output (-), a pipe or a device without an ending takes Matrix Market text");
  add_destination(app, "--history", args.history, "Write |r| of every iteration as CSV");
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
