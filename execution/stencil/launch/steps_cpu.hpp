// SPDX-License-Identifier: MIT
// The steps of a field as time loops on a CPU call them, whatever the shape: what is compiled for
// every shape is behind this interface, and the loops, polls and threads are compiled once
// (launch_cpu.cpp).
#pragma once
#include <cstddef>

#include "dwell/base/api.hpp"
#include "dwell/execution/device/scratch_cpu.hpp"
#include "dwell/execution/stencil/launch/launcher.hpp"
#include "dwell/execution/team/grid_team_cpu.hpp"

namespace dwell::cpu {

/// 8 lanes are the elements of one vector register or two.
inline constexpr int plain_lanes = 8;
using plain_team = cpu_grid_team<plain_lanes>;

/// The launches of a plan's runs.
template <class T>
class field_steps {
 public:
  virtual ~field_steps() = default;
  /// Keeps what a run is started with, for all calls until the next one.
  virtual const stencil_args<T>& take(const stencil_start& run) = 0;
  /// Phases of a launch; a barrier lies between two of them.
  virtual int phases() const { return 1; }
  /// The copy of the field that holds the result of so many steps from field[from] on.
  virtual int copy_after(int from, int /*steps*/) const { return from ^ 1; }
  /// One team's part of a phase of a launch of `steps` steps from field[from]. Nothing, once the
  /// run has ended.
  virtual void run(int team, int from, int steps, int phase) const = 0;
};

/// Launches of one step.
template <class T>
class DWELL_API single_step : public field_steps<T> {
 public:
  explicit single_step(int teams) : scratch_(teams, plain_lanes * sizeof(double)) {}
  void run(int team, int from, int steps, int phase) const final;
  /// One team's part of a step from one copy of the field to the other.
  virtual void step(plain_team& team, const T* in, T* out) const = 0;
  virtual const stencil_args<T>& args() const = 0;

 private:
  team_scratch scratch_;
};

}  // namespace dwell::cpu
