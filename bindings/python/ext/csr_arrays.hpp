// SPDX-License-Identifier: MIT
// Matrices that the library has made, as NumPy arrays that own them: no copy.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <utility>
#include <vector>

#include "dwell/formats/csr.hpp"

namespace dwell::python {

namespace nb = nanobind;

template <class E>
using numpy_vector = nb::ndarray<nb::numpy, E, nb::ndim<1>, nb::c_contig>;

template <class E>
numpy_vector<E> owned(std::vector<E>&& values) {
  auto* const kept = new std::vector<E>(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<E>*>(p); });
  return numpy_vector<E>(kept->data(), {kept->size()}, owner);
}

/// rows, cols, indptr, indices, data
template <class T>
using csr_arrays =
    nb::typed<nb::tuple, index, index, numpy_vector<index>, numpy_vector<index>, numpy_vector<T>>;

template <class T>
csr_arrays<T> arrays_of(csr<T>&& a) {
  const index rows = a.rows, cols = a.cols;
  return csr_arrays<T>(nb::make_tuple(rows, cols, owned(std::move(a.row_ptr)),
                                      owned(std::move(a.col)), owned(std::move(a.val))));
}

}  // namespace dwell::python
