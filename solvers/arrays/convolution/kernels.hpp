// SPDX-License-Identifier: MIT
// The algorithms of computing a pass that this build has, as a table of functions. Files that CMake
// writes (cmake/convolution_kernels.cmake) fill it: for each algorithm and backend one for each
// type of cells.
#pragma once
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include "dwell/device/device.hpp"
#include "dwell/solvers/arrays/convolution/pass.hpp"

namespace dwell {

/// Where a pass runs.
struct convolution_place {
  device where = device::cpu(1);  ///< with the stream of its work
  int threads = 1;                ///< on a CPU
  bool reverse_lanes = false;     ///< on a CPU, for tests
};

/// An algorithm on a backend. A pass is in memory of the device, or of the host if that is a CPU,
/// and on a GPU under way when the function returns. Throws device_error.
struct convolution_kernel {
  template <class Pass>
  using function = void (*)(const convolution_place&, const Pass&);
  template <class... Pass>
  using functions = std::tuple<function<Pass>...>;

  const char* algorithm;
  backend on;
  convolution_passes_of<functions> of;  ///< each kind of passes

  template <class Pass>
  void run(const convolution_place& place, const Pass& a) const {
    std::get<function<Pass>>(of)(place, a);
  }
};

std::span<const convolution_kernel> convolution_kernels();

/// f(std::integral_constant<int, instance>) with the instance of an algorithm for so many tap rows.
template <class Algorithm, class F>
void with_instance(int tap_rows, F&& f) {
  const int chosen = Algorithm::instance_of(tap_rows);
  [&]<int... Instance>(std::integer_sequence<int, Instance...>) {
    (void)((Instance == chosen && (f(std::integral_constant<int, Instance>{}), true)) || ...);
  }
  (std::make_integer_sequence<int, Algorithm::instances>{});
}

}  // namespace dwell
