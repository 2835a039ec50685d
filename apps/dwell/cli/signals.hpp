// SPDX-License-Identifier: MIT
// Ctrl-C. While a matrix is read or a solver set up there is nothing to save and the first one ends
// the program at once with code 130. While a solve runs, or its outcome is being written, the first
// one only asks for an end; the second one ends the program whatever it does. A terminal that hangs
// up asks for an end too, however often it says so.
#pragma once
#include <atomic>

namespace dwell::app {

/// SIGINT, SIGTERM and SIGHUP as above, unless the caller (nohup, a background job) had them
/// ignored. SIGPIPE is ignored, so that a reader who leaves early costs no result, and SIGXFSZ, so
/// that a file that grows over the limit is an error like a full disk. Also makes sure that the
/// three standard descriptors are taken, so that no output file ever gets the number of one.
void install_signal_handlers();

/// While it lives, the first signal sets requested() and nothing else.
class graceful_stop {
 public:
  graceful_stop();
  ~graceful_stop();
  graceful_stop(const graceful_stop&) = delete;
  graceful_stop& operator=(const graceful_stop&) = delete;
  static const std::atomic<bool>& requested();
};

/// While one lives, the first signal ends the program although a graceful_stop lives: ranks set up,
/// of which one alone cannot leave.
class abrupt_stop {
 public:
  abrupt_stop();
  ~abrupt_stop();
  abrupt_stop(const abrupt_stop&) = delete;
  abrupt_stop& operator=(const abrupt_stop&) = delete;
};

}  // namespace dwell::app
