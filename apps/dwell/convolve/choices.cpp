// SPDX-License-Identifier: MIT
// CLI11 options of convolutions, and filters by name or from a file.
#include "convolve/choices.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "cli/help_format.hpp"

#include "dwell/base/error.hpp"
#include "dwell/formats/npy.hpp"

namespace dwell::app {

void add_convolution_choices(CLI::App& app, convolution_choices& to) {
  add_choice(app, "--border", to.border,
             std::vector<std::string>(border_names().begin(), border_names().end()),
             "What lies beyond the border; reflect mirrors, the outermost cells included (SciPy's "
             "reflect)");
  app.add_flag("--correlate", to.correlate,
               "Do not turn the filter round: a correlation, as cv2.filter2D and neural networks "
               "have it");
  add_choice(app, "--passes", to.passes, {"auto", "one", "each-axis"},
             "each-axis takes a filter that is a product along each axis by itself, which is less "
             "work for large ones; sums are then rounded in between");
}

convolution_options options_of(const convolution_choices& choices) {
  convolution_options o;
  o.edge = parse_border(choices.border);
  o.correlate = choices.correlate;
  o.passes = choices.passes == "one"         ? filter_passes::one
             : choices.passes == "each-axis" ? filter_passes::each_axis
                                             : filter_passes::automatic;
  return o;
}

bool is_filter_file(const std::string& text) { return text.ends_with(".npy"); }

convolution_filter parse_filter(const std::string& text, int dims) {
  if (!is_filter_file(text)) {
    try {
      return convolution_filter::named(text, dims);
    } catch (const input_error& e) {
      throw input_error(fmt::format("--{}", e.what()));
    }
  }
  npy_reader from(text);
  std::vector<double> weights;
  const auto take = [&](const auto& values) {
    weights.assign(values.cells().begin(), values.cells().end());
  };
  if (from.facts().single)
    take(from.values<float>());
  else
    take(from.values<double>());
  try {
    return {from.facts().size, std::move(weights)};
  } catch (const input_error& e) {
    throw input_error(fmt::format("{}: {}", text, e.what()));
  }
}

std::string filters_help() {
  constexpr std::size_t column = 24;
  std::string text = "Filters (--filter):\n";
  for (const auto& k : filter_kinds()) text += two_columns(k.kind, k.what, column);
  return text + two_columns("FILE.npy", "an array of 2 or 3 dimensions, 1 to 31 taps each", column);
}

}  // namespace dwell::app
