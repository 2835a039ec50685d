// SPDX-License-Identifier: MIT
// What the set-ups of preconditioners that are sequences have in common: memory, values in f64, the
// unit of the result, transposes, workspaces of dense work, and the linking of products. Included
// by the files that make sequences on one backend.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/krylov/products/put_in_slices.hpp"
#include "dwell/execution/krylov/spmv/csr_arrays.hpp"
#include "dwell/solvers/preconditioners/prepared_preconditioner.hpp"
#include "dwell/solvers/preconditioners/sequences/steps.hpp"
#include "dwell/solvers/preconditioners/sequences/thread_workspaces.hpp"

namespace dwell::sequences {

inline constexpr std::int64_t rows_per_thread = 1 << 13;

/// Adds products to a sequence, phase by phase.
class linker {
 public:
  /// For a system of so many rows; `vectors`: between products, the input among them as number 0.
  linker(const device& where, index rows, int vectors)
      : rows_((static_cast<std::size_t>(rows) + 63) / 64 * 64) {
    made_.vectors = {where, rows_ * static_cast<std::size_t>(vectors)};
    made_.sequence.input = vector(0);
    made_.many_begin.push_back(0);
  }
  float* vector(int k) const { return made_.vectors.data() + rows_ * static_cast<std::size_t>(k); }

  /// out = M in + add. The last product has no `out`. Valid until the next is added.
  sparse_product& add(const std::shared_ptr<owned_slices>& m, const float* in, float* out,
                      const float* add = nullptr) {
    sparse_product& one = made_.many.emplace_back();
    one.matrix = m->view;
    one.in = in;
    one.out = out;
    one.add = add;
    made_.matrices.push_back(m);
    made_.parts.push_back(part_);
    return one;
  }
  /// What is added from now on is of the next part of the preconditioner.
  void begin_part() { ++part_; }
  void end_phase() { made_.many_begin.push_back(static_cast<int>(made_.many.size())); }
  /// More than most_products are for CPUs alone.
  owned_sequence take() {
    made_.take_products();
    made_.sequence.bytes = bytes_of_products(made_);
    return std::move(made_);
  }

 private:
  std::size_t rows_;
  int part_ = 0;
  owned_sequence made_;
};

/// Loops: setup_loops that have sums_before().
template <class Loops>
class set_up {
 public:
  explicit set_up(const device& at) : loops(at), where(at) {}

  Loops loops;
  device where;

  /// n elements, not set.
  template <class V>
  buffer<V> allocated(index n) const {
    return {where, static_cast<std::size_t>(n), fresh::unset};
  }
  /// Waits for all work before.
  template <class V>
  V fetched(const V* from) const {
    V v;
    loops.fetch(&v, from, sizeof v);
    return v;
  }

  /// The matrix, its values in f64; `val` gets their memory where they are not.
  template <class T>
  rows_of<wide_value<T>> take(const csr_arrays<T>& a, buffer<wide_value<T>>& val) const {
    if constexpr (std::is_same_v<T, wide_value<T>>) {
      return {a.rows, a.row_ptr, a.col, a.val};
    } else {
      val = allocated<wide_value<T>>(a.nonzeros);
      loops.items(a.nonzeros, rows_per_thread, widen_values<T>{a.val, val.data()});
      return {a.rows, a.row_ptr, a.col, val.data()};
    }
  }

  /// The middle of the sizes, as a power of two: a result in this unit is within the range of f32
  /// where the sizes do not span more than that.
  static int middle_of(const size_range& range) {
    if (range.most == 0) return 0;
    const int sum = (range.most - size_range::bias) - (range.least - size_range::bias);
    return sum >= 0 ? sum / 2 : -((1 - sum) / 2);
  }
  /// 1 / sqrt(|a_ii|) of all rows; returns the exponent of the root of the unit of the result.
  template <class V>
  int find_diagonal_roots(const rows_of<V>& a, buffer<double>& root) const {
    return exponent_of_root(find_diagonal_range(a, root));
  }
  /// Returns the range of |a_ii|.
  template <class V>
  size_range find_diagonal_range(const rows_of<V>& a, buffer<double>& root) const {
    root = allocated<double>(a.rows);
    buffer<size_range> range(where, 1);
    loops.items(a.rows, rows_per_thread, find_roots<V>{a, root.data(), range.data()});
    return fetched(range.data());
  }
  static int exponent_of_root(const size_range& range) {
    const int middle = middle_of(range);
    return middle >= 0 ? middle / 2 : -((1 - middle) / 2);
  }

  /// The pattern of a transpose, as column_slices has it.
  struct transposed {
    buffer<index> begin_of, entry, row_of;
  };
  transposed transpose(index rows, index nonzeros, const index* row_ptr, const index* col) const {
    transposed t;
    t.begin_of = {where, static_cast<std::size_t>(rows) + 1};
    t.row_of = allocated<index>(nonzeros);
    t.entry = allocated<index>(nonzeros);
    buffer<index> scattered = allocated<index>(nonzeros);
    buffer<index> taken(where, static_cast<std::size_t>(rows));
    loops.items(rows, rows_per_thread, find_rows{row_ptr, t.row_of.data()});
    loops.items(nonzeros, rows_per_thread, count_transposed{col, t.begin_of.data()});
    loops.sums_before(t.begin_of.data(), t.begin_of.data(), rows);
    loops.items(nonzeros, rows_per_thread,
                scatter_transposed{col, t.begin_of.data(), taken.data(), scattered.data()});
    loops.warps(rows, rows_per_thread,
                sort_transposed{t.begin_of.data(), scattered.data(), t.entry.data()});
    return t;
  }

  std::shared_ptr<owned_slices> slices(index rows, index nonzeros, const index* first,
                                       const index* last, const index* col,
                                       const double* val) const {
    return slicing::put_in_slices(loops, where, row_slices{first, last, col, val}, rows,
                                  static_cast<double>(nonzeros));
  }
  /// For complex ones, a row for each part of a number.
  std::shared_ptr<owned_slices> slices(index rows, index nonzeros, const index* first,
                                       const index* last, const index* col,
                                       const complex_value<double>* val) const {
    return slicing::put_in_slices(loops, where, row_slices_of_parts{first, last, col, val},
                                  2 * rows, 4.0 * nonzeros);
  }
  /// A matrix of compressed rows.
  template <class V>
  std::shared_ptr<owned_slices> slices(index rows, index nonzeros, const index* row_ptr,
                                       const index* col, const V* val) const {
    return slices(rows, nonzeros, row_ptr, row_ptr + 1, col, val);
  }

  /// Runs make(first, workspaces), a functor for one lane that takes items first + begin and on,
  /// over n items, each with `elements` doubles in a room; `each` as in setup_loops.
  template <class Make>
  void with_workspaces(index n, std::ptrdiff_t elements, std::int64_t each, Make&& make) const {
    if (n == 0) return;
    constexpr std::ptrdiff_t most_bytes = 256 << 20;
    const std::ptrdiff_t fit =
        std::max<std::ptrdiff_t>(1, most_bytes / (elements * std::ptrdiff_t(sizeof(double))));
    const index at_once = static_cast<index>(std::min<std::ptrdiff_t>(n, fit));
    const buffer<double> memory(
        where, static_cast<std::size_t>(at_once) * static_cast<std::size_t>(elements),
        fresh::unset);
    const thread_workspaces workspaces = where.on() == backend::cuda
                                             ? thread_workspaces{memory.data(), at_once, 1}
                                             : thread_workspaces{memory.data(), 1, elements};
    for (index first = 0; first < n; first += at_once)
      loops.warps(std::min(at_once, n - first), each, make(first, workspaces));
  }
};

}  // namespace dwell::sequences
