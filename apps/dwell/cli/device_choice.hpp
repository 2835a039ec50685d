// SPDX-License-Identifier: MIT
// What --device and --threads say, and whether they go together.
#pragma once
#include <string>

#include "dwell/device/device.hpp"

namespace dwell::app {

/// auto, cpu, cuda or cuda:N, as the user wrote it.
struct device_choice {
  enum class kind { automatic, cpu, cuda };
  kind what = kind::automatic;
  int ordinal = 0;
  bool given = false;  ///< was there a --device at all?
};

/// What a command needs --threads for: runs on the CPU and nothing else, or work that the CPU does
/// whatever the device, such as reading a matrix.
enum class threads_for { runs, all_work };

/// Why --threads, needed for runs alone, is refused where `found` is the device; empty if it is
/// not, or if there is none (0).
std::string threads_refusal(const device_choice& choice, int threads, backend found);

/// The device itself. Throws device_error if it is not there, input_error for threads of a GPU.
device resolve(const device_choice& choice, int threads, threads_for what);

}  // namespace dwell::app
