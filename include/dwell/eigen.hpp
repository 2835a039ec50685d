// SPDX-License-Identifier: MIT
// Dwell for programs that use Eigen: solve() with an Eigen::SparseMatrix and Eigen vectors. The
// matrix's own arrays are used where they are what a CSR matrix is, else a copy that lives as long
// as the solve. Needs Eigen 3.4; the library itself does not.
#pragma once
#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <type_traits>

#include "dwell/execution/core/device.hpp"
#include "dwell/formats/csr.hpp"
#include "dwell/formats/triplets.hpp"
#include "dwell/solvers/cg/cg.hpp"

namespace dwell {
namespace eigen_adapter {

template <class T, int Options>
using sparse = Eigen::SparseMatrix<T, Options, index>;

template <class T>
using vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;

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

}  // namespace eigen_adapter

/// Solves A x = b as the solve() of cg.hpp does. `x` is the start vector on entry (set it to zero
/// if you have none) and the answer on return; b and x have a.rows() elements.
///
/// A compressed matrix with ascending inner indices is used without a copy if it is row-major, and
/// also if it is column-major and its symmetry is checked: its arrays are then those of the
/// transpose, which the check makes the same matrix. With options.assume_symmetric nobody makes
/// sure of that, so a column-major matrix is copied into rows.
template <class T, int Options, class Index>
cg_report solve(const device& where, const Eigen::SparseMatrix<T, Options, Index>& a,
                const Eigen::Ref<const eigen_adapter::vector<std::type_identity_t<T>>>& b,
                Eigen::Ref<eigen_adapter::vector<std::type_identity_t<T>>> x,
                const cg_options& options = {}) {
  static_assert(std::is_same_v<T, double> || std::is_same_v<T, float>,
                "dwell::solve takes matrices of double or float");
  static_assert(std::is_same_v<Index, index>,
                "dwell::solve takes matrices with indices of type int");
  const std::span<const T> rhs(b.data(), static_cast<std::size_t>(b.size()));
  const std::span<T> answer(x.data(), static_cast<std::size_t>(x.size()));

  constexpr bool row_major = Eigen::SparseMatrix<T, Options, Index>::IsRowMajor;
  const bool same_in_rows = row_major || (a.rows() == a.cols() && !options.assume_symmetric);
  if (same_in_rows && a.isCompressed() && eigen_adapter::ascends(a)) {
    const csr_view<T> view{static_cast<index>(a.rows()), static_cast<index>(a.cols()),
                           a.outerIndexPtr(), a.innerIndexPtr(), a.valuePtr()};
    return solve(where, view, rhs, answer, options);
  }
  const csr<T> copy = eigen_adapter::in_rows(a);
  return solve(where, copy.view(), rhs, answer, options);
}

}  // namespace dwell
