// SPDX-License-Identifier: MIT
// See threads_worth.hpp.
#include "dwell/execution/policies/threads_worth.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dwell/formats/number_text.hpp"

namespace dwell {

thread_choice threads_worth(double bytes, std::int64_t parts, const char* period,
                            const device_facts& device) {
  // What a core moves from its cache in about ten microseconds; a meeting takes up to one where
  // nobody else wants the cores. Measured, docs/results/cpu-threads.md.
  constexpr double bytes_per_thread = 256 << 10;
  const int all = device.units;
  const auto worth = static_cast<int>(std::clamp(bytes / bytes_per_thread, 1.0, double(all)));
  const auto some = static_cast<int>(std::clamp<std::int64_t>(parts, 1, worth));
  if (!device.units_at_most || some == all)
    return {all, fmt::format("{} thread{}", all, all == 1 ? "" : "s")};
  if (some < worth)
    return {some, fmt::format("{} of {} threads, as many as there are rows to share", some, all)};
  return {some, fmt::format("{} of {} threads, as many as {} per {} are worth", some, all,
                            byte_text(bytes), period)};
}

}  // namespace dwell
