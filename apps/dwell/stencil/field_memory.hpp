// SPDX-License-Identifier: MIT
// Is there memory for a field? Asked before any of it is taken: Linux gives out memory that it does
// not have, and ends the program that uses it.
#pragma once
#include <string>

#include "dwell/device/device.hpp"
#include "dwell/formats/grid.hpp"

namespace dwell::app {

/// What a command holds of a field at a time, the run's own copies aside.
struct field_copies {
  extents size;
  std::string precision;  ///< "f64" or "f32"
  int copies = 1;
  bool source = false;  ///< and so many bytes again, once
};

/// What a run holds of a field and its source in the memory of its device: two copies, between
/// which steps go, and one of the source; on a CPU those of the command too, which are in the same
/// memory.
struct memory_need {
  int copies = 0, sources = 0;
  double bytes = 0;
  /// "3 copies of 9x9 cells and 2 of the source need 3.16 KiB".
  std::string text;
};
memory_need need_on_device(const field_copies& all, backend on);

/// Throws device_error, with what is needed and what is free, if this machine has too little for
/// them and, where the run is on the CPU, for those of the run. What a GPU needs it is asked for by
/// the run.
void require_memory(const field_copies& all, const device& where);

}  // namespace dwell::app
