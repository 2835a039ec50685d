// SPDX-License-Identifier: MIT
// What validate() finds sound is not looked at again. Else every check runs over rows in parallel;
// the first place in row order is the one reported.
#include "dwell/solvers/linear/check/system_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "dwell/base/checked_size.hpp"
#include "dwell/base/error.hpp"
#include "dwell/base/parallel.hpp"
#include "dwell/base/policy_words.hpp"
#include "dwell/execution/krylov/spmv/placed_csr.hpp"
#include "dwell/solvers/linear/api/options_table.hpp"
#include "dwell/solvers/linear/check/validate.hpp"
#include "dwell/solvers/linear/choose/variant.hpp"
#include "dwell/solvers/linear/direct/direct_method.hpp"
#include "dwell/solvers/preconditioners/list.hpp"

namespace dwell {
namespace {

/// complaint(row) returns a message or an empty string; the first one is thrown.
template <class F>
void for_rows(index rows, F&& complaint) {
  const int parts = rows < 4096 ? 1 : default_threads();
  for_parts(parts, [&](int part) {  // for_parts rethrows the first part's exception
    const auto [begin, end] = piece(rows, part, parts);
    for (index i = begin; i < end; ++i)
      if (const std::string said = complaint(i); !said.empty()) throw input_error(said);
  });
}

/// Where (i, j) is stored, or -1.
template <class T, class Offset>
Offset find(const csr_view<T, Offset>& a, index i, index j) {
  const index* begin = a.col + a.row_ptr[i];
  const index* end = a.col + a.row_ptr[i + 1];
  const index* at = std::lower_bound(begin, end, j);
  return at != end && *at == j ? static_cast<Offset>(at - a.col) : -1;
}

/// For a positive diagonal.
std::string who_asks(const matrix_demand& demand) {
  return demand.by_preconditioner
             ? fmt::format("preconditioner {} asks for it", demand.preconditioner)
             : std::string(
                   "methods minres, if the matrix is symmetric, bicgstab and gmres do not need it");
}

}  // namespace

void check_options(const solve_options& o) {
  check_ranges(o);
  if (o.method != automatic) {
    if (o.variant != automatic) find_variant(o.method, o.variant);
    solver_variants(o.method);
  } else if (o.variant != automatic) {
    throw input_error(
        fmt::format("variant: expected auto where the method is auto, found {}", o.variant));
  }
  if (is_direct(o.method)) check_direct(o);
  if (!o.null_vectors.empty() && o.null_space != automatic)
    throw input_error(fmt::format(
        "null_space: expected auto where null_vectors are given, found {}", o.null_space));
  if (o.mixed_precision && o.fixed_iterations)
    throw input_error(
        "precision mixed: expected a solve that ends by its residual, found fixed_iterations (a "
        "timing of f32 has the same iterations)");
}

void require_f64_of_mixed(const solve_options& o, bool is_f64) {
  if (o.mixed_precision && !is_f64)
    throw input_error("precision mixed: expected a system in f64, found one in f32");
}

void check_nonzeros(std::int64_t nonzeros, const matrix_demand& demand) {
  if (!demand.counts_in_32_bits.empty())
    throw unsupported_error(
        fmt::format("{}: expected a matrix of at most {} nonzeros, found {} (preconditioners none "
                    "and jacobi take more)",
                    demand.counts_in_32_bits, most_in_32_bits, nonzeros));
}

matrix_demand demand_of(const solve_options& o) {
  matrix_demand d;
  d.of = o.method == automatic ? matrix_class::general : solver_variants(o.method).front().solves;
  d.look_for_symmetry =
      !o.assume_symmetric &&
      (o.method == automatic || d.of != matrix_class::general || is_direct(o.method));
  const preconditioner_kind& kind = kind_of(o.preconditioner);
  d.full_diagonal = kind.full_diagonal;
  d.preconditioner = kind.name;
  if (kind.is_sequence()) d.counts_in_32_bits = fmt::format("preconditioner {}", kind.name);
  if (is_direct(o.method)) d.counts_in_32_bits = "method direct";
  if (o.method == automatic) return d;
  // Blocks with a negative element on the diagonal are not positive definite, as symmetric methods
  // need them.
  const matrix_class asked =
      kind.is == preconditioner::block_jacobi && d.of != matrix_class::general
          ? matrix_class::positive_definite
          : kind.of;
  if (asked > d.of) {
    d.of = asked;
    d.by_preconditioner = true;
    d.look_for_symmetry = !o.assume_symmetric;
  }
  if (!o.null_vectors.empty() && d.of == matrix_class::general) {
    d.of = matrix_class::symmetric;
    d.by_null_vectors = true;
    d.look_for_symmetry = !o.assume_symmetric;
  }
  return d;
}

bool has_null_space(const solve_options& o, const system_facts& f) {
  if (!o.null_vectors.empty()) return false;
  if (o.null_space != automatic) return o.null_space == "constant";
  return f.zero_row_sums && f.symmetric &&
         solver_variants(o.method).front().solves != matrix_class::general;
}

template <class T, class Offset>
void check_system(const csr_view<T, Offset>& a, const matrix_demand& demand) {
  if (a.rows != a.cols)
    throw input_error(
        fmt::format("matrix: expected as many rows as columns, found {} x {}", a.rows, a.cols));
  if (a.rows > 0 && a.row_ptr &&
      demand.met_by(validate(device::cpu(1), large_arrays_of(a), demand.look_for_symmetry)))
    return;
  check(a);
  check_diagonals(a, 0, demand);
  if (demand.of == matrix_class::general || !demand.look_for_symmetry) return;
  const auto diagonal = [&](index i) {
    const Offset k = find(a, i, i);
    return k < 0 ? 0.0 : std::sqrt(std::abs(static_cast<double>(a.val[k])));
  };
  for_rows(a.rows, [&](index i) -> std::string {
    for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
      const index j = a.col[k];
      const Offset mirror = find(a, j, i);
      if (mirror >= 0 && a.val[mirror] == a.val[k]) continue;
      const double here = a.val[k], there = mirror < 0 ? 0.0 : static_cast<double>(a.val[mirror]);
      const double scale = std::max({diagonal(i) * diagonal(j), std::abs(here), std::abs(there)});
      if (std::abs(here - there) <= symmetry_tolerance<T> * scale) continue;
      return words_for({i, j, here, there, mirror >= 0}, demand);
    }
    return {};
  });
}

template <class T, class Offset>
void check_diagonals(const csr_view<T, Offset>& a, std::int64_t first_row,
                     const matrix_demand& demand) {
  const bool positive = demand.of == matrix_class::positive_definite;
  for_rows(a.rows, [&](index i) -> std::string {
    const Offset k = find(a, i, i);
    const double found = k < 0 ? 0.0 : static_cast<double>(a.val[k]);
    const std::int64_t row = first_row + i + 1;
    if (!positive && a.row_ptr[i] == a.row_ptr[i + 1])
      return fmt::format(
          "matrix: expected an entry in every row, found none in row {} (counted from 1; such a "
          "matrix is singular)",
          row);
    if (positive && k < 0)
      return fmt::format(
          "matrix: expected a positive diagonal, found none stored in row {} (counted from 1; a "
          "symmetric positive definite matrix has one in every row; {})",
          row, who_asks(demand));
    if (positive && !(found > 0))
      return fmt::format(
          "matrix: expected a positive diagonal, found {} at ({}, {}) (counted from 1; not "
          "positive definite; {})",
          a.val[k], row, row, who_asks(demand));
    if (demand.full_diagonal && found == 0)
      return fmt::format(
          "matrix: expected a diagonal without zeros for preconditioner {}, found {} in row {} "
          "(counted from 1)",
          demand.preconditioner, k < 0 ? "none stored" : "0", row);
    return {};
  });
}

std::string words_for(const unequal_pair& pair, const matrix_demand& demand) {
  return fmt::format(
      "matrix: expected a symmetric one, found {} at ({}, {}) but {} at ({}, {}) (counted from "
      "1; {})",
      pair.here, pair.row + 1, pair.column + 1,
      pair.stored_there ? fmt::format("{}", pair.there) : std::string("nothing"), pair.column + 1,
      pair.row + 1,
      demand.by_null_vectors     ? std::string("null_vectors ask for it")
      : demand.by_preconditioner ? who_asks(demand)
                                 : std::string("method bicgstab does not need symmetry"));
}

void check_size(std::size_t found, index n, const char* what) {
  if (found != static_cast<std::size_t>(n))
    throw input_error(fmt::format("{}: expected {} elements (the matrix has {} rows), found {}",
                                  what, n, n, found));
}

void check_columns(std::size_t found, index rows, std::size_t distance, int count,
                   const char* what) {
  if (count < 0) throw input_error(fmt::format("count: expected at least 0, found {}", count));
  if (distance < static_cast<std::size_t>(rows))
    throw input_error(fmt::format("{}: expected columns at least {} elements apart, found {}", what,
                                  rows, distance));
  const std::size_t needed = count > 0 ? checked_size(what, static_cast<std::size_t>(count - 1),
                                                      distance, static_cast<std::size_t>(rows))
                                       : 0;
  if (found < needed)
    throw input_error(fmt::format("{}: expected {} elements for {} columns, found {}", what, needed,
                                  count, found));
}

template <class T>
void check_finite(std::span<const T> v, const char* what) {
  for_rows(static_cast<index>(v.size()), [&](index i) -> std::string {
    const T value = v[static_cast<std::size_t>(i)];
    return std::isfinite(value)
               ? std::string()
               : fmt::format("{}: expected finite numbers, found {} in row {} (counted from 1)",
                             what, value, i + 1);
  });
}

template void check_system(const csr_view<double>&, const matrix_demand&);
template void check_system(const csr_view<float>&, const matrix_demand&);
template void check_system(const large_csr_view<double>&, const matrix_demand&);
template void check_system(const large_csr_view<float>&, const matrix_demand&);
template void check_diagonals(const csr_view<double>&, std::int64_t, const matrix_demand&);
template void check_diagonals(const csr_view<float>&, std::int64_t, const matrix_demand&);
template void check_finite(std::span<const double>, const char*);
template void check_finite(std::span<const float>, const char*);

}  // namespace dwell
