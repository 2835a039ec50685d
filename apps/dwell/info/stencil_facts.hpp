// SPDX-License-Identifier: MIT
// What there is to know of a stencil before it is run, for `dwell info STENCIL`: which cells it
// reads, in the order of --weights, and the default weights.
#pragma once
#include <string>

#include "report/json.hpp"

#include "dwell/stencil/solve.hpp"

namespace dwell::app {

std::string to_text(const stencil_shape& s);
json to_json(const stencil_shape& s);

}  // namespace dwell::app
