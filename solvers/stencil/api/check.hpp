// SPDX-License-Identifier: MIT
// What cannot be used is refused before anything is launched: an input_error of one line.
#pragma once
#include <optional>
#include <span>

#include "dwell/device/device.hpp"
#include "dwell/device/device_views.hpp"
#include "dwell/formats/grid.hpp"
#include "dwell/stencil/solve.hpp"

namespace dwell {

/// When one run ends.
struct stencil_goal {
  int steps = 0;
  std::optional<double> until{};
  int check_every = 100;
  int first = 0;  ///< number of the first step, where the caller counts them through several runs
};
inline stencil_goal goal_of(const stencil_options& o) { return {o.steps, o.until, o.check_every}; }

void check_goal(const stencil_goal& goal);
/// Weights of a shape, for fields of T; no weights are the shape's own.
template <class T>
void check_weights(std::span<const double> weights, const stencil_shape& shape);
/// All numbers and words of the options but for names of shapes, executors and policies.
template <class T>
void check_options(const stencil_options& o, const stencil_shape& shape);

/// Cells of the caller's, called `name` in messages.
void check_size(const char* name, const extents& found, const extents& expected);
void check_box(const grid_box& box, const extents& size);
void check_on_host(const char* name, const void* data);
/// Cells, as many as `size` has, in the memory of `where`, a CUDA device, as the view says.
template <class T>
void check_on_device(const char* name, device_span<const T> v, const extents& size,
                     const device& where);
/// All of this, and that the values are finite.
template <class T>
void check_values(const char* name, grid_view<const T> u, const extents& size);

}  // namespace dwell
