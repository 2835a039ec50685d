// SPDX-License-Identifier: MIT
// A solve_explanation in the forms in which `dwell explain cg` hands it over.
#pragma once
#include <string>

#include "report/json.hpp"

#include "dwell/linear/explain.hpp"

namespace dwell::app {

/// `command`: "solve" or "cg".
std::string to_text(const solve_explanation& e, const std::string& matrix,
                    const std::string& command);
json to_json(const solve_explanation& e, const std::string& matrix, const std::string& command);

}  // namespace dwell::app
