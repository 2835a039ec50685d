// SPDX-License-Identifier: MIT
// What a kernel is given that makes an operator from k, or a level from the one above it.
#pragma once
#include "dwell/base/fn.hpp"
#include "dwell/solvers/grid/axis_facts.hpp"
#include "dwell/solvers/grid/device/args.hpp"
#include "dwell/solvers/grid/face_rules.hpp"

namespace dwell::grids {

/// Kinds of rows of an operator.
enum row_kind { rows_of_x = 0, rows_of_y = 1, rows_of_z = 2, rows_of_s = 3 };

/// An operator each of whose rows has a place of its own in the pool, in halves (coefficients.hpp).
/// Rows that are not there, along an axis that the problem does not have or of s, are the first one
/// of the pool, of zeros.
template <class V>
struct made_operator {
  int n[3] = {1, 1, 1};  ///< cells along z, y, x
  bool wraps[3] = {};
  V* pool = nullptr;
  long long first[4] = {};  ///< place of a kind of rows
  int step[4] = {};         ///< from a row to the next one; 0 where there are none

  /// Places rows; the result is the number of elements. has: kinds of rows.
  DWELL_HD long long lay_out(const bool (&has)[4]) {
    long long at = n[2] + 1;
    for (int kind = 0; kind < 4; ++kind) {
      step[kind] = !has[kind] ? 0 : length(kind);
      first[kind] = has[kind] ? at : 0;
      at += static_cast<long long>(count(kind)) * step[kind];
    }
    return at;
  }
  DWELL_HD int rows() const { return n[0] * n[1]; }
  DWELL_HD long long cells() const { return static_cast<long long>(rows()) * n[2]; }
  DWELL_HD int length(int kind) const { return n[2] + (kind == rows_of_x ? 1 : 0); }
  /// Rows of a kind, in the order of planes.
  DWELL_HD int count(int kind) const {
    return (n[0] + (kind == rows_of_z ? 1 : 0)) * (n[1] + (kind == rows_of_y ? 1 : 0));
  }
  DWELL_HD long long place(int kind, int number) const {
    return first[kind] + static_cast<long long>(number) * step[kind];
  }
  DWELL_HD V* row(int kind, int number) const { return pool + place(kind, number); }
  DWELL_HD int number(int k, int j) const { return k * n[1] + j; }
  DWELL_HD int number_of_y(int k, int j) const { return k * (n[1] + 1) + j; }
};

/// Places of the rows of an operator, for device_operator.
struct made_places {
  unsigned *x = nullptr, *y = nullptr, *z = nullptr, *s = nullptr;
};

/// Weights of an axis that is halved (axis_weights): rows of all coarse cells.
struct made_weights {
  float *before = nullptr, *after = nullptr;
  unsigned *before_at = nullptr, *after_at = nullptr;  ///< places of rows, from `before`
};

/// A level.
struct made_level {
  made_operator<float> a;
  made_places places;
  float *inverse = nullptr, *diagonal = nullptr;  ///< rows of all cells
  unsigned* inverse_at = nullptr;
};

/// The factor of the bottom's matrix (profile_factor), and where its inverse goes: n rows.
struct made_factor {
  int n = 0;
  const unsigned *place = nullptr, *first = nullptr, *start = nullptr;
  const double* l = nullptr;
  double *work = nullptr, *inverse = nullptr;  ///< n * n elements each
};

enum class setup_task {
  conductances,  ///< the operator of a problem
  first_level,   ///< scales it, and makes the finest level's operator
  next_level,    ///< makes a level from the one above it
  bottom         ///< makes the inverse of the last one's matrix, of its factor
};

/// What is said of an operator.
struct setup_outcome {
  axis_facts facts;    ///< those of a level
  double largest = 0;  ///< magnitude of conductances
  int bad = 0;         ///< a number was not finite, k was not above 0, or a conductance vanished
};

template <class T>
struct grid_setup_args {
  setup_task task = setup_task::conductances;
  face_rules<T> rules;
  made_operator<T> fine;
  int scale_of_a = 0;  ///< the operator is divided by 2^scale_of_a

  halved_axis axes[3];              ///< from a level to the next one, along z, y, x
  made_operator<float> from;        ///< the level above
  made_operator<float> between[2];  ///< with one and two axes of three halved, where that many are
  made_weights weights[3];
  made_level level;  ///< to be made
  made_factor factor;

  double* of_lanes = nullptr;     ///< one for each lane of all teams
  axis_facts* of_rows = nullptr;  ///< one for each row
  setup_outcome* out = nullptr;
  unsigned* barrier = nullptr;  ///< a word of 0
};

}  // namespace dwell::grids
