// SPDX-License-Identifier: MIT
// Compares bits, and finds the first cell that differs.
#include "stencil/field_difference.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "dwell/base/half.hpp"

namespace dwell::app {

template <class T>
std::string field_difference(const grid<T>& expected, const grid<T>& found) {
  const auto a = expected.cells(), b = found.cells();
  if (std::memcmp(a.data(), b.data(), a.size_bytes()) == 0) return {};
  std::size_t first = a.size(), count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::memcmp(&a[i], &b[i], sizeof(T)) == 0) continue;
    if (count++ == 0) first = i;
  }
  const extents& n = expected.size();
  const auto nx = static_cast<std::size_t>(n.x), ny = static_cast<std::size_t>(n.y);
  const std::size_t y = first / nx % ny, x = first % nx;
  const auto place = n.dims == 2 ? fmt::format("({}, {})", y, x)
                                 : fmt::format("({}, {}, {})", first / nx / ny, y, x);
  // Shows values of 8 and 16 bits as numbers, too.
  using shown = std::conditional_t<sizeof(T) == 8, double, float>;
  return fmt::format("cell {}: expected {}, found {}; {} of {} cells differ", place,
                     static_cast<shown>(a[first]), static_cast<shown>(b[first]), count, a.size());
}

template std::string field_difference(const grid<double>&, const grid<double>&);
template std::string field_difference(const grid<float>&, const grid<float>&);
template std::string field_difference(const grid<half>&, const grid<half>&);
template std::string field_difference(const grid<std::uint8_t>&, const grid<std::uint8_t>&);

}  // namespace dwell::app
