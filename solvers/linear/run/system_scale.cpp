// SPDX-License-Identifier: MIT
// Exponents of largest magnitudes.
#include "dwell/solvers/linear/run/system_scale.hpp"

#include <algorithm>
#include <vector>

#include "dwell/base/parallel.hpp"

namespace dwell {

template <class T>
int largest_exponent(const csr_view<T>& a) {
  const index n = a.nonzeros();
  const int parts = n < (1 << 16) ? 1 : default_threads();
  std::vector<T> most(static_cast<std::size_t>(parts));
  for_parts(parts, [&](int part) {
    const auto [begin, end] = piece(n, part, parts);
    T m = 0;
    for (index i = begin; i < end; ++i) m = std::max(m, std::abs(a.val[i]));
    most[static_cast<std::size_t>(part)] = m;
  });
  return exponent_of(*std::max_element(most.begin(), most.end()));
}

template int largest_exponent(const csr_view<double>&);
template int largest_exponent(const csr_view<float>&);

}  // namespace dwell
