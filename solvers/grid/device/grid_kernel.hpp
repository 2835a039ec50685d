// SPDX-License-Identifier: MIT
// What runs a solve on a grid where its teams are: the kernel of a GPU. Tests have one of a CPU.
#pragma once
#include <cstddef>
#include <memory>
#include <string>

#include "dwell/execution/device/cuda_backend.hpp"
#include "dwell/execution/device/run_control.hpp"
#include "dwell/solvers/grid/device/args.hpp"
#include "dwell/solvers/grid/device/setup_args.hpp"
#include "dwell/solvers/grid/grid_methods.hpp"

namespace dwell::grids {

/// What a kernel does, so that no other steps are compiled: see device_phases.
struct grid_kernel_form {
  bool flat;
  level_kind kind;
  bool fused;  ///< see chosen_method
};
inline constexpr int level_kinds = 4;
/// galerkin: levels have Galerkin's operators; lines: these are relaxed.
inline grid_kernel_form form_of(bool flat, const chosen_method& m, bool galerkin, bool lines) {
  return {flat,
          !m.has_levels() ? level_kind::none
          : galerkin      ? level_kind::boxes
          : lines         ? level_kind::lines
                          : level_kind::points,
          m.fused()};
}
template <class T>
grid_kernel_form form_of(const grid_solve_args<T>& a) {
  return form_of(a.a.flat, {.method = a.method, .preconditioner = a.preconditioner},
                 a.box_count > 0, a.line_sums != nullptr);
}

template <class T>
class grid_kernel {
 public:
  virtual ~grid_kernel() = default;
  virtual int teams() const = 0;  ///< that run together
  virtual int lanes() const = 0;  ///< each has
  /// Compiles a kernel, unless that is done. run() would.
  virtual void prepare(grid_kernel_form form) = 0;
  /// Runs to the end, and gives the seconds that took. Throws what the progress function throws.
  virtual double run(const grid_solve_args<T>& a, const run_control& control) = 0;
  /// A part of a set-up; its end is waited for by who downloads what came of it.
  virtual void make(const grid_setup_args<T>& a) = 0;
  virtual std::string compiler() const = 0;    ///< "NVRTC 13.0", once one is compiled
  virtual double compile_seconds() const = 0;  ///< 0 of kernels that came from the cache
};

/// That of the CUDA backend; a build without CUDA refuses.
template <class T>
struct grid_kernel_functions {
  /// The device has a stream. Throws unsupported_error without the compiler of kernels.
  std::unique_ptr<grid_kernel<T>> (*make)(const device&);
};

}  // namespace dwell::grids

namespace dwell {
template <>
const grids::grid_kernel_functions<double>& cuda_backend();
template <>
const grids::grid_kernel_functions<float>& cuda_backend();
}  // namespace dwell
