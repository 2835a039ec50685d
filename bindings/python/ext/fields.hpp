// SPDX-License-Identifier: MIT
// The fields of a value by their names: what the dataclasses of the package are made of.
#pragma once
#include <nanobind/nanobind.h>

namespace dwell::python {

namespace nb = nanobind;

using fields = nb::typed<nb::dict, nb::str, nb::any>;

}  // namespace dwell::python
