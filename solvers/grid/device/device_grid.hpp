// SPDX-License-Identifier: MIT
// A prepared grid where a kernel reads it, and its solves.
#pragma once
#include <cstddef>
#include <vector>

#include "dwell/device/device.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/device/run_control.hpp"
#include "dwell/solvers/grid/device/args.hpp"
#include "dwell/solvers/grid/device/grid_kernel.hpp"
#include "dwell/solvers/grid/prepared_grid.hpp"

namespace dwell::grids {

/// How work is dealt to so many teams of so many lanes.
struct deal_limits {
  int teams = 1, lanes = 32;
  std::size_t alone_cells = 4096;  ///< levels of at most so many cells are the first team's
  int alone_bottom = 128;          ///< bottoms of at most so many, below such a level
};

/// The steps of a cycle whose finest level has the first colour relaxed.
std::vector<cycle_step> cycle_steps(const hierarchy<level_value>& h, bool twice,
                                    const deal_limits& limits);
/// How the cells of `rows` rows of n are dealt to so many teams; alone: in pieces for one of them.
row_deal deal_of(int rows, int n, int teams, int lanes, bool alone = false);

/// What a solve is asked for.
template <class T>
struct grid_request {
  const T* f = nullptr;    ///< on the device, in C order
  T* u = nullptr;          ///< has the start, then the answer
  bool algebraic = false;  ///< f is the right-hand side as it is
  double rtol = 0, atol = 0;
  int max_iterations = 0;
  bool history = false;
  bool twice = false;  ///< small levels are visited twice
};

template <class T>
class device_grid {
 public:
  /// Copies all that kernels read. Throws unsupported_error for grids of 2^31 cells and more.
  device_grid(const device& where, const prepared_grid<T>& grid, const chosen_method& method,
              const deal_limits& limits);

  /// Runs; history gets the norms, if they are asked for.
  device_outcome solve(grid_kernel<T>& kernel, const grid_request<T>& request,
                       const run_control& control, std::vector<double>& history);
  std::size_t bytes() const { return bytes_; }  ///< taken by all arrays

 private:
  const unsigned* places(const std::vector<std::size_t>& of);
  template <class V>
  const V* values(const std::vector<V>& of);
  template <class V>
  device_operator<V> operator_of(const coefficients<V>& a, bool alone);
  float* room(std::size_t n);

  device where_;
  deal_limits limits_;
  bool alone_, singular_;
  int scale_of_a_;
  std::size_t bytes_ = 0;
  std::vector<buffer<unsigned>> places_;
  std::vector<buffer<float>> floats_;
  std::vector<buffer<T>> values_;
  buffer<double> inverse_, partials_, history_;
  buffer<device_level> levels_;
  buffer<cycle_step> steps_[2];
  int step_count_[2] = {};
  buffer<unsigned> barrier_;
  buffer<monitor> seen_;
  buffer<device_outcome> out_;
  grid_solve_args<T> args_;
};

extern template class device_grid<double>;
extern template class device_grid<float>;

}  // namespace dwell::grids
