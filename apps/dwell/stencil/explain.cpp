// SPDX-License-Identifier: MIT
// dwell explain stencil: what perks would do with a stencil on a device, be it here or not, and
// why.
#include <memory>

#include "cli/arguments.hpp"
#include "cli/device_facts_option.hpp"
#include "cli/file_options.hpp"
#include "cli/output.hpp"
#include "stencil/choices.hpp"
#include "stencil/commands.hpp"
#include "stencil/explanation.hpp"
#include "stencil/field.hpp"

#include "dwell/execution/stencil/plan/policy.hpp"

namespace dwell::app {

namespace {

struct explain_stencil_arguments {
  std::string size, source, boundary = "fixed", precision = "f64";
  device_choice device;
  device_facts_choice device_facts;
  int threads = 0;
  stencil_options options;
  destination json_target;
};

exit_code run(explain_stencil_arguments args) {
  output_files outputs;
  outputs.add(args.json_target);
  if (!args.source.empty()) outputs.protect(args.source);
  args.device_facts.protect_from(outputs);
  require_one_reader({{"--source", args.source}, {"--device-facts", args.device_facts.file()}});
  const extents size = parse_size("--size", args.size);
  if (!args.source.empty()) require_source(args.source, size, args.precision);
  const auto facts = args.device_facts.given()
                         ? args.device_facts.read()
                         : resolve(args.device, args.threads, threads_for::runs).facts();
  args.options.edge = parse_boundary(args.boundary);
  const auto found = explain(size, args.precision, facts, args.options, !args.source.empty());
  if (!args.json_target.standard()) write_stdout(app::to_text(found));
  if (args.json_target) args.json_target.write(json_text(app::to_json(found, args.source)));
  return exit_code::done;
}

}  // namespace

command add_explain_stencil(CLI::App& app) {
  const auto args = std::make_shared<explain_stencil_arguments>();
  set_stencil_completions(
      app.add_option("STENCIL", args->options.shape, "A name: see 'dwell stencil --help'")
          ->required()
          ->type_name(""));
  app.add_option("--size", args->size, "Cells: rows x columns, or planes x rows x columns")
      ->required()
      ->type_name("NxN[xN]");
  add_input(app, "--source", args->source, "As of 'dwell stencil': not all kernels take one",
            "f.npy|-");
  add_boundary(app, args->boundary, "Of the run");
  add_explained_device(app, args->device, args->threads, args->device_facts);
  add_choice(app, "--policy", args->options.policy, after_auto(built_stencil_policies()),
             "The policy whose plan is shown in full");
  add_tiling(app, args->options);
  add_order(app, args->options.order);
  add_choice(app, "--precision", args->precision, {"f64", "f32"}, "Of the field");
  add_json(app, args->json_target, "all this");
  app.footer(
      "Examples:\n"
      "  dwell explain stencil 2d5pt --size 1320x1200 --device-facts h200\n"
      "  dwell explain stencil 2d9pt --size 4096x4096 --policy both --json -");
  return [args] { return run(*args); };
}

}  // namespace dwell::app
