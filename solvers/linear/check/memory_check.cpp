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

/// Arrays of A, as far as they are sound, which is looked at later.
template <class T>
std::array<named_array, 3> arrays_of(const csr_view<T>& a) {
  const auto rows = static_cast<std::size_t>(std::max<index>(a.rows, 0));
  const named_array row_ptr{"the matrix (row_ptr)", a.row_ptr,
                            a.row_ptr ? (rows + 1) * sizeof(index) : 0};
  refuse_device(row_ptr);
  const auto nonzeros =
      static_cast<std::size_t>(a.row_ptr && a.rows > 0 ? std::max<index>(a.row_ptr[a.rows], 0) : 0);
  return {row_ptr,
          {"the matrix (col)", a.col, nonzeros * sizeof(index)},
          {"the matrix (val)", a.val, nonzeros * sizeof(T)}};
}

}  // namespace

template <class T>
void check_matrix_memory(const csr_view<T>& a) {
  for (const named_array& v : arrays_of(a)) refuse_device(v);
}

template <class T>
void check_host_memory(std::span<const T> v, const char* what) {
  refuse_device({what, v.data(), v.size_bytes()});
}

template <class T>
void check_memory(const csr_view<T>& a, std::span<const T> b, std::span<const T> x) {
  const named_array answer = answer_of(x.data(), x.size()), rhs = rhs_of(b.data(), b.size());
  refuse_device(answer);
  refuse_device(rhs);
  check_matrix_memory(a);
  refuse_overlap(answer, rhs);
  for (const named_array& v : arrays_of(a)) refuse_overlap(answer, v);
}

template <class T>
void check_device_memory(const device& where, device_span<const T> v, const char* what) {
  require_device(where, {what, v.data, v.size * sizeof(T)}, v.device);
}

template <class T>
void check_device_memory(const device& where, const device_csr_view<T>& a) {
  const auto rows = static_cast<std::size_t>(std::max<index>(a.rows, 0));
  const auto nonzeros = static_cast<std::size_t>(std::max<index>(a.nonzeros, 0));
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
template void check_host_memory(std::span<const double>, const char*);
template void check_host_memory(std::span<const float>, const char*);
template void check_memory(const csr_view<double>&, std::span<const double>,
                           std::span<const double>);
template void check_memory(const csr_view<float>&, std::span<const float>, std::span<const float>);
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
template void check_device_memory(const device&, device_span<const double>,
                                  device_span<const double>);
template void check_device_memory(const device&, device_span<const float>,
                                  device_span<const float>);

}  // namespace dwell
