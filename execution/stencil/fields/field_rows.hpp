// SPDX-License-Identifier: MIT
// One stage of some cells of a row, borders included: the one place that knows them. A kernel gets
// rows in which every cell that it reads is there. Rows beyond a border are other rows of the
// field, or copies that are negated or constant; the few cells of a row that reach beyond its ends
// are computed from copies of what they read.
#pragma once
#include <cstdint>
#include <vector>

#include "dwell/execution/stencil/fields/field_domain.hpp"
#include "dwell/execution/stencil/fields/row_kernel.hpp"

namespace dwell {

/// Memory of a stage: what it reads and where it writes. Rows lie `pitch` cells apart.
template <class T>
struct stage_memory {
  static constexpr int most_arrays =
      stencil_definition::most_fields + stencil_definition::most_coefficients;
  const T* in[most_arrays] = {};                 ///< fields, then coefficients
  T* out[stencil_definition::most_fields] = {};  ///< one for each of field_stage::computed
  const T* parameters = nullptr;
};

template <class T>
class field_rows {
 public:
  /// All outlive it.
  field_rows(const field_domain& domain, const row_kernel<T>& kernel, std::int64_t pitch);

  /// What a thread needs of its own.
  class scratch {
   public:
    explicit scratch(const field_rows& rows);

   private:
    friend class field_rows;
    std::vector<const T*> rows, near;
    std::vector<T> patches, negated, kernel;
    T* out[stencil_definition::most_fields] = {};
  };

  /// The cells from `first` to before `last` of row (z, y), those that are fixed included: they are
  /// copied where a new value has other memory than the old one.
  void compute(std::size_t stage, const stage_memory<T>& memory, std::int64_t z, std::int64_t y,
               std::int64_t first, std::int64_t last, scratch& s) const;

  std::int64_t pitch() const { return pitch_; }
  const field_domain& domain() const { return domain_; }

 private:
  /// Cells of a patch: at most so many are near an end, and they reach as far again to both sides.
  static constexpr std::int64_t patch_cells = 12;

  const T* row_for(const row_tap& tap, const T* array, std::int64_t z, std::int64_t y,
                   std::int64_t first, std::int64_t last, T* negated) const;
  const T* constant_row(int array, int axis, bool high, bool negated) const;
  void keep(std::size_t stage, const stage_memory<T>& memory, std::int64_t row, std::int64_t first,
            std::int64_t last) const;
  void near_end(std::size_t stage, const stage_memory<T>& memory, std::int64_t row,
                std::int64_t first, std::int64_t last, scratch& s) const;
  T cell(int array, const T* row, std::int64_t x) const;

  const field_domain& domain_;
  const row_kernel<T>& kernel_;
  std::int64_t pitch_;
  std::vector<std::vector<T>> constant_rows_;  ///< [array][axis z, y][high][negated]
};

}  // namespace dwell
