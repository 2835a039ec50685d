// SPDX-License-Identifier: MIT
// dwell compare solve: methods and preconditioners side by side, in time to solution with all that
// a user waits for. Ctrl-C ends the run that is under way, and what was measured before it is
// handed over.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "cli/arguments.hpp"
#include "cli/output.hpp"
#include "cli/signals.hpp"
#include "compare/options.hpp"
#include "linear/commands.hpp"
#include "linear/compared_systems.hpp"
#include "linear/peers/peers.hpp"
#include "linear/peers/system_files.hpp"
#include "linear/result.hpp"
#include "linear/solve_flags.hpp"
#include "linear/vectors.hpp"
#include "linear/whole_solves.hpp"
#include "linear/without_effect.hpp"

#include "dwell/base/error.hpp"
#include "dwell/base/policy_words.hpp"

namespace dwell::app {

namespace {

struct solve_compare_arguments : compare_options {
  const CLI::App* parsed = nullptr;  ///< which options were given
  std::vector<std::string> matrices, solvers = {automatic}, preconditioners;
  std::vector<std::string> peers = {"eigen"};
  std::string rhs = "ones";
  solve_flags flags;
};

template <class T>
class solve_measurement {
 public:
  solve_measurement(const solve_compare_arguments& args, const solve_options& options,
                    const device& where, const repetition& runs, const csr_view<T>& a,
                    std::span<const T> b, const std::vector<peer_command>& by_command,
                    const peer_problem& asked_of_peers, solved_system& out)
      : args_(args),
        options_(options),
        where_(where),
        peers_(by_command, asked_of_peers, where_, runs,
               args.solvers.size() * args.preconditioners.size() *
                   (static_cast<std::size_t>(runs.count) + 1)),
        runs_(with_peers(runs, peers_)),
        a_(a),
        b_(b),
        x_(b.size()),
        out_(out) {}

  bool run_all() {
    for (const auto& solver : args_.solvers)
      for (const auto& name : args_.preconditioners)
        if (!add(solver, name)) return false;
    if (!add_by_command()) return false;
    for (std::size_t k = 0; k < args_.peers.size(); ++k)
      if (!add_eigen_solves({where_, args_.threads, options_.rtol, options_.max_iterations, runs_},
                            a_, b_, out_.runs))
        return false;
    return true;
  }

 private:
  bool add_by_command() {
    const auto peers = peers_.finish();
    if (!peers) return false;
    for (const auto& peer : *peers) {
      compared_solve run;
      static_cast<measured_run&>(run) = peer.run;
      run.method = peer.run.executor();
      run.us.clear();
      for (const peer_result& one : peer.results) {
        run.us.push_back(one.us + one.setup_us);
        if (one.setup_us > 0) {
          // Medians leave out the first, which is not counted.
          if (run.setup_s.empty()) run.setup_s = run.solve_s = {0.0};
          run.setup_s.push_back(one.setup_us * 1e-6);
          run.solve_s.push_back(one.us * 1e-6);
        }
        run.iterations = one.iterations;
        const bool arrived = one.residual ? *one.residual <= options_.rtol
                                          : one.iterations < options_.max_iterations;
        run.stopped = to_string(arrived ? stop_reason::converged : stop_reason::iteration_limit);
      }
      std::sort(run.us.begin(), run.us.end());
      run.residual = std::numeric_limits<double>::quiet_NaN();  // nobody has its x
      out_.runs.push_back(std::move(run));
    }
    return true;
  }

  bool add(const std::string& solver, const std::string& name) {
    compared_solve run;
    run.how.requested = {automatic, automatic, automatic};
    run.how.ran.executor = solver + ", " + name;  // while it runs
    run.method = solver;
    run.preconditioner = name;
    solve_options o = options_;
    o.method = solver;
    o.preconditioner = parse_preconditioner(name);
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
        run.target_missed = report.target_missed;
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
  const solve_options& options_;
  const device where_;
  peer_runs peers_;
  const repetition runs_;
  const csr_view<T> a_;
  const std::span<const T> b_;
  std::vector<T> x_;
  solved_system& out_;
};

/// What peers are asked for, with files that last as long as `files`.
peer_problem peer_problem_of_solves(const solve_compare_arguments& args,
                                    const std::vector<peer_command>& by_command,
                                    const matrix_source& source, const std::string& text,
                                    std::span<const double> b, system_files& files) {
  const auto& o = args.flags.options;
  peer_problem p;
  p.problem = "solve";
  p.precision = args.precision == "mixed" ? "f64" : args.precision;
  p.count = o.max_iterations;
  p.rtol = o.rtol;
  p.values["rtol"] = fmt::format("{}", o.rtol);
  p.values["iterations"] = std::to_string(o.max_iterations);
  p.values["rows"] = std::to_string(source.content.matrix.rows);
  files.add_to(p, by_command, source, text, b);
  return p;
}

solved_system measure_solves(const solve_compare_arguments& args, const device& where,
                             const repetition& runs, const std::vector<peer_command>& by_command,
                             const matrix_source& source, const std::string& text) {
  const auto& a = source.content.matrix;
  solved_system out{source.name, {}, a.rows, a.nonzeros(), {}};
  try {
    require_square("matrix", a.rows, a.cols);  // peers take it for granted
    const auto rhs = make_consistent_rhs(parse_rhs(args.rhs), source, args.threads);
    const std::vector<double>& b = rhs.b;
    out.rhs_note = rhs.note;
    solve_options options = args.flags.options;
    read_near_null(args.flags.near_null, source.name, source.rows(), args.threads,
                   options.preconditioning);
    system_files files;
    const auto asked = peer_problem_of_solves(args, by_command, source, text, b, files);
    if (args.precision != "f32") {
      solve_measurement<double>(args, options, where, runs, a.view(), b, by_command, asked, out)
          .run_all();
    } else {
      const auto single = convert<float>(a.view());
      const auto b_single = rhs_to_single(b);
      solve_measurement<float>(args, options, where, runs, single.view(), b_single, by_command,
                               asked, out)
          .run_all();
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
      one = one || (!r.peer && r.converged());
    }
    solved = solved && one;
  }
  return failed    ? exit_code::device
         : refused ? exit_code::bad_input
         : !solved ? exit_code::not_converged
                   : exit_code::done;
}

exit_code run_comparison(const solve_compare_arguments& args) {
  std::optional<device> where;
  const auto by_command = read_peers(args.by_command, "solve");
  solve_comparison result;
  compare_systems(
      args.matrices, args, args.flags.near_null, result,
      [&] {
        where = args.device_facts.plan(resolve(args.device, args.threads, threads_for::all_work));
        result = {where->facts().name,
                  to_string(where->on()),
                  args.precision,
                  args.rhs,
                  args.flags.options.rtol,
                  args.flags.options.max_iterations,
                  args.repetitions,
                  false,
                  {}};
      },
      [&](const matrix_source& source, const std::string& text, const repetition& runs) {
        return measure_solves(args, *where, runs, by_command, source, text);
      });
  std::vector<heeded> runs;
  for (const auto& method : args.solvers)
    for (const auto& word : args.preconditioners)
      for (const auto one : dwell::preconditioners())
        if (to_string(one) == word) runs.push_back({method, one, args.flags.near_null.any()});
  for (const auto& line : without_effect(*args.parsed, runs)) warn(line);
  return code_of_solves(result);
}

}  // namespace

command add_compare_solve(CLI::App& app) {
  const auto args = std::make_shared<solve_compare_arguments>();
  args->parsed = &app;
  app.option_defaults()->group("What to compare");
  add_matrices(app, args->matrices);
  const auto solvers = solve_option_named("method").words();
  add_choices(app, "--solvers", args->solvers, solvers,
              fmt::format("Methods; some of {}", fmt::join(solvers, ", ")));
  const auto preconditioners = solve_option_named("preconditioner").words();
  args->preconditioners = preconditioners;
  add_choices(app, "--preconditioners", args->preconditioners, preconditioners,
              fmt::format("With each of these; some of {}", fmt::join(preconditioners, ", ")));
  add_flags(app, surface::compare_solve, option_group::preconditioner, args->flags);
  auto* peers = add_choices(app, "--peers", args->peers, {"eigen"},
                            "eigen (on the CPU, with the preconditioners that it has)");
  app.add_flag_callback(
         "--no-peers", [args] { args->peers.clear(); }, "None of --peers")
      ->excludes(peers);
  add_peer_commands(app, args->by_command, "solve");
  app.option_defaults()->group("How");
  add_where(app, *args);
  add_flag(app, surface::compare_solve, "rtol", args->flags, "Converged when |r| <= rtol |b|");
  add_flag(app, surface::compare_solve, "max_iterations", args->flags);
  add_flag(app, surface::compare_solve, "restart", args->flags);
  add_choice(app, "--rhs", args->rhs, {"ones", "row-sums"},
             "Right-hand side; row-sums: A times ones");
  add_measuring(app, *args, true);
  add_results(app, *args);
  app.footer(std::string("Every solve starts from x = 0 and arrays on the host; its time includes\n"
                         "set-up and the answer's way back. ") +
             compare_conduct + peer_conduct + exit_code_help +
             "\nExamples:\n"
             "  dwell compare solve poisson2d:300x300\n"
             "  dwell compare solve A.mtx --solvers bicgstab,gmres --format markdown");
  return [args] { return run_comparison(*args); };
}

}  // namespace dwell::app
