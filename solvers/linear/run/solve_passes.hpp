// SPDX-License-Identifier: MIT
// The passes of solve_steps.hpp, element by element, for both backends.
#pragma once
#include <cmath>

#include "dwell/base/power_of_two.hpp"
#include "dwell/solvers/linear/run/solve_places.hpp"

namespace dwell::solve_pass {

DWELL_HD bool finite(double v) { return v - v == 0.0; }

/// Largest elements of b and x, and how many are not finite.
template <class T>
struct validate {
  static constexpr int totals = 3;
  solve_places<T> at;

  DWELL_HD int constants() const { return 0; }
  DWELL_HD void element(index i, int, double* acc) const {
    const double one[totals] = {std::fabs(static_cast<double>(at.b[i])),
                                std::fabs(static_cast<double>(at.x[i])),
                                finite(at.b[i]) && finite(at.x[i]) ? 0.0 : 1.0};
    combine(acc, one);
  }
  DWELL_HD static void combine(double* to, const double* from) {
    for (int k = 0; k < 2; ++k) to[k] = to[k] > from[k] ? to[k] : from[k];
    to[2] += from[2];
  }
  DWELL_HD void conclude(const double* acc) const {
    solve_numbers& n = *at.numbers;
    n.finite = acc[2] == 0.0;
    n.zero_rhs = n.finite && acc[0] == 0.0;
    n.largest = n.zero_rhs ? 0.0 : acc[1];
    n.by = n.finite ? scale_of<T>(at.matrix_exponent, exponent_of(acc[0]), exponent_of(n.largest),
                                  at.start_residual)
                    : system_scale{};
    n.projected = at.null_count > 0 ? which_null_space::given
                  : at.null_space   ? which_null_space::constants
                                    : which_null_space::none;
    n.rhs_mean = n.start_mean = n.answer_mean = n.removed = 0.0;
  }
};

template <int Totals>
struct sums {
  static constexpr int totals = Totals;
  DWELL_HD static void combine(double* to, const double* from) {
    for (int k = 0; k < Totals; ++k) to[k] += from[k];
  }
};

/// The means of b and of the start vector; where the null space is that of the constant vectors.
template <class T>
struct means : sums<2> {
  solve_places<T> at;

  struct scales {
    power_of_two answer, rhs;
  };
  DWELL_HD scales constants() const {
    const system_scale& by = at.numbers->by;
    return {power_of_two(-by.answer()), power_of_two(-by.rhs)};
  }
  DWELL_HD void element(index i, const scales& by, double* acc) const {
    acc[0] += by.rhs(at.b[i]);
    acc[1] += by.answer(at.x[i]);
  }
  DWELL_HD void conclude(const double* acc) const {
    const double rows = at.all_rows();
    if (rows == 0.0) return;
    at.numbers->rhs_mean = acc[0] / rows;
    at.numbers->start_mean = acc[1] / rows;
  }
};

/// What b and the start vector have of null vector k, of those that are given.
template <class T>
struct parts_of_start : sums<2> {
  solve_places<T> at;
  int k;

  DWELL_HD auto constants() const { return means<T>{{}, at}.constants(); }
  DWELL_HD void element(index i, const typename means<T>::scales& by, double* acc) const {
    const double q = at.null_vectors[static_cast<std::ptrdiff_t>(k) * at.a.rows + i];
    acc[0] += by.rhs(at.b[i]) * q;
    acc[1] += by.answer(at.x[i]) * q;
  }
  DWELL_HD void conclude(const double* acc) const {
    at.parts->rhs[k] = acc[0];
    at.parts->start[k] = acc[1];
  }
};

/// Element i of the vector that has these parts of the null vectors; 0 where none are given.
template <class T>
DWELL_HD double in_null_space(const solve_places<T>& at, const double* parts, index i) {
  double sum = 0;
  for (int k = 0; k < at.null_count; ++k)
    sum += parts[k] * at.null_vectors[static_cast<std::ptrdiff_t>(k) * at.a.rows + i];
  return sum;
}

/// What is taken from the elements of b' = 2^-by.vectors b.
DWELL_HD double mean_of_rhs(const solve_numbers& n) {
  return std::ldexp(n.rhs_mean, n.by.rhs - n.by.vectors);
}

/// A square that is neither 0 nor infinite where its root is not, so that a residual of 0 or
/// infinity is not taken for one that small.
DWELL_HD double square_in_range(double v) {
  const double square = v * v;
  if (square == 0.0 && v > 0.0) return 0x1p-1074;
  return square < 0x1.fffffffffffffp1023 ? square : 0x1.fffffffffffffp1023;
}

/// The scaled vectors, without their means where these count, and ||b||.
template <class T>
struct load : sums<1> {
  solve_places<T> at;

  struct scales {
    power_of_two answer, vectors, rhs, rhs_in_vectors;
    double start_mean, vectors_mean, rhs_mean;  ///< 0 where they do not count: that changes no bit
    bool from_zeros;
  };
  DWELL_HD scales constants() const {
    const solve_numbers& n = *at.numbers;
    return {power_of_two(at.own_scale ? 0 : -n.by.answer()),
            power_of_two(at.own_scale ? 0 : -n.by.vectors),
            power_of_two(-n.by.rhs),
            power_of_two(n.by.rhs - n.by.vectors),
            n.start_mean,
            mean_of_rhs(n),
            n.rhs_mean,
            n.zero_rhs != 0};
  }
  DWELL_HD void element(index i, const scales& by, double* acc) const {
    if (by.from_zeros) {
      at.run_x_at(i) = at.run_rhs_at(i) = T(0);
      return;
    }
    if (at.null_count > 0) return without_given(i, by, acc);
    at.run_x_at(i) = static_cast<T>(by.answer(at.x[i]) - by.start_mean);
    at.run_rhs_at(i) = static_cast<T>(by.vectors(at.b[i]) - by.vectors_mean);
    const double e = by.rhs(at.b[i]) - by.rhs_mean;
    acc[0] += e * e;
  }
  DWELL_HD void without_given(index i, const scales& by, double* acc) const {
    const double e = by.rhs(at.b[i]) - in_null_space(at, at.parts->rhs, i);
    at.run_x_at(i) = static_cast<T>(by.answer(at.x[i]) - in_null_space(at, at.parts->start, i));
    at.run_rhs_at(i) = static_cast<T>(by.rhs_in_vectors(e));
    acc[0] += e * e;
  }
  /// The norm of what is taken from 2^-by.rhs b.
  DWELL_HD double removed(const solve_numbers& n) const {
    if (at.null_count == 0) return std::fabs(n.rhs_mean) * std::sqrt(at.all_rows());
    double sum = 0;
    for (int k = 0; k < at.null_count; ++k) sum += at.parts->rhs[k] * at.parts->rhs[k];
    return std::sqrt(sum);
  }
  DWELL_HD void conclude(const double* acc) const {
    solve_numbers& n = *at.numbers;
    n.rhs = std::sqrt(acc[0]);
    n.goal = at.rtol * n.rhs;
    if (n.projected) {
      // Rounding alone is left of a b in the null space: that is zero, and nothing under it can be
      // reached.
      constexpr double rounding = sizeof(T) == 8 ? 0x1p-50 : 0x1p-21;
      n.removed = removed(n);
      if (n.rhs <= rounding * n.removed) {
        n.rhs = 0.0;
        n.goal = 2.0 * rounding * n.removed;
      }
    }
    const double relative = std::ldexp(n.goal, n.by.rhs - n.by.vectors);
    const double absolute = std::ldexp(at.atol, -n.by.vectors);
    n.target = relative > absolute ? relative : absolute;
    *at.target2 = square_in_range(n.target);
  }
};

/// The mean of the run's answer; where the null space is that of the constant vectors.
template <class T>
struct mean_of_answer : sums<1> {
  solve_places<T> at;

  DWELL_HD int constants() const { return 0; }
  DWELL_HD void element(index i, int, double* acc) const { acc[0] += at.run_x_at(i); }
  DWELL_HD void conclude(const double* acc) const {
    const double rows = at.all_rows();
    if (rows > 0.0) at.numbers->answer_mean = acc[0] / rows;
  }
};

/// What the run's answer has of null vector k, of those that are given.
template <class T>
struct parts_of_answer : sums<1> {
  solve_places<T> at;
  int k;

  DWELL_HD int constants() const { return 0; }
  DWELL_HD void element(index i, int, double* acc) const {
    acc[0] += at.run_x_at(i) * at.null_vectors[static_cast<std::ptrdiff_t>(k) * at.a.rows + i];
  }
  DWELL_HD void conclude(const double* acc) const { at.parts->answer[k] = acc[0]; }
};

/// The answer in the caller's units, without its part in the null space, where the run left it; is
/// it representable?
template <class T>
struct answer {
  static constexpr int totals = 2;
  solve_places<T> at;

  struct scales {
    power_of_two answer;
    double mean;
  };
  DWELL_HD scales constants() const {
    return {power_of_two(at.own_scale ? 0 : at.numbers->by.answer()), at.numbers->answer_mean};
  }
  DWELL_HD void element(index i, const scales& by, double* acc) const {
    const double found = static_cast<double>(at.run_x_at(i));
    const T value = static_cast<T>(by.answer(
        at.null_count > 0 ? found - in_null_space(at, at.parts->answer, i) : found - by.mean));
    at.run_x_at(i) = value;
    const double one[totals] = {finite(value) ? 0.0 : 1.0, std::fabs(static_cast<double>(value))};
    combine(acc, one);
  }
  DWELL_HD static void combine(double* to, const double* from) {
    to[0] += from[0];
    to[1] = to[1] > from[1] ? to[1] : from[1];
  }
  DWELL_HD void conclude(const double* acc) const {
    solve_numbers& n = *at.numbers;
    n.step = *at.step;
    n.stop = *at.stop;
    n.rr = *at.rr;
    n.representable = acc[0] == 0.0 || n.step <= 0;
    n.has_answer =
        n.finite && n.representable && (n.step > 0 || ((n.projected || n.zero_rhs) && n.step == 0));
    if (n.has_answer) n.largest = acc[1];
  }
};

}  // namespace dwell::solve_pass
