// SPDX-License-Identifier: MIT
// A look at some rows of a matrix, and what follows from it for its coarse levels.
#include "dwell/solvers/preconditioners/amg/coarsening_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dwell/base/sampled_rows.hpp"
#include "dwell/solvers/preconditioners/amg/classical_steps.hpp"

namespace dwell::amg {
namespace {

// Classical coarsening takes half of the iterations of roots or fewer nearly everywhere, but its
// set-up takes longer, most of all where rows are long. It pays where anisotropy keeps aggregates
// from the shape they need and constants are what changes slowly.
constexpr double most_of_sum = 0.05;      ///< row sums over the diagonal, of ...
constexpr double least_zero_sums = 50.0;  ///< ... this percentage of the rows
constexpr double least_weak_rows = 15.0;  ///< percentage of the rows that have a weak coupling
constexpr double most_weak = 0.05;        ///< what those add up to over the diagonal, in the mean
constexpr double most_per_row = 6.0;      ///< elements of a row in the mean, or
constexpr double most_with_positive = 12.0, least_positive = 10.0;  ///< with so many percent
constexpr index most_looked_at = 20000;                             ///< rows

struct look {
  double rows = 0.0, elements = 0.0, couplings = 0.0, positive = 0.0, weak_rows = 0.0,
         weak_sizes = 0.0, zero_sums = 0.0;
};

template <class T>
void look_at_row(const csr_arrays<T>& a, index row, look& l) {
  double most = 0.0, sum = 0.0, diagonal = 0.0;
  for (index k = a.row_ptr[row]; k < a.row_ptr[row + 1]; ++k) {
    sum += a.val[k];
    if (a.col[k] == row)
      diagonal += a.val[k];
    else
      most = std::max(most, -static_cast<double>(a.val[k]));
  }
  bool weak_ones = false;
  for (index k = a.row_ptr[row]; k < a.row_ptr[row + 1]; ++k) {
    const double v = a.val[k];
    if (a.col[k] == row || v == 0.0) continue;
    l.couplings += 1.0;
    l.positive += v > 0.0;
    if (-v >= least_dependence * most) continue;
    weak_ones = true;
    if (v < 0.0 && diagonal > 0.0) l.weak_sizes -= v / diagonal;
  }
  l.rows += 1.0;
  l.elements += a.row_ptr[row + 1] - a.row_ptr[row];
  l.weak_rows += weak_ones;
  l.zero_sums += std::fabs(sum) <= most_of_sum * diagonal;
}

template <class T>
look look_at(const csr_arrays<T>& a) {
  look l;
  each_sampled_row(a.rows, most_looked_at, [&](index row) { look_at_row(a, row, l); });
  return l;
}

}  // namespace

template <class T>
coarsening_choice choose_coarsening(const csr_arrays<T>& a) {
  const look l = look_at(a);
  const auto percent = [](double part, double of) { return of > 0.0 ? 100.0 * part / of : 0.0; };
  const double weak_rows = percent(l.weak_rows, l.rows), zero_sums = percent(l.zero_sums, l.rows),
               positive = percent(l.positive, l.couplings),
               per_row = l.rows > 0.0 ? l.elements / l.rows : 0.0;
  const bool off_the_mesh = positive >= least_positive && per_row <= most_with_positive;
  const bool along_the_mesh = per_row <= most_per_row && l.weak_sizes <= most_weak * l.rows;
  const bool pays = weak_rows >= least_weak_rows && zero_sums >= least_zero_sums &&
                    (off_the_mesh || along_the_mesh);
  return {pays ? coarsening_kind::classical : coarsening_kind::roots,
          fmt::format("coarsening {}: {:.0f} % of the rows have weak couplings, {:.1f} % of the "
                      "diagonal in the mean, {:.0f} % sum to about zero; {:.0f} % of the couplings "
                      "are positive; {:.1f} elements a row",
                      pays ? classical_word : roots_word, weak_rows, percent(l.weak_sizes, l.rows),
                      zero_sums, positive, per_row)};
}
template coarsening_choice choose_coarsening(const csr_arrays<double>&);
template coarsening_choice choose_coarsening(const csr_arrays<float>&);

}  // namespace dwell::amg
