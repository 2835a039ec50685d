// SPDX-License-Identifier: MIT
// Addresses of a task's accesses, in the order of the threads.
#include "studies/trace/accesses.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <tuple>

#include "dwell/base/error.hpp"

namespace dwell::trace {
namespace {

void add_array(traced_problem& p, const char* name, const extents& size) {
  traced_array a;
  a.name = name;
  a.size = size;
  a.pitch = (static_cast<std::int64_t>(size.x) * p.unit + p.line - 1) / p.line * p.line;
  a.first_line = p.arrays.empty() ? 0 : p.lines();
  a.lines = a.pitch / p.line * size.y * size.z;
  p.arrays.push_back(a);
}

}  // namespace

traced_problem traced_stencil(const std::string& name, const std::vector<grid_cell>& taps,
                              const extents& size, int unit, int line, bool writes) {
  int radius = 0;
  for (const grid_cell& t : taps)
    radius = std::max({radius, std::abs(t.z), std::abs(t.y), std::abs(t.x)});
  traced_problem p;
  p.name = name;
  p.unit = unit;
  p.line = line;
  p.writes = writes;
  p.tasks = size;
  for (int* axis : {&p.tasks.y, &p.tasks.x}) *axis -= 2 * radius;
  if (size.dims == 3) p.tasks.z -= 2 * radius;
  if (p.tasks.z < 1 || p.tasks.y < 1 || p.tasks.x < 1)
    throw input_error(
        fmt::format("size: expected more than {} cells along each axis for {}, found {}",
                    2 * radius, name, to_string(size)));
  const int deep = size.dims == 3 ? radius : 0;
  for (const grid_cell& t : taps) p.taps.push_back({t.z + deep, t.y + radius, t.x + radius});
  std::sort(p.taps.begin(), p.taps.end(), [](const grid_cell& a, const grid_cell& b) {
    return std::tie(a.z, a.y, a.x) < std::tie(b.z, b.y, b.x);
  });
  add_array(p, "field", size);
  if (writes) add_array(p, "out", size);
  return p;
}

traced_problem traced_product(const extents& size, int inner, int unit, int line, bool writes) {
  if (size.dims != 2)
    throw input_error(
        fmt::format("size: expected the rows and columns of a matrix, found {}", to_string(size)));
  traced_problem p;
  p.name = "product";
  p.unit = unit;
  p.line = line;
  p.writes = writes;
  p.tasks = size;
  p.inner = inner;
  add_array(p, "A", {size.y, inner});
  add_array(p, "B", {inner, size.x});
  if (writes) add_array(p, "C", size);
  return p;
}

}  // namespace dwell::trace
