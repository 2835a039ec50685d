// SPDX-License-Identifier: MIT
// A fields_explanation in the forms in which `dwell explain stencil` hands it over.
#pragma once
#include <string>

#include "report/json.hpp"

#include "dwell/stencil/explain_fields.hpp"

namespace dwell::app {

/// file: that of the definition, or the name of a ready stencil.
std::string to_text(const fields_explanation& e, const std::string& file);
json to_json(const fields_explanation& e, const std::string& file);

}  // namespace dwell::app
