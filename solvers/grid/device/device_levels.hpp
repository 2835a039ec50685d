// SPDX-License-Identifier: MIT
// Levels of multigrid where a kernel reads them: operators, weights, the steps of a cycle and the
// bottom's inverse.
#pragma once
#include <cstddef>
#include <vector>

#include "dwell/device/device.hpp"
#include "dwell/solvers/grid/device/args.hpp"
#include "dwell/solvers/grid/device/cycle_steps.hpp"
#include "dwell/solvers/grid/device/device_memory.hpp"
#include "dwell/solvers/grid/hierarchy.hpp"

namespace dwell::grids {

/// An operator in halved rows, copied.
template <class V>
device_operator<V> copy_operator(device_memory& memory, const coefficients<V>& a,
                                 const deal_limits& limits, bool alone);

class device_levels {
 public:
  /// Copies all that kernels read; of levels `made` says where they are already, if it is not
  /// empty, and so does made_inverse of the bottom's. full: solves may begin with full multigrid.
  /// Throws unsupported_error for more than most_levels levels.
  device_levels(const device& where, const hierarchy<level_value>& h,
                std::vector<device_level> made, const deal_limits& limits, bool full = false,
                const double* made_inverse = nullptr);

  /// Says to a solve where they are. twice: small levels are visited twice; then the hierarchy says
  /// so, too. full: the solve begins with full multigrid, for which the levels were made.
  template <class T>
  void put(grid_solve_args<T>& to, bool twice, bool full) const {
    to.levels = levels_;
    to.level_count = level_count_;
    to.boxes = boxes_;
    to.box_count = box_count_;
    to.line_sums = line_sums_;
    to.only_bottom = only_bottom_;
    to.ends_here = ends_here_;
    to.bottom_inverse = inverse_;
    to.steps = steps_[twice];
    to.step_count = step_count_[twice];
    to.twice = twice;
    to.full = full ? full_[twice] : device_full_start{};
  }

 private:
  device_level copied(const hierarchy<level_value>& h, const level<level_value>& from,
                      const deal_limits& limits);
  void copy_bottom(const hierarchy<level_value>& h);
  std::vector<device_box_level> copied_boxes(const hierarchy<level_value>& h,
                                             const deal_limits& limits);
  void copy_full_start(const hierarchy<level_value>& h, std::vector<device_level> levels,
                       std::vector<device_box_level> boxes, const deal_limits& limits);
  device_corners copied(const corner_weights& from, const grid_shape& fine);

  device_memory memory_;
  const device_level* levels_ = nullptr;
  const device_box_level* boxes_ = nullptr;
  const double* inverse_ = nullptr;
  double* line_sums_ = nullptr;
  const cycle_step* steps_[2] = {};
  device_full_start full_[2];
  int step_count_[2] = {}, level_count_ = 0, box_count_ = 0;
  bool only_bottom_ = false, ends_here_ = false;
};

}  // namespace dwell::grids
