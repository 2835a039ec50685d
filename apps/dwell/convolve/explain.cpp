// SPDX-License-Identifier: MIT
// dwell explain convolve: how images would be convolved on a device, be it here or not, and why.
#include <optional>
#include <string>

#include "convolve/choices.hpp"
#include "convolve/commands.hpp"
#include "convolve/explanation.hpp"
#include "explain/part.hpp"
#include "stencil/field.hpp"

#include "dwell/base/error.hpp"
#include "dwell/base/policy_words.hpp"

namespace dwell::app {
namespace {

struct convolve_part : explain_part {
  std::string size, filter, cells = "f32", out_type = "sums", algorithm = automatic;
  int images = 1;
  convolution_choices choices;
  extents cells_of_image;
  std::optional<convolution_filter> taps;

  void add(CLI::App& app) {
    app.add_option("--size", size, "Cells of an image: rows x columns, or planes x rows x columns")
        ->required()
        ->type_name("NxN[xN]");
    app.add_option("--filter", filter, "As 'dwell convolve' takes it")
        ->required()
        ->type_name("NAME|w.npy");
    add_positive(app, "--images", images, "Images of that size, one after the other");
    add_choice(app, "--cells", cells, {"f32", "f64", "f16", "u8"}, "Of the images");
    add_choice(app, "--out-type", out_type, {"sums", "input"}, "As of 'dwell convolve'");
    add_convolution_choices(app, choices);
    add_choice(app, "--algorithm", algorithm,
               after_auto({convolution_algorithms().begin(), convolution_algorithms().end()}),
               "The algorithm that is asked for");
    add_explained_device(app, device, threads, asked_facts);
    app.footer(
        filters_help() +
        "\nExamples:\n"
        "  dwell explain convolve --size 4096x4096 --filter box:9 --device-facts h200\n"
        "  dwell explain convolve --size 1080x1920 --images 3 --cells u8 --filter gaussian:15 \\\n"
        "    --device-facts h100 --json -");
  }
  input_list inputs() const {
    return {{"--filter", is_filter_file(filter) ? filter : std::string()}};
  }
  void check() {
    cells_of_image = parse_size("--size", size);
    taps = parse_filter(filter, cells_of_image.dims);
  }
  explanation explain(const device_facts& facts) const {
    convolution_options o = options_of(choices);
    o.algorithm = algorithm;
    const bool narrow = cells == "f16" || cells == "u8";
    const auto found = dwell::explain(cells_of_image, images, *taps, facts, o, cells,
                                      narrow && out_type == "sums" ? "f32" : "");
    return {to_text(found, filter), to_json(found, filter)};
  }
};

}  // namespace

command add_explain_convolve(CLI::App& app) { return add_part<convolve_part>(app); }

}  // namespace dwell::app
