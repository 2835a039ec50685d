// SPDX-License-Identifier: MIT
// A preconditioner that is a sequence of products, set up at a place and applied on the host in
// plain loops, product by product and element by element, in f32 as the programs do it.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "dense.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/krylov/spmv/csr_arrays.hpp"
#include "dwell/formats/csr.hpp"
#include "dwell/solvers/preconditioners/list.hpp"

namespace dwell::test {

class played_sequence {
 public:
  played_sequence(const device& where, const csr<double>& a, preconditioner p,
                  const preconditioner_options& o = {}) {
    const auto row_ptr = buffer<index>::copy_of(where, a.row_ptr);
    const auto col = buffer<index>::copy_of(where, a.col);
    const auto val = buffer<double>::copy_of(where, a.val);
    const prepared_preconditioner made = kind_of(p).make<double>()(
        where, {a.rows, a.cols, a.nonzeros(), row_ptr.data(), col.data(), val.data()}, o);
    note_ = made.note;
    take(where, a.rows, made.products);
  }
  played_sequence(const device& where, index rows, const owned_sequence& products) {
    take(where, rows, products);
  }

  int phases() const { return phases_; }
  const std::string& note() const { return note_; }
  /// A product's matrix.
  dense_matrix matrix(std::size_t k) const {
    dense_matrix d = dense_matrix::Zero(rows_, rows_);
    for (index row = 0; row < rows_; ++row)
      products_[k].each(row, [&](index column, float v) { d(row, column) += v; });
    return d;
  }
  /// In place of M r: that times a number that all vectors share.
  dense_vector operator()(const dense_vector& r) const {
    std::vector<float> v = vectors_;
    const double most = r.cwiseAbs().maxCoeff();
    const int e = most > 0.0 ? std::ilogb(most) : 0;
    for (index i = 0; i < rows_; ++i)
      v[static_cast<std::size_t>(input_ + i)] = static_cast<float>(std::ldexp(r[i], -e));
    dense_vector z(rows_);
    for (const product& p : products_)
      for (index row = 0; row < p.is.matrix.rows; ++row) {
        float sum = 0.0f;
        p.each(row, [&](index column, float m) {
          sum = std::fma(m, v[static_cast<std::size_t>(p.in + column)], sum);
        });
        float out = p.is.scale * sum;
        if (p.add >= 0) out += p.is.add_scale * v[static_cast<std::size_t>(p.add + row)];
        if (p.more >= 0) out += p.is.more_scale * v[static_cast<std::size_t>(p.more + row)];
        if (p.out >= 0)
          v[static_cast<std::size_t>(p.out + row)] = out;
        else
          z[row] = std::ldexp(static_cast<double>(out), e);
      }
    return z;
  }
  /// M, column by column.
  dense_matrix dense() const {
    dense_matrix m(rows_, rows_);
    for (index k = 0; k < rows_; ++k) m.col(k) = (*this)(dense_vector::Unit(rows_, k));
    return m;
  }
  /// Expects equal matrices, bit for bit, in the same places.
  void expect_same(const played_sequence& other) const {
    ASSERT_EQ(products_.size(), other.products_.size());
    for (std::size_t k = 0; k < products_.size(); ++k) {
      SCOPED_TRACE(k);
      const product &x = products_[k], &y = other.products_[k];
      EXPECT_EQ(x.is.matrix.lanes, y.is.matrix.lanes);
      EXPECT_EQ(x.begin, y.begin);
      EXPECT_EQ(x.col, y.col);
      EXPECT_EQ(x.val, y.val);  // none is a NaN
      EXPECT_EQ(x.is.scale, y.is.scale);
      EXPECT_EQ(x.is.add_scale, y.is.add_scale);
      EXPECT_EQ(x.is.more_scale, y.is.more_scale);
    }
  }

 private:
  void take(const device& where, index rows, const owned_sequence& from) {
    rows_ = rows;
    const product_sequence& c = from.sequence;
    vectors_.resize(from.vectors.size());
    const float* const base = from.vectors.data();
    const auto offset = [&](const float* v) { return v ? v - base : -1; };
    input_ = offset(c.input);
    for (int phase = 0; phase < c.phases; ++phase)
      for (int k = c.first_of(phase); k < c.first_of(phase + 1); ++k) {
        const sparse_product& one = c.at(k);
        const auto begin =
            downloaded(where, one.matrix.begin, static_cast<std::size_t>(one.matrix.slices) + 1);
        const std::size_t n = static_cast<std::size_t>(begin.back()) * slice_step;
        products_.push_back({one, begin, downloaded(where, one.matrix.col, n),
                             downloaded(where, one.matrix.val, n), offset(one.in), offset(one.out),
                             offset(one.add), offset(one.more)});
      }
    phases_ = c.phases;
  }
  struct product {
    sparse_product is;
    std::vector<index> begin, col;
    std::vector<float> val;
    std::ptrdiff_t in, out, add, more;

    template <class F>
    void each(index row, F&& f) const {
      const sliced_matrix& m = is.matrix;
      const auto slice = static_cast<std::size_t>(row / m.rows_per_slice());
      const index items = (begin[slice + 1] - begin[slice]) * slice_items * m.lanes;
      for (index k = 0; k < items; ++k) {
        const auto at = static_cast<std::size_t>(begin[slice]) * slice_step +
                        static_cast<std::size_t>(sliced_place(m.lanes, row, k));
        if (val[at] != 0.0f) f(col[at], val[at]);
      }
    }
  };
  template <class V>
  static std::vector<V> downloaded(const device& where, const V* from, std::size_t n) {
    std::vector<V> to(n);
    memory_of(where.on()).download(where, to.data(), from, n * sizeof(V));
    return to;
  }

  index rows_ = 0;
  int phases_ = 0;
  std::ptrdiff_t input_ = 0;
  std::vector<float> vectors_;
  std::vector<product> products_;
  std::string note_;
};

}  // namespace dwell::test
