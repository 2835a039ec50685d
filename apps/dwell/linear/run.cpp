// SPDX-License-Identifier: MIT
// dwell solve and dwell cg: read a system, solve it, hand over the answer and the report. What can
// fail before the solve is tried before the solve; whatever the reason of its end, its outcome is
// written.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>

#include "cli/arguments.hpp"
#include "cli/completions.hpp"
#include "cli/device_facts_option.hpp"
#include "cli/file_options.hpp"
#include "cli/progress.hpp"
#include "cli/ranks.hpp"
#include "cli/report_target.hpp"
#include "cli/signals.hpp"
#include "linear/commands.hpp"
#include "linear/complex_problem.hpp"
#include "linear/large_problem.hpp"
#include "linear/monitor.hpp"
#include "linear/near_null.hpp"
#include "linear/ranks.hpp"
#include "linear/result.hpp"
#include "linear/right_hand_sides.hpp"
#include "linear/solve_arguments.hpp"
#include "linear/without_effect.hpp"

#include "dwell/base/error.hpp"
#include "dwell/execution/krylov/launch/kernel_table.hpp"
#include "dwell/execution/krylov/plan/policy.hpp"
#include "dwell/formats/vector_file.hpp"
#include "dwell/solvers/linear/direct/direct_method.hpp"

namespace dwell::app {

namespace {

/// Throws unsupported_error if this build has no such executor there: before a long file is read.
void require_executor(const solve_arguments& args, backend on) {
  if (args.options.executor == automatic) return;
  std::vector<std::string> there;
  const precision iterated = args.precision == "f64" ? precision::f64 : precision::f32;
  for (const auto& v : program_kernels()) {
    if (v.problem != std::string_view("cg") || v.on != on || v.type != iterated) continue;
    if (v.executor == args.options.executor) return;
    if (std::find(there.begin(), there.end(), v.executor) == there.end())
      there.emplace_back(v.executor);
  }
  throw unsupported_error(fmt::format("--executor {}: not available on {} in {}; expected auto{}{}",
                                      args.options.executor, to_string(on), args.precision,
                                      there.empty() ? "" : " or one of: ", fmt::join(there, ", ")));
}

/// A method that a GPU does not have goes to the CPU, unless a device was asked for.
device_choice device_for(const solve_arguments& args) {
  device_choice choice = args.device;
  if (choice.what == device_choice::kind::automatic && is_direct(args.options.method))
    choice.what = device_choice::kind::cpu;
  return choice;
}

output_files check_files(const solve_arguments& args) {
  output_files outputs;
  if (args.output && !is_vector_name(args.output.path()))
    throw input_error(
        fmt::format("--output: expected {}, found '{}'", vector_names, args.output.name()));
  for (const auto& to : {args.output, args.history, args.report.json}) outputs.add(to);
  require_rhs(args.rhs);
  const auto rhs = parse_rhs(args.rhs);
  auto inputs = args.near_null.inputs();
  inputs.insert(inputs.begin(), {{"MATRIX", args.matrix},
                                 {"--rhs", rhs.file},
                                 {"--x0", args.start},
                                 {"--null-vectors", args.null_vectors},
                                 {"--device-facts", args.device_facts.file()}});
  require_one_reader(inputs);
  outputs.protect(args.matrix);
  if (rhs.what == rhs_source::kind::file) outputs.protect(rhs.file);
  args.near_null.protect_from(outputs);
  args.device_facts.protect_from(outputs);
  if (!args.start.empty()) outputs.protect(args.start, "--output");  // a restart in place is fine
  if (!args.null_vectors.empty()) outputs.protect(args.null_vectors);
  return outputs;
}

template <class Offset>
solve_report solve_in(const std::string& precision, const device& where,
                      const csr<double, Offset>& a, const std::vector<double>& b,
                      std::vector<double>& x, const solve_options& options) {
  if (precision != "f32") return solve(where, a.view(), b, x, options);
  const auto single = convert<float>(a.view());
  const auto b_single = rhs_to_single(b);
  auto x_single = to_single(x, "start vector");
  const auto report = solve(where, single.view(), b_single, x_single, options);
  std::copy(x_single.begin(), x_single.end(), x.begin());
  return report;
}

template <class T>
bool is_finite(const std::vector<T>& x) {
  return std::all_of(x.begin(), x.end(), [](const T& v) {
    return std::isfinite(std::real(v)) && std::isfinite(std::imag(v));
  });
}

/// Writes the files that were asked for. An answer with a NaN would be no Matrix Market file.
template <class T>
void write_files(const solve_arguments& args, const std::vector<T>& x, solve_result& result,
                 handover& by) {
  if (const auto& to = args.output) {
    if (is_finite(x)) {
      if (by.attempt(to.label(), [&] {
            if constexpr (std::is_same_v<T, double>)
              write_vector(to.path(), x, answer_comment(result));
            else
              write_complex_vector(to.path(), x, answer_comment(result));
          }))
        result.files.emplace_back("answer", to.label());
    } else {
      result.warnings.push_back(to.label() + " is not written: the answer is not finite");
    }
  }
  if (const auto& to = args.history)
    if (by.attempt(to.label(),
                   [&] { to.write(history_csv(result.report.history, result.report.rhs_norm)); }))
      result.files.emplace_back("history", to.label());
}

using clock = std::chrono::steady_clock;
double seconds_since(clock::time_point begin) {
  return std::chrono::duration<double>(clock::now() - begin).count();
}

/// What is read before the solve, on the first rank unless ranks have their own rows.
struct problem {
  output_files outputs;
  matrix_source source;
  std::optional<divided_input> divided;  ///< instead of the source, on all ranks
  std::vector<double> b, x;              ///< vectors of the source; x is the answer in the end
  complex_vectors complex;               ///< instead of b and x, where the matrix is complex
  solve_options options;
  solve_result result;

  bool is_complex() const { return source.complex.has_value(); }
};

/// What ranks cannot do yet that one solver can.
void check_ranks(const solve_arguments& args, const communicator* comm) {
  check_gpus(args.ranks, args.device, comm);
  if (!args.ranks.any()) {
    if (args.partition != "rows")
      throw input_error("--partition: expected --ranks or --distributed with it");
    return;
  }
  const auto refuse = [](const char* option) {
    throw unsupported_error(fmt::format("{}: not with --ranks or --distributed", option));
  };
  if (args.device_facts.given()) refuse("--device-facts");
}

/// May each rank read or make its rows? Where nobody asks for an order of them, or for more of the
/// matrix than they are.
bool divides_at_once(const solve_arguments& args) {
  return args.ranks.any() && args.partition == "rows" && args.null_vectors.empty() &&
         args.near_null.vectors.empty() && args.near_null.coordinates.empty() &&
         args.options.preconditioning.block_size == 0 && has_parts(args.matrix);
}

/// What is known without the matrix.
problem begin_problem(const solve_arguments& args) {
  problem p;
  p.outputs = check_files(args);
  require_source(args.matrix);
  solve_result& result = p.result;
  result.rhs = parse_rhs(args.rhs);
  result.start_file = args.start;
  result.options = args.options;
  result.command = args.command;
  result.per_rank = args.ranks.table;
  p.options = args.options;
  return p;
}

void read_complex_problem(const solve_arguments& args, problem& p) {
  check_complex(args);
  const mm_complex_matrix& of = *p.source.complex;
  solve_result& result = p.result;
  result.companion_unused = of.companion_rhs && result.rhs.what != rhs_source::kind::companion;
  result.rows = of.matrix.rows;
  result.explicit_zeros = count_explicit_zeros(of.matrix);
  result.nonzeros = of.matrix.nonzeros() - result.explicit_zeros;
  p.complex = make_complex_vectors(result.rhs, args.start, p.source, args.threads);
}

/// Reads files of vectors, which must fit a matrix of this name and so many rows.
void read_vectors(const solve_arguments& args, const std::string& matrix, std::int64_t rows,
                  problem& p) {
  require_memory_for_columns(rows, args.rhs_count, args.precision);
  const auto read = [&](const std::string& file, const char* what) {
    return read_fitting(file, what, matrix, rows, args.threads);
  };
  if (const rhs_source& rhs = p.result.rhs; rhs.what == rhs_source::kind::file)
    p.b = read(rhs.file, "right-hand side");
  if (!args.start.empty()) p.x = read(args.start, "start vector");
  read_near_null(args.near_null, matrix, rows, args.threads, p.options.preconditioning);
  p.options.null_vectors = make_null_vectors(args.null_vectors, matrix, rows, args.threads);
}

/// Looks at the heads of these files.
void require_fitting_vectors(const solve_arguments& args, std::int64_t rows,
                             const solve_result& result) {
  const std::string matrix = source_name(args.matrix);
  if (result.rhs.what == rhs_source::kind::file)
    require_fitting(result.rhs.file, "right-hand side", matrix, rows);
  if (!args.start.empty()) require_fitting(args.start, "start vector", matrix, rows);
}

/// Reads all, and sets `p` up for the solve but for what the progress line needs. Where sizes are
/// known before the matrix is read, what does not fit them is refused then.
void read_problem(const solve_arguments& args, const std::optional<device>& where,
                  progress_line& progress, problem& p) {
  solve_result& result = p.result;
  progress.show("reading " + args.matrix);
  const auto known = source_in_parts(args.matrix);
  const auto sizes = sizes_of_source(args.matrix);
  const bool read_first = sizes && !sizes->complex;
  if (sizes) require_square(sizes->where, sizes->rows, sizes->cols);
  if (known && is_large(*known)) check_large(args, where.value_or(device::cpu(1)), *known);
  if (read_first)
    read_vectors(args, source_name(args.matrix), sizes->rows, p);
  else if (sizes)
    require_fitting_vectors(args, sizes->rows, result);
  p.source = load_any_matrix(args.matrix, args.threads);
  result.matrix_name = p.source.name;
  result.generated = p.source.generated;
  result.read_s = p.source.read_s;
  if (p.is_complex()) return read_complex_problem(args, p);
  const auto& a = p.source.content.matrix;
  const auto& large = p.source.large;
  result.companion_unused =
      p.source.content.companion_rhs && result.rhs.what != rhs_source::kind::companion;
  result.rows = p.source.rows();
  result.explicit_zeros = count_explicit_zeros(large ? large->val : a.val);
  result.nonzeros = (large ? large->nonzeros() : a.nonzeros()) - result.explicit_zeros;
  if (!read_first) read_vectors(args, p.source.name, result.rows, p);
  if (result.rhs.what != rhs_source::kind::file) p.b = make_rhs(result.rhs, p.source, args.threads);
  if (args.start.empty()) p.x.assign(static_cast<std::size_t>(result.rows), 0.0);
}

/// Divides a problem where each rank reads or makes its rows; called by all processes together.
void divide_problem(const solve_arguments& args, communicator* comm, problem& p) {
  p.divided = load_parts(args.ranks, comm, args.matrix, args.threads,
                         {parse_rhs(args.rhs), args.start, args.rhs_count, args.precision,
                          args.monitor > 0, static_cast<bool>(args.output)});
  const divided_input& in = *p.divided;
  solve_result& result = p.result;
  result.matrix_name = in.name;
  result.generated = in.generated;
  result.rows = in.rows;
  result.explicit_zeros = in.explicit_zeros;
  result.nonzeros = in.nonzeros - in.explicit_zeros;
  result.read_s = in.read_s;
}

void solve_problem(const solve_arguments& args, communicator* comm, const device& where,
                   problem& p) {
  const auto& a = p.source.content.matrix;
  solve_result& result = p.result;
  if (args.ranks.any()) {
    result.ranks = solve_on_ranks(args.ranks, comm, args.device, args.partition, args.precision,
                                  args.threads, a, with_random(p.b, args.rhs_count), p.x, p.options,
                                  args.rhs_count, p.divided ? &*p.divided : nullptr);
    result.columns = result.ranks->columns;
    if (result.columns.empty()) return;  // the first process has them
  } else if (p.is_complex()) {
    result.columns = {
        solve_complex_in(args.precision, where, p.source.complex->matrix, p.complex, p.options)};
  } else if (p.source.large) {
    result.columns = {solve_in(args.precision, where, *p.source.large, p.b, p.x, p.options)};
  } else if (args.rhs_count == 1) {
    result.columns = {solve_in(args.precision, where, a, p.b, p.x, p.options)};
  } else {
    result.columns = solve_several(args.precision, where, a, p.b, p.x, args.rhs_count, p.options);
  }
  result.report = result.columns.front();
  result.report.solve_s = solve_seconds(result.columns);
}

void add_warnings(const solve_arguments& args, const problem& p, solve_result& result) {
  const std::vector<double>& x = p.x;
  if (result.ranks && result.ranks->largest_error)
    result.largest_error = result.ranks->largest_error;
  else if (result.rhs.what == rhs_source::kind::row_sums && p.is_complex())
    result.largest_error = largest_error(p.complex.x);
  else if (result.rhs.what == rhs_source::kind::row_sums && !x.empty() &&
           result.report.null_space != "given")
    result.largest_error =
        largest_error(std::span<const double>(x), exact_for_row_sums(result.report));
  const bool by_rounding = result.report.stopped == stop_reason::accuracy_limit;
  if (result.report.residuals_disagree)
    result.warnings.push_back(fmt::format(
        "the true residual {:.2e} and the recursive one {:.2e} disagree by more than a factor of "
        "ten: the answer is as good as the true one{}{}",
        result.report.residual_relative_true, result.report.residual_relative_recursive,
        by_rounding ? ", rounding allows no better" : "",
        by_rounding && args.precision == "f32" ? " in f32" : ""));
  if (result.report.near_null_misfit) result.warnings.push_back(result.report.preconditioner_note);
  if (const auto part = inconsistent_rhs(result); !part.empty()) result.warnings.push_back(part);
  if (const auto missed = missed_rows(result); !missed.empty()) result.warnings.push_back(missed);
  if (const auto unsafe = unsafe_answer(result); !unsafe.empty()) result.warnings.push_back(unsafe);
}

exit_code hand_over(const solve_arguments& args, clock::time_point begin, problem& p) {
  solve_result& result = p.result;
  add_warnings(args, p, result);
  const heeded had = {result.report.method, result.report.preconditioner, args.near_null.any()};
  for (const auto& lines : {without_effect(*args.parsed, {had}),
                            unseen_in_report(args.report, {{"--timing", args.timing},
                                                           {"--per-rank", args.ranks.table}})})
    result.warnings.insert(result.warnings.end(), lines.begin(), lines.end());
  handover by;
  const auto before_writing = clock::now();
  if (p.is_complex())
    write_files(args, p.complex.x, result, by);
  else
    write_files(args, p.x, result, by);
  result.write_s = seconds_since(before_writing);
  result.timing = args.timing;
  result.wall_s = seconds_since(begin);
  for (const auto& w : result.warnings) warn(w);
  return deliver(result, args.report, p.outputs, by);
}

/// comm: the processes among which rows are divided, or null.
exit_code run_as(const solve_arguments& args, communicator* comm) {
  const auto begin = clock::now();
  const bool first = is_first(comm);

  progress_line progress(first && !args.report.quiet && args.monitor == 0);
  std::optional<device> where;
  problem p = on_all(comm, [&] {
    check_ranks(args, comm);
    if (!args.ranks.any()) {
      where =
          args.device_facts.plan(resolve(device_for(args), args.threads, threads_for::all_work));
      require_executor(args, where->on());
    }
    problem begun;
    begun.options = args.options;
    if (!first) return begun;
    begun = begin_problem(args);
    if (!divides_at_once(args)) read_problem(args, where, progress, begun);
    return begun;
  });
  const bool divided = first && divides_at_once(args);
  if (comm ? any_of_ranks(*comm, divided) : divided) {
    progress.show("reading " + args.matrix);
    divide_problem(args, comm, p);
  }

  iteration_forecast forecast(p.options.max_iterations);
  if (progress.shown() && args.rhs_count == 1)  // it would keep several from being solved together
    p.options.progress = [&](const solve_progress& now) {
      forecast.add(now.iteration, now.relative_residual);
      progress.show(describe(now, forecast));
    };
  std::optional<solve_monitor> monitor;
  if (args.monitor > 0 && first) {
    const double norm = p.divided        ? p.divided->rhs_norm
                        : p.is_complex() ? norm_of(p.complex.b)
                                         : norm_of(p.b);
    monitor.emplace(norm, args.monitor);
    p.options.progress = [&](const solve_progress& now) { (*monitor)(now); };
    p.options.progress_interval = 0;  // every iteration, in order
  }
  progress.show("setting up");
  graceful_stop on_signal;
  p.options.interrupt = &graceful_stop::requested();
  solve_problem(args, comm, where.value_or(device::cpu(1)), p);
  if (monitor) monitor->finish();
  progress.erase();
  const exit_code code =
      on_all(comm, [&] { return first ? hand_over(args, begin, p) : exit_code::done; });
  return comm ? value_of_rank(*comm, 0, code) : code;
}

exit_code run(const solve_arguments& args) {
  return run_on_processes(args.ranks, args.threads,
                          [&](communicator* comm) { return run_as(args, comm); });
}

command add_command(CLI::App& app, const std::string& name, const std::string& examples) {
  const auto args = std::make_shared<solve_arguments>();
  args->command = name;
  add_arguments(app, *args);
  app.footer(
      std::string("Files appear whole or not at all; also when the solve did not converge or was\n"
                  "interrupted. With one on standard output the report goes to standard error.\n"
                  "The first Ctrl-C ends it at the next iteration, a second one\n"
                  "ends the program at once.\n\n") +
      exit_code_help + "\nExamples:\n" + examples);
  return [args] { return run(*args); };
}

}  // namespace

command add_solve(CLI::App& app) {
  return add_command(app, "solve",
                     "  dwell solve convection2d:300x300\n"
                     "  dwell solve A.mtx.gz --solver minres --rtol 1e-6 --output x.mtx\n"
                     "  dwell solve A.mtx --preconditioner jacobi --json - | jq .solver");
}

command add_cg(CLI::App& app) {
  return add_command(
      app, "cg",
      "  dwell cg trefethen:2000\n"
      "  dwell cg bcsstk17.mtx.gz --preconditioner jacobi --rtol 1e-6 --output x.mtx\n"
      "  dwell cg ecology2.tar.gz --device cuda --json - | jq .time");
}

}  // namespace dwell::app
