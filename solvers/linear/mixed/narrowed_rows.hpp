// SPDX-License-Identifier: MIT
// The rows of one rank of several in f32, for a solver in mixed precision. Private to the solver.
#pragma once
#include <memory>
#include <vector>

#include "dwell/comm/halo.hpp"
#include "dwell/device/device.hpp"
#include "dwell/execution/comm/device_halo.hpp"
#include "dwell/solvers/linear/check/system_check.hpp"
#include "dwell/solvers/linear/run/prepared_system.hpp"

namespace dwell {

/// A matrix with other values, `there` in memory of the device, and what is known of it: the facts
/// are those of the f64 matrix but for sizes and for a diagonal that f32 does not hold. The values
/// are copied to `here` where the host cannot read them. All ranks call it together, and throw
/// input_error together unless the matrix is what is demanded.
divided_rows<float> narrowed_rows(const device& where, const prepared_system<double>& matrix,
                                  const float* there, std::vector<float>& here,
                                  const matrix_demand& demand);

/// The exchange of the ghosts of a vector in memory of the device.
class vector_ghosts {
 public:
  vector_ghosts() = default;
  /// Made by all ranks together; they and the vector, of own elements and ghosts, must stay.
  vector_ghosts(const device& where, const row_ranks& ranks, double* vector);
  /// Nothing where there are no ranks.
  void exchange(const device& where);

 private:
  std::unique_ptr<halo_exchange> by_host_;
  std::unique_ptr<device_halo> by_gpus_;
};

}  // namespace dwell
