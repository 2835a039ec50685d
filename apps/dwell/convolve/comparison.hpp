// SPDX-License-Identifier: MIT
// What `dwell compare convolve` measured, and the forms in which it is handed over.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "compare/measured_run.hpp"
#include "report/json.hpp"

#include "dwell/arrays/convolution.hpp"
#include "dwell/formats/grid.hpp"

namespace dwell::app {

/// One algorithm of a convolution. A run in one pass whose outcome differs from the baseline's in
/// any bit has failed; one in several is compared by its largest difference. Its own times are
/// those of calls that are waited for.
struct compared_algorithm : measured_run {
  using measured_run::measured_run;
  measured_run in_a_row;           ///< calls that are not: how it ended, and times per call
  convolution_report report = {};  ///< report of the last repetition
  bool same_bits = false;          ///< the baseline's bits in every repetition
  double difference = 0;           ///< the largest one from it
};

/// Calls in a row are as many as take so long one by one; of one that takes as long, that one.
inline constexpr int row_us = 10000;

/// One filter on images of one size.
struct compared_convolution {
  std::string filter;
  extents taps, size;
  std::string refusal;                   ///< why nothing was run on it; empty if something was
  bool too_large = false;                ///< that is too little memory
  std::vector<compared_algorithm> runs;  ///< the baseline first
};

struct convolution_comparison {
  std::string device, backend;
  std::string precision, cells, result, border;  ///< types; what lies beyond the image
  bool correlation = false;
  int images = 1, repetitions = 0;
  bool interrupted = false;
  std::vector<compared_convolution> convolutions;
};

std::size_t rows_of(const convolution_comparison& c);
std::string to_text(const convolution_comparison& c);
std::string to_markdown(const convolution_comparison& c);
/// A line per run, under a line of heads; empty where nothing is known.
std::string to_csv(const convolution_comparison& c);
json to_json(const convolution_comparison& c);

}  // namespace dwell::app
