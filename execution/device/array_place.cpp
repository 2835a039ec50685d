// SPDX-License-Identifier: MIT
// Asks the device where an array lies, and compares addresses.
#include "dwell/execution/device/array_place.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <optional>

#include "dwell/base/error.hpp"
#include "dwell/execution/device/cuda_backend.hpp"

namespace dwell {

void require_on_host(const named_memory& a) {
  if (a.bytes == 0) return;
  if (!a.begin)
    throw input_error(fmt::format("{}: expected an array, found a null pointer", a.name));
  if (is_device_memory(a.begin))
    throw input_error(fmt::format(
        "{}: expected memory of the host, found a pointer to a GPU's: pass it as a device_span",
        a.name));
}

void require_on_device(const device& where, const named_memory& a, int device) {
  if (where.on() == backend::cpu)
    throw input_error(
        fmt::format("{}: expected memory of the host for a CPU, found a view of a GPU's", a.name));
  if (a.bytes == 0) return;
  const auto refuse = [&](const std::string& found) {
    throw input_error(fmt::format("{}: expected memory of CUDA device {}, found {}", a.name,
                                  where.ordinal(), found));
  };
  if (device != where.ordinal()) refuse(fmt::format("a view of device {}", device));
  const std::optional<int> there = device_of_memory(a.begin);
  if (!there) refuse(a.begin ? "memory of the host" : "a null pointer");
  if (*there != where.ordinal()) refuse(fmt::format("memory of device {}", *there));
}

void require_apart(const named_memory& a, const named_memory& other) {
  const auto begin = [](const named_memory& m) {
    return reinterpret_cast<std::uintptr_t>(m.begin);
  };
  if (a.bytes > 0 && other.bytes > 0 && begin(a) < begin(other) + other.bytes &&
      begin(other) < begin(a) + a.bytes)
    throw input_error(fmt::format("{}: expected memory of its own, found that it overlaps {}",
                                  a.name, other.name));
}

}  // namespace dwell
