// SPDX-License-Identifier: MIT
// What each file of the extension adds to the module.
#pragma once
#include <nanobind/nanobind.h>

namespace dwell::python {

void add_devices(nanobind::module_& m);
void add_solve_values(nanobind::module_& m);
void add_solve_explanation(nanobind::module_& m);
void add_linear_solver(nanobind::module_& m);
void add_complex_solver(nanobind::module_& m);
void add_product(nanobind::module_& m);
void add_stencil_values(nanobind::module_& m);
void add_stencil_runner(nanobind::module_& m);
void add_field_runner(nanobind::module_& m);
void add_grid_solver(nanobind::module_& m);
void add_matrices(nanobind::module_& m);
void add_convolution(nanobind::module_& m);
void add_reductions(nanobind::module_& m);

}  // namespace dwell::python
