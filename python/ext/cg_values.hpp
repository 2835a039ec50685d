// SPDX-License-Identifier: MIT
// A cg_setup as a dict, whose keys are the fields of dwell.Setup.
#pragma once
#include "fields.hpp"

#include "dwell/solvers/cg/cg.hpp"

namespace dwell::python {

fields setup_dict(const cg_setup& s);

}  // namespace dwell::python
