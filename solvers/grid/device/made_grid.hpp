// SPDX-License-Identifier: MIT
// An operator with arrays of coefficients and its levels, made where a kernel reads them.
#pragma once
#include <vector>

#include "dwell/device/device.hpp"
#include "dwell/solvers/grid/device/args.hpp"
#include "dwell/solvers/grid/device/cycle_steps.hpp"
#include "dwell/solvers/grid/device/device_memory.hpp"
#include "dwell/solvers/grid/device/grid_kernel.hpp"
#include "dwell/solvers/grid/discretize.hpp"
#include "dwell/solvers/grid/hierarchy.hpp"

namespace dwell::grids {

/// What has been made. `h` has shapes, the step's axes and the bottom's factor, and no pools.
template <class T>
struct made_grid {
  made_grid(const device& where, bool guarded) : memory(where, guarded) {}
  device_memory memory;  ///< has all that follows
  device_operator<T> a;
  std::vector<device_level> levels;
  const double* bottom_inverse = nullptr;
  hierarchy<level_value> h;
  int scale = 0;      ///< the operator was divided by 2^scale
  bool good = false;  ///< else a value is not as discretize() wants it, and nothing else is there
};

/// May an operator with arrays be made so? Of the methods with levels for those of averaged
/// coefficients, relaxed by points.
bool can_be_made(const chosen_method& method);

/// The values are those of discretize() and make_hierarchy(). Throws unsupported_error for grids of
/// 2^31 cells and more and for more than most_levels levels.
template <class T>
made_grid<T> make_grid(const device& where, grid_kernel<T>& kernel, const undiscretized<T>& problem,
                       const chosen_method& method, const deal_limits& limits);

extern template made_grid<double> make_grid(const device&, grid_kernel<double>&,
                                            const undiscretized<double>&, const chosen_method&,
                                            const deal_limits&);
extern template made_grid<float> make_grid(const device&, grid_kernel<float>&,
                                           const undiscretized<float>&, const chosen_method&,
                                           const deal_limits&);

}  // namespace dwell::grids
