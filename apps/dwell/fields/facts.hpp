// SPDX-License-Identifier: MIT
// What there is to know of a stencil of several fields before it is run, for `dwell info STENCIL`:
// its arrays, its radius, and the file that it is.
#pragma once
#include <string>

#include "fields/problem.hpp"
#include "report/json.hpp"

namespace dwell::app {

std::string to_text(const fields_problem& p);
json to_json(const fields_problem& p);

}  // namespace dwell::app
