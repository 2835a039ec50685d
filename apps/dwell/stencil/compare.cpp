// SPDX-License-Identifier: MIT
// dwell compare stencil: executors and policies side by side, on one stencil and size after the
// other. Ctrl-C ends the run that is under way, and what was measured before it is handed over.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "cli/file_options.hpp"
#include "cli/ranks.hpp"
#include "compare/compared_fields.hpp"
#include "compare/options.hpp"
#include "stencil/choices.hpp"
#include "stencil/commands.hpp"
#include "stencil/comparison.hpp"
#include "stencil/comparison_run.hpp"
#include "stencil/field.hpp"
#include "stencil/stencil_flags.hpp"

#include "dwell/base/error.hpp"
#include "dwell/device/limits.hpp"
#include "dwell/execution/stencil/plan/policy.hpp"

namespace dwell::app {

namespace {

struct compare_stencil_arguments : compare_options {
  std::vector<std::string> shapes;
  std::string sizes, source, initial = "random:1";
  std::vector<std::string> orders = {automatic};
  int steps = 1000;
  stencil_options tiling;
  std::vector<int> ranks;
};

/// Every shape on every size of its dimensions. Throws input_error if a shape or a size is left
/// without the other.
std::vector<compared_field> subjects_of(const compare_stencil_arguments& args) {
  const auto sizes = parse_sizes("--size", args.sizes);
  std::vector<stencil_shape> shapes;
  for (const auto& name : args.shapes) {
    if (std::count(args.shapes.begin(), args.shapes.end(), name) > 1)
      throw input_error(
          fmt::format("expected each stencil once, found '{}'", fmt::join(args.shapes, " ")));
    shapes.push_back(find_stencil_shape(name));
  }
  std::vector<compared_field> all;
  for (const auto& shape : shapes) {
    const auto before = all.size();
    for (const auto& size : sizes)
      if (size.dims == shape.dims) {
        for (const auto& order : args.orders) parse_cell_order(order, size.dims);
        all.push_back({shape.name, size});
      }
    if (all.size() == before)
      throw input_error(fmt::format("--size: {} works on {} dimensions, found {}", shape.name,
                                    shape.dims, args.sizes));
  }
  for (const auto& size : sizes)
    if (std::none_of(all.begin(), all.end(), [&](const auto& s) { return s.size == size; }))
      throw input_error(fmt::format("--size: none of the stencils works on {} dimensions, found {}",
                                    size.dims, to_string(size)));
  return all;
}

stencil_request request_of(const compare_stencil_arguments& args) {
  stencil_request r(args.device_facts.plan(resolve(args.device, args.threads, threads_for::runs)));
  r.executors = args.executors;
  r.ranks = args.ranks;
  r.threads = args.threads;
  r.policies = args.policies;
  r.orders = args.orders;
  r.precision = args.precision;
  r.start = args.initial;
  r.options.edge = args.tiling.edge;
  r.options.depth = args.tiling.depth;
  r.options.engine = args.tiling.engine;
  r.options.traversal = args.tiling.traversal;
  r.options.blocking = args.tiling.blocking;
  r.options.steps = args.steps;
  return r;
}

stencil_comparison head_of(const compare_stencil_arguments& args, const device_facts& device) {
  stencil_comparison c;
  c.device = device.name;
  c.backend = to_string(device.on);
  c.precision = args.precision;
  c.boundary = to_string(args.tiling.edge);
  c.start = args.initial;
  c.source = args.source;
  c.steps = args.steps;
  c.repetitions = args.repetitions;
  c.on_ranks = !args.ranks.empty();
  if (device.on == backend::cuda) {
    const device_limits l = limits_of(device);
    c.roofs_measured = l.measured;
    const double fmas = (args.precision == "f64" ? l.fma_f64 : l.fma_f32) * l.units * l.clock;
    c.rates = {l.memory, l.l2, l.shared, 2 * fmas};
  }
  return c;
}

/// --source, read once: it may come from a pipe. All fields must have its cells.
template <class T>
void read_source(const compare_stencil_arguments& args, const std::vector<compared_field>& subjects,
                 stencil_request& request) {
  field_input from(args.source, subjects.front().size.dims);
  require_precision(args.source, from.single(), args.precision);
  for (const auto& s : subjects) require_source(from, s.size);
  request.source = from.finite_values<T>();
}

exit_code run(const compare_stencil_arguments& args) {
  require_initial(args.initial);
  for (const int ranks : args.ranks) require_ranks(ranks, args.threads);
  if (!args.ranks.empty() && args.device_facts.given())
    throw unsupported_error("--device-facts: not with --ranks");
  output_files outputs;
  outputs.add(args.output);
  if (!args.source.empty()) outputs.protect(args.source);
  args.device_facts.protect_from(outputs);
  require_one_reader({{"--source", args.source}, {"--device-facts", args.device_facts.file()}});
  const auto subjects = subjects_of(args);
  auto request = request_of(args);
  request.peers = read_peers(args.by_command, "stencil");
  for (const auto& rule : args.by_command.rules) outputs.protect(rule);
  if (!args.source.empty()) {
    if (args.precision == "f64")
      read_source<double>(args, subjects, request);
    else
      read_source<float>(args, subjects, request);
  }
  auto result = head_of(args, request.where.facts());
  const exit_code code =
      compare_fields(subjects, args, request.runs, result, result.stencils,
                     [&](const compared_field& f) { return measure(request, f.name, f.size); });
  for (const auto& policy : args.policies) warn_of_leaving("--policies", policy);
  return code;
}

}  // namespace

command add_compare_stencil(CLI::App& app) {
  const auto args = std::make_shared<compare_stencil_arguments>();
  app.option_defaults()->group("What to compare");
  set_stencil_completions(
      app.add_option("STENCIL", args->shapes, "One or more names: see 'dwell stencil --help'")
          ->required()
          ->type_name(""));
  app.add_option("--size", args->sizes,
                 "Cells, as 'dwell stencil' takes them; several with commas between: each stencil "
                 "runs on those of its dimensions")
      ->required()
      ->type_name("NxN[xN],...");
  add_compared(app, *args, executors_of("stencil"), built_stencil_policies());
  add_orders(
      app, args->orders,
      "host-loop, graph, persistent: orders in which a step takes the cells, as of 'dwell stencil "
      "--order'");
  add_peer_commands(app, args->by_command, "stencil");
  app.option_defaults()->group("How");
  add_where(app, *args,
            "; refused on a GPU. perks runs one for every tile of its plan, more or fewer than "
            "these");
  add_positive(app, "--steps", args->steps, "Steps of every run");
  add_stencil_flag(app, stencil_surface::compare, "edge", args->tiling,
                   "What lies beyond the border");
  add_tiling(app, stencil_surface::compare, args->tiling);
  set_initial_completions(
      app.add_option("--initial", args->initial,
                     "Field to start from: random:SEED, hot-spot, checker, zeros"))
      ->type_name("KIND")
      ->capture_default_str();
  add_input(app, "--source", args->source, "Added to every changing cell in every step", "f.npy|-");
  add_compared_ranks(app, args->ranks, "the field's rows (in three dimensions planes)");
  add_measuring(app, *args);
  add_results(app, *args);
  app.footer(
      std::string("Every run starts from a fresh copy of the field; its time excludes set-up.\n"
                  "Its whole field is compared with host-loop's, and a bit that differs is a\n"
                  "failure of that row and exit code 4.\n") +
      peer_conduct + compare_conduct + exit_code_help +
      "\nExamples:\n"
      "  dwell compare stencil 2d5pt --size 1320x1200,8192x8192\n"
      "  dwell compare stencil 2d5pt 2d9pt --size 2048x2048 --executors graph,perks \\\n"
      "    --policies registers,shared,both,auto --format markdown --output table.md");
  return [args, &app] {
    require_perks_for(app, *args, {"--policies", "--blocking", "--traversal"});
    require_executor_for(app, *args, {"--depth", "--engine"}, has_depth,
                         "executors perks and temporal");
    return run(*args);
  };
}

}  // namespace dwell::app
