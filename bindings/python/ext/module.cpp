// SPDX-License-Identifier: MIT
// dwell._core: the classes and functions that the package is made of, and the library's exceptions
// as Python's. Private to the package; nothing in it is part of the interface.
#include <nanobind/nanobind.h>

#include <exception>

#include "bindings.hpp"

#include "dwell/base/error.hpp"
#include "dwell/version.hpp"

namespace nb = nanobind;

namespace {

void interrupted_error_is_keyboard_interrupt(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const dwell::interrupted_error&) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
  }
}

void input_error_is_value_error(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const dwell::input_error& e) {
    PyErr_SetString(PyExc_ValueError, e.what());
  }
}

template <class E>
void add_exception(nb::module_& m, const char* name, PyObject* base, const char* doc) {
  nb::exception<E> type(m, name, base);
  type.attr("__doc__") = doc;
}

}  // namespace

NB_MODULE(_core, m) {
  m.def("version", &dwell::version);
  // The translator that was added last is asked first: from the general to the special.
  nb::register_exception_translator(input_error_is_value_error);
  nb::register_exception_translator(interrupted_error_is_keyboard_interrupt);
  add_exception<dwell::unsupported_error>(
      m, "UnsupportedError", PyExc_ValueError,
      "A combination that this build or this device does not have.");
  add_exception<dwell::device_error>(m, "DeviceError", PyExc_RuntimeError,
                                     "An absent device, a failed launch, too little memory.");
  using namespace dwell::python;
  add_devices(m);
  add_solve_values(m);
  add_solve_explanation(m);
  add_linear_solver(m);
  add_complex_solver(m);
  add_product(m);
  add_stencil_values(m);
  add_stencil_runner(m);
  add_field_runner(m);
  add_grid_solver(m);
  add_matrices(m);
  add_convolution(m);
  add_reductions(m);
}
