// SPDX-License-Identifier: MIT
// Which factors there are, and what follows from the residual of an answer.
#include "dwell/solvers/linear/direct/direct_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "dwell/base/lap_timer.hpp"
#include "dwell/execution/device/run_control.hpp"
#include "dwell/solvers/linear/direct/direct_method.hpp"
#include "dwell/solvers/linear/method/outcome.hpp"
#include "dwell/solvers/linear/run/system_scale.hpp"
#include "dwell/solvers/linear/run/verification.hpp"

namespace dwell {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
/// A pivot of a matrix of elements of about 1 that is smaller than this makes one look closer.
constexpr double small_pivot = 1e-9;
/// A residual over |A| |x| + |b|, in the largest norm, that no stable factors leave after a step of
/// refinement.
constexpr double much_for_stable = 64 * epsilon;
/// A step of refinement that leaves more than this of the residual is the last one.
constexpr double worth_a_step = 0.5;

double largest(const std::vector<double>& v) {
  double most = 0;
  for (const double e : v) most = std::max(most, std::abs(e));
  return most;
}

double sum_of_magnitudes(const std::vector<double>& v) {
  double sum = 0;
  for (const double e : v) sum += std::abs(e);
  return sum;
}

double one_norm(const csr_view<double>& a) {
  std::vector<double> sums(slot(a.rows), 0.0);
  for (index k = 0; k < a.nonzeros(); ++k) sums[slot(a.col[k])] += std::abs(a.val[k]);
  return largest(sums);
}

/// A lower bound of ||A^-1||, of sums of columns (Hager 1984).
double one_norm_of_inverse(matrix_factors& factors, index rows) {
  const double n = rows;
  std::vector<double> x(slot(rows), 1.0 / n), z;
  double most = 0;
  for (int step = 0; step < 5; ++step) {
    factors.solve(x, false);
    const double found = sum_of_magnitudes(x);
    if (!std::isfinite(found)) return std::numeric_limits<double>::infinity();
    if (!(found > most)) break;
    most = found;
    z.resize(x.size());
    std::transform(x.begin(), x.end(), z.begin(), [](double e) { return e < 0 ? -1.0 : 1.0; });
    factors.solve(z, true);
    const auto top = std::max_element(z.begin(), z.end(),
                                      [](double p, double q) { return std::abs(p) < std::abs(q); });
    std::fill(x.begin(), x.end(), 0.0);
    x[static_cast<std::size_t>(top - z.begin())] = 1.0;
  }
  return most;
}

}  // namespace

template <class T>
direct_run<T>::direct_run(const prepared_system<T>& matrix, const solve_options& options,
                          const counted_fill* known, solve_setup& setup)
    : matrix_(matrix),
      options_(options),
      setup_(setup),
      library_(*built_factors()),
      known_(known),
      x_(slot(matrix.arrays().rows)),
      rhs_(x_.size()),
      scaled_rhs_(x_.size()),
      answer_(x_.size()),
      residual_(x_.size()) {
  refill(matrix.arrays(), -matrix.scale_exponent());
}

template <class T>
csr_view<T> direct_run<T>::matrix() const {
  const csr_arrays<T> a = matrix_.arrays().in_32_bits();
  return {a.rows, a.cols, a.row_ptr, a.col, a.val};
}

template <class T>
csr_view<double> direct_run<T>::scaled_matrix() const {
  const csr_arrays<T> a = matrix_.arrays().in_32_bits();
  return {a.rows, a.cols, a.row_ptr, a.col, values_.data()};
}

template <class T>
std::string direct_run<T>::library() const {
  return library_.name;
}

template <class T>
void direct_run<T>::refill(const large_csr_arrays<T>&, int) {
  current_ = nullptr;
  begins_with_ldlt_ = lu_made_ = false;
  why_lu_.clear();
  why_none_.clear();
  factorise();
}

// Factors ---------------------------------------------------------------------------------------

template <class T>
void direct_run<T>::factorise() {
  const system_facts& facts = matrix_.facts();
  const bool symmetric =
      options_.variant == variant_ldlt || (options_.variant != variant_lu && facts.symmetric);
  if (symmetric) {
    const std::string why = factorise_as(ldlt_, true, scaling::largest);
    if (why.empty()) {
      current_ = ldlt_.get();
      by_of_ldlt_ = by_;
      begins_with_ldlt_ = true;
      return;
    }
    if (options_.variant == variant_ldlt) {
      why_none_ = "L D L^T without pivoting: " + why + ": try variant lu";
      return;
    }
    why_lu_ = why;
  }
  take_lu(why_lu_);
}

template <class T>
void direct_run<T>::take_lu(const std::string& why) {
  why_lu_ = why;
  current_ = nullptr;  // should this throw, take_first() has to bring back the scaling of L D L^T
  if (lu_made_) {
    by_ = by_of_lu_;
    values_ = scaled_values(matrix(), by_);
  } else {
    why_no_lu_ = factorise_as(lu_, false, scaling::largest);
    if (!why_no_lu_.empty()) why_no_lu_ = factorise_as(lu_, false, scaling::mean);
    by_of_lu_ = by_;
    lu_made_ = true;
  }
  current_ = why_no_lu_.empty() ? lu_.get() : nullptr;
  if (!current_) why_none_ = "the matrix is singular, exactly or by rounding: " + why_no_lu_;
}

template <class T>
void direct_run<T>::take_first() {
  if (!begins_with_ldlt_ || current_ == ldlt_.get()) return;
  by_ = by_of_ldlt_;
  values_ = scaled_values(matrix(), by_);
  current_ = ldlt_.get();
  why_lu_.clear();
  why_none_.clear();
}

template <class T>
std::string direct_run<T>::factorise_as(std::unique_ptr<matrix_factors>& one, bool symmetric,
                                        scaling how) {
  const csr_view<T> a = matrix();
  {
    const lap_timer time(setup_.factor_s);
    by_ = how == scaling::mean ? equilibrate_by_mean(a)
                               : equilibrate(a, symmetric, matrix_.facts().positive_diagonal);
    values_ = scaled_values(a, by_);
  }
  const csr_view<double> scaled = scaled_matrix();
  if (!one) {
    const lap_timer time(setup_.analyse_s);
    std::unique_ptr<matrix_factors> made = symmetric ? library_.ldlt() : library_.lu();
    made->analyse(scaled, known_);
    one = std::move(made);
  }
  const lap_timer time(setup_.factor_s);
  if (std::string why = one->factorise(scaled); !why.empty()) return why;
  if (is_singular(*one, scaled))
    return "the pivots are so small that no digit of an answer would be right";
  return {};
}

template <class T>
bool direct_run<T>::is_singular(matrix_factors& factors, const csr_view<double>& scaled) const {
  if (scaled.rows == 0 || factors.least_pivot() >= small_pivot) return false;
  return !(one_norm(scaled) * one_norm_of_inverse(factors, scaled.rows) < 1.0 / epsilon);
}

// A run -----------------------------------------------------------------------------------------

template <class T>
run_places<T> direct_run<T>::places(int) {
  run_places<T> at{x_.data(),     rhs_.data(), 1,          nullptr,
                   &now_.target2, &now_.step,  &now_.stop, &now_.rr};
  at.own_scale = true;
  return at;
}

template <class T>
std::vector<double> direct_run<T>::history(std::size_t count) const {
  return {history_.begin(),
          history_.begin() + static_cast<std::ptrdiff_t>(std::min(count, history_.size()))};
}

template <class T>
void direct_run<T>::take_vectors() {
  int most = exponent_of_zero;
  for (std::size_t i = 0; i < x_.size(); ++i)
    most = std::max({most, exponent_of(std::abs(rhs_[i])) + by_.row[i],
                     exponent_of(std::abs(x_[i])) - by_.column[i]});
  scale_ = most > exponent_of_zero / 2 ? most : 0;
  for (std::size_t i = 0; i < x_.size(); ++i) {
    scaled_rhs_[i] = std::ldexp(static_cast<double>(rhs_[i]), by_.row[i] - scale_);
    answer_[i] = std::ldexp(static_cast<double>(x_[i]), -by_.column[i] - scale_);
  }
}

template <class T>
void direct_run<T>::give_answer() {
  for (std::size_t i = 0; i < x_.size(); ++i)
    x_[i] = static_cast<T>(std::ldexp(answer_[i], by_.column[i] + scale_));
}

template <class T>
void direct_run<T>::change_to_lu() {
  const solve_setup known = setup_;
  const std::vector<int> column = by_.column;
  const int scale = scale_;
  const std::vector<double> answer = answer_;
  take_lu("it left a relative residual that rounding does not explain");
  take_vectors();
  for (std::size_t i = 0; i < answer.size(); ++i)
    answer_[i] = std::ldexp(answer[i], column[i] + scale - by_.column[i] - scale_);
  residual_of(answer_, residual_);
  more_ += difference(setup_, known);
}

template <class T>
double direct_run<T>::residual_of(const std::vector<double>& y, std::vector<double>& r) const {
  const csr_view<double> a = scaled_matrix();
  double rr = 0;
  bool zero = true;
  for (index i = 0; i < a.rows; ++i) {
    double sum = scaled_rhs_[slot(i)];
    for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) sum -= a.val[k] * y[slot(a.col[k])];
    r[slot(i)] = sum;
    zero = zero && sum == 0;
    const double of_row = std::ldexp(sum, scale_ - by_.row[slot(i)] - unit_);
    rr += of_row * of_row;
  }
  // What is too small for a square is not 0; NaN stays.
  return rr == 0 && !zero ? std::numeric_limits<double>::denorm_min() : rr;
}

template <class T>
double direct_run<T>::part_of_terms(const std::vector<double>& y,
                                    const std::vector<double>& r) const {
  const csr_view<double> a = scaled_matrix();
  double most = 0;
  for (index i = 0; i < a.rows; ++i) {
    if (r[slot(i)] == 0) continue;
    double terms = std::abs(scaled_rhs_[slot(i)]);
    for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
      terms += std::abs(a.val[k] * y[slot(a.col[k])]);
    most = std::max(most, std::abs(r[slot(i)]) / terms);
  }
  return most;
}

template <class T>
bool direct_run<T>::is_unstable(const std::vector<double>& y, const std::vector<double>& r) const {
  const csr_view<double> a = scaled_matrix();
  double norm = 0;
  for (index i = 0; i < a.rows; ++i) {
    double sum = 0;
    for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) sum += std::abs(a.val[k]);
    norm = std::max(norm, sum);
  }
  return !(largest(r) <= much_for_stable * (norm * largest(y) + largest(scaled_rhs_)));
}

template <class T>
double direct_run<T>::step(const std::vector<double>& r, std::vector<double>& next,
                           std::vector<double>& rest) {
  next = r;
  current_->solve(next, false);
  for (std::size_t i = 0; i < next.size(); ++i) next[i] += answer_[i];
  ++now_.step;
  return residual_of(next, rest);
}

template <class T>
bool direct_run<T>::note(const run_control& control) {
  const double norm = std::sqrt(now_.rr);
  history_.push_back(norm);
  bool go_on = !(control.interrupt && control.interrupt->load());
  if (control.progress) go_on = control.progress(now_.step, norm) && go_on;
  return go_on;
}

template <class T>
void direct_run<T>::iterate(run_control& control) {
  std::vector<double> next(answer_.size()), rest(answer_.size());
  now_.rr = residual_of(answer_, residual_);
  bool go_on = note(control);
  while (now_.stop == run_outcome::running) {
    if (now_.rr <= now_.target2) {
      now_.stop = run_outcome::converged;
    } else if (!std::isfinite(now_.rr)) {
      now_.stop = run_outcome::not_finite;
    } else if (!go_on) {
      now_.stop = run_outcome::interrupted;
    } else if (!current_) {
      now_.stop = run_outcome::breakdown;
    } else if (now_.step >= limit_) {
      now_.stop = run_outcome::iteration_limit;
    } else {
      const double before = now_.rr, rr = step(residual_, next, rest);
      if (rr < before) {  // no NaN is
        now_.rr = rr;
        answer_.swap(next);
        residual_.swap(rest);
      }
      go_on = note(control);
      if (now_.rr <= now_.target2 || now_.rr <= worth_a_step * worth_a_step * before) continue;
      // It rests: by rounding, or since factors without pivoting are of little worth.
      if (go_on && current_ == ldlt_.get() && options_.variant != variant_ldlt &&
          is_unstable(answer_, residual_)) {
        change_to_lu();
        continue;
      }
      now_.stop = run_outcome::converged;  // how far the true residual says
    }
  }
}

template <class T>
void direct_run<T>::refine_rows(run_control& control) {
  std::vector<double> next(answer_.size()), rest(answer_.size());
  double part = part_of_terms(answer_, residual_);
  for (bool go_on = true; go_on && part > much_for_rounding && now_.step < limit_;) {
    const double rr = step(residual_, next, rest), of_next = part_of_terms(next, rest);
    // The norm may lose what rounding has left of it.
    const bool helps = of_next <= worth_a_step * part && rr <= std::max(now_.target2, 4 * now_.rr);
    if (helps) {
      part = of_next;
      now_.rr = rr;
      answer_.swap(next);
      residual_.swap(rest);
    }
    go_on = note(control) && helps;
  }
}

template <class T>
void direct_run<T>::start(run_control& control) {
  const double begun = seconds_on_host();
  history_.clear();
  more_ = {};
  take_first();
  take_vectors();
  iterate(control);
  if (now_.stop == run_outcome::converged && now_.step > 0) refine_rows(control);
  if (now_.step > 0) give_answer();
  seconds_ = seconds_on_host() - begun - more_.total();
}

template <class T>
void direct_run<T>::conclude(solve_report& report) const {
  report.variant = (current_ ? current_ == ldlt_.get() : !lu_) ? variant_ldlt : variant_lu;
  if (current_) {
    report.factor_nonzeros = static_cast<std::size_t>(current_->nonzeros());
    report.factor_bytes = static_cast<std::size_t>(current_->bytes());
    report.bytes_per_iteration =
        2 * report.factor_bytes + x_.size() * 6 * sizeof(double) +
        static_cast<std::size_t>(matrix_.arrays().nonzeros) * (sizeof(T) + sizeof(index));
  }
  if (!why_lu_.empty())
    report.reason += fmt::format("; LU with pivoting took over from L D L^T: {}", why_lu_);
  report.setup += more_;
  report.setup_s += more_.total();
  if (report.stopped == stop_reason::breakdown) report.advice = why_none_;
}

template class direct_run<double>;
template class direct_run<float>;

}  // namespace dwell
