// SPDX-License-Identifier: MIT
// Dwell for programs that use Eigen: solve() with an Eigen::SparseMatrix and Eigen vectors, and
// solve_columns() with Eigen matrices of right-hand sides. The sparse matrix's own arrays are used
// where they are what a CSR matrix is, else a copy that lives as long as the solve. Needs
// Eigen 3.4; the library itself does not.
#pragma once
#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/device/device.hpp"
#include "dwell/formats/csr.hpp"
#include "dwell/formats/triplets.hpp"
#include "dwell/linear/linear_solver.hpp"
#include "dwell/linear/solve.hpp"

namespace dwell {
namespace eigen_adapter {

template <class T, int Options>
using sparse = Eigen::SparseMatrix<T, Options, index>;

template <class T>
using vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;
/// Columns of right-hand sides or answers.
template <class T>
using columns = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

/// Do the inner indices of a compressed matrix ascend? Eigen neither promises nor records it.
template <class T, int Options>
bool ascends(const sparse<T, Options>& a) {
  for (Eigen::Index outer = 0; outer < a.outerSize(); ++outer) {
    const index* const begin = a.innerIndexPtr() + a.outerIndexPtr()[outer];
    const index* const end = a.innerIndexPtr() + a.outerIndexPtr()[outer + 1];
    if (std::adjacent_find(begin, end, std::greater_equal<>()) != end) return false;
  }
  return true;
}

/// A copy in rows, columns ascending, of a matrix in any state that Eigen allows.
template <class T, int Options>
csr<T> in_rows(const sparse<T, Options>& a) {
  triplets<T> entries{static_cast<index>(a.rows()), static_cast<index>(a.cols()), {}, {}, {}};
  const auto count = static_cast<std::size_t>(a.nonZeros());
  entries.row.reserve(count);
  entries.col.reserve(count);
  entries.val.reserve(count);
  for (Eigen::Index outer = 0; outer < a.outerSize(); ++outer)
    for (typename sparse<T, Options>::InnerIterator entry(a, outer); entry; ++entry) {
      entries.row.push_back(static_cast<index>(entry.row()));
      entries.col.push_back(static_cast<index>(entry.col()));
      entries.val.push_back(entry.value());
    }
  return to_csr(entries);
}

/// f(view of the matrix by rows).
template <class T, int Options, class Index, class F>
auto with_rows(const Eigen::SparseMatrix<T, Options, Index>& a, bool assume_symmetric, F&& f) {
  static_assert(std::is_same_v<T, double> || std::is_same_v<T, float>,
                "Dwell takes matrices of double or float");
  static_assert(std::is_same_v<Index, index>, "Dwell takes matrices with indices of type int");
  constexpr bool row_major = Eigen::SparseMatrix<T, Options, Index>::IsRowMajor;
  const bool same_in_rows = row_major || (a.rows() == a.cols() && !assume_symmetric);
  if (same_in_rows && a.isCompressed() && ascends(a))
    return f(csr_view<T>{static_cast<index>(a.rows()), static_cast<index>(a.cols()),
                         a.outerIndexPtr(), a.innerIndexPtr(), a.valuePtr()});
  const csr<T> copy = in_rows(a);
  return f(copy.view());
}

}  // namespace eigen_adapter

/// Solves A x = b as the solve() of solve.hpp does. `x` is the start vector on entry (set it to
/// zero if you have none) and the answer on return; b and x have a.rows() elements.
///
/// A compressed matrix with ascending inner indices is used without a copy if it is row-major, and
/// also if it is column-major and its symmetry is checked: its arrays are then those of the
/// transpose, which the check makes the same matrix. With options.assume_symmetric nobody makes
/// sure of that, so a column-major matrix is copied into rows.
template <class T, int Options, class Index>
solve_report solve(const device& where, const Eigen::SparseMatrix<T, Options, Index>& a,
                   const Eigen::Ref<const eigen_adapter::vector<std::type_identity_t<T>>>& b,
                   Eigen::Ref<eigen_adapter::vector<std::type_identity_t<T>>> x,
                   const solve_options& options = {}) {
  const std::span<const T> rhs(b.data(), static_cast<std::size_t>(b.size()));
  const std::span<T> answer(x.data(), static_cast<std::size_t>(x.size()));
  return eigen_adapter::with_rows(a, options.assume_symmetric, [&](const csr_view<T>& rows) {
    return solve(where, rows, rhs, answer, options);
  });
}

/// Solves A X = B, the matrix prepared once, and several columns in one pass over it where that
/// pays (linear_solver::solve of a block; options.columns_at_once). X holds the start vectors on
/// entry and the answers on return. Returns a report for each column. Throws input_error where B
/// and X differ in their number of columns, and what linear_solver throws.
template <class T, int Options, class Index>
std::vector<solve_report> solve_columns(
    const device& where, const Eigen::SparseMatrix<T, Options, Index>& a,
    const Eigen::Ref<const eigen_adapter::columns<std::type_identity_t<T>>>& b,
    Eigen::Ref<eigen_adapter::columns<std::type_identity_t<T>>> x,
    const solve_options& options = {}) {
  if (b.cols() != x.cols() || b.rows() != a.rows() || x.rows() != a.rows())
    throw input_error("right-hand sides and answers: expected " + std::to_string(a.rows()) +
                      " rows and equal numbers of columns, found " + std::to_string(b.rows()) +
                      " x " + std::to_string(b.cols()) + " and " + std::to_string(x.rows()) +
                      " x " + std::to_string(x.cols()));
  const auto size = [](const auto& m) {  // from the first to the last element
    return m.cols() > 0 ? static_cast<std::size_t>(m.outerStride() * (m.cols() - 1) + m.rows()) : 0;
  };
  const std::span<const T> rhs(b.data(), size(b));
  const std::span<T> answer(x.data(), size(x));
  return eigen_adapter::with_rows(a, options.assume_symmetric, [&](const csr_view<T>& rows) {
    linear_solver<T> solver(where, rows, options);
    return solver.solve(rhs, static_cast<std::size_t>(b.outerStride()), answer,
                        static_cast<std::size_t>(x.outerStride()), static_cast<int>(b.cols()));
  });
}

}  // namespace dwell
