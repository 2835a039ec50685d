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
  const int sizes[] = {n.z, n.y, n.x};
  return place_of_cell(std::span(sizes).last(static_cast<std::size_t>(n.dims)), cell);
}

}  // namespace

std::string place_of_cell(std::span<const int> sizes, std::size_t cell) {
  std::string place;
  for (std::size_t axis = sizes.size(); axis-- > 0;) {
    const auto size = static_cast<std::size_t>(sizes[axis]);
    place = fmt::format("{}{}{}", cell % size, place.empty() ? "" : ", ", place);
    cell /= size;
  }
  return fmt::format("[{}] (counted from 0)", place);
}

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
