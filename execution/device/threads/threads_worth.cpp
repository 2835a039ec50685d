// SPDX-License-Identifier: MIT
// Least work between two barriers that a thread is worth.
#include "dwell/execution/device/threads/threads_worth.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dwell/base/number_text.hpp"

namespace dwell {

thread_choice threads_worth(double bytes, std::int64_t parts, const char* period,
                            const device_facts& device) {
  // Measured, docs/results/cpu-threads.md: twice as much takes some 15 us on one core and 10 on
  // two. With less to do two are not much faster, and far slower where others want the cores.
  constexpr double bytes_per_thread = 128 << 10;
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
