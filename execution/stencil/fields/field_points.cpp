// SPDX-License-Identifier: MIT
// Values added to cells after a step, and cells recorded.
#include "dwell/execution/stencil/fields/field_points.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dwell/base/error.hpp"

namespace dwell {
namespace {

/// f(point) of those in a block.
template <class F>
void each_in(const std::vector<field_point>& points, const field_block& b, F&& f) {
  auto p = std::ranges::lower_bound(points, b.first_row, {}, &field_point::row);
  for (; p != points.end() && p->row < b.last_row; ++p)
    if (p->x >= b.first_x && p->x < b.last_x) f(*p);
}

}  // namespace

template <class T>
void field_points<T>::apply(std::int64_t step, const field_block& block,
                            const field_memory<T>& memory, const field_places& places) {
  for (const source_list<T>& list : sources) {
    T* const cells = memory.field(places, list.field);
    const T* const values =
        list.series.data() + static_cast<std::size_t>(step - list.first_step) * list.points.size();
    each_in(list.points, block,
            [&](const field_point& p) { cells[p.row * memory.pitch() + p.x] += values[p.place]; });
  }
  for (receiver_list<T>& list : receivers) {
    const T* const cells = memory.field(places, list.field);
    T* const values =
        list.record.data() + static_cast<std::size_t>(step - list.first_step) * list.points.size();
    each_in(list.points, block,
            [&](const field_point& p) { values[p.place] = cells[p.row * memory.pitch() + p.x]; });
  }
}

std::vector<field_point> field_points_of(std::span<const std::int64_t> cells,
                                         const field_size& size, const char* what) {
  const auto dims = static_cast<std::size_t>(size.dims);
  if (cells.size() % dims != 0)
    throw input_error(fmt::format("{}: expected {} indices for each cell, found {} in all", what,
                                  dims, cells.size()));
  std::vector<field_point> points;
  for (std::size_t place = 0; place < cells.size() / dims; ++place) {
    std::int64_t row = 0, x = 0;
    for (std::size_t a = 0; a < dims; ++a) {
      const std::size_t axis = a + 3 - dims;
      const std::int64_t i = cells[place * dims + a];
      if (i < 0 || i >= size.n[axis])
        throw input_error(
            fmt::format("{}: cell {} is not in the field: index {} along axis {} of {} cells", what,
                        place, i, a, size.n[axis]));
      if (axis == 2)
        x = i;
      else
        row = row * size.n[axis] + i;
    }
    points.push_back({row, x, place});
  }
  std::ranges::stable_sort(points, {}, &field_point::row);
  return points;
}

template struct field_points<double>;
template struct field_points<float>;

}  // namespace dwell
