// SPDX-License-Identifier: MIT
// Looks up each entry's mirror place, by all threads.
#include "dwell/formats/is_symmetric.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "dwell/base/parallel.hpp"

namespace dwell {

namespace {

/// is_image(value, value at its mirror place) of all entries.
template <class T, class F>
bool all_mirrored(const csr_view<T>& a, F&& is_image) {
  constexpr index nonzeros_per_thread = 1 << 17;
  if (a.rows != a.cols) return false;
  const int threads = std::min<int>(default_threads(), a.nonzeros() / nonzeros_per_thread + 1);
  std::atomic<bool> differs = false;
  for_parts(threads, [&](int part) {
    const auto [begin, end] = piece(a.rows, part, threads);
    for (index i = begin; i < end && !differs; ++i)
      for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
        const index j = a.col[k];
        const index *first = a.col + a.row_ptr[j], *last = a.col + a.row_ptr[j + 1];
        const index* twin = std::lower_bound(first, last, i);
        if (twin == last || *twin != i || !is_image(a.val[k], a.val[twin - a.col])) differs = true;
      }
  });
  return !differs;
}

template <class V>
bool equal_bits(const V& a, const V& b) {
  return std::memcmp(&a, &b, sizeof(V)) == 0;
}

}  // namespace

template <class T>
bool is_symmetric(const csr_view<T>& a) {
  return all_mirrored(a, [](const T& v, const T& twin) { return equal_bits(v, twin); });
}

bool is_hermitian(const csr_view<std::complex<double>>& a) {
  using number = std::complex<double>;
  // An imaginary part of 0 has either sign, as where such a matrix is written.
  return all_mirrored(a, [](const number& v, const number& twin) {
    return equal_bits(v.real(), twin.real()) && v.imag() == -twin.imag();
  });
}

template bool is_symmetric(const csr_view<float>&);
template bool is_symmetric(const csr_view<double>&);
template bool is_symmetric(const csr_view<std::complex<double>>&);

}  // namespace dwell
