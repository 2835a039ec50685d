// SPDX-License-Identifier: MIT
// The matrix of a prepared solver: where the device's teams can read it, and checked there. Private
// to the solver.
#pragma once
#include <span>

#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/device/device_views.hpp"
#include "dwell/execution/program/spmv/csr_arrays.hpp"
#include "dwell/formats/csr.hpp"
#include "dwell/solvers/cg/cg.hpp"
#include "dwell/solvers/cg/examine.hpp"
#include "dwell/solvers/cg/system_scale.hpp"

namespace dwell {

template <class T>
class prepared_system {
 public:
  /// Refuses what check_system() refuses. A GPU gets a copy of the arrays. Adds to check_s and
  /// upload_s of `setup`.
  prepared_system(const device& where, const csr_view<T>& a, bool assume_symmetric,
                  cg_setup& setup);
  prepared_system(const device& where, const device_csr_view<T>& a, bool assume_symmetric,
                  cg_setup& setup);
  /// The same pattern with other values, as many as before. Values that are refused leave the ones
  /// before.
  void update(std::span<const T> values, cg_setup& setup);
  void update(device_span<const T> values, cg_setup& setup);

  const csr_arrays<T>& arrays() const { return arrays_; }
  const system_facts& facts() const { return facts_; }
  /// The matrix is solved divided by two to this power.
  int scale_exponent() const { return matrix_scale<T>(facts_.exponent); }
  /// The caller's arrays, which a CPU reads in place; empty on a GPU.
  csr_view<T> in_place() const;

 private:
  /// Throws input_error unless the matrix is sound.
  system_facts examined(const csr_arrays<T>& a, cg_setup& setup) const;
  void take(buffer<T> values, cg_setup& setup);

  device where_;
  bool assume_symmetric_;
  buffer<index> row_ptr_, col_;
  buffer<T> val_;
  csr_arrays<T> arrays_;
  system_facts facts_;
};

}  // namespace dwell
