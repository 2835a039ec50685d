// SPDX-License-Identifier: MIT
// dwell compare convolve: the algorithms of convolution side by side, one filter and size after the
// other. Ctrl-C ends it after the run that is under way, and what was measured before is handed
// over.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "cli/file_options.hpp"
#include "cli/pieces.hpp"
#include "compare/compared_fields.hpp"
#include "compare/options.hpp"
#include "convolve/choices.hpp"
#include "convolve/commands.hpp"
#include "convolve/comparison_run.hpp"
#include "stencil/field.hpp"

#include "dwell/base/error.hpp"
#include "dwell/base/policy_words.hpp"

namespace dwell::app {
namespace {

struct compare_convolve_arguments : compare_options {
  std::string sizes, filters, cells = "precision", out_type = "sums", border = "reflect";
  bool correlate = false;
  int images = 1;
  std::vector<std::string> algorithms;
};

convolution_comparison head_of(const compare_convolve_arguments& args, const device& where) {
  convolution_comparison c;
  const device_facts facts = where.facts();
  c.device = facts.name;
  c.backend = to_string(facts.on);
  const bool narrow = args.cells != "precision";
  c.precision = narrow ? "f32" : args.precision;
  c.cells = narrow ? args.cells : args.precision;
  c.result = narrow && args.out_type == "input" ? c.cells : c.precision;
  c.border = args.border;
  c.correlation = args.correlate;
  c.images = args.images;
  c.repetitions = args.repetitions;
  return c;
}

exit_code run(const compare_convolve_arguments& args) {
  if (args.cells != "precision" && args.precision != "f32")
    throw input_error(
        fmt::format("--cells: expected --precision f32, in which {} is summed, found {}",
                    args.cells, args.precision));
  output_files outputs;
  outputs.add(args.output);
  const auto sizes = parse_sizes("--size", args.sizes);
  std::vector<compared_field> subjects;
  for (const std::string_view piece : pieces_of(args.filters, ',')) {
    const std::string filter(piece);
    if (is_filter_file(filter)) outputs.protect(filter);
    for (const auto& size : sizes) subjects.push_back({filter, size});
    parse_filter(filter, sizes.front().dims);  // a slip of the pen is found before any run
  }
  convolution_request request(resolve(args.device, args.threads, threads_for::runs));
  request.algorithms = args.algorithms;
  request.cells = args.cells == "precision" ? args.precision : args.cells;
  request.keeps_sums = args.out_type == "sums";
  request.images = args.images;
  request.options = options_of({args.border, "one", args.correlate});
  request.peers = read_peers(args.by_command, "convolve");
  for (const auto& rule : args.by_command.rules) outputs.protect(rule);
  auto result = head_of(args, request.where);
  return compare_fields(subjects, args, request.runs, result, result.convolutions,
                        [&](const compared_field& f) { return measure(request, f.name, f.size); });
}

}  // namespace

command add_compare_convolve(CLI::App& app) {
  const auto args = std::make_shared<compare_convolve_arguments>();
  args->precision = "f32";
  args->algorithms = after_auto({convolution_algorithms().begin(), convolution_algorithms().end()});
  app.option_defaults()->group("What to compare");
  app.add_option("--size", args->sizes,
                 "Cells of an image, rows x columns or planes x rows x columns; several with "
                 "commas between")
      ->required()
      ->type_name("NxN[xN],...");
  app.add_option("--filter", args->filters,
                 "As 'dwell convolve' takes them; several with commas between")
      ->required()
      ->type_name("NAME|w.npy,...");
  add_choices(app, "--algorithms", args->algorithms, args->algorithms,
              fmt::format("Some of {}; direct, the baseline, is always run. auto may take several "
                          "passes, the others take one",
                          fmt::join(args->algorithms, ", ")));
  add_peer_commands(app, args->by_command, "convolve");
  app.option_defaults()->group("How");
  add_device(app, args->device, "Where to run; auto is the first usable GPU, else the CPU");
  add_positive(app, "--threads", args->threads,
               "Threads on the CPU (default: of those there are, as many as the work is worth); "
               "refused on a GPU");
  add_positive(app, "--images", args->images, "Images of that size, one after the other");
  add_choice(app, "--cells", args->cells, {"precision", "f16", "u8"},
             "Of the images: as --precision says, or narrower ones that are summed in f32");
  add_choice(app, "--out-type", args->out_type, {"sums", "input"}, "As of 'dwell convolve'");
  add_choice(app, "--border", args->border,
             std::vector<std::string>(border_names().begin(), border_names().end()),
             "What lies beyond the border");
  app.add_flag("--correlate", args->correlate, "Do not turn the filter round");
  add_measuring(app, *args);
  add_results(app, *args);
  app.footer(
      std::string("The images are random values from -1 to 1, of u8 from 0 to 255. The outcome of "
                  "every run in one\n"
                  "pass is compared with direct's, and a bit that differs is a failure of that\n"
                  "row and exit code 4.\n") +
      peer_conduct + compare_conduct + exit_code_help +
      "\nExamples:\n"
      "  dwell compare convolve --size 2048x2048 --filter box:3,box:9,gaussian:31\n"
      "  dwell compare convolve --size 512x512,4096x4096 --filter laplacian --images 4 \\\n"
      "    --algorithms systolic,window --format markdown --output table.md");
  return [args] { return run(*args); };
}

}  // namespace dwell::app
