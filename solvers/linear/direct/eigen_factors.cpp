// SPDX-License-Identifier: MIT
// Factors by Eigen: SimplicialLDLT in the order of approximate minimum degree, SparseLU in that of
// COLAMD. The only file of the library that includes Eigen, of which it takes what is under the
// Mozilla Public License 2.
#define EIGEN_MPL2_ONLY
#define EIGEN_DONT_PARALLELIZE
// A namespace of its own: a caller's Eigen may be another version, or compiled for other
// instructions.
#define Eigen dwell_eigen
#include <Eigen/OrderingMethods>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <Eigen/SparseLU>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

#include "dwell/base/error.hpp"
#include "dwell/base/interruption.hpp"
#include "dwell/execution/device/host_memory.hpp"
#include "dwell/solvers/linear/direct/direct_method.hpp"
#include "dwell/solvers/linear/direct/factors.hpp"

namespace dwell {
namespace {

using eigen_matrix = Eigen::SparseMatrix<double, Eigen::ColMajor, index>;
using eigen_vector = Eigen::Map<Eigen::VectorXd>;

std::string megabytes(double bytes) { return fmt::format("{:.4g} MB", bytes * 1e-6); }

/// Throws device_error where so many nonzeros of factors cannot be.
void require_room(double nonzeros, double bytes) {
  if (nonzeros > static_cast<double>(std::numeric_limits<index>::max()))
    throw device_error(fmt::format(
        "too little memory: the factors of the matrix have about {:.3g} nonzeros, which 32-bit "
        "numbers cannot count (method direct)",
        nonzeros));
  const std::size_t free = host_memory_free();
  if (free > 0 && bytes > static_cast<double>(free))
    throw device_error(
        fmt::format("too little memory: the factors of the matrix have about {:.3g} nonzeros, "
                    "which take {}, {} are free (method direct)",
                    nonzeros, megabytes(bytes), megabytes(static_cast<double>(free))));
}

/// f(), whose lack of memory is a device_error.
template <class F>
auto within_memory(F&& f) {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    throw device_error("too little memory for the factors of the matrix (method direct)");
  }
}

std::vector<index> order_by_degree(const row_pattern& a) {
  return within_memory([&] {
    const auto nonzeros = a.rows > 0 ? a.row_ptr[a.rows] : 0;
    const std::vector<double> ones(slot(nonzeros), 1.0);
    const Eigen::Map<const eigen_matrix> pattern(a.rows, a.rows, nonzeros, a.row_ptr, a.col,
                                                 ones.data());
    Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, index> found;
    Eigen::AMDOrdering<index>()(pattern.selfadjointView<Eigen::Upper>(), found);
    return std::vector<index>(found.indices().data(), found.indices().data() + a.rows);
  });
}

/// The columns of a matrix, of elements that a function chooses and places.
template <class Place>
eigen_matrix columns_of(const csr_view<double>& a, Place&& place) {
  eigen_matrix out(a.rows, a.rows);
  index* const begin = out.outerIndexPtr();
  std::fill_n(begin, slot(a.rows) + 1, 0);
  const auto each = [&](auto&& f) {
    for (index i = 0; i < a.rows; ++i)
      for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
        index row = i, column = a.col[k];
        if (place(row, column)) f(row, column, a.val[k]);
      }
  };
  each([&](index, index column, double) { ++begin[column + 1]; });
  for (index j = 0; j < a.rows; ++j) begin[j + 1] += begin[j];
  out.resizeNonZeros(begin[a.rows]);
  std::vector<index> next(begin, begin + a.rows);
  each([&](index row, index column, double v) {
    const index to = next[slot(column)]++;
    out.innerIndexPtr()[to] = row;
    out.valuePtr()[to] = v;
  });
  return out;
}

class eigen_ldlt final : public matrix_factors {
 public:
  void analyse(const csr_view<double>& a, const counted_fill* known) override {
    const counted_fill found = known ? *known : count_fill({a.rows, a.row_ptr, a.col});
    order_ = found.order;
    nonzeros_ = found.fill.nonzeros;
    poll_interruption();
    number_.resize(order_.size());
    for (std::size_t k = 0; k < order_.size(); ++k)
      number_[slot(order_[k])] = static_cast<index>(k);
    require_room(nonzeros_, bytes() + 12.0 * a.nonzeros());
    poll_interruption();
    within_memory([&] { solver_.analyzePattern(upper_triangle(a)); });
  }
  std::string factorise(const csr_view<double>& a) override {
    within_memory([&] { solver_.factorize(upper_triangle(a)); });
    if (solver_.info() != Eigen::Success) return "a pivot is zero";
    if (!solver_.vectorD().allFinite()) return "a pivot is not finite";
    return {};
  }
  void solve(std::span<double> v, bool) override {
    eigen_vector b(v.data(), static_cast<index>(v.size()));
    Eigen::VectorXd x(b.size());
    for (std::size_t k = 0; k < v.size(); ++k) x[static_cast<index>(k)] = v[slot(order_[k])];
    x = solver_.solve(x).eval();
    for (std::size_t k = 0; k < v.size(); ++k) v[slot(order_[k])] = x[static_cast<index>(k)];
  }
  double least_pivot() const override {
    return solver_.vectorD().size() > 0 ? solver_.vectorD().cwiseAbs().minCoeff() : 1.0;
  }
  double nonzeros() const override { return nonzeros_; }
  double bytes() const override { return bytes_of_factor(nonzeros_); }

 private:
  /// The upper triangle of the reordered matrix; each element is read on one side alone.
  eigen_matrix upper_triangle(const csr_view<double>& a) const {
    return columns_of(a, [&](index& row, index& column) {
      const bool above = row <= column;  // in the order of the caller
      row = number_[slot(row)], column = number_[slot(column)];
      if (row > column) std::swap(row, column);
      return above;
    });
  }

  std::vector<index> order_, number_;
  double nonzeros_ = 0;
  Eigen::SimplicialLDLT<eigen_matrix, Eigen::Upper, Eigen::NaturalOrdering<index>> solver_;
};

/// SparseLU with its pivots, which stand in its supernodes.
struct lu_with_pivots : Eigen::SparseLU<eigen_matrix, Eigen::COLAMDOrdering<index>> {
  double least_pivot() const {
    double least = std::numeric_limits<double>::infinity();
    for (index j = 0; j < static_cast<index>(this->cols()); ++j)
      for (typename SCMatrix::InnerIterator it(m_Lstore, j); it; ++it)
        if (it.row() == j) {
          least = std::min(least, std::abs(it.value()));
          break;
        }
    return least;
  }
};

class eigen_lu final : public matrix_factors {
 public:
  void analyse(const csr_view<double>& a, const counted_fill* known) override {
    // Pivots decide the fill. That of a symmetric pattern in a good order is about the least, of
    // both factors; nobody counts where those of a full matrix would have room.
    const double n = a.rows;
    if (const std::size_t free = host_memory_free();
        free > 0 && 24.0 * n * n > static_cast<double>(free)) {
      const factor_fill fill = known ? known->fill : count_fill({a.rows, a.row_ptr, a.col}).fill;
      const double nonzeros = 2.0 * fill.nonzeros;
      require_room(nonzeros, bytes_of_factor(nonzeros));
    }
    poll_interruption();
    within_memory([&] { solver_.analyzePattern(by_columns(a)); });
  }
  std::string factorise(const csr_view<double>& a) override {
    poll_interruption();
    within_memory([&] { solver_.factorize(by_columns(a)); });
    if (solver_.info() != Eigen::Success) return "a pivot is zero";
    return {};
  }
  void solve(std::span<double> v, bool transposed) override {
    eigen_vector b(v.data(), static_cast<index>(v.size()));
    if (transposed)
      b = Eigen::VectorXd(solver_.transpose().solve(Eigen::VectorXd(b)));
    else
      b = Eigen::VectorXd(solver_.solve(Eigen::VectorXd(b)));
  }
  double least_pivot() const override { return solver_.least_pivot(); }
  double nonzeros() const override {
    return static_cast<double>(solver_.nnzL()) + static_cast<double>(solver_.nnzU());
  }
  double bytes() const override { return bytes_of_factor(nonzeros()); }

 private:
  static eigen_matrix by_columns(const csr_view<double>& a) {
    return columns_of(a, [](index&, index&) { return true; });
  }

  lu_with_pivots solver_;
};

template <class F>
std::unique_ptr<matrix_factors> make_factors() {
  return std::make_unique<F>();
}

}  // namespace

const factor_library& eigen_factors() {
  static const auto& all = *new const factor_library{
      fmt::format("Eigen {}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION),
      order_by_degree, make_factors<eigen_ldlt>, make_factors<eigen_lu>};
  return all;
}

}  // namespace dwell
