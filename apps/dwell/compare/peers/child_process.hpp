// SPDX-License-Identifier: MIT
// Another program, run to its end, with what it wrote.
#pragma once
#include <atomic>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace dwell::app {

struct child_outcome {
  int code = 0;  ///< exit code, or minus the signal that ended it
  std::string out, err;
  bool too_long = false;   ///< ended because the limit of time passed
  bool too_large = false;  ///< ended because it wrote more than the limit
};

/// How a program of others is run: nothing is known of it.
struct child_limits {
  double seconds = 600;
  std::size_t bytes = std::size_t{1} << 24;  ///< most that either stream may have
  /// Variables of its environment besides ours.
  std::vector<std::pair<std::string, std::string>> environment = {};
};

/// Runs `program` (a path) with `args`; its standard input is empty. As soon as `stop` is true it
/// gets SIGTERM. Throws std::system_error if it cannot be started.
child_outcome run_child(const std::string& program, const std::vector<std::string>& args,
                        const std::atomic<bool>& stop);

/// Runs words[0], which is looked up on PATH, with the other words, in a process group of its own:
/// what it starts ends with it. At a limit, or as soon as `stop` is true, the group gets SIGTERM,
/// and two seconds later SIGKILL. Throws std::system_error if it cannot be started.
child_outcome run_command(const std::vector<std::string>& words, const child_limits& limits,
                          const std::atomic<bool>& stop);

}  // namespace dwell::app
