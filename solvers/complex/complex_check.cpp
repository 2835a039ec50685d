// SPDX-License-Identifier: MIT
// Each check runs over rows in parallel; the first place in row order is the one reported.
#include "dwell/solvers/complex/complex_check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/parallel.hpp"
#include "dwell/base/policy_words.hpp"
#include "dwell/solvers/linear/check/system_check.hpp"
#include "dwell/solvers/linear/check/validate.hpp"
#include "dwell/solvers/linear/run/system_scale.hpp"
#include "dwell/solvers/preconditioners/list.hpp"

namespace dwell {
namespace {

template <class R>
std::string words_of(complex_value<R> v) {
  return fmt::format("{}{:+}i", v.re, v.im);
}

/// Where (i, j) is stored, or -1.
template <class T>
index place_of(const csr_view<T>& a, index i, index j) {
  const index* begin = a.col + a.row_ptr[i];
  const index* end = a.col + a.row_ptr[i + 1];
  const index* at = std::lower_bound(begin, end, j);
  return at != end && *at == j ? static_cast<index>(at - a.col) : -1;
}

template <class R>
double magnitude(complex_value<R> v) {
  return size_of(complex_value<double>(v));
}

/// What the rows of one part show.
struct part_facts {
  complex_facts seen;
  double most = 0;
};

template <class R>
class rows_of_matrix {
 public:
  using number = complex_value<R>;
  explicit rows_of_matrix(const csr_view<number>& a) : a_(a) {}

  void look_at_row(index i, bool look, part_facts& to) const {
    if (a_.row_ptr[i] == a_.row_ptr[i + 1])
      throw input_error(
          fmt::format("matrix: expected an entry in every row, found none in row {} (counted from "
                      "1; such a matrix is singular)",
                      i + 1));
    look_at_diagonal(i, to.seen);
    for (index k = a_.row_ptr[i]; k < a_.row_ptr[i + 1]; ++k) {
      const number v = a_.val[k];
      to.most = std::max({to.most, std::abs(double(v.re)), std::abs(double(v.im))});
      if (look && to.seen.hermitian) look_at_mirror(i, k, to.seen);
    }
  }

 private:
  void look_at_diagonal(index i, complex_facts& seen) const {
    const index k = place_of(a_, i, i);
    const number v = k < 0 ? number(R(0)) : a_.val[k];
    if (magnitude(v) == 0.0) seen.full_diagonal = false;
    if (seen.why_not_positive.empty() && !(v.re > R(0)))
      seen.why_not_positive =
          fmt::format("{} at ({}, {})", k < 0 ? std::string("nothing") : words_of(v), i + 1, i + 1);
  }
  void look_at_mirror(index i, index k, complex_facts& seen) const {
    const index j = a_.col[k], mirror = place_of(a_, j, i);
    const number here = a_.val[k], there = mirror < 0 ? number(R(0)) : a_.val[mirror];
    const complex_value<double> gap =
        complex_value<double>(here) - conjugate(complex_value<double>(there));
    const double scale = std::max({diagonal(i) * diagonal(j), magnitude(here), magnitude(there)});
    if (size_of(gap) <= symmetry_tolerance<R> * scale) return;
    seen.hermitian = false;
    seen.why_not =
        i == j ? fmt::format("{} at ({}, {}) of the diagonal, which is real of such a one",
                             words_of(here), i + 1, i + 1)
               : fmt::format("{} at ({}, {}) but {} at ({}, {})", words_of(here), i + 1, j + 1,
                             mirror < 0 ? std::string("nothing") : words_of(there), j + 1, i + 1);
  }
  double diagonal(index i) const {
    const index k = place_of(a_, i, i);
    return k < 0 ? 0.0 : std::sqrt(magnitude(a_.val[k]));
  }

  const csr_view<number>& a_;
};

/// Those that are no sequence are for numbers of any kind.
bool is_complex_kind(const preconditioner_kind& kind) {
  return !kind.is_sequence() || kind.in_complex_f64;
}
std::string names_of_complex_kinds() {
  std::vector<std::string_view> names;
  for (const preconditioner_kind& kind : preconditioner_kinds())
    if (is_complex_kind(kind)) names.emplace_back(kind.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

void check_complex_options(const solve_options& o) {
  const auto expect = [](bool met, const char* what, const std::string& expected,
                         const std::string& found) {
    if (!met)
      throw unsupported_error(
          fmt::format("{}: expected {} for a complex matrix, found {}", what, expected, found));
  };
  expect(o.method == automatic || o.method == "cg" || o.method == "bicgstab" || o.method == "gmres",
         "method", "auto, cg, bicgstab or gmres", o.method);
  expect(o.variant == automatic || o.variant == "textbook", "variant", "auto or textbook",
         o.variant);
  check_options(o);
  expect(is_complex_kind(kind_of(o.preconditioner)), "preconditioner", names_of_complex_kinds(),
         to_string(o.preconditioner));
  expect(o.null_space != "constant", "null_space", "auto or none", o.null_space);
  expect(o.null_vectors.empty(), "null_vectors", "none", "some");
  expect(!o.mixed_precision, "precision", "f64 or f32", "mixed");
  expect(o.columns_at_once <= 1, "columns_at_once", "0 or 1", std::to_string(o.columns_at_once));
  expect(o.policy != "measured", "policy", "one that tries no plans", o.policy);
}

template <class R>
complex_facts look_at(const csr_view<complex_value<R>>& a, bool look) {
  if (a.rows != a.cols)
    throw input_error(
        fmt::format("matrix: expected as many rows as columns, found {} x {}", a.rows, a.cols));
  constexpr index rows_per_thread = 4096;
  const int parts = a.rows < rows_per_thread ? 1 : default_threads();
  std::vector<part_facts> found(static_cast<std::size_t>(parts));
  const rows_of_matrix<R> rows(a);
  for_parts(parts, [&](int part) {
    part_facts mine;
    mine.seen.hermitian = mine.seen.full_diagonal = true;
    const auto [begin, end] = piece(a.rows, part, parts);
    for (index i = begin; i < end; ++i) rows.look_at_row(i, look, mine);
    found[static_cast<std::size_t>(part)] = std::move(mine);
  });
  complex_facts all;
  all.hermitian = all.full_diagonal = true;
  double most = 0.0;
  for (const part_facts& one : found) {
    all.hermitian = all.hermitian && one.seen.hermitian;
    all.full_diagonal = all.full_diagonal && one.seen.full_diagonal;
    if (all.why_not.empty()) all.why_not = one.seen.why_not;
    if (all.why_not_positive.empty()) all.why_not_positive = one.seen.why_not_positive;
    most = std::max(most, one.most);
  }
  all.positive_diagonal = all.why_not_positive.empty();
  all.exponent = exponent_of(most);
  return all;
}

void check_complex_demands(const complex_facts& facts, const solve_options& o) {
  if (o.method == "cg" && !facts.hermitian)
    throw input_error(fmt::format(
        "matrix: expected a Hermitian one, found {} (counted from 1; methods bicgstab and gmres do "
        "not need it)",
        facts.why_not));
  if (o.method == "cg" && !facts.positive_diagonal)
    throw input_error(fmt::format(
        "matrix: expected a positive diagonal, found {} (counted from 1; not positive definite; "
        "methods bicgstab and gmres do not need it)",
        facts.why_not_positive));
  const preconditioner_kind& kind = kind_of(o.preconditioner);
  if (kind.full_diagonal && !facts.full_diagonal)
    throw input_error(fmt::format(
        "matrix: expected a diagonal without zeros for preconditioner {}, found one", kind.name));
  if (kind.is_sequence() && o.method == "bicgstab" && o.variant != automatic)
    throw unsupported_error(
        fmt::format("preconditioner {}: expected variant auto, found {}", kind.name, o.variant));
  if (!kind.symmetric && o.method == "cg")
    throw unsupported_error(fmt::format(
        "preconditioner {}: expected method bicgstab or gmres, for it is not symmetric, "
        "found {}",
        kind.name, o.method));
}

template <class R>
void check_finite_complex(std::span<const std::complex<R>> v, const char* what) {
  for (std::size_t i = 0; i < v.size(); ++i)
    if (!std::isfinite(v[i].real()) || !std::isfinite(v[i].imag()))
      throw input_error(
          fmt::format("{}: expected finite numbers, found {} in row {} (counted from 1)", what,
                      words_of(complex_value<R>(v[i].real(), v[i].imag())), i + 1));
}

template complex_facts look_at(const csr_view<complex_value<double>>&, bool);
template complex_facts look_at(const csr_view<complex_value<float>>&, bool);
template void check_finite_complex(std::span<const std::complex<double>>, const char*);
template void check_finite_complex(std::span<const std::complex<float>>, const char*);

}  // namespace dwell
