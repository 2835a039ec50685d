// SPDX-License-Identifier: MIT
// Convolution as its documentation defines it, in plain loops over copies of the image with what
// lies beyond its border; nothing is shared with the library. One form follows the documented order
// of operations and has its bits, one sums in long double.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dwell/arrays/convolution.hpp"

namespace dwell {

inline constexpr border all_borders[] = {border::zero, border::replicate, border::reflect,
                                         border::periodic};

/// The image's own cell for cell i of an axis, by walking: -1 for a zero.
inline int plain_cell(border edge, int i, int n) {
  switch (edge) {
    case border::zero:
      return i < 0 || i >= n ? -1 : i;
    case border::replicate:
      return i < 0 ? 0 : i >= n ? n - 1 : i;
    case border::periodic:
      while (i < 0) i += n;
      while (i >= n) i -= n;
      return i;
    case border::reflect:
      while (i < 0 || i >= n) i = i < 0 ? -1 - i : 2 * n - 1 - i;
      return i;
  }
  return -1;
}

/// Weight (k, n, m) with the offset of the cell that it multiplies.
struct plain_tap {
  int dz, dy, dx;
  double weight;
};

/// Plane after plane, in each column after column, as a correlation reads them.
inline std::vector<plain_tap> plain_taps(const convolution_filter& f, bool correlate) {
  const extents n = f.size();
  std::vector<plain_tap> taps;
  for (int k = 0; k < n.z; ++k)
    for (int m = 0; m < n.x; ++m)
      for (int r = 0; r < n.y; ++r) {
        // in(i + j - c) w(j), or in(i - j + c) w(j): there offset d has weight number c - d.
        const int z = correlate ? k : n.z - 1 - k, y = correlate ? r : n.y - 1 - r,
                  x = correlate ? m : n.x - 1 - m;
        const auto offset = [&](int j, int all) { return correlate ? j - all / 2 : all / 2 - j; };
        const auto at = (static_cast<std::size_t>(z) * static_cast<std::size_t>(n.y) +
                         static_cast<std::size_t>(y)) *
                            static_cast<std::size_t>(n.x) +
                        static_cast<std::size_t>(x);
        taps.push_back({offset(z, n.z), offset(y, n.y), offset(x, n.x), f.weights()[at]});
      }
  return taps;
}

/// Sum: T for the documented chain of fused multiply-adds, long double for another sum.
template <class Sum, class T>
grid<T> plain_convolution(const grid<T>& image, const convolution_filter& f, border edge,
                          bool correlate) {
  const extents n = image.size();
  const auto taps = plain_taps(f, correlate);
  const std::size_t of_plane = taps.size() / static_cast<std::size_t>(f.size().z);
  grid<T> out(n);
  for (int z = 0; z < n.z; ++z)
    for (int y = 0; y < n.y; ++y)
      for (int x = 0; x < n.x; ++x) {
        Sum total = 0, sum = 0;
        for (std::size_t t = 0; t < taps.size(); ++t) {
          const int i = plain_cell(edge, z + taps[t].dz, n.z),
                    j = plain_cell(edge, y + taps[t].dy, n.y),
                    k = plain_cell(edge, x + taps[t].dx, n.x);
          const T cell = i < 0 || j < 0 || k < 0 ? T(0) : image(i, j, k);
          sum = std::fma(Sum(cell), Sum(static_cast<T>(taps[t].weight)), sum);
          if ((t + 1) % of_plane == 0) {
            total = t + 1 == of_plane ? sum : total + sum;
            sum = 0;
          }
        }
        out(z, y, x) = static_cast<T>(total);
      }
  return out;
}

/// From -1 to 1; the same on every machine.
template <class T>
grid<T> noise(const extents& size, unsigned seed) {
  grid<T> u(size);
  std::uint64_t state = seed * 2654435761u + 1;
  for (T& v : u.cells()) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    v = static_cast<T>(static_cast<double>(state >> 11) * 0x1p-52 - 1);
  }
  return u;
}

inline convolution_filter noise_filter(const extents& size, unsigned seed) {
  const grid<double> w = noise<double>(size, seed);
  return {size, std::vector<double>(w.cells().begin(), w.cells().end())};
}

}  // namespace dwell
