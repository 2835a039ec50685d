// SPDX-License-Identifier: MIT
// Goes over the cells by all threads, and finds the first that is not finite.
#include "dwell/formats/field_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/parallel.hpp"

namespace dwell {
namespace {

template <class T>
value_range range_of_part(std::span<const T> values) {
  value_range r = {INFINITY, -INFINITY};
  for (const double v : values) {
    const bool finite = v - v == 0;
    r.least = finite && v < r.least ? v : r.least;
    r.greatest = finite && v > r.greatest ? v : r.greatest;
    r.nonfinite += !finite;
  }
  return r;
}

std::string place_of(const extents& n, std::size_t cell) {
  const auto nx = static_cast<std::size_t>(n.x), ny = static_cast<std::size_t>(n.y);
  const std::size_t y = cell / nx % ny, x = cell % nx;
  if (n.dims == 1) return fmt::format("[{}] (counted from 0)", x);
  return n.dims == 2 ? fmt::format("[{}, {}] (counted from 0)", y, x)
                     : fmt::format("[{}, {}, {}] (counted from 0)", cell / nx / ny, y, x);
}

}  // namespace

template <class T>
value_range range_of(std::span<const T> values) {
  const int threads = values.size() < (1 << 16) ? 1 : default_threads();
  std::vector<value_range> parts(static_cast<std::size_t>(threads));
  for_parts(threads, [&](int t) {
    const auto [begin, end] = piece(values.size(), t, threads);
    parts[static_cast<std::size_t>(t)] = range_of_part(values.subspan(begin, end - begin));
  });
  value_range all = {INFINITY, -INFINITY};
  for (const auto& r : parts) {
    all.least = std::min(all.least, r.least);
    all.greatest = std::max(all.greatest, r.greatest);
    all.nonfinite += r.nonfinite;
  }
  if (all.nonfinite == values.size()) all.least = all.greatest = NAN;
  return all;
}

template <class T>
void require_finite(const std::string& name, grid_view<const T> field) {
  const auto cells = field.cells();
  if (range_of(cells).nonfinite == 0) return;
  const auto bad = std::find_if(cells.begin(), cells.end(), [](T v) { return !(v - v == 0); });
  const char* found = std::isnan(*bad) ? "nan" : *bad > 0 ? "inf" : "-inf";
  throw input_error(
      fmt::format("{}: expected finite values, found {} at {}", name, found,
                  place_of(field.size, static_cast<std::size_t>(bad - cells.begin()))));
}

template value_range range_of(std::span<const double>);
template value_range range_of(std::span<const float>);
template void require_finite(const std::string&, grid_view<const double>);
template void require_finite(const std::string&, grid_view<const float>);

}  // namespace dwell
