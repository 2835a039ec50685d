// SPDX-License-Identifier: MIT
// A prepared grid's operator and vectors where a kernel reads them, and its solves.
#pragma once
#include <cstddef>
#include <vector>

#include "dwell/device/device.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/device/run_control.hpp"
#include "dwell/solvers/grid/device/args.hpp"
#include "dwell/solvers/grid/device/device_levels.hpp"
#include "dwell/solvers/grid/device/device_memory.hpp"
#include "dwell/solvers/grid/device/grid_kernel.hpp"
#include "dwell/solvers/grid/prepared_grid.hpp"

namespace dwell::grids {

/// What a solve is asked for.
template <class T>
struct grid_request {
  const T* f = nullptr;    ///< on the device, in C order
  T* u = nullptr;          ///< has the start, then the answer
  bool algebraic = false;  ///< f is the right-hand side as it is
  double rtol = 0, atol = 0;
  int max_iterations = 0;
  bool history = false;
  const device_levels* levels = nullptr;
  bool twice = false;  ///< small levels are visited twice
  bool full = false;   ///< begins with full multigrid, for which the levels were made
  int slow_after = 0;  ///< see grid_solve_args
};

template <class T>
class device_grid {
 public:
  /// Copies all that kernels read; of the operator `made` says where it is already, if it is not
  /// null. Throws unsupported_error for grids of 2^31 cells and more.
  device_grid(const device& where, const prepared_grid<T>& grid, const device_operator<T>* made,
              const chosen_method& method, const deal_limits& limits);

  /// Downloads the rows of the operator, of which `a` has the shape and the number of elements.
  void fetch(coefficients<T>& a) const;

  /// Runs; history gets the norms, if they are asked for.
  device_outcome solve(grid_kernel<T>& kernel, const grid_request<T>& request,
                       const run_control& control, std::vector<double>& history);

 private:
  device where_;
  device_memory memory_;
  buffer<double> partials_, history_;
  buffer<unsigned> barrier_;
  buffer<monitor> seen_;
  buffer<device_outcome> out_;
  grid_solve_args<T> args_;
};

extern template class device_grid<double>;
extern template class device_grid<float>;

}  // namespace dwell::grids
