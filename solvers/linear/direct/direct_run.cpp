// SPDX-License-Identifier: MIT
// Which factors there are, and what follows from the residual of an answer.
#include "dwell/solvers/linear/direct/direct_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "dwell/base/lap_timer.hpp"
#include "dwell/base/power_of_two.hpp"
#include "dwell/execution/device/run_control.hpp"
#include "dwell/solvers/linear/direct/direct_method.hpp"
#include "dwell/solvers/linear/method/outcome.hpp"
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
      answer_(x_.size()) {
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
void direct_run<T>::refill(const large_csr_arrays<T>&, int exponent) {
  exponent_ = exponent;
  current_ = nullptr;
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
    const std::string why = factorise_as(ldlt_, true);
    if (why.empty()) {
      current_ = ldlt_.get();
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
  const std::string none = factorise_as(lu_, false);
  current_ = none.empty() ? lu_.get() : nullptr;
  if (!none.empty()) why_none_ = "the matrix is singular, exactly or by rounding: " + none;
}

template <class T>
std::string direct_run<T>::factorise_as(std::unique_ptr<matrix_factors>& one, bool symmetric) {
  const csr_view<T> a = matrix();
  {
    const lap_timer time(setup_.factor_s);
    by_ = equilibrate(a, symmetric, matrix_.facts().positive_diagonal);
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
  return {x_.data(), rhs_.data(), 1, nullptr, &now_.target2, &now_.step, &now_.stop, &now_.rr};
}

template <class T>
std::vector<double> direct_run<T>::history(std::size_t count) const {
  return {history_.begin(),
          history_.begin() + static_cast<std::ptrdiff_t>(std::min(count, history_.size()))};
}

template <class T>
double direct_run<T>::residual_of(const std::vector<double>& x, std::vector<double>& r) const {
  const csr_view<T> a = matrix();
  const power_of_two scale(exponent_);
  double rr = 0;
  for (index i = 0; i < a.rows; ++i) {
    double sum = rhs_[slot(i)];
    for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
      sum -= scale(static_cast<double>(a.val[k])) * x[slot(a.col[k])];
    r[slot(i)] = sum;
    rr += sum * sum;
  }
  return rr;
}

template <class T>
bool direct_run<T>::is_unstable(const std::vector<double>& x, const std::vector<double>& r) const {
  const csr_view<T> a = matrix();
  const power_of_two scale(exponent_);
  double norm = 0, rhs = 0;
  for (index i = 0; i < a.rows; ++i) {
    double sum = 0;
    for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
      sum += std::abs(scale(static_cast<double>(a.val[k])));
    norm = std::max(norm, sum);
    rhs = std::max(rhs, std::abs(static_cast<double>(rhs_[slot(i)])));
  }
  return !(largest(r) <= much_for_stable * (norm * largest(x) + rhs));
}

template <class T>
void direct_run<T>::solve_by_factors(std::vector<double>& v) {
  // R A C is factorised, and A' = 2^exponent A.
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = std::ldexp(v[i], by_.row[i] - exponent_);
  current_->solve(v, false);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = std::ldexp(v[i], by_.column[i]);
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
  std::vector<double> r(answer_.size()), next(answer_.size()), rest(answer_.size());
  now_.rr = residual_of(answer_, r);
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
      next = r;
      solve_by_factors(next);
      for (std::size_t i = 0; i < next.size(); ++i) next[i] += answer_[i];
      const double rr = residual_of(next, rest);
      const double before = now_.rr;
      ++now_.step;
      if (rr < before) {  // no NaN is
        now_.rr = rr;
        answer_.swap(next);
        r.swap(rest);
      }
      go_on = note(control);
      if (now_.rr <= now_.target2 || now_.rr <= worth_a_step * worth_a_step * before) continue;
      // It rests: by rounding, or since factors without pivoting are of little worth.
      if (go_on && current_ == ldlt_.get() && options_.variant != variant_ldlt &&
          is_unstable(answer_, r)) {
        const solve_setup known = setup_;
        take_lu("it left a relative residual that rounding does not explain");
        more_ += difference(setup_, known);
        continue;
      }
      now_.stop = run_outcome::converged;  // how far the true residual says
    }
  }
}

template <class T>
void direct_run<T>::start(run_control& control) {
  const double begun = seconds_on_host();
  history_.clear();
  more_ = {};
  std::copy(x_.begin(), x_.end(), answer_.begin());
  iterate(control);
  std::transform(answer_.begin(), answer_.end(), x_.begin(),
                 [](double v) { return static_cast<T>(v); });
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
