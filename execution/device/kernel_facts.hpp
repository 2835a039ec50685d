// SPDX-License-Identifier: MIT
// What kernels that were compiled at run time were found to be on a device: kept in the cache
// beside their machine code, so that the next plan knows it without loading them.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "dwell/execution/device/compiled_kernel.hpp"

namespace dwell {

/// How a kernel is launched, and where: what else its facts depend on.
struct kernel_place {
  std::string device;       ///< its name, "NVIDIA H200"
  int lanes = 0;            ///< threads of a block
  std::size_t scratch = 0;  ///< bytes of shared memory that a launch gives a block
};

/// What the driver said of a kernel there.
struct kernel_facts {
  int registers = 0;             ///< per lane
  int spill_bytes = 0;           ///< per lane
  std::size_t shared_bytes = 0;  ///< each block's own, beside what a launch gives
  int teams_per_unit = 0;        ///< blocks that fit on a multiprocessor together
  friend bool operator==(const kernel_facts&, const kernel_facts&) = default;
};

/// What is kept of this kernel; nothing where it has not been loaded there, where the cache cannot
/// be used, or without NVRTC, whose version is part of a kernel's key.
std::optional<kernel_facts> kept_facts(const kernel_source& source, const kernel_target& target,
                                       const kernel_place& place);
/// Keeps facts of a kernel that was loaded, if they are not there.
void keep_facts(const compiled_kernel& code, const kernel_place& place, const kernel_facts& facts);

/// Facts as they are kept, for the list of a cache: the key of the kernel whose they are.
struct kept_kernel_facts {
  std::string key;
  kernel_place place;
  kernel_facts facts;
};
/// Reads a file of the cache, which is no use of it; nothing of files that are damaged or have no
/// facts.
std::optional<kept_kernel_facts> facts_in(const file_cache& cache, const cache_entry& entry);

/// All that is kept of a kernel, by its key.
std::vector<kept_kernel_facts> facts_of_key(const std::string& key);

/// The major version of CUDA that the driver takes; 0 without one.
int cuda_driver_major();

}  // namespace dwell
