// SPDX-License-Identifier: MIT
// Memory is counted in powers of 1024 (KiB), rates in powers of 1000 (GB/s), as is usual for each.
#include "report/units.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "dwell/base/number_text.hpp"

namespace dwell::app {

std::string number_cell(double v) {
  if (v > 0 && v < 9.995e-5) return fmt::format("{:.2e}", v);
  int decimals = v < 9.995 ? 2 : v < 99.95 ? 1 : 0;
  for (double first = 0.9995; v > 0 && v < first; first /= 10) ++decimals;
  return fmt::format("{:.{}f}", v, decimals);
}

std::string format_percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

std::string format_count(std::int64_t n) {
  const std::string digits = std::to_string(n);
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && digits[i - 1] != '-' && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

std::string format_bytes(double bytes) { return byte_text(bytes); }

std::string format_rate(double bytes_per_second) {
  return scaled_text(bytes_per_second, 1000., std::array{"B/s", "kB/s", "MB/s", "GB/s", "TB/s"});
}

std::string format_seconds(double s) {
  if (!std::isfinite(s)) return "unknown";
  if (s < 999.5e-9) return fmt::format("{:.0f} ns", s * 1e9);
  if (s < 999.5e-6) return three_digits(s * 1e6) + " us";
  if (s < 0.9995) return three_digits(s * 1e3) + " ms";
  if (s < 59.95) return three_digits(s) + " s";
  const auto whole = std::llround(s);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string format_residual(double r) {
  return std::isnan(r) ? "not a number" : fmt::format("{:.2e}", r);
}

std::string format_plural(std::int64_t n, const std::string& one) {
  return format_count(n) + " " + one + (n == 1 ? "" : "s");
}

std::string format_teams(backend on, int teams, int lanes) {
  if (on == backend::cpu) return format_plural(teams, "thread");
  return fmt::format("{} of {}", format_plural(teams, "block"), format_plural(lanes, "thread"));
}

}  // namespace dwell::app
