// SPDX-License-Identifier: MIT
// Another program, run to its end, with what it wrote.
#pragma once
#include <atomic>
#include <string>
#include <vector>

namespace dwell::app {

struct child_outcome {
  int code = 0;  ///< exit code, or minus the signal that ended it
  std::string out, err;
};

/// Runs `program` (a path) with `args`; its standard input is empty. As soon as `stop` is true it
/// gets SIGTERM. Throws std::system_error if it cannot be started.
child_outcome run_child(const std::string& program, const std::vector<std::string>& args,
                        const std::atomic<bool>& stop);

}  // namespace dwell::app
