// SPDX-License-Identifier: MIT
// dwell grid: reads coefficients, conditions and a right-hand side, solves, hands over the answer
// and the report. What can fail before the solve is tried before the solve; whatever the reason of
// its end, its outcome is written.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "cli/arguments.hpp"
#include "cli/completions.hpp"
#include "cli/file_options.hpp"
#include "cli/matrix_target.hpp"
#include "cli/progress.hpp"
#include "cli/ranks.hpp"
#include "cli/report_target.hpp"
#include "cli/signals.hpp"
#include "grid/commands.hpp"
#include "grid/problem.hpp"
#include "grid/result.hpp"
#include "linear/result.hpp"
#include "stencil/field.hpp"

#include "dwell/base/error.hpp"
#include "dwell/base/stopwatch.hpp"
#include "dwell/formats/binary_matrix.hpp"
#include "dwell/formats/is_symmetric.hpp"
#include "dwell/formats/matrix_market.hpp"
#include "dwell/formats/vector_file.hpp"
#include "dwell/version.hpp"

namespace dwell::app {
namespace {

struct grid_arguments {
  grid_choices problem;
  std::string rhs = "1", start;
  device_choice device;
  int threads = 0;
  rank_choice ranks;
  int gather_below = 0;  ///< 0: as grid_division has it
  destination output, history, matrix, matrix_rhs;
  report_target report;
};

void require_grid_names(const grid_arguments& args, std::size_t dims) {
  const auto vector_name = [](const destination& to) {
    if (to && !is_vector_name(to.path()))
      throw input_error(
          fmt::format("{}: expected {}, found '{}'", to.option(), vector_names, to.name()));
  };
  if (args.output && dims > 1) require_field_name(args.output);
  if (dims == 1) vector_name(args.output);
  vector_name(args.matrix_rhs);
  if (args.matrix) require_matrix_name(args.matrix);
}

output_files check_grid_files(const grid_arguments& args) {
  require_grid_names(args, parse_grid_size(args.problem.size).size());
  output_files outputs;
  for (const auto& to : {args.output, args.history, args.matrix, args.matrix_rhs, args.report.json})
    outputs.add(to);
  auto inputs = input_files(args.problem);
  if (is_grid_file("--rhs", args.rhs)) inputs.emplace_back("--rhs", args.rhs);
  for (const auto& [option, file] : inputs) outputs.protect(file);
  if (!args.start.empty() && is_grid_file("--x0", args.start)) {
    inputs.emplace_back("--x0", args.start);
    outputs.protect(args.start, "--output");  // a restart in place is fine
  }
  require_one_reader(inputs);
  return outputs;
}

template <class T>
void write_answer(const destination& to, const std::vector<int>& cells, const std::vector<T>& u) {
  if (cells.size() == 1) {
    write_vector(to.path(), std::vector<double>(u.begin(), u.end()));
    return;
  }
  grid<T> field(cells.size() == 2 ? extents(cells[0], cells[1])
                                  : extents(cells[0], cells[1], cells[2]));
  std::ranges::copy(u, field.cells().begin());
  write_field(to.path(), field);
}

/// The operator as a matrix, and the right-hand side of a system with it.
template <class T>
void write_system(const grid_arguments& args, const grid_description<T>& d, const std::vector<T>& f,
                  grid_result& result, handover& by) {
  if (!args.matrix && !args.matrix_rhs) return;
  const grid_operator<T> a(device::cpu(1), d);
  const auto comment = fmt::format("-div(k grad u) + s u on {}, by dwell grid {}",
                                   args.problem.size, DWELL_VERSION_STRING);
  if (const auto& to = args.matrix) {
    const bool written = by.attempt(to.label(), [&] {
      const csr<T> matrix = a.to_matrix();
      if (is_binary_name(to)) {
        write_binary_matrix(to.path(), matrix.view(), is_symmetric(matrix.view()));
        return;
      }
      const csr<double> wide = convert<double>(matrix.view());
      mm_write_options how;
      if (is_symmetric(wide.view())) how.symmetry = mm_symmetry::symmetric;
      how.comment = comment;
      write_matrix_market(to.path(), wide.view(), how);
    });
    if (written) result.files.emplace_back("matrix", to.label());
  }
  if (const auto& to = args.matrix_rhs) {
    const bool written = by.attempt(to.label(), [&] {
      std::vector<T> b(f.size());
      a.rhs(f, b);
      write_vector(to.path(), std::vector<double>(b.begin(), b.end()), "b of A u = b\n" + comment);
    });
    if (written) result.files.emplace_back("matrix_rhs", to.label());
  }
}

template <class T>
void find_range(const std::vector<T>& u, grid_result& result) {
  result.least = result.greatest = std::numeric_limits<double>::quiet_NaN();
  for (const T e : u) {
    if (!std::isfinite(e)) continue;
    const double v = e;
    result.least = std::isnan(result.least) ? v : std::min(result.least, v);
    result.greatest = std::isnan(result.greatest) ? v : std::max(result.greatest, v);
  }
}

/// What one rank does with the outcome.
template <class T>
exit_code hand_over(const grid_arguments& args, const grid_description<T>& d,
                    const std::vector<T>& f, const std::vector<T>& u, const output_files& outputs,
                    double begin, grid_result& result) {
  const grid_report& report = result.report;
  find_range(u, result);
  if (report.rhs_inconsistent)
    result.warnings.push_back(fmt::format(
        "no side and no --s holds u, and {:.2g} of the norm of the right-hand side is constant: "
        "with that part there is no solution, the answer is one without it",
        report.rhs_outside_range));
  for (const auto& line : unseen_in_report(args.report, {{"--per-rank", args.ranks.table}}))
    result.warnings.push_back(line);
  handover by;
  stopwatch clock;
  const bool finite = std::ranges::all_of(u, [](T v) { return std::isfinite(v); });
  if (args.output && !finite)
    result.warnings.push_back(args.output.label() + " is not written: the answer is not finite");
  else if (args.output &&
           by.attempt(args.output.label(), [&] { write_answer(args.output, d.cells, u); }))
    result.files.emplace_back("answer", args.output.label());
  if (const auto& to = args.history)
    if (by.attempt(to.label(), [&] { to.write(history_csv(report.history, report.rhs_norm)); }))
      result.files.emplace_back("history", to.label());
  write_system(args, d, f, result, by);
  result.write_s = clock.lap();
  result.wall_s = seconds_on_host() - begin;
  for (const auto& w : result.warnings) warn(w);
  return deliver(result, args.report, outputs, by);
}

/// where: without ranks. comm: the processes among which the grid is divided, or null.
template <class T>
exit_code solve_grid(const grid_arguments& args, communicator* comm, const device& where,
                     const output_files& outputs, double begin) {
  const bool first = is_first(comm);
  grid_result result;
  result.given = args.problem;
  result.rhs = args.rhs;
  result.start = args.start;
  result.per_rank = args.ranks.table;
  grid_options& options = result.given.options;
  progress_line progress(first && !args.report.quiet);
  progress.show("reading");
  stopwatch clock;
  std::optional<grid_input<T>> in;
  std::vector<T> f, u;
  on_all(comm, [&] {
    in.emplace(args.problem, first);
    if (!first) return;
    f = grid_values<T>("--rhs", args.rhs, in->d.cells, args.problem.precision);
    u = grid_values<T>("--x0", args.start.empty() ? "0" : args.start, in->d.cells,
                       args.problem.precision);
  });
  result.read_s = clock.lap();
  options.history = static_cast<bool>(args.history);
  options.interrupt = &graceful_stop::requested();
  iteration_forecast forecast(options.max_iterations);
  if (progress.shown())
    options.progress = [&](const solve_progress& now) {
      forecast.add(now.iteration, now.relative_residual);
      progress.show(describe(now, forecast));
    };
  progress.show("setting up");
  std::optional<graceful_stop> on_signal;
  if (args.ranks.any()) {
    grid_division division;
    if (args.gather_below > 0) division.gather_below = static_cast<std::size_t>(args.gather_below);
    on_signal.emplace();
    result.ranks =
        solve_grid_on_ranks(args.ranks, comm, args.threads, in->d, f, u, options, division);
    result.report = result.ranks->report.solve;
  } else {
    grid_solver<T> solver(where, in->d, options);
    on_signal.emplace();
    result.report = solver.solve(f, u);
  }
  progress.erase();
  const exit_code code = on_all(comm, [&] {
    return first ? hand_over(args, in->d, f, u, outputs, begin, result) : exit_code::done;
  });
  return comm ? value_of_rank(*comm, 0, code) : code;
}

exit_code run_grid_as(const grid_arguments& args, communicator* comm) {
  const double begin = seconds_on_host();
  output_files outputs;
  std::optional<device> where;
  on_all(comm, [&] {
    if (args.ranks.any() && args.device.what == device_choice::kind::cuda)
      throw unsupported_error("--device: ranks solve grids on CPUs; expected cpu");
    check_gpus(args.ranks, args.device, comm);
    if (args.gather_below > 0 && !args.ranks.any())
      throw input_error("--gather-below: expected --ranks or --distributed with it");
    if (!is_first(comm)) return;
    outputs = check_grid_files(args);
    device_choice chosen = args.device;
    if (chosen.what == device_choice::kind::automatic) chosen.what = device_choice::kind::cpu;
    where = resolve(chosen, args.threads, threads_for::runs);
    if (comm)
      require_grid_memory(args.problem, comm->size(), comm->ranks_here());
    else
      require_grid_memory(args.problem, args.ranks.threads, args.ranks.threads);
  });
  const device on = where.value_or(device::cpu(1));
  return args.problem.precision == "f32" ? solve_grid<float>(args, comm, on, outputs, begin)
                                         : solve_grid<double>(args, comm, on, outputs, begin);
}

exit_code run_grid(const grid_arguments& args) {
  return run_on_processes(args.ranks, args.threads,
                          [&](communicator* comm) { return run_grid_as(args, comm); });
}

}  // namespace

command add_grid(CLI::App& app) {
  const auto args = std::make_shared<grid_arguments>();
  app.option_defaults()->group("System");
  add_grid_problem(app, args->problem);
  const auto values = [&](const char* name, std::string& value, const char* type,
                          const char* help) {
    auto* option = add_input(app, name, value, help, type);
    option->default_str(value);
    set_completions(option, {{}, value_completions::file});
  };
  values("--rhs", args->rhs, "NUMBER|FILE.npy|-",
         "f, of all unknowns or of each (- is standard input)");
  values("--x0", args->start, "NUMBER|FILE.npy|-",
         "Start, e.g. the --output of an earlier run (default: zeros)");
  app.option_defaults()->group("Execution");
  add_grid_method(app, args->problem);
  add_device(app, args->device, "Where to solve: auto is the CPU");
  add_positive(app, "--threads", args->threads,
               "Threads (default: of those there are, as many as the grid is worth)");
  app.option_defaults()->group("Ranks");
  add_ranks(app, args->ranks, "the grid, along its slowest axis,");
  add_positive(app, "--gather-below", args->gather_below,
               "Levels of multigrid of fewer unknowns are rank 0's, with all below them (default: "
               "16384, and those of less work than a twentieth of a rank's finest level)");
  app.option_defaults()->group("When to stop");
  grid_options& options = args->problem.options;
  add_tolerance(app, "--rtol", options.rtol,
                "Converged when |b - A u| <= max(rtol |b|, atol): relative tolerance",
                fmt::format("{}, in f32 {} or what rounding allows", default_grid_rtol("f64"),
                            default_grid_rtol("f32")));
  add_tolerance(app, "--atol", options.atol, "Absolute tolerance");
  add_positive(app, "--max-iterations", options.max_iterations,
               "Iteration limit, of all attempts together");
  app.option_defaults()->group("Results");
  add_destination(
      app, "-o,--output", args->output,
      "Write the answer: .npy, .vti or .png; of one axis .npy, .mtx or .mtx.gz. Standard "
      "output (-) takes .npy, of one axis Matrix Market text");
  add_destination(app, "--history", args->history, "Write |r| of every iteration as CSV");
  add_destination(app, "--matrix", args->matrix,
                  "Write the operator as a matrix, .mtx, .mtx.gz or .dwell, as 'dwell solve' and "
                  "'dwell info' read it");
  add_destination(app, "--matrix-rhs", args->matrix_rhs,
                  "Write the right-hand side b of A u = b, with what the sides give, as a vector: "
                  ".npy, .mtx or .mtx.gz");
  add_report_target(app, args->report);
  app.footer(
      std::string("Conditions (--boundary), n being the outward normal:\n"
                  "  dirichlet VALUE     u = VALUE on the side\n"
                  "  neumann VALUE       k du/dn = VALUE\n"
                  "  robin ALPHA VALUE   ALPHA u + k du/dn = VALUE, ALPHA >= 0\n"
                  "  periodic            the other end of the axis; both sides are\n"
                  "Values that are left out are 0, and so is u on sides that are not named. Where\n"
                  "nothing holds u the mean of the right-hand side is taken away, and that of the\n"
                  "answer is 0.\n\n"
                  "Files are arrays as NumPy stores them; of one axis vectors (.npy).\n"
                  "They appear whole or not at all; also when the solve did not converge or was\n"
                  "interrupted. The first Ctrl-C ends it at the next iteration, a second one\n"
                  "ends the program at once.\n\n") +
      exit_code_help +
      "\nExamples:\n"
      "  dwell grid 1000x1000 --spacing 0.001 -o u.npy\n"
      "  dwell grid 200x300 --k k.npy --rhs f.npy --boundary \"x: dirichlet 0, y: neumann\" "
      "-o u.npy\n"
      "  dwell grid 64x64x64 --boundary \"x-: dirichlet 1, x+: robin 2 0.5, z: periodic\"\n"
      "  dwell grid 100x100 --matrix A.mtx --matrix-rhs b.mtx -q");
  return [args] { return run_grid(*args); };
}

}  // namespace dwell::app
