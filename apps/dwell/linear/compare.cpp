// SPDX-License-Identifier: MIT
// dwell compare cg: executors, variants, policies and peers side by side, on one system after the
// other. Ctrl-C ends the run that is under way, and what was measured before it is handed over.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <optional>
#include <utility>

#include "cli/arguments.hpp"
#include "cli/output.hpp"
#include "cli/signals.hpp"
#include "compare/options.hpp"
#include "linear/commands.hpp"
#include "linear/compared_systems.hpp"
#include "linear/comparison.hpp"
#include "linear/comparison_run.hpp"
#include "linear/ranks.hpp"
#include "linear/solve_flags.hpp"
#include "linear/without_effect.hpp"

#include "dwell/base/error.hpp"
#include "dwell/execution/krylov/plan/policy.hpp"

namespace dwell::app {

namespace {

struct compare_arguments : compare_options {
  const CLI::App* parsed = nullptr;  ///< which options were given
  std::vector<std::string> matrices;
  std::vector<std::string> peers = {"cusparse", "eigen"}, variants;
  std::string rhs = "ones";
  solve_flags flags;
  int iterations = 1000, rhs_count = 1;
  bool to_tolerance = false;
  std::vector<int> ranks;
  std::string partition = "rows";
};

/// What has no meaning beside --ranks, or without it.
void check_ranks(const compare_arguments& args) {
  if (args.ranks.empty()) {
    if (args.partition != "rows") throw input_error("--partition: expected --ranks with it");
    return;
  }
  for (const int ranks : args.ranks) require_ranks(ranks, args.threads);
  if (args.rhs_count > 1) throw unsupported_error("--rhs-count: not with --ranks");
  if (args.device_facts.given()) throw unsupported_error("--device-facts: not with --ranks");
}

comparison_request request_of(const compare_arguments& args) {
  comparison_request r(
      args.device_facts.plan(resolve(args.device, args.threads, threads_for::all_work)));
  r.threads = args.threads;
  r.executors = args.executors;
  r.policies = args.policies;
  r.peers = args.peers;
  r.variants = args.variants;
  r.by_command = read_peers(args.by_command, "cg");
  r.rhs = args.rhs;
  r.rhs_count = args.rhs_count;
  r.ranks = args.ranks;
  r.partition = args.partition;
  r.precision = args.precision;
  r.options = args.flags.options;
  r.options.fixed_iterations = !args.to_tolerance;
  if (!args.to_tolerance) r.options.max_iterations = args.iterations;
  r.near_null = args.flags.near_null;
  r.options.refine = false;  // one attempt, as peers make
  r.options.interrupt = &graceful_stop::requested();
  return r;
}

comparison head_of(const comparison_request& r) {
  comparison c;
  c.device = r.where.facts().name;
  c.backend = to_string(r.where.on());
  c.precision = r.precision;
  c.preconditioner = to_string(r.options.preconditioner);
  c.rhs = r.rhs;
  c.fixed = r.options.fixed_iterations;
  c.iterations = r.options.max_iterations;
  c.rtol = r.options.rtol;
  if (!r.ranks.empty()) c.partition = r.partition;
  return c;
}

/// The worst that happened: a device that failed, a system that was refused, one that was not
/// positive definite, one that did not converge. What is unsupported is not an error.
exit_code code_of(const comparison& c) {
  if (c.interrupted) return exit_code::interrupted;
  bool failed = false, refused = false, broken = false, unfinished = false;
  for (const auto& m : c.matrices) {
    refused = refused || !m.refusal.empty();
    for (const auto& r : m.runs) {
      failed = failed || r.outcome == compared_run::state::failed;
      broken = broken || r.stopped == to_string(stop_reason::breakdown) ||
               r.stopped == to_string(stop_reason::not_finite);
      unfinished = unfinished || (!c.fixed && r.stopped == to_string(stop_reason::iteration_limit));
    }
  }
  return failed       ? exit_code::device
         : refused    ? exit_code::bad_input
         : broken     ? exit_code::breakdown
         : unfinished ? exit_code::not_converged
                      : exit_code::done;
}

exit_code run(const compare_arguments& args) {
  check_ranks(args);
  std::optional<comparison_request> request;
  comparison result;
  compare_systems(
      args.matrices, args, args.flags.near_null, result,
      [&] {
        request.emplace(request_of(args));
        result = head_of(*request);
        result.repetitions = args.repetitions;
      },
      [&](const matrix_source& source, const std::string& name, const repetition& runs) {
        request->runs = runs;
        return measure(*request, source, name);
      });
  const heeded had = {"cg", args.flags.options.preconditioner, args.flags.near_null.any()};
  for (const auto& line : without_effect(*args.parsed, {had})) warn(line);
  return code_of(result);
}

void add_what(CLI::App& app, compare_arguments& args) {
  app.option_defaults()->group("What to compare");
  add_matrices(app, args.matrices);
  add_compared(app, args, executors_of("cg"), built_policies());
  const auto variants = solve_option_named("variant").words();
  add_choices(
      app, "--variants", args.variants, variants,
      fmt::format("Forms of the iteration, for all executors; some of {} (default: {}, and auto "
                  "for perks)",
                  fmt::join(variants, ", "), variants_of("cg").front()));
  auto* peers = add_choices(app, "--peers", args.peers, {"cusparse", "eigen"},
                            "cusparse (with cuBLAS, in a stream and in CUDA graphs), eigen (on the "
                            "CPU)");
  app.add_flag_callback(
         "--no-peers", [&args] { args.peers.clear(); }, "None of --peers")
      ->excludes(peers);
  add_peer_commands(app, args.by_command, "cg");
}

void add_how(CLI::App& app, compare_arguments& args) {
  app.option_defaults()->group("How");
  add_where(app, args);
  auto* fixed = add_positive(app, "--iterations", args.iterations,
                             "Run exactly so many, whatever the residual");
  auto* rtol = add_flag(app, surface::compare_cg, "rtol", args.flags,
                        "Instead: run until |r| <= rtol |b|, and compare times to solution")
                   ->excludes(fixed)
                   ->default_str("");
  add_flag(app, surface::compare_cg, "max_iterations", args.flags, "With --rtol: iteration limit")
      ->needs(rtol);
  add_choice(app, "--rhs", args.rhs, {"ones", "row-sums"},
             "Right-hand side; row-sums: A times ones");
  add_positive(app, "--rhs-count", args.rhs_count,
               "Of 2 and more: rows for so many right-hand sides (the others random), solved 1, 2, "
               "4 and 8 at once, with times per right-hand side");
  add_measuring(app, args);
  add_flags(app, surface::compare_cg, option_group::preconditioner, args.flags);
  app.option_defaults()->group("Ranks");
  add_compared_ranks(app, args.ranks, "the rows");
  add_partition(app, args.partition);
  add_results(app, args);
}

}  // namespace

command add_compare_cg(CLI::App& app) {
  const auto args = std::make_shared<compare_arguments>();
  args->parsed = &app;
  add_what(app, *args);
  add_how(app, *args);
  app.footer(
      std::string("Every run starts from x = 0 and a fresh copy of the data; its time excludes\n"
                  "reading and set-up. ") +
      compare_conduct + peer_conduct + exit_code_help +
      "\nExamples:\n"
      "  dwell compare cg trefethen:2000 like:ecology2 --policies none,greedy,auto\n"
      "  dwell compare cg A.mtx --rtol 1e-8 --format markdown --output A.md\n"
      "  dwell compare cg A.mtx --threads 1 --ranks 1,2 --executors host-loop");
  auto* rtol = app.get_option("--rtol");
  return [args, rtol, &app] {
    require_perks_for(app, *args, {"--policies"});
    args->to_tolerance = rtol->count() > 0;
    return run(*args);
  };
}

}  // namespace dwell::app
