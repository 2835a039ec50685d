// SPDX-License-Identifier: MIT
// A convolution_explanation in the forms in which `dwell explain convolve` hands it over.
#pragma once
#include <string>

#include "report/json.hpp"

#include "dwell/arrays/explain_convolution.hpp"

namespace dwell::app {

/// filter: as asked for.
std::string to_text(const convolution_explanation& e, const std::string& filter);
json to_json(const convolution_explanation& e, const std::string& filter);

}  // namespace dwell::app
