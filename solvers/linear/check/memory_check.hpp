// SPDX-License-Identifier: MIT
// Where the arrays of a system are: the refusals of memory of the wrong kind, and of an answer that
// overlaps what is read. Private to the solver.
#pragma once
#include <span>

#include "dwell/device/device.hpp"
#include "dwell/device/device_views.hpp"
#include "dwell/execution/krylov/spmv/csr_arrays.hpp"
#include "dwell/formats/csr.hpp"

namespace dwell {

/// Throws input_error if an array of A is in a GPU's memory. Reads of them the end of row_ptr
/// alone.
template <class T, class Offset>
void check_matrix_memory(const csr_view<T, Offset>& a);
/// Throws input_error if v is in a GPU's memory. `what` names it.
template <class T>
void check_host_memory(std::span<const T> v, const char* what);
/// Throws input_error if x overlaps b or an array of A, or if one of them is in a GPU's memory.
template <class T, class Offset>
void check_memory(const csr_view<T, Offset>& a, std::span<const T> b, std::span<const T> x);
/// For arrays of A that have been found in memory of the host, or none.
template <class T>
void check_memory(const large_csr_arrays<T>& a, std::span<const T> b, std::span<const T> x);

/// Throws input_error unless the arrays are in the memory of the CUDA device `where`, as their
/// views say, and, of vectors, if x overlaps b. `what` names the array.
template <class T>
void check_device_memory(const device& where, device_span<const T> v, const char* what);
template <class T, class Offset>
void check_device_memory(const device& where, const device_csr_view<T, Offset>& a);
template <class T>
void check_device_memory(const device& where, device_span<const T> b, device_span<const T> x);

}  // namespace dwell
