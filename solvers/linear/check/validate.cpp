// SPDX-License-Identifier: MIT
// The checks of a system on the host: one pass over the rows, in which every entry above the
// diagonal meets its mirror under a cursor of that row, since rows come in order. Where the pattern
// is not symmetric that decides nothing, and the steps for a GPU run here instead.
#include "dwell/solvers/linear/check/validate.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "dwell/base/interruption.hpp"
#include "dwell/base/parallel.hpp"
#include "dwell/execution/team/setup_cpu.hpp"
#include "dwell/solvers/linear/check/validating.hpp"

namespace dwell {
namespace {

template <class Offset>
bool is_sound(const Offset* row_ptr, index rows, std::int64_t nonzeros) {
  bool falls = false;
  for (index i = 0; i < rows; ++i) falls |= row_ptr[i + 1] <= row_ptr[i];
  return row_ptr[0] == 0 && row_ptr[rows] == nonzeros && !falls;
}

/// The rows [begin, end) of a matrix whose row_ptr is sound. Offset: its type.
template <class T, class Offset>
class row_pass {
 public:
  row_pass(const large_csr_arrays<T>& a, const Offset* row_ptr, bool check_symmetry,
           double tolerance)
      : a_(a), row_ptr_(row_ptr), check_symmetry_(check_symmetry), tolerance_(tolerance) {}

  /// False: something is wrong, or might be.
  bool run(index begin, index end) {
    first_ = begin;
    if (check_symmetry_) cursor_.resize(static_cast<std::size_t>(a_.rows - begin));
    for (index i = begin; i < end; ++i) {
      poll_interruption_at(i);
      if (!check_row(i)) return false;
    }
    return true;
  }

  T most = 0;                                                                ///< magnitude
  T least_diagonal = std::numeric_limits<T>::infinity(), most_diagonal = 0;  ///< if positive
  bool positive = true, stored = true;   ///< the diagonal, in every row; is there and not zero
  bool zero_sums = true;                 ///< sums of every row are zero
  index mixed = 0;                       ///< rows with much that is positive beside the diagonal
  std::int64_t below = 0, mirrored = 0;  ///< entries below the diagonal; mirrors of those above

 private:
  bool check_row(index i) {
    Offset k = row_ptr_[i];
    index previous = -1;
    const Offset end = row_ptr_[i + 1];
    for (; k < end && a_.col[k] < i; ++k) {  // ascending from 0: within the matrix
      if (!check_entry(k, previous)) return false;
      ++below;
    }
    T diagonal = 0;
    if (k < end && a_.col[k] == i) {
      if (!check_entry(k, previous)) return false;
      diagonal = a_.val[k++];
    }
    if (diagonal > T(0)) {
      least_diagonal = std::min(least_diagonal, diagonal);
      most_diagonal = std::max(most_diagonal, diagonal);
    } else {
      positive = false;
      stored &= diagonal != T(0);
    }
    for (; k < end; ++k)
      if (!check_entry(k, previous) || (check_symmetry_ && !meets_mirror(i, diagonal, k)))
        return false;
    weigh(i);
    return true;
  }
  void weigh(index i) {
    const Offset begin = row_ptr_[i];
    const index count = static_cast<index>(row_ptr_[i + 1] - begin);
    if (count > validating::longest_row_weighed && !zero_sums) return;
    const validating::row_weights is =
        validating::weigh_row(a_.col + begin, a_.val + begin, i, count);
    zero_sums &= is.zero_sum;
    if (is.mixed) ++mixed;
  }
  bool check_entry(Offset k, index& previous) {
    const index column = a_.col[k];
    const T size = std::abs(a_.val[k]);
    if (column <= previous || column >= a_.cols || !(size <= std::numeric_limits<T>::max()))
      return false;
    previous = column;
    most = std::max(most, size);
    return true;
  }
  bool meets_mirror(index i, T diagonal, Offset k) {
    const index j = a_.col[k];  // beyond i, and so not before first_
    std::uint32_t& next = cursor_[static_cast<std::size_t>(j - first_)];
    if (next == 0) next = 1 + static_cast<std::uint32_t>(first_column_of(j) - row_ptr_[j]);
    const Offset mirror = row_ptr_[j] + static_cast<Offset>(next - 1);
    if (mirror >= row_ptr_[j + 1] || a_.col[mirror] != i) return false;
    ++next;
    ++mirrored;
    return a_.val[mirror] == a_.val[k] || alike(diagonal, k, j, mirror);
  }
  /// Where the columns of row j begin that this pass has the rows of.
  Offset first_column_of(index j) const {
    const Offset begin = row_ptr_[j], end = row_ptr_[j + 1];
    if (first_ == 0 || (begin < end && a_.col[begin] >= first_)) return begin;
    return static_cast<Offset>(std::lower_bound(a_.col + begin, a_.col + end, first_) - a_.col);
  }
  bool alike(T diagonal, Offset k, index j, Offset mirror) const {
    const index* end = a_.col + row_ptr_[j + 1];
    const index* at = std::lower_bound(a_.col + row_ptr_[j], end, j);
    const double other = at == end || *at != j ? 0.0 : static_cast<double>(a_.val[at - a_.col]);
    const double here = a_.val[k], there = a_.val[mirror];
    const double scale =
        std::max({std::sqrt(std::abs(static_cast<double>(diagonal))) * std::sqrt(std::abs(other)),
                  std::abs(here), std::abs(there)});
    return std::abs(here - there) <= tolerance_ * scale;
  }

  const large_csr_arrays<T>& a_;
  const Offset* const row_ptr_;
  const bool check_symmetry_;
  const double tolerance_;
  index first_ = 0;
  /// For rows from first_ on: the place in the row after the last one met, counted from 1; or 0.
  std::vector<std::uint32_t> cursor_;
};

/// Not sound: at least not surely.
template <class T, class Offset>
system_facts validate_in_one_pass(const large_csr_arrays<T>& a, const Offset* row_ptr,
                                  bool check_symmetry, double tolerance) {
  system_facts facts;
  if (!is_sound(row_ptr, a.rows, a.nonzeros)) return facts;
  constexpr std::int64_t nonzeros_per_thread = 1 << 17;
  const int parts = a.nonzeros < nonzeros_per_thread
                        ? 1
                        : static_cast<int>(std::min<std::int64_t>(
                              default_threads(), a.nonzeros / nonzeros_per_thread + 1));
  std::vector<row_pass<T, Offset>> pass(static_cast<std::size_t>(parts),
                                        {a, row_ptr, check_symmetry, tolerance});
  std::vector<char> sound(pass.size());
  for_parts(parts, [&](int part) {
    const auto [begin, end] = piece(a.rows, part, parts);
    sound[static_cast<std::size_t>(part)] = pass[static_cast<std::size_t>(part)].run(begin, end);
  });
  if (!std::all_of(sound.begin(), sound.end(), [](char yes) { return yes; })) return facts;
  row_pass<T, Offset>& all = pass.front();
  for (std::size_t p = 1; p < pass.size(); ++p) {
    all.most = std::max(all.most, pass[p].most);
    all.least_diagonal = std::min(all.least_diagonal, pass[p].least_diagonal);
    all.most_diagonal = std::max(all.most_diagonal, pass[p].most_diagonal);
    all.positive &= pass[p].positive;
    all.stored &= pass[p].stored;
    all.zero_sums &= pass[p].zero_sums;
    all.mixed += pass[p].mixed;
    all.below += pass[p].below;
    all.mirrored += pass[p].mirrored;
  }
  // Mirrors are entries below the diagonal, each met once: if that is not all of them, others have
  // no mirror above it.
  if (check_symmetry && all.mirrored != all.below) return facts;
  facts.sound = facts.symmetric = true;
  facts.positive_diagonal = all.positive;
  facts.full_diagonal = all.stored;
  facts.zero_row_sums = all.zero_sums;
  facts.rows_with_positive = static_cast<double>(all.mixed) / a.rows;
  facts.exponent = exponent_of(all.most);
  if (all.most_diagonal > T(0)) {
    facts.least_diagonal = all.least_diagonal;
    facts.most_diagonal = all.most_diagonal;
  }
  return facts;
}

template <class T>
system_facts validate_in_one_pass(const large_csr_arrays<T>& a, bool check_symmetry,
                                  double tolerance) {
  return a.row_ptr.of_64_bits()
             ? validate_in_one_pass(a, a.row_ptr.of_64_bits(), check_symmetry, tolerance)
             : validate_in_one_pass(a, a.row_ptr.of_32_bits(), check_symmetry, tolerance);
}

}  // namespace

template <class T>
system_facts validate(const device& where, const large_csr_arrays<T>& a, bool check_symmetry,
                      double tolerance) {
  if (where.on() == backend::cuda)
    return cuda_backend<examine_functions<T>>().validate(where, a, check_symmetry, tolerance);
  if (validating::has_arrays(a) && a.rows > 0)
    if (const system_facts facts = validate_in_one_pass(a, check_symmetry, tolerance); facts.sound)
      return facts;
  return validating::validate_with<cpu::setup_loops>(where, a, check_symmetry, tolerance);
}

template <class T>
vector_magnitude validate_vector(const device& where, const T* v, index n) {
  return where.on() == backend::cuda
             ? cuda_backend<examine_functions<T>>().validate_vector(where, v, n)
             : validating::validate_vector_with<cpu::setup_loops>(where, v, n);
}

template <class T>
void invert_diagonal(const device& where, const large_csr_arrays<T>& a, int exponent,
                     bool magnitudes, T* to) {
  if (where.on() == backend::cuda)
    cuda_backend<examine_functions<T>>().invert_diagonal(where, a, exponent, magnitudes, to);
  else
    validating::invert_diagonal_with<cpu::setup_loops>(where, a, exponent, magnitudes, to);
}

template system_facts validate(const device&, const large_csr_arrays<double>&, bool, double);
template vector_magnitude validate_vector(const device&, const double*, index);
template void invert_diagonal(const device&, const large_csr_arrays<double>&, int, bool, double*);
template system_facts validate(const device&, const large_csr_arrays<float>&, bool, double);
template vector_magnitude validate_vector(const device&, const float*, index);
template void invert_diagonal(const device&, const large_csr_arrays<float>&, int, bool, float*);

}  // namespace dwell
