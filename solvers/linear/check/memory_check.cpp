// SPDX-License-Identifier: MIT
// Names arrays, and looks where each of them lies.
#include "dwell/solvers/linear/check/memory_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "dwell/base/error.hpp"
#include "dwell/execution/device/cuda_backend.hpp"

namespace dwell {
namespace {

struct named_array {
  const char* name;
  const void* begin;
  std::size_t bytes;
};

template <class T>
named_array answer_of(const T* x, std::size_t size) {
  return {"the answer (x)", x, size * sizeof(T)};
}
template <class T>
named_array rhs_of(const T* b, std::size_t size) {
  return {"the right-hand side (b)", b, size * sizeof(T)};
}

void refuse_overlap(const named_array& answer, const named_array& read) {
  const auto from = [](const named_array& v) { return reinterpret_cast<std::uintptr_t>(v.begin); };
  if (answer.bytes > 0 && read.bytes > 0 && from(answer) < from(read) + read.bytes &&
      from(read) < from(answer) + answer.bytes)
    throw input_error(fmt::format(
        "expected an answer (x) in memory of its own, found that it overlaps {}", read.name));
}

void refuse_device(const named_array& v) {
  if (v.bytes > 0 && is_device_memory(v.begin))
    throw input_error(fmt::format(
        "{}: expected memory of the host, found a pointer to a GPU's: pass it as a device_span or "
        "device_csr_view to a linear_solver, or copy it to the host first",
        v.name));
}

/// device: as the view says.
void require_device(const device& where, const named_array& v, int device) {
  if (where.on() == backend::cpu)
    throw input_error(fmt::format(
        "{}: expected memory of the host for a solver on a CPU, found a view of CUDA device {}",
        v.name, device));
  const auto refuse = [&](const std::string& found) {
    throw input_error(fmt::format("{}: expected memory of CUDA device {}, found {}", v.name,
                                  where.ordinal(), found));
  };
  if (device != where.ordinal()) refuse(fmt::format("a view of CUDA device {}", device));
  if (v.bytes == 0) return;
  const std::optional<int> found = device_of_memory(v.begin);
  if (!found) refuse("a pointer to the host's");
  if (*found != device) refuse(fmt::format("a pointer to the memory of device {}", *found));
}

template <class T>
std::array<named_array, 3> named(const named_array& row_ptr, const index* col, const T* val,
                                 std::int64_t nonzeros) {
  const auto n = static_cast<std::size_t>(std::max<std::int64_t>(nonzeros, 0));
  return {row_ptr,
          {"the matrix (col)", col, n * sizeof(index)},
          {"the matrix (val)", val, n * sizeof(T)}};
}
template <class Offset>
named_array row_ptr_of(const Offset* row_ptr, index rows) {
  const auto n = static_cast<std::size_t>(std::max<index>(rows, 0));
  return {"the matrix (row_ptr)", row_ptr, row_ptr ? (n + 1) * sizeof(Offset) : 0};
}

/// Arrays of A, as far as they are sound, which is looked at later.
template <class T, class Offset>
std::array<named_array, 3> arrays_of(const csr_view<T, Offset>& a) {
  const named_array row_ptr = row_ptr_of(a.row_ptr, a.rows);
  refuse_device(row_ptr);
  return named(row_ptr, a.col, a.val, a.row_ptr && a.rows > 0 ? a.row_ptr[a.rows] : Offset(0));
}
template <class T>
std::array<named_array, 3> arrays_of(const large_csr_arrays<T>& a) {
  const std::int64_t* const in_64_bits = a.row_ptr.of_64_bits();
  return named(
      in_64_bits ? row_ptr_of(in_64_bits, a.rows) : row_ptr_of(a.row_ptr.of_32_bits(), a.rows),
      a.col, a.val, a.nonzeros);
}

/// `matrix`: csr_view, or large_csr_arrays.
template <class T, class Matrix>
void refuse_overlaps(const Matrix& matrix, std::span<const T> b, std::span<const T> x) {
  const named_array answer = answer_of(x.data(), x.size()), rhs = rhs_of(b.data(), b.size());
  refuse_device(answer);
  refuse_device(rhs);
  for (const named_array& v : arrays_of(matrix)) refuse_device(v);
  refuse_overlap(answer, rhs);
  for (const named_array& v : arrays_of(matrix)) refuse_overlap(answer, v);
}

}  // namespace

template <class T, class Offset>
void check_matrix_memory(const csr_view<T, Offset>& a) {
  for (const named_array& v : arrays_of(a)) refuse_device(v);
}

template <class T>
void check_host_memory(std::span<const T> v, const char* what) {
  refuse_device({what, v.data(), v.size_bytes()});
}

template <class T, class Offset>
void check_memory(const csr_view<T, Offset>& a, std::span<const T> b, std::span<const T> x) {
  refuse_overlaps<T>(a, b, x);
}
template <class T>
void check_memory(const large_csr_arrays<T>& a, std::span<const T> b, std::span<const T> x) {
  refuse_overlaps<T>(a, b, x);
}

template <class T>
void check_device_memory(const device& where, device_span<const T> v, const char* what) {
  require_device(where, {what, v.data, v.size * sizeof(T)}, v.device);
}

template <class T, class Offset>
void check_device_memory(const device& where, const device_csr_view<T, Offset>& a) {
  const auto rows = static_cast<std::size_t>(std::max<index>(a.rows, 0));
  const auto nonzeros = static_cast<std::size_t>(std::max<Offset>(a.nonzeros, 0));
  if (rows > 0) require_device(where, {"the matrix (row_ptr)", a.row_ptr, rows + 1}, a.device);
  require_device(where, {"the matrix (col)", a.col, nonzeros}, a.device);
  require_device(where, {"the matrix (val)", a.val, nonzeros}, a.device);
}

template <class T>
void check_device_memory(const device& where, device_span<const T> b, device_span<const T> x) {
  const named_array answer = answer_of(x.data, x.size), rhs = rhs_of(b.data, b.size);
  require_device(where, answer, x.device);
  require_device(where, rhs, b.device);
  refuse_overlap(answer, rhs);
}

template void check_matrix_memory(const csr_view<double>&);
template void check_matrix_memory(const csr_view<float>&);
template void check_matrix_memory(const large_csr_view<double>&);
template void check_matrix_memory(const large_csr_view<float>&);
template void check_host_memory(std::span<const double>, const char*);
template void check_host_memory(std::span<const float>, const char*);
template void check_memory(const csr_view<double>&, std::span<const double>,
                           std::span<const double>);
template void check_memory(const csr_view<float>&, std::span<const float>, std::span<const float>);
template void check_memory(const large_csr_view<double>&, std::span<const double>,
                           std::span<const double>);
template void check_memory(const large_csr_view<float>&, std::span<const float>,
                           std::span<const float>);
template void check_memory(const large_csr_arrays<double>&, std::span<const double>,
                           std::span<const double>);
template void check_memory(const large_csr_arrays<float>&, std::span<const float>,
                           std::span<const float>);
template void check_matrix_memory(const csr_view<std::complex<double>>&);
template void check_matrix_memory(const csr_view<std::complex<float>>&);
template void check_memory(const csr_view<std::complex<double>>&,
                           std::span<const std::complex<double>>,
                           std::span<const std::complex<double>>);
template void check_memory(const csr_view<std::complex<float>>&,
                           std::span<const std::complex<float>>,
                           std::span<const std::complex<float>>);
template void check_device_memory(const device&, device_span<const double>, const char*);
template void check_device_memory(const device&, device_span<const float>, const char*);
template void check_device_memory(const device&, const device_csr_view<double>&);
template void check_device_memory(const device&, const device_csr_view<float>&);
template void check_device_memory(const device&, const large_device_csr_view<double>&);
template void check_device_memory(const device&, const large_device_csr_view<float>&);
template void check_device_memory(const device&, device_span<const double>,
                                  device_span<const double>);
template void check_device_memory(const device&, device_span<const float>,
                                  device_span<const float>);

}  // namespace dwell
