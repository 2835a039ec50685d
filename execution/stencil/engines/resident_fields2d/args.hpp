// SPDX-License-Identifier: MIT
// What the teams of engine resident_fields2d get: plain data, by value, laid out for every stencil
// alike, so that a host fills it for kernels that are compiled at run time.
#pragma once
#include "dwell/stencil/field_limits.hpp"

namespace dwell {

/// Values from a team's flag to the next one: a line of the last-level cache each.
inline constexpr int resident_flag_distance = 32;

template <class T>
struct resident_run {
  int nx = 0, ny = 0;
  int pitch = 0;  ///< cells from a row to the next, whole units of 16 bytes, as arrays begin with
  /// Fields, twice: teams begin with the first ones and exchange by both in turn. After an even
  /// number of passes the fields are in the first ones, else in the second.
  T* fields[2][field_limits::fields] = {};
  const T* coefficients[field_limits::coefficients] = {};
  T outside[field_limits::arrays][2][2] =
      {};  ///< constants beyond the border: axis y, x; lower, upper side
  T p[field_limits::parameters] = {};
  int tiles_x = 1, tiles_y = 1;  ///< a team for each: resident_numbers::fits()
  int depth = 1;                 ///< steps of a pass
  int passes = 1;
  int last = 1;  ///< steps of the last pass, up to depth
  unsigned* flags =
      nullptr;  ///< flags of all teams, resident_flag_distance apart; zero at the start
};

}  // namespace dwell
