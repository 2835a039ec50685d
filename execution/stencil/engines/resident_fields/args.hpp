// SPDX-License-Identifier: MIT
// What the teams of engine resident_fields get: plain data, by value, laid out for every stencil
// alike, so that a host fills it for kernels that are compiled at run time.
#pragma once
#include <cstdint>

#include "dwell/execution/stencil/engines/ring_fields2d/args.hpp"
#include "dwell/stencil/field_limits.hpp"

namespace dwell {

/// Values from a team's flag to the next one: a line of the last-level cache each.
inline constexpr int resident_flag_distance = 32;

/// Sources and receivers of a run (points.hpp). A source is in the list of each team that computes
/// its cell, a receiver in that of the team which owns it.
template <class T>
struct resident_points {
  /// Sorted by teams and columns: a column is a lane's number times the cells of a lane, and the
  /// cell. Sources of a cell come before its receivers.
  const strip_point* list = nullptr;
  const int* first = nullptr;  ///< the first point of every team, and one more
  const T* series = nullptr;   ///< values of sources, by steps of the runner
  std::int64_t step = 0;       ///< number of the run's first step
  T* record = nullptr;         ///< values of receivers, from that step on
};

/// Axes are y, x and z.
template <class T>
struct resident_run {
  int n[3] = {1, 1, 1};  ///< rows, cells of a row, planes
  int pitch = 0;  ///< cells from a row to the next, whole units of 16 bytes, as arrays begin with
  /// Fields, twice: teams begin with the first ones and exchange by both in turn. After an even
  /// number of passes the fields are in the first ones, else in the second.
  T* fields[2][field_limits::fields] = {};
  const T* coefficients[field_limits::coefficients] = {};
  T outside[field_limits::arrays][3][2] =
      {};  ///< constants beyond the border: axis; lower, upper side
  T p[field_limits::parameters] = {};
  int tiles[3] = {1, 1, 1};  ///< a team for each, x first: resident_numbers::fits()
  int depth = 1;             ///< steps of a pass
  int passes = 1;
  int last = 1;  ///< steps of the last pass, up to depth
  unsigned* flags =
      nullptr;  ///< flags of all teams, resident_flag_distance apart; zero at the start
  /// Parameters of every step, [step][parameter], in place of p (pass_demands).
  const T* table = nullptr;
  resident_points<T> points;
};

}  // namespace dwell
