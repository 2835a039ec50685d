// SPDX-License-Identifier: MIT
// A stencil_explanation in the forms in which `dwell explain stencil` hands it over.
#pragma once
#include <string>

#include "output.hpp"

#include "dwell/solvers/stencil/explain.hpp"

namespace dwell::app {

std::string to_text(const stencil_explanation& e);
/// The keys are an interface: they are added to, never renamed.
json to_json(const stencil_explanation& e);

}  // namespace dwell::app
