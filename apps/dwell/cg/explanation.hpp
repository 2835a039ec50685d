// SPDX-License-Identifier: MIT
// A cg_explanation in the forms in which `dwell explain cg` hands it over.
#pragma once
#include <string>

#include "report/json.hpp"

#include "dwell/solvers/cg/explain.hpp"

namespace dwell::app {

std::string to_text(const cg_explanation& e, const std::string& matrix);
json to_json(const cg_explanation& e, const std::string& matrix);

}  // namespace dwell::app
