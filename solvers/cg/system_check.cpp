// SPDX-License-Identifier: MIT
// Every check runs over rows in parallel; the first place in row order is the one reported.
#include "dwell/solvers/cg/system_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "dwell/execution/core/device_backends.hpp"
#include "dwell/formats/error.hpp"
#include "dwell/formats/parallel.hpp"

namespace dwell {
namespace {

/// complaint(row) returns a message or an empty string; the first one is thrown.
template <class F>
void for_rows(index rows, F&& complaint) {
  const int parts = rows < 4096 ? 1 : default_threads();
  for_parts(parts, [&](int part) {  // for_parts rethrows the first part's exception
    const auto [begin, end] = piece(rows, part, parts);
    for (index i = begin; i < end; ++i)
      if (const std::string said = complaint(i); !said.empty()) throw input_error(said);
  });
}

/// Where (i, j) is stored, or -1.
template <class T>
index find(const csr_view<T>& a, index i, index j) {
  const index* begin = a.col + a.row_ptr[i];
  const index* end = a.col + a.row_ptr[i + 1];
  const index* at = std::lower_bound(begin, end, j);
  return at != end && *at == j ? static_cast<index>(at - a.col) : -1;
}

struct named_array {
  const char* name;
  const void* begin;
  std::size_t bytes;
};

bool overlap(const named_array& a, const named_array& b) {
  const auto from = [](const named_array& v) { return reinterpret_cast<std::uintptr_t>(v.begin); };
  return a.bytes > 0 && b.bytes > 0 && from(a) < from(b) + b.bytes && from(b) < from(a) + a.bytes;
}

}  // namespace

template <class T>
void check_memory(const csr_view<T>& a, std::span<const T> b, std::span<const T> x) {
  const auto rows = static_cast<std::size_t>(std::max<index>(a.rows, 0));
  const named_array answer{"the answer (x)", x.data(), x.size_bytes()};
  std::vector<named_array> read = {{"the right-hand side (b)", b.data(), b.size_bytes()},
                                   {"the matrix (row_ptr)", a.row_ptr, (rows + 1) * sizeof(index)},
                                   {"the matrix (col)", a.col, 0},
                                   {"the matrix (val)", a.val, 0}};
  const auto refuse_device = [](const named_array& v) {
    if (v.bytes > 0 && is_device_memory(v.begin))
      throw input_error(fmt::format(
          "{}: expected memory of the host, found a pointer to a GPU's: copy it to the host first "
          "(solve() makes its own copies for the GPU)",
          v.name));
  };
  refuse_device(answer);
  refuse_device(read[0]);
  refuse_device(read[1]);
  const auto nonzeros =
      static_cast<std::size_t>(a.row_ptr && a.rows > 0 ? std::max<index>(a.row_ptr[a.rows], 0) : 0);
  read[2].bytes = nonzeros * sizeof(index);
  read[3].bytes = nonzeros * sizeof(T);
  refuse_device(read[2]);
  refuse_device(read[3]);
  for (const named_array& v : read)
    if (overlap(answer, v))
      throw input_error(fmt::format(
          "expected an answer (x) in memory of its own, found that it overlaps {}", v.name));
}

template <class T>
void check_system(const csr_view<T>& a, bool assume_symmetric) {
  if (a.rows != a.cols)
    throw input_error(
        fmt::format("matrix: expected as many rows as columns, found {} x {}", a.rows, a.cols));
  check(a);
  std::vector<T> diagonal(static_cast<std::size_t>(a.rows));
  for_rows(a.rows, [&](index i) -> std::string {
    const index k = find(a, i, i);
    if (k < 0)
      return fmt::format(
          "matrix: expected a positive diagonal, found none stored in row {} (counted from 1; a "
          "symmetric positive definite matrix has one in every row)",
          i + 1);
    diagonal[static_cast<std::size_t>(i)] = a.val[k];
    if (!(a.val[k] > T(0)))
      return fmt::format(
          "matrix: expected a positive diagonal, found {} at ({}, {}) (counted from 1; not "
          "positive definite)",
          a.val[k], i + 1, i + 1);
    return {};
  });
  if (assume_symmetric) return;
  const double tolerance = sizeof(T) == 8 ? 1e-12 : 1e-5;
  for_rows(a.rows, [&](index i) -> std::string {
    for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
      const index j = a.col[k], mirror = find(a, j, i);
      if (mirror >= 0 && a.val[mirror] == a.val[k]) continue;
      const double here = a.val[k], there = mirror < 0 ? 0.0 : static_cast<double>(a.val[mirror]);
      const double scale =
          std::sqrt(static_cast<double>(diagonal[i])) * std::sqrt(static_cast<double>(diagonal[j]));
      if (std::abs(here - there) <= tolerance * scale) continue;
      return fmt::format(
          "matrix: expected a symmetric one, found {} at ({}, {}) but {} at ({}, {}) (counted from "
          "1)",
          here, i + 1, j + 1, mirror < 0 ? std::string("nothing") : fmt::format("{}", there), j + 1,
          i + 1);
    }
    return {};
  });
}

template <class T>
void check_vector(std::span<const T> v, index n, const char* what) {
  if (v.size() != static_cast<std::size_t>(n))
    throw input_error(fmt::format("{}: expected {} elements (the matrix has {} rows), found {}",
                                  what, n, n, v.size()));
  for_rows(n, [&](index i) -> std::string {
    const T value = v[static_cast<std::size_t>(i)];
    return std::isfinite(value)
               ? std::string()
               : fmt::format("{}: expected finite numbers, found {} in row {} (counted from 1)",
                             what, value, i + 1);
  });
}

template void check_memory(const csr_view<double>&, std::span<const double>,
                           std::span<const double>);
template void check_memory(const csr_view<float>&, std::span<const float>, std::span<const float>);
template void check_system(const csr_view<double>&, bool);
template void check_system(const csr_view<float>&, bool);
template void check_vector(std::span<const double>, index, const char*);
template void check_vector(std::span<const float>, index, const char*);

}  // namespace dwell
