// SPDX-License-Identifier: MIT
// Limits for threads and for ranks, and their refusals.
#include "dwell/execution/device/threads/thread_limit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "dwell/base/error.hpp"
#include "dwell/base/parallel.hpp"

namespace dwell {
namespace {

/// Processors of the machine; where the system does not tell, those of this process.
int processors() {
  return std::max(static_cast<int>(std::thread::hardware_concurrency()), default_threads());
}

}  // namespace

int most_threads() { return 4 * processors(); }

int most_ranks() { return std::clamp(most_threads(), 64, 512); }

void require_threads(int threads) {
  // Every machine has a processor. To ask for their number takes tens of microseconds.
  constexpr int always = 4;
  if (threads >= 0 && (threads <= always || threads <= most_threads())) return;
  throw input_error(fmt::format(
      "expected 1 to {} threads (four for each of the machine's {}), found {}", most_threads(),
      processors() == 1 ? std::string("one processor") : fmt::format("{} processors", processors()),
      threads));
}

}  // namespace dwell
