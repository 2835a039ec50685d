// SPDX-License-Identifier: MIT
// Reductions of arrays of the host and of a GPU. Runs release the interpreter's lock.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

#include "arrays.hpp"
#include "bindings.hpp"

#include "dwell/arrays/reduce.hpp"

namespace dwell::python {
namespace {

template <class T>
double reduce_array(const device& where, const host_vector<const T>& v, const std::string& name) {
  const reduction op = parse_reduction(name);
  const auto values = host_span(v);
  const nb::gil_scoped_release released;
  return reduce<T>(where, values, op);
}
template <class T>
double reduce_cuda_array(const device& where, const cuda_vector<const T>& v,
                         const std::string& name) {
  const reduction op = parse_reduction(name);
  const auto values = cuda_span(v);
  const nb::gil_scoped_release released;
  return reduce<T>(where, values, op);
}

template <class T>
double dot_arrays(const device& where, const host_vector<const T>& x,
                  const host_vector<const T>& y) {
  const auto a = host_span(x), b = host_span(y);
  const nb::gil_scoped_release released;
  return dot<T>(where, a, b);
}
template <class T>
double dot_cuda_arrays(const device& where, const cuda_vector<const T>& x,
                       const cuda_vector<const T>& y) {
  const auto a = cuda_span(x), b = cuda_span(y);
  const nb::gil_scoped_release released;
  return dot<T>(where, a, b);
}

template <class T>
void add_floats(nb::module_& m) {
  const auto arg = [](const char* of) { return nb::arg(of).noconvert(); };
  m.def("reduce", &reduce_array<T>, nb::arg("device"), arg("values"), nb::arg("operation"));
  m.def("reduce_cuda", &reduce_cuda_array<T>, nb::arg("device"), arg("values"),
        nb::arg("operation"));
  m.def("dot", &dot_arrays<T>, nb::arg("device"), arg("x"), arg("y"));
  m.def("dot_cuda", &dot_cuda_arrays<T>, nb::arg("device"), arg("x"), arg("y"));
}

}  // namespace

void add_reductions(nb::module_& m) {
  add_floats<double>(m);
  add_floats<float>(m);
}

}  // namespace dwell::python
