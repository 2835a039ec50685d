// SPDX-License-Identifier: MIT
// The preconditioners: the list from which names, checks and set-ups follow. Those that are a
// sequence of products have a folder each. Private to the solvers.
#pragma once
#include <span>
#include <type_traits>

#include "dwell/base/complex_value.hpp"
#include "dwell/device/device.hpp"
#include "dwell/execution/krylov/spmv/csr_arrays.hpp"
#include "dwell/linear/matrix_class.hpp"
#include "dwell/solvers/preconditioners/prepared_preconditioner.hpp"

namespace dwell {

/// Sets it up where the device is; work on a GPU goes to the device's stream. Throws device_error
/// if the device has too little memory, input_error if the matrix is not what it asks for.
template <class T>
using make_preconditioner = prepared_preconditioner (*)(const device& where, const csr_arrays<T>& a,
                                                        const preconditioner_options& o);

struct preconditioner_kind {
  preconditioner is;
  const char* name;
  matrix_class of;     ///< the matrices that it is for
  bool symmetric;      ///< it is symmetric where the matrix is, as cg and minres require
  bool full_diagonal;  ///< the matrix must have a diagonal without zeros
  make_preconditioner<double> in_f64 = nullptr;  ///< or null: it is no sequence
  make_preconditioner<float> in_f32 = nullptr;
  bool on_cpus_alone = false;
  /// The set-ups for complex matrices, or null.
  make_preconditioner<complex_value<double>> in_complex_f64 = nullptr;
  make_preconditioner<complex_value<float>> in_complex_f32 = nullptr;

  bool is_sequence() const { return in_f64 != nullptr; }
  template <class T>
  make_preconditioner<T> make() const {
    if constexpr (std::is_same_v<T, complex_value<double>>)
      return in_complex_f64;
    else if constexpr (std::is_same_v<T, complex_value<float>>)
      return in_complex_f32;
    else if constexpr (std::is_same_v<T, double>)
      return in_f64;
    else
      return in_f32;
  }
};

/// All of them.
std::span<const preconditioner_kind> preconditioner_kinds();
const preconditioner_kind& kind_of(preconditioner p);

/// Throws unsupported_error if it is not there on such a device.
void check_backend(const preconditioner_kind& kind, backend on);

/// So that a set-up on any device makes what one on `on` makes.
preconditioner_options options_on(backend on, preconditioner wanted,
                                  const preconditioner_options& o);

}  // namespace dwell
