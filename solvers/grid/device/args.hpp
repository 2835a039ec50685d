// SPDX-License-Identifier: MIT
// What a solve on a grid is given on a device: operators, levels and vectors as pointers, the steps
// of a cycle as a list, and words for the host. One layout for all problems, so that the host fills
// it without templates of kernels.
#pragma once
#include "dwell/base/fn.hpp"
#include "dwell/execution/device/monitor.hpp"
#include "dwell/solvers/grid/grid_method.hpp"
#include "dwell/solvers/grid/halved_axis.hpp"

namespace dwell::grids {

/// Lanes of a team.
inline constexpr int grid_lanes = 384;

/// Exponents of a power of two from which on an answer that is multiplied by it may be too large or
/// too small for T.
template <class T>
inline constexpr int far_exponent = sizeof(T) == 8 ? 900 : 60;
/// The largest exponent of a start beside a right-hand side of about 1: sums of squares of
/// residuals are finite.
template <class T>
inline constexpr int far_start = sizeof(T) == 8 ? 480 : 60;
/// A bound of the norm of a divided operator: twice its largest diagonal element, which has up to
/// six conductances and s, none above 1.
inline constexpr double norm_of_divided = 14;

/// How the cells of halved rows are dealt: 2^lane_bits lanes go along a piece, and a row has
/// 2^piece_bits pieces of `piece` cells of each half. A team has `each` pieces, the first `rest`
/// teams one more.
struct row_deal {
  int lane_bits = 0, piece_bits = 0, piece = 1, each = 0, rest = 0;
};

/// How columns of pairs of cells are dealt: 2^lane_bits lanes go along a strip, of which a row has
/// `strips`, and down `height` planes. A team has `each` such units, the first `rest` teams one
/// more.
struct column_deal {
  int lane_bits = 0, strips = 1, height = 1, each = 0, rest = 0;
};

/// An operator in halved rows (coefficients.hpp), where a device reads it. Places are those of rows
/// in the pool.
template <class V>
struct device_operator {
  int n[3] = {1, 1, 1};  ///< cells along z, y, x
  bool wraps[3] = {};
  bool flat = false;        ///< there are no faces along y
  const V* pool = nullptr;  ///< begins with a row of zeros
  const unsigned *x = nullptr, *y = nullptr, *z = nullptr, *s = nullptr;
  row_deal deal;
  column_deal columns;

  DWELL_HD int rows() const { return n[0] * n[1]; }
  DWELL_HD int evens() const { return (n[2] + 1) / 2; }
  DWELL_HD int odds() const { return n[2] / 2; }
};

/// The weights of an axis that is halved (axis_weights).
struct device_weights {
  const float* pool = nullptr;
  const unsigned *before = nullptr, *after = nullptr;
};

/// A level of multigrid (hierarchy.hpp).
struct device_level {
  device_operator<float> a;
  const float *inverse = nullptr, *diagonal = nullptr;  ///< rows of 1 / diagonal and of diagonals
  const unsigned* inverse_at = nullptr;                 ///< their places
  float *u = nullptr, *f = nullptr;
  int colours = 2;              ///< 3 also where lines are relaxed: all cells have residuals
  const float* pivots[3] = {};  ///< then inverse pivots of lines along z, y, x, of all cells
  halved_axis axes[3];          ///< the step to the next level, along z, y, x
  device_weights weights[3];    ///< where the axis is halved
};

/// Interpolation to a level from the next one, of Galerkin's kind (corner_weights): a weight for
/// each corner and cell, [corner][cell], rows of cells halved.
struct device_corners {
  halved_axis axes[3];  ///< along z, y, x
  int corners = 1;
  const float* w = nullptr;
};

/// A level of Galerkin's operators (galerkin_level), rows halved. Of the finest level, which is
/// none, the shape, the deal and the step to the next one.
struct device_box_level {
  int n[3] = {1, 1, 1};  ///< cells along z, y, x
  bool wraps[3] = {};
  int reach[3] = {};            ///< 0 or 1: neighbours along an axis
  int kinds[3] = {1, 1, 1};     ///< kinds of cells along an axis, see kind_of()
  row_deal deal, deal_of_kind;  ///< deals of all rows, and of those that are relaxed together
  const float* a = nullptr;     ///< [element of a row][cell]
  const double *inverse = nullptr, *diagonal = nullptr;  ///< 0 where a row has no diagonal
  double *u = nullptr, *f = nullptr, *r = nullptr;
  device_corners step;  ///< to the next level

  DWELL_HD int rows() const { return n[0] * n[1]; }
  DWELL_HD long long cells() const { return static_cast<long long>(rows()) * n[2]; }
};

/// Cells along an axis that do not touch each other: 0, those with even numbers; 1, with odd ones;
/// 2, the last one of a ring of an odd number, which touches the first one.
struct axis_kind {
  int count, first, step;
  DWELL_HD int at(int number) const { return first + number * step; }
};
DWELL_HD axis_kind kind_of(int n, int kinds, int kind) {
  const int paired = kinds == 3 ? n - 1 : n;
  return kind == 2 ? axis_kind{1, n - 1, 0} : axis_kind{(paired + 1 - kind) / 2, kind, 2};
}

/// No grid of 2^31 cells has more: each halves an axis at least.
inline constexpr int most_levels = 40;

/// Steps of a cycle that a team keeps in memory of its own; those of longer ones, which visit small
/// levels many times, are read from the device's.
inline constexpr int most_steps_kept = 512;

/// What the levels of a kernel are, so that no other steps are compiled.
enum class level_kind : int {
  points,  ///< cells are relaxed in colours
  boxes,   ///< cells, too; below the finest level are Galerkin's
  lines,   ///< lines are relaxed
  none     ///< there are none: the diagonal is the preconditioner, or nothing
};

/// What is done next in a cycle.
enum class cycle_op : int {
  relax,     ///< cells of a colour
  residual,  ///< to the array of residuals: of two colours those of the first, the others being 0;
             ///< colour 1: of a first visit, before which they were 0
  gather,    ///< residuals to f of the next level, and its first colour (of three: zeros) to u
  prolong,   ///< adds the correction of the next level; of two colours to the first only
  bottom,    ///< u = the inverse times f
  line_residual,  ///< those of lines; colour: twice the axis, and whether their place is odd
  line_correct,   ///< adds the correction of these lines
  // Steps of Galerkin's levels, of which level 0 is the finest of all:
  box_bottom,    ///< u = the inverse times f
  box_relax,     ///< cells of a kind along each axis
  box_residual,  ///< residuals of all cells
  box_gather,    ///< residuals to f of the next level, and its first relaxation to u
  box_prolong    ///< adds the correction of the next level
};
struct cycle_step {
  cycle_op op;
  int level;
  int colour;  ///< kinds of box_relax: (kind along z * 3 + along y) * 3 + along x
  bool alone;  ///< by the first team
};

/// A start by full multigrid: steps that are gone through once. The first `down` of them take the
/// residual of the start to the last level, by descriptions of levels in which all cells have
/// residuals; the others go by those of cycles.
struct device_full_start {
  const device_level* levels = nullptr;     ///< say three colours of each
  const device_box_level* boxes = nullptr;  ///< whose f is the residual
  const cycle_step* steps = nullptr;
  int down = 0, step_count = 0;  ///< 0: there is none
};

/// What a side adds to the right-hand side, for each of its cells in the order of memory.
template <class T>
struct device_side {
  int axis = 0;
  bool high = false;
  const T* of_cell = nullptr;
};

/// What came of a solve.
struct device_outcome {
  int stopped = 0;  ///< a stop_reason
  int iterations = 0, refinements = 0;
  int scale = 0;  ///< the right-hand side was divided by 2^scale
  double rhs_norm = 0, removed = 0, recursive = 0, residual = 0;
  int target_missed = 0, stagnated = 0, indefinite = 0;
  int slow = 0;                    ///< ended since iterations are slow, or cycles not definite
  int bad_rhs = 0, bad_start = 0;  ///< a value is not finite
  int history = 0;                 ///< entries that were written
};

/// The arguments of a kernel. Vectors lie in halved rows, but for `f` and `u`, which are the
/// caller's, whose axes may lie in another order.
template <class T>
struct grid_solve_args {
  device_operator<T> a;
  const device_level* levels = nullptr;  ///< the finest first
  int level_count = 0;
  const device_box_level* boxes = nullptr;  ///< the finest and Galerkin's below it, if there are
  int box_count = 0;
  double* line_sums = nullptr;  ///< where lines are relaxed: as many as cells of the finest level
  bool only_bottom = false;     ///< the finest level is the last one
  const cycle_step* steps = nullptr;  ///< those of a cycle whose finest level has its first colour
  int step_count = 0;
  bool ends_here = false;  ///< the steps lack the last ones, which go with a sum: of two
                           ///< colours the second and the first are relaxed
  device_full_start full;
  const double* bottom_inverse = nullptr;         ///< symmetric, of the last level, halved rows
  float* residual = nullptr;                      ///< has as many cells as the finest level
  const float *zeros = nullptr, *ones = nullptr;  ///< rows of them

  const T* f = nullptr;
  T* u = nullptr;             ///< the start, then the answer
  long long callers[3] = {};  ///< distances in these of neighbours along z, y, x
  const T* volume[3] = {};    ///< along z, y, x; null: f is the right-hand side as it is
  device_side<T> sides[6];
  int side_count = 0;
  T *b = nullptr, *x[2] = {}, *r = nullptr, *p[2] = {}, *q = nullptr;
  T* more[4] = {};  ///< for methods that need them
  grid_method method = grid_method::cg;
  grid_preconditioner preconditioner = grid_preconditioner::multigrid;

  int scale_of_a = 0;  ///< the operator was divided by 2^scale_of_a
  double rtol = 0, atol = 0;
  int max_iterations = 0;
  int slow_after = 0;     ///< iterations of an attempt after which a slow one ends; 0: never
  bool twice = false;     ///< the steps visit small levels twice
  bool alone = false;     ///< cycles alone, without conjugate gradients
  bool singular = false;  ///< constants are in the null space

  monitor* seen = nullptr;
  double* history = nullptr;  ///< or null: max_iterations + 1 norms
  device_outcome* out = nullptr;
  unsigned* barrier = nullptr;  ///< a word of 0
  double* partials = nullptr;   ///< most_sums a team
  static constexpr int most_sums = 8;

  /// Where a row begins in the caller's arrays.
  DWELL_HD long long callers_row(int row) const {
    return row / a.n[1] * callers[0] + row % a.n[1] * callers[1];
  }
};

}  // namespace dwell::grids
