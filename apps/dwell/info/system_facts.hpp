// SPDX-License-Identifier: MIT
// What this program was built with and what it runs on, for `dwell info` without a matrix.
#pragma once
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "dwell/device/device.hpp"
#include "dwell/solvers/built_kernels.hpp"
#include "report/json.hpp"

namespace dwell::app {

struct system_facts {
  std::string compiler;
  cuda_presence cuda;
  std::vector<device_facts> devices;  ///< the one asked for, or all: the CPU first
  std::vector<kernel_info> variants;
  std::vector<std::string> policies, stencil_policies;
};

/// Throws device_error if the device asked for is not there.
system_facts gather_system_facts(const device_choice& choice, int threads);

std::string to_text(const system_facts& facts);
json to_json(const system_facts& facts);

}  // namespace dwell::app
