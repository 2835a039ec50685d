// SPDX-License-Identifier: MIT
// One line for whatever cannot be used.
#include "dwell/solvers/stencil/api/check.hpp"

#include <fmt/format.h>

#include <cmath>

#include "dwell/base/error.hpp"
#include "dwell/execution/device/cuda_backend.hpp"
#include "dwell/execution/stencil/order/cell_order.hpp"
#include "dwell/execution/stencil/plan/policy.hpp"
#include "dwell/formats/field_values.hpp"
#include "dwell/solvers/stencil/api/options_table.hpp"

namespace dwell {

void check_goal(const stencil_goal& goal) {
  const auto check = [](const char* name, double found) {
    check_number(name, *stencil_option_named(name).range, found);
  };
  check("steps", goal.steps);
  check("check_every", goal.check_every);
  if (goal.until) check("until", *goal.until);
}

template <class T>
void check_weights(std::span<const double> weights, const stencil_shape& shape) {
  if (!weights.empty() && weights.size() != shape.weights.size())
    throw input_error(fmt::format("weights: expected {} numbers for {}, found {}",
                                  shape.weights.size(), shape.name, weights.size()));
  for (const double w : weights)
    if (!std::isfinite(static_cast<T>(w)))
      throw input_error(fmt::format("weights: expected numbers that are finite in {}, found {}",
                                    sizeof(T) == 8 ? "f64" : "f32", w));
}

template <class T>
void check_options(const stencil_options& o, const stencil_shape& shape) {
  check_ranges(o);
  check_weights<T>(o.weights, shape);
  parse_traversal(o.traversal);
  parse_passing(o.blocking);
  parse_cell_order(o.order, shape.dims);
}

template <class T>
void check_values(const char* name, grid_view<const T> u, const extents& size) {
  check_size(name, u.size, size);
  check_on_host(name, u.data);
  require_finite<T>(name, u);
}

void check_size(const char* name, const extents& found, const extents& expected) {
  if (found != expected)
    throw input_error(fmt::format("{}: expected {} cells, found {}", name, to_string(expected),
                                  to_string(found)));
}

void check_box(const grid_box& box, const extents& size) {
  if (contains(size, box)) return;
  const auto text = [&](int z, int y, int x) {
    return box.size.dims == 3 ? fmt::format("({}, {}, {})", z, y, x)
                              : fmt::format("({}, {})", y, x);
  };
  throw input_error(fmt::format("box: expected cells of a field of {}, found {} from {} on",
                                to_string(size), to_string(box.size),
                                text(box.first.z, box.first.y, box.first.x)));
}

void check_on_host(const char* name, const void* data) {
  if (!data) throw input_error(fmt::format("{}: expected an array, found a null pointer", name));
  if (is_device_memory(data))
    throw input_error(fmt::format(
        "{}: expected memory of the host, found a pointer to a GPU's: pass it as a device_span",
        name));
}

template <class T>
void check_on_device(const char* name, device_span<const T> v, const extents& size,
                     const device& where) {
  if (where.on() == backend::cpu)
    throw input_error(
        fmt::format("{}: expected memory of the host for a CPU, found a view of a GPU's", name));
  if (v.size != size.cells())
    throw input_error(fmt::format("{}: expected {} cells ({}), found {}", name, size.cells(),
                                  to_string(size), v.size));
  const auto refuse = [&](const std::string& found) {
    throw input_error(fmt::format("{}: expected memory of CUDA device {}, found {}", name,
                                  where.ordinal(), found));
  };
  if (v.device != where.ordinal()) refuse(fmt::format("a view of device {}", v.device));
  const std::optional<int> there = device_of_memory(v.data);
  if (!there) refuse(v.data ? "memory of the host" : "a null pointer");
  if (*there != where.ordinal()) refuse(fmt::format("memory of device {}", *there));
}

template void check_weights<double>(std::span<const double>, const stencil_shape&);
template void check_weights<float>(std::span<const double>, const stencil_shape&);
template void check_options<double>(const stencil_options&, const stencil_shape&);
template void check_options<float>(const stencil_options&, const stencil_shape&);
template void check_on_device<double>(const char*, device_span<const double>, const extents&,
                                      const device&);
template void check_on_device<float>(const char*, device_span<const float>, const extents&,
                                     const device&);
template void check_values<double>(const char*, grid_view<const double>, const extents&);
template void check_values<float>(const char*, grid_view<const float>, const extents&);

}  // namespace dwell
