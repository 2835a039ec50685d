// SPDX-License-Identifier: MIT
// Room for dense work of each thread of a loop.
#pragma once
#include <cstddef>
#include <cstdint>

#include "dwell/base/fn.hpp"

namespace dwell::sequences {

/// Doubles of a thread's own, for dense work.
struct thread_workspace {
  double* at;
  std::ptrdiff_t stride;
  DWELL_FN double& operator[](std::ptrdiff_t e) const { return at[e * stride]; }
};
/// Rooms of all threads of a loop. On a GPU neighbours' elements lie side by side.
struct thread_workspaces {
  double* data;
  std::ptrdiff_t element, slot;
  DWELL_FN thread_workspace of(std::int64_t first_item) const {
    return {data + first_item * slot, element};
  }
};

}  // namespace dwell::sequences
