// SPDX-License-Identifier: MIT
// The true residual of a solve, row by row, for both backends, in units of the right-hand side: its
// norm, and what it is of the terms of each row (Oettli and Prager, Numer. Math. 6, 1964; for rows
// whose terms are nearly zero Arioli, Demmel and Duff, SIAM J. Matrix Anal. Appl. 10, 1989). A norm
// is summed in three parts (Blue, ACM TOMS 4, 1978). A row whose terms leave the range of a double,
// or whose rounding decides whether the solve has converged, is summed in two numbers with an
// exponent of its own, so that no number is taken for 0 or for infinity.
#pragma once
#include <cmath>

#include "dwell/base/power_of_two.hpp"
#include "dwell/solvers/linear/run/solve_passes.hpp"

namespace dwell::solve_pass {

/// Element i of 2^-by.rhs b, without its part in the null space.
template <class T>
struct rhs_element {
  power_of_two rhs;
  double mean;

  DWELL_HD explicit rhs_element(const solve_numbers& n) : rhs(-n.by.rhs), mean(n.rhs_mean) {}
  DWELL_HD double operator()(const solve_places<T>& at, index i) const {
    return rhs(at.b[i]) - (at.null_count > 0 ? in_null_space(at, at.parts->rhs, i) : mean);
  }
};

DWELL_HD bool normal(double v) { return std::fabs(v) >= 0x1p-1022 && finite(v); }

/// What the rows of a residual share.
template <class T>
struct residual_terms {
  power_of_two matrix, answer;
  rhs_element<T> rhs;
  int exponent;  ///< exponent of the units
  double largest;
  double goal;  ///< goal of the norm, in these units
  const T* x;
  int stride;

  DWELL_HD explicit residual_terms(const solve_places<T>& at)
      : matrix(-at.numbers->by.matrix),
        answer(at.numbers->by.matrix - at.numbers->by.rhs),
        rhs(*at.numbers),
        exponent(at.numbers->by.rhs),
        largest(at.numbers->largest),
        goal(std::fmax(at.numbers->goal, std::ldexp(at.atol, -at.numbers->by.rhs))),
        x(at.weighing || at.numbers->has_answer || at.ranks ? at.run_x : at.x),
        stride(at.weighing || at.numbers->has_answer || at.ranks ? at.stride : 1) {}
  DWELL_HD double x_at(const solve_places<T>& at, index column) const {
    return x[static_cast<std::ptrdiff_t>(column - at.first_column) * stride];
  }
};

DWELL_HD float quotient_of(double r, double of) {
  return r == 0.0 ? 0.0F : static_cast<float>(r / of);
}

/// A sum in two numbers: of products without their rounding (Dekker, Numer. Math. 18, 1971; Ogita,
/// Rump and Oishi, SIAM J. Sci. Comput. 26, 2005).
struct sum_in_two {
  double high = 0.0, low = 0.0;

  DWELL_HD void add(double v) {
    const double sum = high + v, of_v = sum - high;
    low += (high - (sum - of_v)) + (v - of_v);
    high = sum;
  }
  DWELL_HD static void split(double v, double& upper, double& lower) {
    const double c = 134217729.0 * v;  // 2^27 + 1
    upper = c - (c - v);
    lower = v - upper;
  }
  /// What x y is more than their rounded product; of numbers of about 1.
  DWELL_HD static double rest_of(double x, double y, double product) {
    double x1, x2, y1, y2;
    split(x, x1, x2);
    split(y, y1, y2);
    return x2 * y2 - (((product - x1 * y1) - x2 * y1) - x1 * y2);
  }
};

/// A row with an exponent of its own, in two numbers: term by term, in their order.
template <class T>
struct wide_row {
  const solve_places<T>& at;
  const residual_terms<T>& by;

  /// f(x, y, exponent) of every term x y 2^exponent, b counted as one; x and y are about 1, or 0.
  template <class F>
  DWELL_HD void each(index i, F&& f) const {
    int e = 0;
    if (at.null_count == 0 && !at.null_space) {
      const double digits = std::frexp(static_cast<double>(at.b[i]), &e);
      f(digits, 1.0, e);
    } else {
      const double digits = std::frexp(by.rhs(at, i), &e);
      f(digits, 1.0, e + by.exponent);
    }
    const csr_row<T> row = at.a.row(i);
    for (index k = 0; k < row.count; ++k) {
      int of_a = 0, of_x = 0;
      const double a = std::frexp(static_cast<double>(row.val[k]), &of_a);
      const double x = std::frexp(by.x_at(at, row.col[k]), &of_x);
      f(-a, x, of_a + of_x);
    }
  }
  DWELL_HD row_residual operator()(index i) const {
    int most = exponent_of_zero;
    each(i, [&](double x, double y, int e) {
      if (x * y != 0.0 && e > most) most = e;
    });
    if (most == exponent_of_zero) return {};
    sum_in_two r;
    double terms = 0.0;
    each(i, [&](double x, double y, int e) {
      const double product = x * y;
      if (product == 0.0) return;
      r.add(std::ldexp(product, e - most));
      r.low += std::ldexp(sum_in_two::rest_of(x, y, product), e - most);
      terms += std::fabs(std::ldexp(product, e - most));
    });
    double row = 0.0;
    int of_x = 0;
    const double x = std::frexp(by.largest, &of_x);
    const csr_row<T> entries = at.a.row(i);
    for (index k = 0; k < entries.count; ++k) {
      int of_a = 0;
      const double a = std::frexp(std::fabs(static_cast<double>(entries.val[k])), &of_a);
      row += std::ldexp(a * x, of_a + of_x - most);
    }
    const double found = r.high + r.low;
    row_residual out;
    out.r = std::ldexp(found, most - by.exponent);
    out.by_terms = quotient_of(std::fabs(found), terms);
    out.by_row = quotient_of(std::fabs(found), terms + row);
    return out;
  }
};

/// The residual of row `i`, by eight lanes, each with every eighth nonzero.
template <class T>
struct residual_row {
  enum : int { residual, terms, row, lost, sums };
  static constexpr int lanes = 8;
  solve_places<T> at;

  DWELL_HD residual_terms<T> constants() const { return residual_terms<T>(at); }
  DWELL_HD void part(index i, int lane, const residual_terms<T>& by, double* sum) const {
    const double b = lane == 0 ? by.rhs(at, i) : 0.0;
    double r = b, of_terms = std::fabs(b), of_row = 0.0;
    // Only what is taken from b may make 0 of it; else it is too small beside the largest one.
    const bool zero = at.b[i] == T(0) || (b == 0.0 && (at.null_space || at.null_count > 0));
    bool out_of_range = lane == 0 && !zero && !normal(b);
    const csr_row<T> entries = at.a.row(i);
    for (index k = lane; k < entries.count; k += lanes) {
      const double a = entries.val[k], x = by.x_at(at, entries.col[k]);
      const double by_matrix = by.matrix(a), by_answer = by.answer(x), one = by_matrix * by_answer;
      r -= one;
      of_terms += std::fabs(one);
      of_row += std::fabs(by_matrix);
      out_of_range |= a != 0.0 && x != 0.0 &&
                      !(std::fabs(one) >= 0x1p-900 && std::fabs(one) <= 0x1p900 &&
                        normal(by_matrix) && normal(by_answer));
    }
    sum[residual] = r;
    sum[terms] = of_terms;
    sum[row] = of_row;
    sum[lost] = out_of_range ? 1.0 : 0.0;
  }
  DWELL_HD void put(index i, const residual_terms<T>& by, const double* sum) const {
    const double r = std::fabs(sum[residual]);
    // Rounding alone may be larger than what is to be reached: what is smaller is so by accident.
    const bool in_doubt = r <= by.goal && sum[terms] * 0x1p-52 > by.goal;
    if (sum[lost] > 0.0 || !finite(sum[terms]) || in_doubt) {
      at.residual[i] = wide_row<T>{at, by}(i);
      return;
    }
    const double of_row = sum[row] * by.answer(by.largest);
    at.residual[i] = {sum[residual], quotient_of(r, sum[terms]),
                      quotient_of(r, sum[terms] + of_row)};
  }
};

/// A sum of squares in three parts, of which ordinary numbers need the first one only.
struct sum_of_squares {
  enum : int { ordinary, large, small, parts };
  static constexpr double limit = 0x1p500, by = 0x1p-600;

  DWELL_HD static void add(double v, double* acc) {
    const double size = std::fabs(v);
    if (size > limit)
      acc[large] += (v * by) * (v * by);
    else if (size < 1.0 / limit)
      acc[small] += (v / by) * (v / by);
    else
      acc[ordinary] += v * v;
  }
  DWELL_HD static double root(const double* acc) {
    if (acc[large] > 0.0) return std::sqrt(acc[large] + acc[ordinary] * by * by) / by;
    if (acc[small] == 0.0) return std::sqrt(acc[ordinary]);
    if (acc[ordinary] > 0.0) return std::sqrt(acc[ordinary] + acc[small] * by * by);
    return std::sqrt(acc[small]) * by;
  }
};

/// The sums over the residual; x gets the answer, and run_x the start vector.
template <class T>
struct sum_up {
  enum : int { squares, by_diagonal = sum_of_squares::parts, rhs_by_diagonal, by_terms, by_row };
  static constexpr int totals = by_row + 1;
  solve_places<T> at;

  DWELL_HD rhs_element<T> constants() const { return rhs_element<T>(*at.numbers); }
  DWELL_HD void element(index i, const rhs_element<T>& rhs, double* acc) const {
    const row_residual& row = at.residual[i];
    const double r = row.r;
    sum_of_squares::add(r, acc + squares);
    if (at.inverse_diagonal) {
      const double b = rhs(at, i), d = at.inverse_diagonal[i];
      acc[by_diagonal] += r * r * d;
      acc[rhs_by_diagonal] += b * b * d;
    }
    take_larger(row.by_terms, acc[by_terms]);
    take_larger(row.by_row, acc[by_row]);
    if (at.weighing || !at.numbers->has_answer) return;
    const T start = at.x[i];
    at.x[i] = at.run_x_at(i);
    at.run_x_at(i) = start;
  }
  DWELL_HD static void combine(double* to, const double* from) {
    for (int k = 0; k < by_terms; ++k) to[k] += from[k];
    for (int k = by_terms; k < totals; ++k) take_larger(from[k], to[k]);
  }
  DWELL_HD static void take_larger(double from, double& to) {
    if (from > to) to = from;
  }
  DWELL_HD void conclude(const double* acc) const {
    solve_numbers& n = *at.numbers;
    n.true_norm = sum_of_squares::root(acc + squares);
    n.rr_by_diagonal = acc[by_diagonal];
    n.bb_by_diagonal = acc[rhs_by_diagonal];
    n.by_terms = acc[by_terms];
    n.by_row = acc[by_row];
  }
};

}  // namespace dwell::solve_pass
