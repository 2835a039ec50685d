// SPDX-License-Identifier: MIT
// dwell kernels warm convolve: compiles ahead what convolutions need on GPUs that need not be here.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/device_facts_option.hpp"
#include "cli/file_options.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "convolve/choices.hpp"
#include "kernels/warmed.hpp"

#include "dwell/base/error.hpp"
#include "dwell/base/policy_words.hpp"
#include "dwell/solvers/arrays/convolution/needed.hpp"

namespace dwell::app {
namespace {

struct warm_convolve_arguments {
  std::string filter, size, cells = "f32", out_type = "sums", passes = "auto",
                            algorithm = automatic;
  int images = 1;
  std::vector<std::string> targets;
  device_facts_choice device_facts;
  destination json_target;

  /// The type of the outcome, as explain() takes it.
  std::string result() const {
    return (cells == "f16" || cells == "u8") && out_type == "sums" ? "f32" : "";
  }
};

/// What a run takes on such images.
std::vector<kernel_source> sources_of_run(const warm_convolve_arguments& args,
                                          const device_facts& on) {
  const extents size = parse_size("--size", args.size);
  convolution_options o = options_of({"reflect", args.passes, false});
  o.algorithm = args.algorithm;
  return needed_sources(on, size, args.images, parse_filter(args.filter, size.dims), o, args.cells,
                        args.result());
}

exit_code warm(const warm_convolve_arguments& args) {
  const file_cache cache = usable_cache();
  output_files outputs;
  outputs.add(args.json_target);
  if (is_filter_file(args.filter)) outputs.protect(args.filter);
  args.device_facts.protect_from(outputs);
  if ((args.targets.empty() && !args.device_facts.given()) ||
      std::ranges::find(args.targets, "cpu") != args.targets.end())
    throw input_error(
        "kernels warm convolve: expected a GPU, by --device-facts or --arch: kernels for CPUs are "
        "in the library");
  const bool of_a_run = !args.filter.empty();
  if (of_a_run != !args.size.empty())
    throw input_error("--filter, --size: expected both, or none for all kernels");
  if (of_a_run && (!args.targets.empty() || !args.device_facts.given()))
    throw input_error("--filter: expected --device-facts with it, for which plans are made");
  if (!of_a_run && (args.passes != "auto" || args.images != 1))
    throw input_error("--passes, --images: expected --filter and --size with them");
  progress_line progress(true);
  std::vector<warmed_kernel> all;
  if (args.device_facts.given()) {
    const device_facts on = args.device_facts.read();
    if (on.on != backend::cuda)
      throw input_error(fmt::format("--device-facts: expected a GPU, found {}", on.name));
    warm_kernels(of_a_run ? sources_of_run(args, on)
                          : needed_sources(args.cells, args.result(), args.algorithm),
                 on.compute_capability, all);
  }
  for (const std::string& target : args.targets)
    warm_kernels(needed_sources(args.cells, args.result(), args.algorithm), capability_of(target),
                 all);
  progress.erase();
  return hand_over_warmed(args.json_target, cache, "convolve",
                          {{"stencil", nullptr},
                           {"method", nullptr},
                           {"filter", of_a_run ? json(args.filter) : json(nullptr)},
                           {"cells", args.cells}},
                          all);
}

}  // namespace

command add_warm_convolve(CLI::App& app) {
  const auto args = std::make_shared<warm_convolve_arguments>();
  app.add_option("--filter", args->filter,
                 "What a run with this filter takes, as 'dwell convolve' has it, with --size and "
                 "--device-facts (default: all kernels)")
      ->type_name("NAME|w.npy");
  app.add_option("--size", args->size, "Cells of an image")->type_name("NxN[xN]");
  add_positive(app, "--images", args->images, "Images of that size, one after the other");
  add_choice(app, "--cells", args->cells, {"f32", "f64", "f16", "u8"}, "Of the images");
  add_choice(app, "--out-type", args->out_type, {"sums", "input"}, "As of 'dwell convolve'");
  add_choice(app, "--passes", args->passes, {"auto", "one", "each-axis"}, "As of 'dwell convolve'");
  add_choice(app, "--algorithm", args->algorithm,
             after_auto({convolution_algorithms().begin(), convolution_algorithms().end()}),
             "Its kernels alone; auto is all of them, or with --filter those that a run takes");
  app.add_option("--arch", args->targets,
                 "What to compile for, with commas between: sm_90 and others, by NVRTC, which "
                 "needs no GPU")
      ->delimiter(',')
      ->type_name("NAMES")
      ->default_str("");
  add_device_facts(app, args->device_facts,
                   "Compile for this GPU, which need not be here, by name or from a file that "
                   "'dwell measure --save' wrote",
                   false);
  add_json(app, args->json_target, "all this");
  app.footer(
      "Examples:\n"
      "  dwell kernels warm convolve --device-facts h200 --filter gaussian:15 --size 4096x4096\n"
      "  dwell kernels warm convolve --arch sm_90 --cells u8 --algorithm systolic");
  return [args] { return warm(*args); };
}

}  // namespace dwell::app
