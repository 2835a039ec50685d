// SPDX-License-Identifier: MIT
// Looks up each entry's mirror place, by all threads.
#include "dwell/formats/is_symmetric.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "dwell/base/parallel.hpp"

namespace dwell {

template <class T>
bool is_symmetric(const csr_view<T>& a) {
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
        if (twin == last || *twin != i || std::memcmp(a.val + (twin - a.col), a.val + k, sizeof(T)))
          differs = true;
      }
  });
  return !differs;
}

template bool is_symmetric(const csr_view<float>&);
template bool is_symmetric(const csr_view<double>&);

}  // namespace dwell
