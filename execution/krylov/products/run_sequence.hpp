// SPDX-License-Identifier: MIT
// One phase of a sequence of products as a member of workspace. What a phase reads, others wrote
// before the last barrier; what it writes, others read after the next. Of complex values a sequence
// has a row for each part of a number, side by side.
#pragma once
#include "dwell/execution/krylov/products/multiply.hpp"
#include "dwell/execution/krylov/vectors/workspace.hpp"

namespace dwell {

template <class P, class T, class Team, class Shape>
template <int Out>
DWELL_FN void workspace<P, T, Team, Shape>::run_sequence(writes<Out>) {
  static_assert(P::uses[Out] == use::own && P::in_registers::place_of(Out) < 0);
  if (pending_) team_.section([](int) {});
  published_ = true;
  const auto& sequence = a_.sequence;
  const int end_of_phase = sequence.first_of(sequence_phase_ + 1);
  for (int k = sequence.first_of(sequence_phase_); k < end_of_phase; ++k) {
    const sparse_product& one = sequence.at(k);
    const sliced_matrix& m = one.matrix;
    if (one.out) {
      float* const out = one.out;
      multiply_slices(team_, m, one.in, one.first_slice[team_.worker()],
                      one.first_slice[team_.worker() + 1],
                      [&](index row, float sum) { out[row] = one.element(row, sum); });
    } else {  // each takes its own rows of slices that two teams share
      constexpr int parts = is_complex_value<T> ? 2 : 1;
      using part = part_type<T>;
      const index begin = parts * part_.begin.row, end = parts * part_.end.row;
      const int rows = m.rows_per_slice();
      part* const out = reinterpret_cast<part*>(base<Out>());
      multiply_slices(team_, m, one.in, begin / rows, (end + rows - 1) / rows,
                      [&](index row, float sum) {
                        if (row >= begin && row < end)
                          out[row - begin] = in_units_of_sequence<part>(row, one.element(row, sum));
                      });
    }
  }
  pending_ = true;
}

}  // namespace dwell
