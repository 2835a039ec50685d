// SPDX-License-Identifier: MIT
// See field_memory.hpp.
#include "field_memory.hpp"

#include <fmt/format.h>

#include "units.hpp"

#include "dwell/execution/core/host_memory.hpp"
#include "dwell/formats/error.hpp"

namespace dwell::app {

void require_memory(const field_copies& all, const device& where) {
  const std::size_t free = host_memory_free();
  if (free == 0) return;  // the system does not say
  // A run has two copies, between which steps go, and one of the source.
  const bool here = where.on() == backend::cpu;
  const int copies = all.copies + (here ? 2 : 0), sources = all.source ? (here ? 2 : 1) : 0;
  const double one = static_cast<double>(all.size.cells()) *
                     (all.precision == "f64" ? sizeof(double) : sizeof(float));
  const double need = one * (copies + sources);
  if (need <= static_cast<double>(free)) return;
  throw device_error(fmt::format("too little memory: {} copies of {} cells{} need {}, {} are free",
                                 copies, to_string(all.size),
                                 sources == 0 ? "" : fmt::format(" and {} of the source", sources),
                                 format_bytes(need), format_bytes(static_cast<double>(free))));
}

}  // namespace dwell::app
