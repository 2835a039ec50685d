// SPDX-License-Identifier: MIT
// dwell compare cg: executors, policies and peers side by side, on one system after the other.
// Ctrl-C ends the run that is under way, and what was measured before it is handed over.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "arguments.hpp"
#include "commands.hpp"
#include "comparison.hpp"
#include "comparison_run.hpp"
#include "matrix_source.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "signals.hpp"

#include "dwell/execution/core/variants.hpp"

namespace dwell::app {

namespace {

struct compare_arguments {
  std::vector<std::string> matrices;
  device_choice device;
  int threads = 0;
  std::vector<std::string> executors = {"host-loop", "graph", "persistent", "perks"};
  std::vector<std::string> policies = {"auto"};
  std::vector<std::string> peers = {"cusparse", "eigen"};
  std::string rhs = "ones", precision = "f64", preconditioner = "none", format = "table", output;
  int iterations = 1000, max_iterations = 10000, repetitions = 5;
  double rtol = 1e-8;
  bool to_tolerance = false;
};

comparison_request request_of(const compare_arguments& args) {
  comparison_request r(resolve(args.device, args.threads));
  r.threads = args.threads;
  r.executors = args.executors;
  r.policies = args.policies;
  r.peers = args.peers;
  r.rhs = args.rhs;
  r.precision = args.precision;
  r.repetitions = args.repetitions;
  r.options.fixed_iterations = !args.to_tolerance;
  r.options.max_iterations = args.to_tolerance ? args.max_iterations : args.iterations;
  r.options.rtol = args.rtol;
  r.options.interrupt = &graceful_stop::requested();
  if (args.preconditioner == "jacobi") r.options.preconditioner = preconditioner::jacobi;
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
  c.repetitions = r.repetitions;
  return c;
}

void hand_over(const comparison& c, const compare_arguments& args) {
  if (args.format == "json") return write_json(args.output.empty() ? "-" : args.output, to_json(c));
  const auto text = args.format == "csv"        ? to_csv(c)
                    : args.format == "markdown" ? to_markdown(c)
                                                : to_text(c);
  if (args.output.empty())
    write_stdout(text);
  else
    write_file(args.output, text);
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
  output_files outputs;
  if (!args.output.empty()) outputs.add("--output", args.output);
  for (const auto& matrix : args.matrices) {
    outputs.protect(matrix);
    require_source(matrix);
  }
  auto request = request_of(args);
  auto result = head_of(request);
  progress_line progress(true);
  std::optional<graceful_stop> on_signal;
  for (std::size_t i = 0; i < args.matrices.size() && !*request.options.interrupt; ++i) {
    const auto place =
        fmt::format("{} ({} of {}): ", args.matrices[i], i + 1, args.matrices.size());
    progress.show(place + "reading");
    const auto source = load_matrix(args.matrices[i], args.threads);
    if (!on_signal) on_signal.emplace();  // before this there is nothing to hand over
    request.say = [&](const std::string& what) { progress.show(place + what); };
    result.matrices.push_back(measure(request, source, args.matrices[i]));
  }
  result.interrupted = *request.options.interrupt;
  progress.erase();
  hand_over(result, args);
  if (result.interrupted)
    fmt::print(stderr, "dwell: interrupted; the rows measured before it are complete\n");
  for (const auto& m : result.matrices)
    if (!m.refusal.empty()) fmt::print(stderr, "dwell: {}: {}\n", m.name, m.refusal);
  return code_of(result);
}

std::vector<std::string> executor_choices() {
  std::vector<std::string> names = {"host-loop", "graph", "persistent", "perks"};
  for (const auto& v : built_variants())
    if (v.problem == "cg" && std::find(names.begin(), names.end(), v.executor) == names.end())
      names.push_back(v.executor);
  return names;
}

void add_what(CLI::App& app, compare_arguments& args) {
  app.option_defaults()->group("What to compare");
  app.add_option("MATRIX", args.matrices, std::string("One or more. ") + matrix_help)
      ->required()
      ->type_name("");
  add_choices(
      app, "--executors", args.executors, executor_choices(),
      "Some of host-loop, graph, persistent, perks; host-loop, the baseline, is always run");
  auto policies = built_policies();
  policies.insert(policies.begin(), "auto");
  add_choices(app, "--policies", args.policies, policies,
              fmt::format("What perks keeps on the chip; some of {}", fmt::join(policies, ", ")));
  auto* peers = add_choices(app, "--peers", args.peers, {"cusparse", "eigen"},
                            "cusparse (with cuBLAS, in a stream and in CUDA graphs), eigen (on the "
                            "CPU)");
  app.add_flag_callback(
         "--no-peers", [&args] { args.peers.clear(); }, "No peers")
      ->excludes(peers);
}

void add_how(CLI::App& app, compare_arguments& args) {
  app.option_defaults()->group("How");
  add_device(app, args.device, "Where to solve; auto is the first usable GPU, else the CPU");
  add_positive(app, "--threads", args.threads,
               "Threads of all that runs on the CPU (default: all there are)");
  auto* fixed = add_positive(app, "--iterations", args.iterations,
                             "Run exactly so many, whatever the residual");
  auto* rtol = add_tolerance(app, "--rtol", args.rtol,
                             "Instead: run until |r| <= rtol |b|, and compare times to solution")
                   ->excludes(fixed)
                   ->default_str("");
  add_positive(app, "--max-iterations", args.max_iterations, "With --rtol: iteration limit")
      ->needs(rtol);
  add_positive(app, "--repetitions", args.repetitions, "Runs of each, after one not counted");
  add_choice(app, "--rhs", args.rhs, {"ones", "row-sums"},
             "Right-hand side; row-sums: A times ones");
  add_choice(app, "--precision", args.precision, {"f64", "f32"}, "Of matrix and vectors");
  add_choice(app, "--preconditioner", args.preconditioner, {"none", "jacobi"},
             "jacobi divides by the diagonal");
  app.option_defaults()->group("Results");
  add_choice(app, "--format", args.format, {"table", "markdown", "csv", "json"}, "Of the results");
  add_file(app, "-o,--output", args.output, "Write them to a file (default: standard output)");
}

command add_compare_cg(CLI::App& app) {
  const auto args = std::make_shared<compare_arguments>();
  add_what(app, *args);
  add_how(app, *args);
  app.footer(
      std::string("Every run starts from x = 0 and a fresh copy of the data; its time excludes\n"
                  "reading and set-up. What cannot run here has a row that says why. The first\n"
                  "Ctrl-C ends the run under way and writes the rows before it, a second one ends\n"
                  "the program at once.\n\n") +
      exit_code_help +
      "\nExamples:\n"
      "  dwell compare cg trefethen:2000 like:ecology2 --policies none,greedy,auto\n"
      "  dwell compare cg A.mtx --rtol 1e-8 --format markdown --output A.md");
  auto* rtol = app.get_option("--rtol");
  return [args, rtol] {
    args->to_tolerance = rtol->count() > 0;
    return run(*args);
  };
}

}  // namespace

command add_compare(CLI::App& app) {
  auto* cg = app.add_subcommand("cg", "Conjugate gradients");
  app.require_subcommand(1);
  app.footer("Examples:\n  dwell compare cg trefethen:2000 like:ecology2 --policies none,auto");
  return add_compare_cg(*cg);
}

}  // namespace dwell::app
