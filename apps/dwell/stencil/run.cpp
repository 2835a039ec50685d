// SPDX-License-Identifier: MIT
// dwell stencil: makes or reads a field, does steps on it, hands over the field and the report.
// What can fail before the run is tried before the run; whatever the reason of its end, its outcome
// is written.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/completions.hpp"
#include "cli/device_facts_option.hpp"
#include "cli/file_options.hpp"
#include "cli/progress.hpp"
#include "cli/ranks.hpp"
#include "cli/report_target.hpp"
#include "cli/signals.hpp"
#include "fields/problem.hpp"
#include "fields/run.hpp"
#include "report/units.hpp"
#include "stencil/choices.hpp"
#include "stencil/commands.hpp"
#include "stencil/field.hpp"
#include "stencil/field_memory.hpp"
#include "stencil/ranks.hpp"
#include "stencil/result.hpp"
#include "stencil/stencil_flags.hpp"

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"
#include "dwell/base/stopwatch.hpp"
#include "dwell/execution/stencil/launch/kernel_table.hpp"
#include "dwell/execution/stencil/plan/policy.hpp"

namespace dwell::app {
namespace {

struct stencil_arguments {
  std::string shape, input, initial, source;
  std::vector<std::string> set;
  std::optional<extents> size;
  device_choice device;
  device_facts_choice device_facts;
  int threads = 0;
  std::string precision = "f64";
  bool default_weights = true;
  std::optional<int> steps;
  int max_steps = 0, check_every = 0;
  double until = -1;
  stencil_options options;
  rank_choice ranks;
  std::string rank_grid;
  int exchange_every = 0;
  destination output, animation;
  std::string field, hoist = "auto";
  std::optional<std::string> boundary;
  int every = 0;
  std::optional<png_scale> scale;
  bool timing = false;
  report_target report;
};

output_files check_files(const stencil_arguments& args) {
  output_files outputs;
  if (args.output) require_field_name(args.output);
  outputs.add(args.output);
  outputs.add(args.report.json);
  require_one_reader({{"--input", args.input},
                      {"--source", args.source},
                      {"--device-facts", args.device_facts.file()}});
  if (!args.source.empty()) outputs.protect(args.source);
  args.device_facts.protect_from(outputs);
  if (!args.input.empty()) outputs.protect(args.input, "--output");  // going on in place is fine
  return outputs;
}

/// The files to read, opened once, before anything is set up.
struct input_files {
  std::optional<field_input> field, source;
};

/// The field's extents, from --size or from --input, which must agree.
extents find_size(const stencil_arguments& args, const stencil_shape& shape,
                  const input_files& inputs) {
  if (!args.size && !inputs.field)
    throw input_error("expected --size or --input: how large is the field?");
  if (inputs.field && args.size && inputs.field->size() != *args.size)
    throw input_error(fmt::format("{}: expected the {} cells of --size, found {}", args.input,
                                  to_string(*args.size), to_string(inputs.field->size())));
  const extents size = args.size ? *args.size : inputs.field->size();
  if (size.dims != shape.dims)
    throw input_error(fmt::format("{}: {} works on {} dimensions, found {}",
                                  args.size ? "--size" : args.input, shape.name, shape.dims,
                                  to_string(size)));
  return size;
}

/// Is what is read of the run's precision? Asked before any value is read.
void require_precisions(const stencil_arguments& args, const input_files& inputs) {
  if (inputs.field) require_precision(args.input, inputs.field->single(), args.precision);
  if (inputs.source) require_precision(args.source, inputs.source->single(), args.precision);
}

void set_options(stencil_arguments& args, const stencil_shape& shape) {
  stencil_options& o = args.options;
  o.shape = shape.name;
  args.default_weights = o.weights.empty();
  if (o.weights.empty()) o.weights = shape.weights;
  if (o.weights.size() != shape.weights.size())
    throw input_error(fmt::format("--weights: expected {} numbers for {}, found {}",
                                  shape.weights.size(), shape.name, o.weights.size()));
  if (args.until >= 0) {
    if (args.steps)
      throw input_error("--steps and --until both say when to stop (--max-steps limits --until)");
    o.until = args.until;
    o.steps = args.max_steps > 0 ? args.max_steps : 1000000;
    if (args.check_every > 0) o.check_every = args.check_every;
  } else {
    if (args.max_steps > 0) throw input_error("--max-steps: limits --until, which is not there");
    if (args.check_every > 0) throw input_error("--check-every: tests --until, which is not there");
    o.steps = args.steps.value_or(1000);
  }
}

/// Writes the field. One that is not finite never takes the place of the one that it came from,
/// which may be all that is left of a long run.
template <class T>
void write_output(const stencil_arguments& args, const grid<T>& u, stencil_result& result,
                  handover& by) {
  const auto& to = args.output;
  if (!to) return;
  if (!result.report.finite && !args.input.empty() && !to.standard() &&
      same_file(to.path(), args.input)) {
    result.warnings.push_back(to.label() + " is kept as it was: the result is not finite");
    return;
  }
  if (by.attempt(to.label(), [&] { write_field(to.path(), u, "u", args.scale); }))
    result.files.emplace_back("field", to.label());
}

/// What is read before the run, on the first rank.
template <class T>
struct stencil_problem {
  grid<T> u;
  std::optional<grid<T>> source;
  stencil_result result;
};

template <class T>
stencil_problem<T> read_problem(const stencil_arguments& args, const extents& size,
                                input_files& inputs, progress_line& progress) {
  stencil_problem<T> p;
  stencil_result& result = p.result;
  result.start = !args.input.empty()    ? args.input
                 : args.initial.empty() ? "hot-spot"
                                        : args.initial;
  result.source = args.source;
  result.default_weights = args.default_weights;
  result.per_rank = args.ranks.table;
  result.timing = args.timing;
  progress.show("reading");
  stopwatch clock;
  p.u = inputs.field ? inputs.field->finite_values<T>() : make_initial<T>(result.start, size);
  if (inputs.source) p.source = inputs.source->finite_values<T>();
  result.read_s = clock.lap();
  return p;
}

template <class T>
exit_code hand_over(const stencil_arguments& args, const extents& size, const output_files& outputs,
                    double begin, stencil_problem<T>& p) {
  stencil_result& result = p.result;
  if (result.report.changing_cells == 0 && result.options.steps > 0)
    result.warnings.push_back(fmt::format(
        "no cell of {} changes: all belong to the fixed border, which is {} wide (--boundary "
        "periodic or reflect has none)",
        to_string(size), format_plural(find_stencil_shape(result.options.shape).radius, "cell")));
  for (const auto& line :
       unseen_in_report(args.report, {{"--timing", args.timing}, {"--per-rank", args.ranks.table}}))
    result.warnings.push_back(line);
  handover by;
  stopwatch clock;
  write_output(args, p.u, result, by);
  result.write_s = clock.lap();
  result.wall_s = seconds_on_host() - begin;
  for (const auto& w : result.warnings) warn(w);
  return deliver(result, args.report, outputs, by);
}

/// where: without ranks. comm: the processes among which the field is divided, or null. begin: of
/// the command, by seconds_on_host().
template <class T>
exit_code run_in(const stencil_arguments& args, communicator* comm, const device& where,
                 const extents& size, input_files& inputs, const output_files& outputs,
                 double begin) {
  const bool first = is_first(comm);
  progress_line progress(first && !args.report.quiet);
  stencil_problem<T> p = on_all(comm, [&] {
    return first ? read_problem<T>(args, size, inputs, progress) : stencil_problem<T>();
  });
  stencil_options options = args.options;
  if (progress.shown())
    options.progress = [&](const stencil_progress& now) { progress.show(describe(now, options)); };
  progress.show("setting up");
  graceful_stop on_signal;
  options.interrupt = &graceful_stop::requested();
  const grid<T>* const source = p.source ? &*p.source : nullptr;
  if (args.ranks.any()) {
    field_division division{.steps_per_exchange = args.exchange_every,
                            .by = transport_of(args.ranks)};
    if (!args.rank_grid.empty()) division.ranks = parse_rank_grid("--rank-grid", args.rank_grid);
    p.result.ranks = solve_on_ranks(args.ranks, comm, args.device, args.threads, division, size,
                                    !args.source.empty(), p.u, options, source);
    p.result.report = p.result.ranks->report;
  } else {
    p.result.report = solve(where, p.u, options, source);
  }
  p.result.options = options;
  progress.erase();
  const exit_code code = on_all(
      comm, [&] { return first ? hand_over(args, size, outputs, begin, p) : exit_code::done; });
  return comm ? value_of_rank(*comm, 0, code) : code;
}

/// What ranks cannot do that one can.
void check_ranks(const stencil_arguments& args, const communicator* comm) {
  check_gpus(args.ranks, args.device, comm);
  if (!args.ranks.any()) {
    for (const auto& [option, given] : {std::pair{"--exchange-every", args.exchange_every > 0},
                                        {"--rank-grid", !args.rank_grid.empty()}})
      if (given)
        throw input_error(fmt::format("{}: expected --ranks or --distributed with it", option));
    return;
  }
  if (args.device.what == device_choice::kind::cuda)
    if (const auto why = threads_refusal(args.device, args.threads, backend::cuda); !why.empty())
      throw input_error(why);
  if (args.device_facts.given())
    throw unsupported_error("--device-facts: not with --ranks or --distributed");
}

exit_code run_as(stencil_arguments& args, communicator* comm) {
  const double begin = seconds_on_host();
  const bool first = is_first(comm);
  input_files inputs;
  output_files outputs;
  std::optional<device> where;
  extents size = on_all(comm, [&] {
    const stencil_shape shape = find_stencil_shape(args.shape);
    set_options(args, shape);
    check_ranks(args, comm);
    if (!args.input.empty() && !args.initial.empty())
      throw input_error("--input and --initial both say what the field is: expected one of them");
    if (!first) return extents(1, 1);  // the first one's counts
    outputs = check_files(args);
    if (!args.input.empty()) inputs.field.emplace(args.input, shape.dims);
    const extents found = find_size(args, shape, inputs);
    if (!args.source.empty()) inputs.source.emplace(args.source, shape.dims);
    require_precisions(args, inputs);
    if (inputs.source) require_source(*inputs.source, found);
    where = args.ranks.any()
                ? device::cpu(1)
                : args.device_facts.plan(resolve(args.device, args.threads, threads_for::runs));
    require_memory({found, args.precision, 1, !args.source.empty()}, *where);
    return found;
  });
  if (comm) size = value_of_rank(*comm, 0, size);
  const device on = where.value_or(device::cpu(1));
  return args.precision == "f32" ? run_in<float>(args, comm, on, size, inputs, outputs, begin)
                                 : run_in<double>(args, comm, on, size, inputs, outputs, begin);
}

/// Names of stencils, those of one field first.
std::vector<std::string> names_of_stencils() {
  std::vector<std::string> names;
  for (const auto& shape : stencil_shapes()) names.push_back(shape.name);
  for (const ready_stencil& one : ready_stencils()) names.emplace_back(one.name);
  return names;
}

exit_code run(const CLI::App& app, stencil_arguments& args) {
  const std::vector<std::string> names = names_of_stencils();
  if (std::ranges::find(names, args.shape) == names.end() && !has_fields(args.shape))
    throw unsupported_error(fmt::format("expected a stencil ({}) or FILE.toml, found {}",
                                        fmt::join(names, ", "), found_word(args.shape, names)));
  if (has_fields(args.shape)) {
    require_options_of_fields(app, options_of_fields());
    return run_fields({.file = args.shape,
                       .set = args.set,
                       .size = args.size,
                       .steps = args.steps,
                       .device = args.device,
                       .threads = args.threads,
                       .precision = args.precision,
                       .executor = args.options.executor,
                       .depth = args.options.depth,
                       .hoist = args.hoist,
                       .boundary = args.boundary,
                       .field = args.field,
                       .output = args.output,
                       .animation = args.animation,
                       .every = args.every > 0 ? std::optional(args.every) : std::nullopt,
                       .scale = args.scale,
                       .report = args.report});
  }
  static constexpr std::array<std::string_view, 5> only{"--set", "--field", "--animation",
                                                        "--every", "--hoist"};
  refuse_options_of_fields(app, only);
  take_edge(args.boundary, args.options);
  if (args.scale && !is_picture(args.output))
    throw input_error("--scale: of a picture (.png), which is not there");
  const exit_code code = run_on_processes(args.ranks, args.threads,
                                          [&](communicator* comm) { return run_as(args, comm); });
  warn_of_leaving("--policy", args.options.policy);
  return code;
}

std::string shape_list() {
  std::string list;
  for (const auto& s : stencil_shapes())
    list += fmt::format("  {:<12} {} dimensions, radius {}, reads {} cells, {}\n", s.name, s.dims,
                        s.radius, s.taps.size(),
                        s.linear ? fmt::format("{} weights", s.weights.size())
                                 : fmt::format("{} parameters", s.weights.size()));
  return list;
}

std::string fields_list() {
  std::string list = "Stencils of several fields (one of one's own: FILE.toml):\n";
  std::string line = " ";
  for (const ready_stencil& one : ready_stencils()) {
    if (line.size() + one.name.size() > 76) list += line + "\n", line = " ";
    line += fmt::format(" {}", one.name);
  }
  return list + line + "\n";
}

constexpr const char* picture_help =
    "A .png shows row 0 on top, of a field in three dimensions plane nz/2 with the\n"
    "range of that plane, of one dimension a curve; over 2048 cells a side every n-th;\n"
    "grey is not finite. Of a .vti file the array of the field's name is read, else its\n"
    "active scalars or its only array, of points or cells, without compression.\n";

void add_problem(CLI::App& app, stencil_arguments& args) {
  app.option_defaults()->group("Problem");
  set_completions(
      app.add_option("STENCIL", args.shape, "Name of a stencil, from the lists below, or FILE.toml")
          ->required()
          ->type_name(""),
      {names_of_stencils()});
  app.add_option_function<std::string>(
         "--size", [&args](const std::string& text) { args.size = parse_size("--size", text, 1); },
         "Cells: rows x columns, or planes x rows x columns; of several fields in one dimension a "
         "number")
      ->type_name("NxN[xN]");
  add_input(app, "--input", args.input,
            "Field to start from, .npy or .vti, e.g. the --output of an earlier run; - is standard "
            "input, here "
            "and below",
            "u.npy|-");
  set_initial_completions(
      app.add_option_function<std::string>(
          "--initial",
          [&args](const std::string& text) {
            require_initial(text);
            args.initial = text;
          },
          "Field to start from: random:SEED, hot-spot, checker, zeros (default: hot-spot)"))
      ->type_name("KIND");
  app.add_option(
         "--set", args.set,
         "Value of a field, a coefficient or a parameter, of several fields: a number, a kind of "
         "--initial, a .npy or a .vti file")
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->take_all();
  add_input(app, "--source", args.source,
            "Added to every changing cell in every step: .npy or .vti", "f.npy|-");
  add_boundary_word(
      app, stencil_surface::run, args.boundary,
      "fixed keeps the outermost cells, as many layers as the radius; periodic; reflect mirrors, "
      "the outermost cells included (numpy.pad's symmetric); of several fields also constant:V, "
      "mirror, antisymmetric and nearest (default: fixed, of several fields as the stencil has "
      "it)");
  add_stencil_flag(
      app, stencil_surface::run, "weights", args.options,
      "Of the cells that the stencil reads; dwell info STENCIL lists these, in order, and "
      "the default weights");
}

void add_stops(CLI::App& app, stencil_arguments& args) {
  app.option_defaults()->group("When to stop");
  add_count(app, "--steps", args.steps, "Steps to do; 0 makes or converts a field (default: 1000)");
  add_tolerance(app, "--until", args.until, "Stop when no cell changes by more than this in a step")
      ->default_str("");
  add_positive(app, "--check-every", args.check_every,
               "Steps between two tests of --until (default: 100)");
  add_positive(app, "--max-steps", args.max_steps, "Limit for --until (default: 1000000)");
}

void add_execution(CLI::App& app, stencil_arguments& args) {
  app.option_defaults()->group("Execution");
  add_device(app, args.device,
             "Where to run; auto is the first usable GPU, else the CPU; of ranks it is the CPU");
  add_device_facts(app, args.device_facts, planned_with_help);
  add_positive(app, "--threads", args.threads,
               "Threads on the CPU (default: of those there are, as many as the work is worth); "
               "refused on a GPU. perks runs one for "
               "every tile of its plan, more or fewer than these: the report tells how many");
  for (const char* name : {"executor", "policy"})
    add_stencil_flag(app, stencil_surface::run, name, args.options);
  add_tiling(app, stencil_surface::run, args.options);
  add_stencil_flag(app, stencil_surface::run, "order", args.options);
  add_hoist(app, args.hoist);
  add_choice(app, "--precision", args.precision, {"f64", "f32"}, "Of the field");
  app.option_defaults()->group("Ranks");
  add_ranks(app, args.ranks, "the field");
  app.add_option("--rank-grid", args.rank_grid,
                 "Ranks along each axis, slowest first, 4x1 or 2x2x1 (default: slabs, 4x1, unless "
                 "cuts along more axes cost a tenth less)")
      ->type_name("NUMBERS");
  add_positive(app, "--exchange-every", args.exchange_every,
               "Steps between two exchanges of ghosts (default: as many as add a tenth to a rank's "
               "cells, at most 16, on GPUs 48)");
}

void add_results(CLI::App& app, stencil_arguments& args) {
  app.option_defaults()->group("Results");
  add_destination(app, "-o,--output", args.output,
                  "Write the field: .npy for NumPy, .vti for ParaView, .png as a picture; on "
                  "standard output (-), in a pipe or a device without an ending as .npy. With it "
                  "there, the report goes to standard error. The file of --input may be named "
                  "again; it stays as it was if the result is not finite");
  app.add_option(
         "--field", args.field,
         "Of several fields, the one that --output and --animation show (default: the first)")
      ->type_name("NAME");
  app.add_option_function<std::string>(
         "--scale", [&args](const std::string& text) { args.scale = parse_scale(text); },
         "Values of the first and the last colour of pictures (default: the range of the picture, "
         "of --animation of all frames, which are then kept until the end)")
      ->type_name("MIN:MAX");
  add_destination(
      app, "--animation", args.animation,
      "Of several fields: write a PNG with several frames (APNG), the start, every --every steps "
      "and the end, with one scale; in one dimension a picture of rows, one for each frame. With "
      "{step} in the name a file for each frame, .npy, .vti or, with --scale, .png. Passes of "
      "several steps end at frames",
      "FILE.png|NAME-{step}.vti");
  add_positive(app, "--every", args.every,
               "Steps between two frames of --animation (default: as make 100 frames, in one "
               "dimension 500)");
  app.add_flag("--timing", args.timing,
               "In the report: a table of where the time went, from reading to writing");
  add_report_target(app, args.report);
}

}  // namespace

command add_stencil(CLI::App& app) {
  const auto args = std::make_shared<stencil_arguments>();
  add_problem(app, *args);
  add_stops(app, *args);
  add_execution(app, *args);
  add_results(app, *args);
  app.footer(
      "Stencils (what one computes: dwell info NAME):\n" + shape_list() + "\n" + fields_list() +
      "\n" + problem_file_help + "\n" + initial_help + "\n" + picture_help + "\n" + exit_code_help +
      "\nExamples:\n"
      "  dwell stencil 2d5pt --size 1024x1024 --steps 5000 --output heat.png\n"
      "  dwell stencil 2d5pt --input f.npy --source f.npy --weights 0,.25,.25,.25,.25 "
      "--until 1e-8\n"
      "  dwell stencil wave2d --size 500x400 --set c2=0.2 --output u.png\n"
      "  dwell stencil gray-scott2d --size 256x256 --steps 8000 --field v --animation v.png\n"
      "  dwell stencil 3d7pt --size 256x256x256 --boundary periodic --json - | jq .time");
  return [args, &app] { return run(app, *args); };
}

}  // namespace dwell::app
