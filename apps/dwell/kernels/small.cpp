// SPDX-License-Identifier: MIT
// dwell kernels warm reductions, scans, set-up, ...: small kernels by the names of their units, as
// `dwell kernels list` has them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/warmed.hpp"

#include "dwell/base/error.hpp"
#include "dwell/device/device.hpp"
#include "dwell/execution/device/small_kernels.hpp"

namespace dwell::app {
namespace {

/// "set-up of amg" is in "set-up of amg, part 1", and in itself.
bool is_in(std::string_view name, std::string_view unit) {
  return unit.starts_with(name) &&
         (unit.size() == name.size() || unit[name.size()] == ',' || unit[name.size()] == ' ');
}

}  // namespace

bool is_small_name(std::string_view name) {
  return std::ranges::any_of(small_kernel_families,
                             [&](std::string_view family) { return is_in(family, name); });
}

std::vector<kernel_source> small_sources(std::string_view name, precision type) {
  if (const cuda_presence cuda = find_cuda(); !cuda.built_in) throw unsupported_error(cuda.reason);
  const std::string_view other = type == precision::f64 ? " in f32" : " in f64";
  std::vector<small_kernels> all = all_small_kernels();
  std::vector<kernel_source> some;
  for (small_kernels& unit : all) {
    const std::string& about = unit.source.about;
    if (is_in(name, about) && (about == name || !about.ends_with(other)))
      some.push_back(std::move(unit.source));
  }
  if (some.empty() && !all.empty())
    throw input_error(fmt::format(
        "kernels warm: expected {}, or a unit of theirs as 'dwell kernels list' has it, found '{}'",
        fmt::join(small_kernel_families, ", "), name));
  return some;
}

}  // namespace dwell::app
