// SPDX-License-Identifier: MIT
// dwell compare solve: methods and preconditioners side by side, in time to solution with all that
// a user waits for. Ctrl-C ends the run that is under way, and what was measured before it is
// handed over.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "cli/arguments.hpp"
#include "cli/completions.hpp"
#include "cli/file_options.hpp"
#include "cli/matrix_source.hpp"
#include "cli/progress.hpp"
#include "cli/signals.hpp"
#include "compare/layout.hpp"
#include "compare/options.hpp"
#include "linear/choices.hpp"
#include "linear/commands.hpp"
#include "linear/peers/peers.hpp"
#include "linear/result.hpp"
#include "linear/vectors.hpp"
#include "linear/whole_solves.hpp"

#include "dwell/base/error.hpp"
#include "dwell/base/policy_words.hpp"

namespace dwell::app {

namespace {

struct solve_compare_arguments : compare_options {
  std::vector<std::string> matrices, solvers = {automatic}, preconditioners;
  std::vector<std::string> peers = {"eigen"};
  std::string rhs = "ones";
  int max_iterations = 10000, restart = 30;
  double rtol = 1e-8;
  preconditioner_options preconditioning;
};

template <class T>
class solve_measurement {
 public:
  solve_measurement(const solve_compare_arguments& args, const device& where,
                    const repetition& runs, const csr_view<T>& a, std::span<const T> b,
                    solved_system& out)
      : args_(args), where_(where), runs_(runs), a_(a), b_(b), x_(b.size()), out_(out) {}

  bool run_all() {
    for (const auto& solver : args_.solvers)
      for (const auto& name : args_.preconditioners)
        if (!add(solver, name)) return false;
    for (std::size_t k = 0; k < args_.peers.size(); ++k)
      if (!add_eigen_solves({where_, args_.threads, args_.rtol, args_.max_iterations, runs_}, a_,
                            b_, out_.runs))
        return false;
    return true;
  }

 private:
  bool add(const std::string& solver, const std::string& name) {
    compared_solve run;
    run.how.requested = {automatic, automatic, automatic};
    run.how.ran.executor = solver + ", " + name;  // while it runs
    run.method = solver;
    run.preconditioner = name;
    solve_options o;
    o.method = solver;
    o.preconditioner = parse_preconditioner(name);
    o.preconditioning = args_.preconditioning;
    o.rtol = args_.rtol;
    o.max_iterations = args_.max_iterations;
    o.restart = args_.restart;
    o.interrupt = runs_.interrupt;
    o.mixed_precision = args_.precision == "mixed";
    bool finished = true;
    try {
      finished = repeat(runs_, run, [&] {
        std::fill(x_.begin(), x_.end(), T(0));
        const auto begin = std::chrono::steady_clock::now();
        const auto report = solve(where_, a_, b_, std::span<T>(x_), o);
        const std::chrono::duration<double, std::micro> time =
            std::chrono::steady_clock::now() - begin;
        run.how = execution_of(report, {automatic, automatic, automatic});
        run.method = report.method;
        run.setup_s.push_back(report.setup_s);
        run.solve_s.push_back(report.solve_s);
        run.iterations = report.iterations;
        run.stopped = to_string(report.stopped);
        run.residual = report.residual_relative_true;
        return time.count();
      });
    } catch (const input_error& e) {  // the matrix is not what this one asks for
      run.outcome = compared_solve::state::unsupported;
      run.why = e.what();
    }
    if (!run.measured()) run.how = {}, run.how.requested = {automatic, automatic, automatic};
    if (finished) out_.runs.push_back(std::move(run));
    return finished;
  }

  const solve_compare_arguments& args_;
  const device where_;
  const repetition& runs_;
  const csr_view<T> a_;
  const std::span<const T> b_;
  std::vector<T> x_;
  solved_system& out_;
};

solved_system measure_solves(const solve_compare_arguments& args, const device& where,
                             const repetition& runs, const matrix_source& source) {
  const auto& a = source.content.matrix;
  solved_system out{source.name, {}, a.rows, a.nonzeros(), {}};
  try {
    const auto b = make_rhs(parse_rhs(args.rhs), source, args.threads);
    if (args.precision != "f32") {
      solve_measurement<double>(args, where, runs, a.view(), b, out).run_all();
    } else {
      const auto single = convert<float>(a.view());
      const auto b_single = to_single(b, "right-hand side");
      solve_measurement<float>(args, where, runs, single.view(), b_single, out).run_all();
    }
  } catch (const input_error& e) {
    out.refusal = e.what();
    out.runs.clear();
  }
  return out;
}

/// A combination that cannot solve a system is no error: it has a row that says so.
exit_code code_of_solves(const solve_comparison& c) {
  if (c.interrupted) return exit_code::interrupted;
  bool failed = false, refused = false, solved = true;
  for (const auto& m : c.matrices) {
    bool one = false;
    refused = refused || !m.refusal.empty();
    for (const auto& r : m.runs) {
      failed = failed || r.outcome == compared_solve::state::failed;
      one = one || (!r.peer && r.stopped == to_string(stop_reason::converged));
    }
    solved = solved && one;
  }
  return failed    ? exit_code::device
         : refused ? exit_code::bad_input
         : !solved ? exit_code::not_converged
                   : exit_code::done;
}

exit_code run_comparison(const solve_compare_arguments& args) {
  output_files outputs;
  outputs.add(args.output);
  std::vector<std::pair<std::string, std::string>> inputs;
  for (const auto& matrix : args.matrices) {
    outputs.protect(matrix);
    require_source(matrix);
    inputs.emplace_back("MATRIX", matrix);
  }
  require_one_reader(inputs);
  const device where = resolve(args.device, args.threads, threads_for::all_work);
  repetition runs;
  runs.count = args.repetitions;
  runs.interrupt = &graceful_stop::requested();
  solve_comparison result{
      where.facts().name,  to_string(where.on()), args.precision, args.rhs, args.rtol,
      args.max_iterations, args.repetitions,      false,          {}};
  progress_line progress(true);
  std::optional<graceful_stop> on_signal;
  for (std::size_t i = 0; i < args.matrices.size() && !*runs.interrupt; ++i) {
    const auto place =
        fmt::format("{} ({} of {}): ", args.matrices[i], i + 1, args.matrices.size());
    progress.show(place + "reading");
    const auto source = load_matrix(args.matrices[i], args.threads);
    if (!on_signal) on_signal.emplace();  // before this there is nothing to hand over
    runs.say = [&](const std::string& what) { progress.show(place + what); };
    result.matrices.push_back(measure_solves(args, where, runs, source));
  }
  result.interrupted = *runs.interrupt;
  progress.erase();
  hand_over(result, args);
  if (result.interrupted) say(interrupted_words(rows_of(result)));
  for (const auto& m : result.matrices)
    if (!m.refusal.empty()) say(m.name + ": " + m.refusal);
  return code_of_solves(result);
}

}  // namespace

command add_compare_solve(CLI::App& app) {
  const auto args = std::make_shared<solve_compare_arguments>();
  app.option_defaults()->group("What to compare");
  auto* matrix = app.add_option_function<std::vector<std::string>>(
      "MATRIX",
      [args](const std::vector<std::string>& texts) {
        for (const auto& text : texts) args->matrices.push_back(input_name(text));
      },
      "One or more. " + matrix_help);
  matrix->required()->type_name("");
  set_completions(matrix, {matrix_kind_words(), value_completions::file});
  std::vector<std::string> solvers;
  for (const auto& m : dwell::methods()) solvers.push_back(m.name);
  solvers = after_auto(solvers);
  add_choices(app, "--solvers", args->solvers, solvers,
              fmt::format("Methods; some of {}", fmt::join(solvers, ", ")));
  std::vector<std::string> preconditioners;
  for (const auto p : dwell::preconditioners()) preconditioners.push_back(to_string(p));
  args->preconditioners = preconditioners;
  add_choices(app, "--preconditioners", args->preconditioners, preconditioners,
              fmt::format("With each of these; some of {}", fmt::join(preconditioners, ", ")));
  add_preconditioning(app, args->preconditioning);
  auto* peers = add_choices(app, "--peers", args->peers, {"eigen"},
                            "eigen (on the CPU, with the preconditioners that it has)");
  app.add_flag_callback(
         "--no-peers", [args] { args->peers.clear(); }, "No peers")
      ->excludes(peers);
  app.option_defaults()->group("How");
  add_where(app, *args);
  add_tolerance(app, "--rtol", args->rtol, "Converged when |r| <= rtol |b|");
  add_positive(app, "--max-iterations", args->max_iterations, "Iteration limit");
  add_positive(app, "--restart", args->restart, "Of gmres");
  add_choice(app, "--rhs", args->rhs, {"ones", "row-sums"},
             "Right-hand side; row-sums: A times ones");
  add_measuring(app, *args, true);
  add_results(app, *args);
  app.footer(std::string("Every solve starts from x = 0 and arrays on the host; its time includes\n"
                         "set-up and the answer's way back. ") +
             compare_conduct + exit_code_help +
             "\nExamples:\n"
             "  dwell compare solve poisson2d:300x300\n"
             "  dwell compare solve A.mtx --solvers bicgstab,gmres --format markdown");
  return [args] { return run_comparison(*args); };
}

}  // namespace dwell::app
