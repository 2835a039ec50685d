// SPDX-License-Identifier: MIT
// Generated matrices and Matrix Market text, as NumPy arrays (indptr, indices, data) that own what
// the library has made: no copy.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <complex>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bindings.hpp"
#include "csr_arrays.hpp"
#include "listener.hpp"

#include "dwell/datasets/generators.hpp"
#include "dwell/formats/complex_matrix_market.hpp"

namespace dwell::python {

namespace nb = nanobind;

namespace {

using csr_arrays_tuple = csr_arrays<double>;

csr_arrays_tuple generate_arrays(const std::string& kind) {
  return arrays_of(interruptible([&] { return generate(kind); }));
}

/// The dimension, and the coordinates node by node.
using coordinates_tuple = nb::typed<nb::tuple, int, numpy_vector<double>>;

coordinates_tuple coordinates_of(const std::string& kind) {
  generated_nodes nodes = interruptible([&] { return generate_coordinates(kind); });
  const int dimension = nodes.dimension;
  return coordinates_tuple(nb::make_tuple(dimension, owned(std::move(nodes.values))));
}

using any_arrays = std::variant<csr_arrays_tuple, csr_arrays<std::complex<double>>>;

any_arrays parse_arrays(const nb::bytes& text, const std::string& name) {
  auto read = interruptible([&] {
    return parse_any_matrix_market({text.c_str(), text.size()}, name);
  });
  return std::visit([](auto& of) -> any_arrays { return arrays_of(std::move(of.matrix)); }, read);
}

std::vector<std::pair<std::string, std::string>> kinds() {
  std::vector<std::pair<std::string, std::string>> out;
  for (auto& [kind, what] : generated_kinds()) out.emplace_back(kind, what);
  return out;
}

}  // namespace

void add_matrices(nb::module_& m) {
  m.def("generate", &generate_arrays, nb::arg("kind"));
  m.def("generate_coordinates", &coordinates_of, nb::arg("kind"));
  m.def("generated_kinds", &kinds);
  m.def("stand_ins", &stand_ins);
  m.def("parse_matrix_market", &parse_arrays, nb::arg("text"), nb::arg("name"));
}

}  // namespace dwell::python
