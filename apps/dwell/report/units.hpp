// SPDX-License-Identifier: MIT
// Numbers as people read them: three significant digits and a unit that fits.
#pragma once
#include <cstdint>
#include <string>

#include "dwell/device/device.hpp"

namespace dwell::app {

/// Three significant digits at least; for v >= 0.
std::string number_cell(double v);
std::string format_percent(double share);                           ///< 0.5 is "50 %"
std::string format_count(std::int64_t n);                           ///< 41,906
std::string format_bytes(double bytes);                             ///< 506 KiB
std::string format_seconds(double s);                               ///< 12.3 ms, 1 min 5 s
std::string format_rate(double bytes_per_second);                   ///< 18.3 GB/s
std::string format_residual(double r);                              ///< 9.87e-09, not a number
std::string format_plural(std::int64_t n, const std::string& one);  ///< 1 thread, 2 threads
/// 2 threads, 132 blocks of 256 threads
std::string format_teams(backend on, int teams, int lanes);

}  // namespace dwell::app
