// SPDX-License-Identifier: MIT
// What the program tells its caller when it ends. Scripts rely on these numbers: they are
// documented in --help and never change their meaning.
#pragma once
#include "dwell/linear/solve.hpp"

namespace dwell::app {

enum class exit_code : int {
  done = 0,  ///< converged, for a solve
  bad_input = 1,
  not_converged = 2,
  breakdown = 3,
  device = 4,
  interrupted = 130  ///< 128 + SIGINT, as shells have it
};

inline constexpr const char* exit_code_help =
    "Exit codes:\n"
    "  0    done; for a solve: converged\n"
    "  1    bad input or usage, or an output that could not be written\n"
    "  2    not converged: iteration limit, or true residual above the tolerance\n"
    "  3    breakdown of the method, or a value is not finite\n"
    "  4    no such device, a device that failed, or too little memory\n"
    "  130  interrupted (Ctrl-C, SIGTERM, or a terminal that hung up)\n";

constexpr exit_code code_of(stop_reason r) {
  switch (r) {
    case stop_reason::converged:
      return exit_code::done;
    case stop_reason::iteration_limit:
    case stop_reason::accuracy_limit:
      return exit_code::not_converged;
    case stop_reason::breakdown:
    case stop_reason::not_finite:
      return exit_code::breakdown;
    case stop_reason::interrupted:
      return exit_code::interrupted;
  }
  return exit_code::breakdown;
}

}  // namespace dwell::app
