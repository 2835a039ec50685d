// SPDX-License-Identifier: MIT
// Generated matrices and Matrix Market text, as NumPy arrays (indptr, indices, data) that own what
// the library has made: no copy.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "listener.hpp"

#include "dwell/datasets/generators.hpp"
#include "dwell/formats/matrix_market.hpp"

namespace dwell::python {

namespace nb = nanobind;

namespace {

template <class E>
using numpy_vector = nb::ndarray<nb::numpy, E, nb::ndim<1>, nb::c_contig>;

template <class E>
numpy_vector<E> owned(std::vector<E>&& values) {
  auto* const kept = new std::vector<E>(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<E>*>(p); });
  return numpy_vector<E>(kept->data(), {kept->size()}, owner);
}

/// rows, cols, indptr, indices, data
using csr_arrays_tuple = nb::typed<nb::tuple, index, index, numpy_vector<index>,
                                   numpy_vector<index>, numpy_vector<double>>;

csr_arrays_tuple arrays_of(csr<double>&& a) {
  const index rows = a.rows, cols = a.cols;
  return csr_arrays_tuple(nb::make_tuple(rows, cols, owned(std::move(a.row_ptr)),
                                         owned(std::move(a.col)), owned(std::move(a.val))));
}

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

csr_arrays_tuple parse_arrays(const nb::bytes& text, const std::string& name) {
  return arrays_of(interruptible([&] {
    return parse_matrix_market({text.c_str(), text.size()}, name).matrix;
  }));
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
