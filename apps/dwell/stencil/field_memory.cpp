// SPDX-License-Identifier: MIT
// Bytes of a field, and the check against what is free.
#include "stencil/field_memory.hpp"

#include <fmt/format.h>

#include "report/units.hpp"

#include "dwell/base/error.hpp"
#include "dwell/execution/device/host_memory.hpp"

namespace dwell::app {

namespace {

memory_need need_of(const field_copies& all, int copies, int sources) {
  const double one = static_cast<double>(all.size.cells()) *
                     (all.precision == "f64" ? sizeof(double) : sizeof(float));
  memory_need need{copies, sources, one * (copies + sources), {}};
  need.text = fmt::format("{} {} of {} cells{} need{} {}", copies, copies == 1 ? "copy" : "copies",
                          to_string(all.size),
                          sources == 0 ? "" : fmt::format(" and {} of the source", sources),
                          copies + sources == 1 ? "s" : "", format_bytes(need.bytes));
  return need;
}

}  // namespace

memory_need need_on_device(const field_copies& all, backend on) {
  const int command = on == backend::cpu ? all.copies : 0, read = on == backend::cpu ? 1 : 0;
  return need_of(all, command + 2, all.source ? read + 1 : 0);
}

void require_memory(const field_copies& all, const device& where) {
  const std::size_t free = host_memory_free();
  if (free == 0) return;  // the system does not say
  const auto need = where.on() == backend::cpu ? need_on_device(all, backend::cpu)
                                               : need_of(all, all.copies, all.source ? 1 : 0);
  if (need.bytes <= static_cast<double>(free)) return;
  throw device_error(fmt::format("too little memory: {}, {} are free", need.text,
                                 format_bytes(static_cast<double>(free))));
}

}  // namespace dwell::app
