// SPDX-License-Identifier: MIT
// dwell explain convolve: how images would be convolved on a device, be it here or not, and why.
#include <memory>

#include "cli/arguments.hpp"
#include "cli/device_facts_option.hpp"
#include "cli/file_options.hpp"
#include "cli/output.hpp"
#include "convolve/choices.hpp"
#include "convolve/commands.hpp"
#include "convolve/explanation.hpp"
#include "stencil/field.hpp"

#include "dwell/base/error.hpp"
#include "dwell/base/policy_words.hpp"

namespace dwell::app {
namespace {

struct explain_convolve_arguments {
  std::string size, filter, cells = "f32", out_type = "sums", way = automatic;
  int images = 1;
  convolution_choices choices;
  device_choice device;
  device_facts_choice device_facts;
  int threads = 0;
  destination json_target;
};

exit_code run(const explain_convolve_arguments& args) {
  output_files outputs;
  outputs.add(args.json_target);
  if (is_filter_file(args.filter)) outputs.protect(args.filter);
  args.device_facts.protect_from(outputs);
  const extents size = parse_size("--size", args.size);
  const convolution_filter filter = parse_filter(args.filter, size.dims);
  const auto facts = args.device_facts.given()
                         ? args.device_facts.read()
                         : resolve(args.device, args.threads, threads_for::runs).facts();
  convolution_options o = options_of(args.choices);
  o.way = args.way;
  const bool narrow = args.cells == "f16" || args.cells == "u8";
  const auto found = explain(size, args.images, filter, facts, o, args.cells,
                             narrow && args.out_type == "sums" ? "f32" : "");
  if (!args.json_target.standard()) write_stdout(to_text(found, args.filter));
  if (args.json_target) args.json_target.write(json_text(to_json(found, args.filter)));
  return exit_code::done;
}

}  // namespace

command add_explain_convolve(CLI::App& app) {
  const auto args = std::make_shared<explain_convolve_arguments>();
  app.add_option("--size", args->size,
                 "Cells of an image: rows x columns, or planes x rows x columns")
      ->required()
      ->type_name("NxN[xN]");
  app.add_option("--filter", args->filter, "As 'dwell convolve' takes it")
      ->required()
      ->type_name("NAME|w.npy");
  add_positive(app, "--images", args->images, "Images of that size, one after the other");
  add_choice(app, "--cells", args->cells, {"f32", "f64", "f16", "u8"}, "Of the images");
  add_choice(app, "--out-type", args->out_type, {"sums", "input"}, "As of 'dwell convolve'");
  add_convolution_choices(app, args->choices);
  add_choice(app, "--way", args->way,
             after_auto({convolution_ways().begin(), convolution_ways().end()}),
             "The way that is asked for");
  add_explained_device(app, args->device, args->threads, args->device_facts);
  add_json(app, args->json_target, "all this");
  app.footer(
      filters_help() +
      "\nExamples:\n"
      "  dwell explain convolve --size 4096x4096 --filter box:9 --device-facts h200\n"
      "  dwell explain convolve --size 1080x1920 --images 3 --cells u8 --filter gaussian:15 \\\n"
      "    --device-facts h100 --json -");
  return [args] { return run(*args); };
}

}  // namespace dwell::app
