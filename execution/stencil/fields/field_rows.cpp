// SPDX-License-Identifier: MIT
// Rows of cells for a kernel: cells near a border get copies of the rows that they read.
#include "dwell/execution/stencil/fields/field_rows.hpp"

#include <algorithm>

namespace dwell {

template <class T>
field_rows<T>::field_rows(const field_domain& domain, const row_kernel<T>& kernel,
                          std::int64_t pitch)
    : domain_(domain), kernel_(kernel), pitch_(pitch) {
  const int fields = domain.definition().fields();
  constant_rows_.resize(static_cast<std::size_t>(fields) * 8);
  for (int f = 0; f < fields; ++f)
    for (int axis = 0; axis < 2; ++axis)
      for (int high = 0; high < 2; ++high) {
        const field_side& side = domain.side(f, axis, high);
        if (side.kind != side_kind::constant) continue;
        const T value = static_cast<T>(side.value);
        const std::size_t at = static_cast<std::size_t>(((f * 2 + axis) * 2 + high) * 2);
        const auto cells = static_cast<std::size_t>(domain.size().n[2]);
        constant_rows_[at].assign(cells, value);
        constant_rows_[at + 1].assign(cells, -value);
      }
}

template <class T>
field_rows<T>::scratch::scratch(const field_rows& r) : kernel(r.kernel_.scratch()) {
  std::size_t most = 0;
  bool negates = false;
  const field_domain& d = r.domain_;
  for (const field_stage& stage : d.definition().stages()) most = std::max(most, stage.rows.size());
  for (int f = 0; f < d.definition().fields(); ++f)
    for (int axis = 0; axis < 2; ++axis)
      for (int high = 0; high < 2; ++high)
        negates = negates || d.side(f, axis, high).kind == side_kind::antisymmetric;
  rows.resize(most);
  near.resize(most);
  patches.resize(most * patch_cells);
  if (negates) negated.resize(most * static_cast<std::size_t>(d.size().n[2]));
}

template <class T>
const T* field_rows<T>::constant_row(int array, int axis, bool high, bool negated) const {
  return constant_rows_[static_cast<std::size_t>(((array * 2 + axis) * 2 + (high ? 1 : 0)) * 2 +
                                                 (negated ? 1 : 0))]
      .data();
}

/// Axes apply one after the other, the slowest first: so of a corner the row's side along y decides
/// before that along z.
template <class T>
const T* field_rows<T>::row_for(const row_tap& tap, const T* array, std::int64_t z, std::int64_t y,
                                std::int64_t first, std::int64_t last, T* negated) const {
  const auto& n = domain_.size().n;
  z += tap.dz;
  y += tap.dy;
  bool negate = false;
  if (y < 0 || y >= n[1]) {
    const bool high = y >= n[1];
    const border_value at = domain_.beyond(tap.array, 1, y);
    if (at.constant) return constant_row(tap.array, 1, high, false);
    y = at.index;
    negate = at.negated;
  }
  if (z < 0 || z >= n[0]) {
    const bool high = z >= n[0];
    const border_value at = domain_.beyond(tap.array, 0, z);
    if (at.constant) return constant_row(tap.array, 0, high, negate);
    z = at.index;
    negate = negate != at.negated;
  }
  const T* row = array + (z * n[1] + y) * pitch_;
  if (!negate) return row;
  // Cells beyond an end of the row may be any of its cells.
  const bool all = first + tap.low < 0 || last + tap.high > n[2];
  const std::int64_t from = all ? 0 : first + tap.low, to = all ? n[2] : last + tap.high;
  for (std::int64_t x = from; x < to; ++x) negated[x] = -row[x];
  return negated;
}

/// Cell x of a row that may lie beyond its ends.
template <class T>
T field_rows<T>::cell(int array, const T* row, std::int64_t x) const {
  const std::int64_t n = domain_.size().n[2];
  if (x >= 0 && x < n) return row[x];
  const border_value at = domain_.beyond(array, 2, x);
  if (at.constant) return static_cast<T>(domain_.side(array, 2, x < 0 ? 0 : 1).value);
  return at.negated ? -row[at.index] : row[at.index];
}

template <class T>
void field_rows<T>::keep(std::size_t stage, const stage_memory<T>& memory, std::int64_t row,
                         std::int64_t first, std::int64_t last) const {
  if (first >= last) return;
  const auto& computed = domain_.definition().stages()[stage].computed;
  for (std::size_t k = 0; k < computed.size(); ++k) {
    const T* from = memory.in[computed[k].field];
    T* to = memory.out[k];
    if (from != to)
      std::copy_n(from + row * pitch_ + first, last - first, to + row * pitch_ + first);
  }
}

template <class T>
void field_rows<T>::near_end(std::size_t stage, const stage_memory<T>& memory, std::int64_t row,
                             std::int64_t first, std::int64_t last, scratch& s) const {
  if (first >= last) return;
  const field_stage& facts = domain_.definition().stages()[stage];
  for (std::size_t k = 0; k < facts.rows.size(); ++k) {
    const row_tap& tap = facts.rows[k];
    if (tap.low == 0 && tap.high == 0) {
      s.near[k] = s.rows[k] + first;
      continue;
    }
    T* patch = s.patches.data() + k * patch_cells;
    for (std::int64_t x = first + tap.low; x < last + tap.high; ++x)
      patch[x - (first + tap.low)] = cell(tap.array, s.rows[k], x);
    s.near[k] = patch - tap.low;
  }
  for (std::size_t k = 0; k < facts.computed.size(); ++k)
    s.out[k] = memory.out[k] + row * pitch_ + first;
  kernel_.run(stage, s.near.data(), s.out, memory.parameters, 0, last - first, s.kernel.data());
}

template <class T>
void field_rows<T>::compute(std::size_t stage, const stage_memory<T>& memory, std::int64_t z,
                            std::int64_t y, std::int64_t first, std::int64_t last,
                            scratch& s) const {
  const field_stage& facts = domain_.definition().stages()[stage];
  if (facts.computed.empty()) return;
  const auto& n = domain_.size().n;
  const std::int64_t row = z * n[1] + y;
  const auto [x_first, x_last] = domain_.changing(2);
  const bool fixed_row = z < domain_.changing(0).first || z >= domain_.changing(0).second ||
                         y < domain_.changing(1).first || y >= domain_.changing(1).second;
  const std::int64_t a = std::clamp(x_first, first, last), b = std::clamp(x_last, a, last);
  if (fixed_row || a == b) return keep(stage, memory, row, first, last);
  for (std::size_t k = 0; k < facts.rows.size(); ++k)
    s.rows[k] = row_for(
        facts.rows[k], memory.in[facts.rows[k].array], z, y, a, b,
        s.negated.empty() ? nullptr : s.negated.data() + k * static_cast<std::size_t>(n[2]));
  keep(stage, memory, row, first, a);
  keep(stage, memory, row, b, last);
  // Cells that reach beyond an end, and those in between.
  const std::int64_t low = std::clamp<std::int64_t>(-facts.low, a, b);
  const std::int64_t high = std::clamp<std::int64_t>(n[2] - facts.high, low, b);
  near_end(stage, memory, row, a, low, s);
  near_end(stage, memory, row, high, b, s);
  if (low >= high) return;
  for (std::size_t k = 0; k < facts.computed.size(); ++k) s.out[k] = memory.out[k] + row * pitch_;
  kernel_.run(stage, s.rows.data(), s.out, memory.parameters, low, high, s.kernel.data());
}

template class field_rows<double>;
template class field_rows<float>;

}  // namespace dwell
