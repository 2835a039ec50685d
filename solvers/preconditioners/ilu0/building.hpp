// SPDX-License-Identifier: MIT
// The set-up of incomplete factors as a sequence of loops, for setup_loops of either backend.
// Included by the files that do it on one.
#pragma once
#include <cmath>
#include <memory>
#include <utility>

#include "dwell/solvers/preconditioners/ilu0/ilu0.hpp"
#include "dwell/solvers/preconditioners/ilu0/refusals.hpp"
#include "dwell/solvers/preconditioners/ilu0/steps.hpp"
#include "dwell/solvers/preconditioners/sequences/set_up.hpp"

namespace dwell::ilu0 {

/// V: double or complex_value<double>.
template <class Loops, class V>
class builder : sequences::set_up<Loops> {
  using base = sequences::set_up<Loops>;
  using base::fetched, base::loops, base::where;
  using slices_of_it = std::shared_ptr<owned_slices>;

 public:
  using base::base;

  template <class T>
  prepared_preconditioner build(const csr_arrays<T>& given, const preconditioner_options& o) {
    nonzeros_ = given.nonzeros;
    buffer<V> own_values;
    factorize(this->take(given, own_values), o.factor_sweeps);
    prepared_preconditioner out;
    out.products = link(o.sweeps);
    out.parts = {{"L", n_, lower_}, {"U", n_, upper_}};
    return out;
  }

 private:
  void factorize(const sequences::rows_of<V>& a, int sweeps) {
    n_ = a.rows, row_ptr_ = a.row_ptr, col_ = a.col;
    buffer<double> root;
    buffer<V> scaled = this->template allocated<V>(nonzeros_);
    const sequences::size_range range = this->find_diagonal_range(a, root);
    if constexpr (is_complex_value<V>) check_range_of_complex(range);
    const double unit_root = std::ldexp(1.0, this->exponent_of_root(range));
    row_of_ = this->template allocated<index>(nonzeros_);
    diagonal_ = this->template allocated<index>(n_);
    before_ = this->template allocated<V>(n_);
    after_ = this->template allocated<V>(n_);
    loops.items(n_, sequences::rows_per_thread,
                scale_matrix<V>{a, root.data(), unit_root, scaled.data(), row_of_.data(),
                                diagonal_.data(), before_.data(), after_.data()});
    buffer<V> old = this->template allocated<V>(nonzeros_),
              now = this->template allocated<V>(nonzeros_);
    for (int s = 0; s < sweeps; ++s) {
      loops.items(nonzeros_, sequences::rows_per_thread,
                  sweep<V>{n_, row_ptr_, col_, row_of_.data(), diagonal_.data(), scaled.data(),
                           s == 0 ? scaled.data() : old.data(), now.data()});
      std::swap(old, now);
    }
    factors_ = std::move(old);
    buffer<index> failed(where, 1);
    loops.items(n_, sequences::rows_per_thread,
                find_failure<V>{n_, row_ptr_, diagonal_.data(), factors_.data(), failed.data()});
    if (const index from_end = fetched(failed.data()); from_end > 0) {
      const index row = n_ - from_end;
      refuse_row(row, text_of(fetched(factors_.data() + fetched(diagonal_.data() + row))), sweeps);
    }
    inverse_ = this->template allocated<V>(n_);
    inverse_after_ = this->template allocated<V>(n_);
    right_ = this->template allocated<index>(n_);
    loops.items(n_, sequences::rows_per_thread,
                divide_rows<V>{diagonal_.data(), factors_.data(), after_.data(), inverse_.data(),
                               inverse_after_.data(), right_.data()});
  }

  /// The elements of A's pattern in [first, last) of each row, as `weigh` has them.
  slices_of_it weighed(const index* first, const index* last, index elements, const V* rows,
                       const V* columns, const V* on_diagonal) {
    loops.items(nonzeros_, sequences::rows_per_thread,
                weigh<V>{col_, row_of_.data(), factors_.data(), rows, columns, on_diagonal,
                         values_.data()});
    return this->slices(n_, elements, first, last, col_, values_.data());
  }
  slices_of_it diagonal(const V* values) {
    return this->slices(n_, n_, count_.data(), count_.data(), values);
  }

  /// With N_L = I - L, N_U = I - U_1 where U = D_U U_1, and the input r:
  ///   f = S r,                     y_1 = (I + N_L) S r,              y_k+1 = f + N_L y_k
  ///   g = D_U^-1 y, g' = S' g,     x_1 = (I + N_U) D_U^-1 y,         x_k+1 = g + N_U x_k
  /// and the last sweep has S' in front.
  owned_sequence link(int sweeps) {
    count_ = this->template allocated<index>(n_ + 1);
    loops.items(n_ + 1, sequences::rows_per_thread, sequences::count_up{count_.data()});
    values_ = this->template allocated<V>(nonzeros_);
    count_elements();
    enum : int { r, f, y, other_y, g, last_g, x, other_x, vectors };
    sequences::linker to(where, sequences::parts_of<V> * n_, vectors);
    const auto v = [&](int k) { return to.vector(k); };
    const index *const lower_end = right_.data(), *const end = row_ptr_ + 1;

    if (sweeps > 1) to.add(diagonal(before_.data()), v(r), v(f));
    to.add(weighed(row_ptr_, lower_end, lower_ + n_, nullptr, before_.data(), before_.data()), v(r),
           v(y));
    to.end_phase();
    int now = y, next = other_y;
    const slices_of_it lower =
        sweeps > 1 ? weighed(row_ptr_, diagonal_.data(), lower_, nullptr, nullptr, nullptr)
                   : nullptr;
    for (int k = 1; k < sweeps; ++k, std::swap(now, next)) {
      to.add(lower, v(now), v(next), v(f));
      to.end_phase();
    }

    to.begin_part();
    const bool one = sweeps == 1;
    if (!one) to.add(diagonal(inverse_after_.data()), v(now), v(last_g));
    if (sweeps > 2) to.add(diagonal(inverse_.data()), v(now), v(g));
    const V* const in_rows = one ? inverse_after_.data() : inverse_.data();
    to.add(weighed(diagonal_.data(), end, upper_, in_rows, inverse_.data(), in_rows), v(now),
           one ? nullptr : v(x));
    to.end_phase();
    if (one) return to.take();
    now = x, next = other_x;
    if (sweeps > 2) {
      const slices_of_it upper =
          weighed(right_.data(), end, upper_ - n_, inverse_.data(), nullptr, nullptr);
      for (int k = 2; k < sweeps; ++k, std::swap(now, next)) {
        to.add(upper, v(now), v(next), v(g));
        to.end_phase();
      }
    }
    to.add(weighed(right_.data(), end, upper_ - n_, inverse_after_.data(), nullptr, nullptr),
           v(now), nullptr, v(last_g));
    to.end_phase();
    return to.take();
  }
  void count_elements() {
    buffer<index> left = this->template allocated<index>(n_ + 1);
    loops.items(n_, sequences::rows_per_thread,
                sequences::subtract{diagonal_.data(), row_ptr_, left.data()});
    loops.sums_before(left.data(), left.data(), n_);
    lower_ = fetched(left.data() + n_);
    upper_ = nonzeros_ - lower_;
  }

  index n_ = 0, nonzeros_ = 0, lower_ = 0, upper_ = 0;
  const index* row_ptr_ = nullptr;
  const index* col_ = nullptr;
  buffer<index> row_of_, diagonal_, right_, count_;
  buffer<V> before_, after_, factors_, inverse_, inverse_after_, values_;
};

}  // namespace dwell::ilu0
