// SPDX-License-Identifier: MIT
// A table of parts and their shares of the whole.
#include "report/timing_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "report/aligned_table.hpp"

namespace dwell::app {

void add_other(std::vector<timed_part>& parts, double wall_s) {
  parts.push_back({"other", std::max(0., wall_s - total_of(parts))});
}

double total_of(const std::vector<timed_part>& parts) {
  double sum = 0;
  for (const auto& p : parts) sum += p.seconds;
  return sum;
}

std::string timing_table(const std::vector<timed_part>& parts) {
  const auto microseconds = [](double s) {
    return static_cast<std::int64_t>(std::llround(s * 1e6));
  };
  std::int64_t total = 0;
  for (const auto& p : parts) total += microseconds(p.seconds);
  aligned_table out;
  out.head("phase", false);
  out.head("seconds", true);
  out.head("share", true);
  const auto row = [&](const std::string& name, std::int64_t us) {
    const double share = total > 0 ? static_cast<double>(us) / static_cast<double>(total) : 0;
    out.row({name, fmt::format("{}.{:06}", us / 1000000, us % 1000000),
             fmt::format("{:.1f} %", 100 * share)});
  };
  for (const auto& p : parts) row(p.name, microseconds(p.seconds));
  row("total", total);
  return out.text();
}

}  // namespace dwell::app
