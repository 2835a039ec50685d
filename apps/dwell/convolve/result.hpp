// SPDX-License-Identifier: MIT
// The outcome of `dwell convolve` in the forms in which it is handed over.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "cli/exit_code.hpp"
#include "report/columns.hpp"
#include "report/json.hpp"

#include "dwell/arrays/convolution.hpp"
#include "dwell/formats/field_values.hpp"

namespace dwell::app {

struct convolve_result {
  std::string image, filter;  ///< names that were asked for
  std::string requested_algorithm = "auto";
  convolution_report report;
  value_range values;                  ///< range of the outcome
  std::size_t nonfinite_of_image = 0;  ///< counted where the outcome has values that are not finite
  std::size_t clipped = 0;             ///< values that the picture that was written has lost
  std::vector<std::string> warnings;
  std::vector<std::pair<std::string, std::string>> files;  ///< image, report; and where

  /// Values are not finite though all of the image are.
  bool overflowed() const { return values.nonfinite > 0 && nonfinite_of_image == 0; }
};

/// Cells of images, and of sums and outcomes where they are others: "u8, summed in f32".
std::string cells_text(const std::string& cells, const std::string& precision,
                       const std::string& result);

/// What a report says of its work, in reports and comparisons alike.
columns<convolution_report> convolution_columns();

std::string to_text(const convolve_result& r);
json to_json(const convolve_result& r);
/// What there is to say of values that are not finite: how many, and where they come from.
std::string nonfinite_text(const convolve_result& r);
/// "" unless values have overflowed.
std::string failure_line(const convolve_result& r);
exit_code code_of(const convolve_result& r);

}  // namespace dwell::app
