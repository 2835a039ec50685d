// SPDX-License-Identifier: MIT
// Reads the file, values and series, does the steps, hands over fields, records and the report.
// What can fail before the run is tried before the run; whatever the reason of its end, its outcome
// is written.
#include "fields/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <string_view>
#include <utility>

#include "cli/arguments.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/signals.hpp"
#include "fields/frames.hpp"
#include "fields/problem.hpp"
#include "fields/result.hpp"
#include "report/units.hpp"
#include "stencil/field.hpp"

#include "dwell/base/error.hpp"
#include "dwell/base/stopwatch.hpp"
#include "dwell/formats/field_values.hpp"
#include "dwell/formats/npy.hpp"
#include "dwell/stencil/field_runner.hpp"

namespace dwell::app {
namespace {

constexpr int usual_steps = 1000;

/// "hot-spot:1:1.5" has 1 and 1.5 where hot-spot has 0 and 1, checker likewise.
template <class T>
grid<T> made_cells(const std::string& place, const std::string& kind, const extents& size) {
  const auto refuse = [&] {
    throw input_error(
        fmt::format("{}: expected a number, zeros, hot-spot, checker, random:SEED, "
                    "hot-spot:LOW:HIGH, checker:LOW:HIGH, a .npy or a .vti file, found '{}'",
                    place, kind));
  };
  std::string base = kind;
  double low = 0, high = 1;
  const auto colon = kind.find(':');
  if (kind.starts_with("hot-spot:") || kind.starts_with("checker:")) {
    const char* const end = kind.data() + kind.size();
    const auto first = std::from_chars(kind.data() + colon + 1, end, low);
    if (first.ec != std::errc() || first.ptr == end || *first.ptr != ':') refuse();
    const auto last = std::from_chars(first.ptr + 1, end, high);
    if (last.ec != std::errc() || last.ptr != end || !std::isfinite(low) || !std::isfinite(high))
      refuse();
    base = kind.substr(0, colon);
  }
  try {
    grid<T> u = make_initial<T>(base, size);
    if (base != kind)
      for (T& cell : u.cells()) cell = static_cast<T>(cell == T(0) ? low : high);
    return u;
  } catch (const input_error&) {
    refuse();
    throw;
  }
}

/// All cells of a field or a coefficient.
template <class T>
grid<T> cells_of_value(const std::string& name, const given_value& v, const extents& size,
                       const std::string& precision) {
  if (const auto* number = std::get_if<double>(&v.value))
    return grid<T>(size, static_cast<T>(*number));
  const auto* text = std::get_if<std::string>(&v.value);
  if (!text) throw input_error(v.place + ": expected a number, a kind or a file, found an array");
  if (!v.is_file()) return made_cells<T>(v.place, *text, size);
  field_input input(*text, size.dims, name);
  require_precision(*text, input.single(), precision);
  if (input.size() != size)
    throw input_error(fmt::format("{}: expected {} cells as the fields have, found {}", *text,
                                  to_string(size), to_string(input.size())));
  return input.finite_values<T>();
}

/// A row for each step, a column for each cell.
template <class T>
std::vector<T> series_of(const given_source& s, std::size_t cells, const std::string& precision) {
  const given_value& v = s.series;
  if (const auto* numbers = std::get_if<std::vector<double>>(&v.value)) {
    std::vector<T> all;
    for (const double number : *numbers) all.insert(all.end(), cells, static_cast<T>(number));
    return all;
  }
  if (!v.is_file() || !v.file().ends_with(".npy"))
    throw input_error(v.place + ": expected an array with a number for each step, or a .npy file");
  const std::string& file = v.file();
  npy_reader reader(file);
  require_precision(file, reader.facts().single, precision);
  const extents size = reader.facts().size;
  if (size.dims != 2 || size.x != static_cast<int>(cells))
    throw input_error(
        fmt::format("{}: expected steps x {} cells, found {}", file, cells, to_string(size)));
  const grid<T> read = read_finite<T>(file, reader);
  return {read.cells().begin(), read.cells().end()};
}

template <class T>
void set_values(field_runner<T>& runner, const fields_problem& p, const extents& size,
                const std::string& precision) {
  const cell_tape& tape = p.definition.tape();
  const auto given = [&](const std::string& name, const char* what) -> const given_value& {
    const auto found = p.values.find(name);
    if (found == p.values.end())
      throw input_error(fmt::format("{}: expected {}, {}, in [values] or by --set, found none",
                                    p.file, name, what));
    return found->second;
  };
  for (int f = 0; f < p.definition.fields(); ++f) {
    const std::string& name = tape.fields[static_cast<std::size_t>(f)];
    runner.set_field(f, cells_of_value<T>(name, given(name, "a field"), size, precision).cells());
  }
  for (int c = 0; c < p.definition.coefficients(); ++c) {
    const std::string& name = tape.coefficients[static_cast<std::size_t>(c)];
    runner.set_coefficient(
        c, cells_of_value<T>(name, given(name, "a coefficient"), size, precision).cells());
  }
  for (int k = 0; k < p.definition.parameters(); ++k) {
    const given_value& v = given(tape.parameters[static_cast<std::size_t>(k)], "a parameter");
    if (const auto* number = std::get_if<double>(&v.value))
      runner.set_parameter(k, *number);
    else if (const auto* numbers = std::get_if<std::vector<double>>(&v.value))
      runner.set_parameter(k, std::span<const double>(*numbers));
    else
      throw input_error(fmt::format("{}: expected a number, found '{}'", v.place,
                                    std::get<std::string>(v.value)));
  }
}

/// All files that are read.
std::vector<std::string> inputs_of(const fields_problem& p) {
  std::vector<std::string> inputs;
  if (p.is_file) inputs.push_back(p.file);
  for (const auto& [name, v] : p.values)
    if (v.is_file()) inputs.push_back(v.file());
  for (const given_source& s : p.sources)
    if (s.series.is_file()) inputs.push_back(s.series.file());
  return inputs;
}

/// What the options for fields, pictures and frames ask for.
struct shown_field {
  int field = 0;
  std::optional<frames_request> frames;
};

int steps_of(const fields_arguments& args, const fields_problem& p) {
  return args.steps.value_or(p.steps.value_or(usual_steps));
}

shown_field check_shown(const fields_arguments& args, const fields_problem& p) {
  shown_field shown;
  if (!args.field.empty()) {
    if (!args.output && !args.animation)
      throw input_error("--field: says what --output and --animation show, which are not there");
    shown.field = find_field(p.definition, "--field", args.field);
  }
  if (args.every && !args.animation)
    throw input_error("--every: steps between two frames of --animation, which is not there");
  if (args.animation)
    shown.frames = make_frames(args.animation, p.definition, shown.field, args.every, args.scale,
                               steps_of(args, p));
  const bool pictures = (args.output && is_picture(args.output)) ||
                        (args.animation && is_picture(args.animation)) ||
                        std::ranges::any_of(p.outputs, [](const given_output& o) {
                          return is_picture(destination(o.place, o.file));
                        });
  if (args.scale && !pictures)
    throw input_error("--scale: of a picture (.png), which is not there");
  return shown;
}

output_files check_outputs(const fields_arguments& args, const fields_problem& p,
                           const shown_field& shown) {
  output_files outputs;
  const auto add = [&](const destination& to, bool field) {
    if (to && field) require_field_name(to);
    outputs.add(to);
  };
  if (args.output) add(args.output, true);
  for (const given_output& o : p.outputs) add(destination(o.place, o.file), true);
  for (const given_receiver& r : p.receivers) add(destination(r.place, r.output), false);
  outputs.add(args.report.json);
  const std::vector<std::string> inputs = inputs_of(p);
  if (shown.frames) shown.frames->check(outputs, inputs);
  for (const std::string& input : inputs) outputs.protect(input);
  return outputs;
}

/// Fields, then records.
template <class T>
void write_results(const fields_arguments& args, const fields_problem& p, const shown_field& shown,
                   const field_runner<T>& runner, const extents& size, fields_result& result,
                   handover& by) {
  const auto write = [&](const destination& to, const std::string& what, const grid<T>& u) {
    if (by.attempt(to.label(), [&] { write_field(to.path(), u, what, args.scale); }))
      result.files.emplace_back(what, to.label());
  };
  for (int f = 0; f < p.definition.fields(); ++f) {
    const std::string& name = p.definition.tape().fields[static_cast<std::size_t>(f)];
    grid<T> u(size);
    runner.field(f, u.cells());
    const value_range range = dwell::range_of<T>(u.cells());
    result.ranges.push_back(
        {name, range.least, range.greatest, static_cast<std::int64_t>(range.nonfinite)});
    if (f == shown.field && args.output) write(args.output, name, u);
    for (const given_output& o : p.outputs)
      if (o.field == f) write(destination(o.place, o.file), name, u);
  }
  for (std::size_t k = 0; k < p.receivers.size(); ++k) {
    const given_receiver& r = p.receivers[k];
    const auto record = runner.record(static_cast<int>(k));
    const auto cells = r.cells.size() / static_cast<std::size_t>(p.definition.dims());
    if (record.empty()) {
      result.warnings.push_back(r.output + ": no step was done, nothing is recorded");
      continue;
    }
    grid<T> rows(extents(static_cast<int>(record.size() / cells), static_cast<int>(cells)));
    std::ranges::copy(record, rows.cells().begin());
    write(destination(r.place, r.output), "record", rows);
  }
}

/// The steps, and the frames that are wanted, the first and the last state among them.
template <class T>
void do_steps(field_runner<T>& runner, const shown_field& shown, const extents& size,
              fields_result& result, handover& by) {
  if (!shown.frames) {
    runner.run(result.max_steps);
    return;
  }
  const frames_request& wanted = *shown.frames;
  frame_taker<T> frames(wanted, size);
  grid<T> u(size);
  const auto take = [&](std::int64_t step) {
    runner.field(wanted.field, u.cells());
    frames.take(step, u, by);
  };
  take(0);
  const field_outcome done = runner.run(result.max_steps, wanted.every,
                                        [&](const field_progress& now) { take(now.step); });
  if (frames.last() != done.steps) take(done.steps);
  frames.finish(by);
  if (!frames.failed()) result.files.emplace_back("animation", wanted.to.label());
  result.animation = frames.made();
}

template <class T>
exit_code run_in(const fields_arguments& args, const fields_problem& p, const shown_field& shown,
                 const extents& size, const output_files& outputs, double begin) {
  fields_result result;
  result.file = p.file;
  result.definition = p.definition;
  result.size = to_string(size);
  result.requested_executor = args.executor;
  result.max_steps = steps_of(args, p);
  progress_line progress(!args.report.quiet);
  progress.show("setting up");
  field_options options;
  options.boundaries = p.boundaries;
  options.executor = args.executor;
  options.depth = args.depth;
  options.hoist = args.hoist;
  options.interrupt = &graceful_stop::requested();
  if (progress.shown())
    options.progress = [&](const field_progress& now) {
      const double rate = now.seconds > 0 ? static_cast<double>(now.step) / now.seconds : 0;
      progress.show(fmt::format(
          "step {} of {}   {} steps/s   about {} left", format_count(now.step),
          format_count(result.max_steps), format_count(std::llround(rate)),
          rate > 0 ? format_seconds(static_cast<double>(result.max_steps - now.step) / rate)
                   : "?"));
      return true;
    };
  stopwatch clock;
  field_runner<T> runner(resolve(args.device, args.threads, threads_for::runs), p.definition,
                         axes_of(size), options);
  clock.lap();
  set_values(runner, p, size, args.precision);
  for (const given_source& s : p.sources) {
    const auto cells = s.cells.size() / static_cast<std::size_t>(size.dims);
    runner.set_sources(s.field, s.cells, series_of<T>(s, cells, args.precision));
  }
  for (const given_receiver& r : p.receivers) runner.set_receivers(r.field, r.cells);
  if (!p.reductions.empty()) runner.set_reductions(p.reductions, p.reduce_every);
  result.read_s = clock.lap();
  {
    graceful_stop on_signal;
    handover by;
    do_steps(runner, shown, size, result, by);
    progress.erase();
    result.report = runner.report();
    result.rows = runner.reductions();
    clock.lap();
    write_results(args, p, shown, runner, size, result, by);
    result.write_s = clock.lap();
    result.wall_s = seconds_on_host() - begin;
    for (const auto& w : result.warnings) warn(w);
    return deliver(result, args.report, outputs, by);
  }
}

}  // namespace

std::span<const std::string_view> options_of_fields() {
  static constexpr std::array<std::string_view, 20> all{
      "STENCIL",     "--set",    "--size",  "--steps",     "--device", "--threads", "--executor",
      "--precision", "--output", "--json",  "--quiet",     "--help",   "--config",  "--boundary",
      "--field",     "--scale",  "--every", "--animation", "--depth",  "--hoist"};
  return all;
}

void require_options_of_fields(const CLI::App& app, std::span<const std::string_view> known) {
  for (const CLI::Option* option : app.get_options()) {
    const std::string name =
        option->get_positional() ? "STENCIL" : "--" + option->get_single_name();
    if (option->count() > 0 && std::ranges::find(known, name) == known.end())
      throw input_error(name + ": is not for stencils of several fields" +
                        (name == "--until" ? ", which [until] in FILE.toml ends" : ""));
  }
}

void refuse_options_of_fields(const CLI::App& app, std::span<const std::string_view> only) {
  for (const std::string_view option : only)
    if (app.get_option(std::string(option))->count() > 0)
      throw input_error(fmt::format("{}: is for stencils of several fields", option));
}

CLI::Option* add_hoist(CLI::App& app, std::string& value) {
  return add_choice(app, "--hoist", value, {"auto", "always", "never"},
                    "Of several fields: values of coefficients alone are computed once, not in "
                    "every step; auto: where a step is projected to gain a tenth by it, on a CPU a "
                    "quarter");
}

exit_code run_fields(const fields_arguments& args) {
  const double begin = seconds_on_host();
  fields_problem p = read_problem(args.file);
  for (const std::string& one : args.set) set_value(p, one);
  if (args.boundary) p.boundaries = {boundary_of_option(*args.boundary)};
  const shown_field shown = check_shown(args, p);
  const output_files outputs = check_outputs(args, p, shown);
  const extents size = size_of(p, args.size);
  return args.precision == "f32" ? run_in<float>(args, p, shown, size, outputs, begin)
                                 : run_in<double>(args, p, shown, size, outputs, begin);
}

}  // namespace dwell::app
