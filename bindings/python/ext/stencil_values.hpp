// SPDX-License-Identifier: MIT
// A stencil_report as a dict, whose keys are the fields of dwell.StencilReport; and a size from and
// to Python's.
#pragma once
#include <cstdint>
#include <vector>

#include "fields.hpp"

#include "dwell/stencil/solve.hpp"

namespace dwell::python {

fields stencil_report_dict(const stencil_report& r);
/// Extents of an array's shape; throws input_error unless it has two or three axes.
extents extents_of(const std::vector<std::int64_t>& shape);
nb::tuple tuple_of(const extents& n);

}  // namespace dwell::python
