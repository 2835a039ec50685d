// SPDX-License-Identifier: MIT
// validate() and its like as sequences of loops, for setup_loops of either backend. Included by
// validate.cpp, validate_cuda.cpp and their tests.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstring>

#include "dwell/execution/device/cuda_backend.hpp"
#include "dwell/execution/krylov/spmv/cutting.hpp"
#include "dwell/solvers/linear/check/validate.hpp"
#include "dwell/solvers/linear/check/validate_steps.hpp"

namespace dwell {

/// What validate.hpp declares, on a GPU.
template <class T>
struct examine_functions {
  system_facts (*validate)(const device&, const large_csr_arrays<T>&, bool check_symmetry,
                           double tolerance);
  vector_magnitude (*validate_vector)(const device&, const T* v, index n);
  void (*invert_diagonal)(const device&, const large_csr_arrays<T>&, int exponent, bool magnitudes,
                          T* to);
};

}  // namespace dwell

namespace dwell::validating {

inline double from_bits(std::uint64_t bits) {
  double v;
  std::memcpy(&v, &bits, sizeof v);
  return v;
}

/// Is there anything to look at, and may it be followed as far as the sizes tell?
template <class T>
bool has_arrays(const large_csr_arrays<T>& a) {
  return a.rows >= 0 && a.rows == a.cols && a.nonzeros >= 0 && (a.rows > 0 || a.nonzeros == 0) &&
         (a.rows == 0 || a.row_ptr) && (a.nonzeros == 0 || (a.col && a.val));
}

template <class Loops>
findings fetch(const Loops& loops, const buffer<findings>& from) {
  findings f;
  loops.fetch(&f, from.data(), sizeof f);
  return f;
}

template <class Loops, class T>
system_facts validate_with(const device& where, const large_csr_arrays<T>& a, bool check_symmetry,
                           double tolerance) {
  system_facts facts;
  if (!has_arrays(a)) return facts;
  if (a.rows == 0) {
    facts.sound = facts.symmetric = facts.positive_diagonal = facts.full_diagonal = true;
    return facts;
  }
  const Loops loops(where);
  const buffer<findings> found(where, 1, fresh::unset);
  const cutting::csr_pattern pattern = cutting::pattern_of(a);
  using entries = check_entries<T>;
  loops.once(begin{found.data()});
  loops.items(a.rows, cutting::rows_per_thread, check_row_ptr{pattern, found.data()});
  loops.warps((a.nonzeros + entries::piece - 1) / entries::piece, cutting::tiles_per_thread,
              entries{pattern, a.val, check_symmetry, tolerance, found.data()});
  const findings f = fetch(loops, found);
  facts.sound = !f.row_ptr_broken && !f.broken;
  if (!facts.sound) return facts;
  facts.symmetric = !f.asymmetric;
  facts.positive_diagonal = f.positive == a.rows;
  facts.full_diagonal = f.stored == a.rows;
  facts.zero_row_sums = !f.sums_differ;
  facts.rows_with_positive = static_cast<double>(f.mixed) / a.rows;
  facts.exponent = exponent_of(from_bits(f.most));
  if (f.positive == 0) return facts;
  facts.least_diagonal = from_bits(f.least_diagonal);
  facts.most_diagonal = from_bits(f.most_diagonal);
  return facts;
}

template <class Loops, class T>
vector_magnitude validate_vector_with(const device& where, const T* v, index n) {
  const Loops loops(where);
  const buffer<findings> found(where, 1, fresh::unset);
  using elements = check_elements<T>;
  loops.once(begin{found.data()});
  loops.warps((static_cast<std::int64_t>(n) + elements::piece - 1) / elements::piece, 64,
              elements{v, n, found.data()});
  const double most = from_bits(fetch(loops, found).most);
  if (!std::isfinite(most)) return {};
  return {true, exponent_of(most)};
}

template <class Loops, class T>
void invert_diagonal_with(const device& where, const large_csr_arrays<T>& a, int exponent,
                          bool magnitudes, T* to) {
  const Loops loops(where);
  loops.items(
      a.rows, cutting::rows_per_thread,
      invert_diagonal<T>{cutting::pattern_of(a), a.val, power_of_two(exponent), magnitudes, to});
}

}  // namespace dwell::validating
