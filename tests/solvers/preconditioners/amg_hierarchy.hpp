// SPDX-License-Identifier: MIT
// A hierarchy at a place, its matrices as dense ones, and a V-cycle as a textbook writes it.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include "cg_runner.hpp"
#include "dense.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/krylov/spmv/csr_arrays.hpp"
#include "dwell/formats/csr.hpp"
#include "dwell/solvers/preconditioners/amg/amg.hpp"
#include "one_processor.hpp"

namespace dwell::test {

template <class V>
std::vector<V> downloaded(const device& where, const V* from, std::size_t n) {
  std::vector<V> to(n);
  memory_of(where.on()).download(where, to.data(), from, n * sizeof(V));
  return to;
}

/// A matrix in slices, read element by element.
inline dense_matrix dense_of(const device& where, const sliced_matrix& m, index columns) {
  const auto begin = downloaded(where, m.begin, static_cast<std::size_t>(m.slices) + 1);
  const std::size_t n = static_cast<std::size_t>(begin.back()) * slice_step;
  const auto col = downloaded(where, m.col, n);
  const auto val = downloaded(where, m.val, n);
  dense_matrix d = dense_matrix::Zero(m.rows, columns);
  for (index row = 0; row < m.rows; ++row) {
    const index slice = row / m.rows_per_slice();
    const index items =
        (begin[static_cast<std::size_t>(slice) + 1] - begin[static_cast<std::size_t>(slice)]) *
        slice_items * m.lanes;
    for (index k = 0; k < items; ++k) {
      const std::size_t at =
          static_cast<std::size_t>(begin[static_cast<std::size_t>(slice)]) * slice_step +
          static_cast<std::size_t>(sliced_place(m.lanes, row, k));
      if (val[at] != 0.0f) {
        EXPECT_TRUE(col[at] >= 0 && col[at] < columns);
        d(row, col[at]) += val[at];
      }
    }
  }
  return d;
}

/// A matrix at a place, and its hierarchy.
struct set_up {
  set_up(const device& at, const csr<double>& a, const amg_options& o)
      : where(at),
        row_ptr(buffer<index>::copy_of(at, a.row_ptr)),
        col(buffer<index>::copy_of(at, a.col)),
        val(buffer<double>::copy_of(at, a.val)),
        made(make_amg(at,
                      csr_arrays<double>{a.rows, a.cols, a.nonzeros(), row_ptr.data(), col.data(),
                                         val.data()},
                      o)) {}
  index rows(std::size_t level) const { return made.levels[level].rows; }
  const product_sequence& sequence() const { return made.products.sequence; }

  device where;
  buffer<index> row_ptr, col;
  buffer<double> val;
  amg_hierarchy made;
};

/// The matrices of the products, in the order of the sequence: S and Q' down, the last one, Q up.
inline std::vector<dense_matrix> matrices_of(const set_up& s) {
  std::vector<dense_matrix> all;
  const auto levels = s.made.levels.size();
  for (std::size_t l = 0; l + 1 < levels; ++l) {
    all.push_back(dense_of(s.where, s.sequence().product[2 * l].matrix, s.rows(l)));
    all.push_back(dense_of(s.where, s.sequence().product[2 * l + 1].matrix, s.rows(l)));
  }
  const std::size_t last = 2 * (levels - 1);
  all.push_back(dense_of(s.where, s.sequence().product[last].matrix, s.rows(levels - 1)));
  for (std::size_t up = 1; up < levels; ++up)
    all.push_back(dense_of(s.where, s.sequence().product[last + up].matrix, s.rows(levels - up)));
  return all;
}

/// The sequence as a dense matrix: M b for all unit vectors.
inline dense_matrix applied(const std::vector<dense_matrix>& m, std::size_t levels,
                            std::size_t level = 0) {
  if (level + 1 == levels) return m[2 * level];
  const dense_matrix& s = m[2 * level];
  const dense_matrix& restricted = m[2 * level + 1];
  const dense_matrix& prolonged = m[2 * (levels - 1) + (levels - 1 - level)];
  return s + prolonged * applied(m, levels, level + 1) * restricted;
}

/// V(1,1) with damped Jacobi, on vectors, as a textbook has it.
inline dense_vector v_cycle(const std::vector<dense_matrix>& a, const std::vector<dense_matrix>& p,
                            const std::vector<double>& omega, const dense_matrix& inverse,
                            const dense_vector& b, std::size_t level = 0) {
  if (level + 1 == a.size()) return inverse * b;
  const dense_vector d = a[level].diagonal();
  dense_vector x = omega[level] * b.cwiseQuotient(d);
  const dense_vector coarse =
      v_cycle(a, p, omega, inverse, p[level].transpose() * (b - a[level] * x), level + 1);
  x += p[level] * coarse;
  x += omega[level] * (b - a[level] * x).cwiseQuotient(d);
  return x;
}

/// All values of the sequence.
inline std::vector<std::vector<float>> values_of(const set_up& s) {
  std::vector<std::vector<float>> all;
  for (int k = 0; k < s.sequence().begin[s.sequence().phases]; ++k) {
    const sliced_matrix& m = s.sequence().product[k].matrix;
    const auto begin = downloaded(s.where, m.begin, static_cast<std::size_t>(m.slices) + 1);
    all.push_back(downloaded(s.where, m.val, static_cast<std::size_t>(begin.back()) * slice_step));
  }
  return all;
}

/// In precision T, with a right-hand side that excites every eigenvector.
template <class T>
linear_system<T> system_of(const csr<double>& a) {
  linear_system<T> s;
  s.a.rows = s.a.cols = a.rows;
  s.a.row_ptr = a.row_ptr;
  s.a.col = a.col;
  s.a.val.assign(a.val.begin(), a.val.end());
  for (index i = 0; i < a.rows; ++i) s.b.push_back(static_cast<T>(std::sin(1.0 + 0.37 * i)));
  return s;
}

}  // namespace dwell::test
