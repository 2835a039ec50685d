// SPDX-License-Identifier: MIT
// The right-hand side and the start vector of a solve.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cli/matrix_source.hpp"

#include "dwell/linear/solve.hpp"

namespace dwell::app {

/// The words --rhs knows; anything else is a file.
struct rhs_source {
  enum class kind { ones, row_sums, companion, file };
  kind what = kind::row_sums;
  std::string file;
};
rhs_source parse_rhs(const std::string& text);
/// Throws input_error if it is no word and no file.
void require_rhs(const std::string& text);
std::string option_text(const rhs_source& rhs);  ///< text that --rhs takes
std::string describe(const rhs_source& rhs);     ///< text for people

std::vector<double> make_rhs(const rhs_source& rhs, const matrix_source& source, int threads);
/// A right-hand side that all solvers are compared on.
struct consistent_rhs {
  std::vector<double> b;
  std::string note;  ///< where it is not the one that was asked for
};
/// The right-hand side that was asked for. A matrix whose rows and columns have sums of zero gets
/// another one: neither ones nor row sums have a part that is solved for.
consistent_rhs make_consistent_rhs(const rhs_source& rhs, const matrix_source& source, int threads);
/// For solve_options::null_vectors; none if `file` is empty.
std::vector<double> make_null_vectors(const std::string& file, const std::string& matrix,
                                      std::int64_t rows, int threads);

/// Throws input_error if the head of a file says that it is no vector, or one of another length;
/// not of a file that can be read only once.
void require_fitting(const std::string& file, const char* what, const std::string& matrix,
                     std::int64_t rows);
/// A vector out of a file, which is `what` of a matrix of this name. Throws input_error if it has
/// another length.
std::vector<double> read_fitting(const std::string& file, const char* what,
                                 const std::string& matrix, std::int64_t rows, int threads);
/// Throws input_error: a matrix of this name has no right-hand side beside it.
[[noreturn]] void refuse_companion(const std::string& matrix, std::int64_t rows);

/// Throws input_error where all of a right-hand side, whose largest magnitude this is, is too small
/// for f32.
void require_rhs_in_single(double most);
/// In f32, where that is so.
std::vector<float> rhs_to_single(std::span<const double> b);
/// Converts a vector to single precision, or the part of one from element `first` on. Throws
/// input_error when a value overflows.
std::vector<float> to_single(std::span<const double> v, const std::string& what,
                             std::int64_t first = 0);

/// ||v||, scaled by the largest element: no square overflows.
double norm_of(std::span<const double> v);
/// The magnitude of that element; and sum + (v_0 / by)^2 + (v_1 / by)^2 + ..., in this order.
double largest_of(std::span<const double> v);
double add_squares(std::span<const double> v, double by, double sum);

/// What every element of the answer is for right-hand side row-sums: 1, or 0 where it comes without
/// its mean.
inline double exact_for_row_sums(const solve_report& r) {
  return r.null_space == "constant" ? 0 : 1;
}
/// `largest`, or how far an element of x is from `exact`, if that is more; one that is not finite,
/// if there is one.
template <class T>
double largest_error(std::span<const T> x, double exact, double largest = 0) {
  for (const double v : x) largest = std::isfinite(v) ? std::max(largest, std::abs(v - exact)) : v;
  return largest;
}

}  // namespace dwell::app
