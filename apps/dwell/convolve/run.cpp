// SPDX-License-Identifier: MIT
// dwell convolve: reads a picture or an array, convolves it, hands over the outcome and the report.
// What can fail before the run is tried before the run.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "cli/completions.hpp"
#include "cli/file_options.hpp"
#include "cli/progress.hpp"
#include "cli/report_target.hpp"
#include "convolve/choices.hpp"
#include "convolve/commands.hpp"
#include "convolve/image.hpp"
#include "convolve/result.hpp"

#include "dwell/base/error.hpp"
#include "dwell/base/policy_words.hpp"

namespace dwell::app {
namespace {

struct convolve_arguments {
  std::string image, filter, algorithm = automatic, range = "clip", out_type = "sums";
  bool volume = false;
  convolution_choices choices;
  device_choice device;
  int threads = 0;
  destination output;
  report_target report;
};

output_files check_files(const convolve_arguments& args) {
  output_files outputs;
  if (args.output) require_image_name(args.output);
  outputs.add(args.output);
  outputs.add(args.report.json);
  require_one_reader({{"IMAGE", args.image}});
  if (is_filter_file(args.filter)) outputs.protect(args.filter);
  if (args.volume && is_filter_file(args.filter))
    throw input_error("--volume: is for a named filter, found the file " + args.filter);
  outputs.protect(args.image, "--output");  // in place is fine: it is read before it is written
  if (args.range != "clip" && !(args.output && writes_picture(args.output)))
    throw input_error("--range: expected an --output that is a picture (.png, .pgm or .ppm)");
  return outputs;
}

/// What an array is to a filter: one image, or, of three dimensions to a filter of two, as many as
/// it has planes.
extents image_size(const convolve_arguments& args, const extents& array, const extents& filter) {
  if (filter.dims == array.dims) return array;
  if (array.dims == 2)
    throw input_error(fmt::format("{}: expected 3 dimensions as the filter has, found 2",
                                  args.volume ? "--volume" : args.filter));
  return {array.y, array.x};
}

/// Throws input_error where the planes of an array are no channels of the picture to be written.
void require_channels(const convolve_arguments& args, const extents& array) {
  if (!args.output || !writes_picture(args.output)) return;
  const std::string name = args.output.path();
  const char* expected = name.ends_with(".pgm")   ? "1 plane for a .pgm"
                         : name.ends_with(".ppm") ? "3 planes for a .ppm"
                                                  : "1 or 3 planes for a .png";
  const bool grey = array.z == 1, coloured = array.z == 3;
  if (!(grey && !name.ends_with(".ppm")) && !(coloured && !name.ends_with(".pgm")))
    throw input_error(fmt::format("--output: expected {}, found {}", expected, array.z));
}

/// The outcome in place of the image, and what there is to say of its values.
template <class Out, class In>
void run_on(const device& where, const grid<In>& values, const extents& size,
            const convolution_filter& filter, const convolution_options& o, loaded_image& image,
            convolve_result& result) {
  loaded_image out{grid<Out>(values.size()), image.picture, image.white, image.had_alpha};
  result.report = convolve<In, Out>(where, size, values.cells(),
                                    std::get<grid<Out>>(out.values).cells(), filter, o);
  result.values = range_of(out);
  if (result.values.nonfinite > 0) result.nonfinite_of_image = range_of(image).nonfinite;
  image = std::move(out);  // and the end of `values`
}

/// Writes the outcome. One that has overflowed never takes the place of the image.
void write_output(const convolve_arguments& args, const loaded_image& image,
                  convolve_result& result, handover& by) {
  const auto& to = args.output;
  if (result.overflowed() && !to.standard() && same_file(to.path(), args.image)) {
    result.warnings.push_back(to.label() + " is kept as it was: the outcome is not finite");
    return;
  }
  const auto range = args.range == "clip" ? picture_range::clip : picture_range::stretch;
  if (writes_picture(to) && range == picture_range::clip)
    result.clipped = clipped_values(image);  // what was rounded to 8 bits has been cut off
  if (by.attempt(to.label(), [&] { save_image(to, image, range); }))
    result.files.emplace_back("image", to.label());
  if (result.clipped > 0)
    result.warnings.push_back(fmt::format(
        "{} of the picture are cut off at 0 or {} (--range stretch or a .npy keeps "
        "them)",
        result.clipped == 1 ? "1 value" : fmt::format("{} values", result.clipped), image.white));
}

exit_code run(const convolve_arguments& args) {
  const output_files outputs = check_files(args);
  const convolution_filter filter = parse_filter(args.filter, args.volume ? 3 : 2);
  const device where = resolve(args.device, args.threads, threads_for::runs);
  convolution_options o = options_of(args.choices);
  o.algorithm = args.algorithm;
  progress_line progress(!args.report.quiet);
  progress.show("reading");
  loaded_image image = load_image(args.image);
  convolve_result result;
  result.image = args.image;
  result.filter = args.filter;
  result.requested_algorithm = args.algorithm;
  if (image.had_alpha)
    result.warnings.push_back(
        fmt::format("{}: its alpha channel (how opaque pixels are) is left out", args.image));
  progress.show("convolving");
  std::visit(
      [&](auto& values) {
        require_channels(args, values.size());
        const extents size = image_size(args, values.size(), filter.size());
        using cell = std::remove_cvref_t<decltype(values.cells()[0])>;
        if constexpr (sizeof(cell) < sizeof(float))
          if (args.out_type == "sums") {
            run_on<float>(where, values, size, filter, o, image, result);
            return;
          }
        run_on<cell>(where, values, size, filter, o, image, result);
      },
      image.values);
  if (result.values.nonfinite > 0 && !result.overflowed())
    result.warnings.push_back(nonfinite_text(result));
  handover by;
  if (args.output) {
    progress.show("writing");
    write_output(args, image, result, by);
  }
  progress.erase();
  for (const auto& w : result.warnings) warn(w);
  return deliver(result, args.report, outputs, by);
}

}  // namespace

command add_convolve(CLI::App& app) {
  const auto args = std::make_shared<convolve_arguments>();
  app.option_defaults()->group("Problem");
  add_input(app, "IMAGE", args->image,
            "A picture (.png, .pgm, .ppm), whose channels are images (alpha is left out, with a "
            "warning), or an array (.npy, or - for "
            "standard input) of 2 or 3 dimensions, of f64, f32, f16 or u8",
            "")
      ->required();
  set_completions(app.add_option("--filter", args->filter, "A name of the list below, or a file")
                      ->required()
                      ->type_name("NAME|w.npy"),
                  {{"gaussian:", "box:", "sobel-x", "sobel-y", "laplacian", "sharpen"}});
  app.add_flag("--volume", args->volume,
               "A named filter has three dimensions. (Of an array of three a filter of two takes "
               "each plane by itself.)");
  add_convolution_choices(app, args->choices);
  app.option_defaults()->group("Execution");
  add_device(app, args->device, "Where to run; auto is the first usable GPU, else the CPU");
  add_positive(app, "--threads", args->threads,
               "Threads on the CPU (default: of those there are, as many as the work is worth); "
               "refused on a GPU");
  add_choice(app, "--algorithm", args->algorithm,
             after_auto({convolution_algorithms().begin(), convolution_algorithms().end()}),
             "How a pass is computed, with the same bits; direct is a plain loop, to compare "
             "with");
  app.option_defaults()->group("Results");
  add_choice(app, "--out-type", args->out_type, {"sums", "input"},
             "Cells of the outcome: sums are f32, of an image of f64 f64; input rounds them to "
             "the type of the image, to the nearest number, of 8 bits cut off at 0 and 255");
  add_destination(
      app, "-o,--output", args->output,
      "Write the outcome: a picture (.png, .pgm, .ppm) of as many bits as the one that "
      "was read, or .npy; on standard output (-) as .npy, and the report then goes to "
      "standard error. The IMAGE itself may be named; it stays as it was if values overflow");
  add_choice(app, "--range", args->range, {"clip", "stretch"},
             "Of a picture: values beyond it are cut off, or the range of all is stretched over "
             "it");
  add_report_target(app, args->report);
  app.footer(filters_help() + "\n" + exit_code_help +
             "\nExamples:\n"
             "  dwell convolve photo.png --filter gaussian:9 -o blurred.png\n"
             "  dwell convolve photo.png --filter sobel-x --range stretch -o edges.png\n"
             "  dwell convolve u.npy --filter w.npy --border periodic --correlate -o v.npy\n"
             "  dwell convolve bytes.npy --filter box:5 --out-type input -o bytes-too.npy");
  return [args] { return run(*args); };
}

}  // namespace dwell::app
