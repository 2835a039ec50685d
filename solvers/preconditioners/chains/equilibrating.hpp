// SPDX-License-Identifier: MIT
// The units of a matrix as a sequence of loops, for setup_loops of either backend. Included by the
// files that do it on one.
#pragma once
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>

#include "dwell/solvers/preconditioners/chains/equilibrated.hpp"
#include "dwell/solvers/preconditioners/chains/set_up.hpp"

namespace dwell::chains {

/// Per row: what find_roots finds, of a matrix in either precision.
template <class T>
struct find_roots_of {
  csr_arrays<T> a;
  double* root;
  size_range* range;
  template <class Warp>
  DWELL_FN void operator()(Warp& w, std::int64_t i) const {
    const index row = static_cast<index>(i);
    const index k = place_of(a.col, a.row_ptr[row], a.row_ptr[row + 1], row);
    const double d = k < 0 ? 0.0 : std::fabs(static_cast<double>(a.val[k]));
    root[row] = d > 0.0 ? 1.0 / std::sqrt(d) : 0.0;
    if (d > 0.0) add_size(w, *range, d);
  }
};
/// Per row without a diagonal element: the unit of the others.
struct fill_roots {
  double* root;
  double missing;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    if (root[i] == 0.0) root[i] = missing;
  }
};
/// Per row: S A S, symmetric to the bit where A is.
template <class T>
struct scale_both {
  csr_arrays<T> a;
  const double* root;
  double* to;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    const index row = static_cast<index>(i);
    for (index k = a.row_ptr[row]; k < a.row_ptr[row + 1]; ++k) {
      const index j = a.col[k];
      to[k] = a.val[k] * root[row < j ? row : j] * root[row < j ? j : row];
    }
  }
};
/// Per row: S in a unit.
struct in_unit {
  const double* root;
  double unit;
  double* to;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    to[i] = root[i] * unit;
  }
};

template <class Loops>
class equilibration : set_up<Loops> {
  using base = set_up<Loops>;
  using base::fetched, base::loops, base::where;

 public:
  using base::base;

  template <class T>
  void find(const csr_arrays<T>& a, bool with_values, matrix_units& to) const {
    to.rows = a.rows;
    to.root = this->template room<double>(a.rows);
    buffer<size_range> range(where, 1);
    loops.items(a.rows, rows_per_thread, find_roots_of<T>{a, to.root.data(), range.data()});
    const size_range found = fetched(range.data());
    to.spread = found.most == 0 ? 0 : found.most + found.least - 2 * size_range::bias;
    const int middle = base::middle_of(found);
    to.unit = middle >= 0 ? middle / 2 : -((1 - middle) / 2);
    if (!with_values && !to.wide()) return;
    loops.items(a.rows, rows_per_thread, fill_roots{to.root.data(), std::ldexp(1.0, -to.unit)});
    if (to.val.size() == 0) to.val = this->template room<double>(a.nonzeros);
    loops.items(a.rows, rows_per_thread, scale_both<T>{a, to.root.data(), to.val.data()});
  }

  void put(const matrix_units& units) const {
    with_slices(units,
                [&](const row_slices& from) { slicing::put_values(loops, from, *units.slices); });
  }

  owned_chain between(const owned_chain& inner, matrix_units& units) const {
    with_slices(units, [&](const row_slices& from) {
      units.slices =
          slicing::put_in_slices(loops, where, from, units.rows, static_cast<double>(units.rows));
    });
    owned_chain out;
    const std::size_t room = (static_cast<std::size_t>(units.rows) + 63) / 64 * 64,
                      before = inner.vectors.size();
    out.vectors = {where, before + 2 * room};
    float* const own = out.vectors.data() + before;
    const auto moved = [&](const float* p) -> float* {
      return p ? out.vectors.data() + (p - inner.vectors.data()) : nullptr;
    };
    const product_chain& from = inner.chain;
    product_chain& to = out.chain;
    const int last = inner.products() - 1, parts = inner.parts.back();
    to.input = own;
    to.product[0] = {units.slices->view, own, moved(from.input)};
    for (int k = 0; k <= last; ++k) {
      sparse_product& one = to.product[k + 1] = from.product[k];
      one.in = moved(one.in);
      one.out = one.out ? moved(one.out) : own + room;
      one.add = moved(one.add);
      one.more = moved(one.more);
    }
    to.product[last + 2] = {units.slices->view, own + room, nullptr};
    to.phases = from.phases + 2;
    to.begin[1] = 1;
    for (int p = 1; p <= from.phases; ++p) to.begin[p + 1] = from.begin[p] + 1;
    to.begin[to.phases] = last + 3;
    out.matrices = {units.slices};
    out.matrices.insert(out.matrices.end(), inner.matrices.begin(), inner.matrices.end());
    out.matrices.push_back(units.slices);
    out.parts = {0};
    out.parts.insert(out.parts.end(), inner.parts.begin(), inner.parts.end());
    out.parts.push_back(parts);
    to.bytes = bytes_of_products(out);
    return out;
  }

 private:
  /// f(the diagonal matrix S in the chain's unit)
  template <class F>
  void with_slices(const matrix_units& units, F&& f) const {
    const buffer<double> values = this->template room<double>(units.rows);
    loops.items(units.rows, rows_per_thread,
                in_unit{units.root.data(), std::ldexp(1.0, units.unit), values.data()});
    const buffer<index> count = this->template room<index>(units.rows + 1);
    loops.items(units.rows + 1, rows_per_thread, count_up{count.data()});
    f(row_slices{count.data(), count.data() + 1, count.data(), values.data()});
    memory_of(where.on()).finish(where);
  }
};

}  // namespace dwell::chains
