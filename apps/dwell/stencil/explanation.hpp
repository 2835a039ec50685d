// SPDX-License-Identifier: MIT
// A stencil_explanation in the forms in which `dwell explain stencil` hands it over.
#pragma once
#include <string>

#include "report/json.hpp"

#include "dwell/stencil/explain.hpp"

namespace dwell::app {

std::string to_text(const stencil_explanation& e);
/// `source`: the file, or empty.
json to_json(const stencil_explanation& e, const std::string& source);

}  // namespace dwell::app
