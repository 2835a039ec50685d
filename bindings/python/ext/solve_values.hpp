// SPDX-License-Identifier: MIT
// A solve_setup as a dict, whose keys are the fields of dwell.Setup.
#pragma once
#include "fields.hpp"

#include "dwell/linear/solve.hpp"

namespace dwell::python {

fields setup_dict(const solve_setup& s);

}  // namespace dwell::python
