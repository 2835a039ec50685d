// SPDX-License-Identifier: MIT
// Is there memory for a field? Asked before any of it is taken: Linux gives out memory that it does
// not have, and ends the program that uses it.
#pragma once
#include <string>

#include "dwell/execution/core/device.hpp"
#include "dwell/formats/grid.hpp"

namespace dwell::app {

/// What a command holds of a field at a time, the run's own copies aside.
struct field_copies {
  extents size;
  std::string precision;  ///< "f64" or "f32"
  int copies = 1;
  bool source = false;  ///< and so many bytes again, once
};

/// Throws device_error, with what is needed and what is free, if this machine has too little for
/// them and, where the run is on the CPU, for those of the run. What a GPU needs it is asked for by
/// the run.
void require_memory(const field_copies& all, const device& where);

}  // namespace dwell::app
