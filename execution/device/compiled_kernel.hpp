// SPDX-License-Identifier: MIT
// Kernels that are compiled while a program runs, by NVRTC (nvrtc.hpp), with the options of the
// build: the same source gives the same bits either way. Machine code is kept in memory and, by a
// key of all that it is made of, in a cache on disk (base/file_cache.hpp), so that a kernel is
// compiled once on a machine. No GPU is needed to compile; loaded_kernel_cuda.hpp loads.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dwell/base/file_cache.hpp"

namespace dwell {

/// What is compiled: a function that is or becomes a kernel, and others with it.
struct kernel_source {
  std::string text;     ///< includes "dwell/..." of kernel_headers.hpp, and what is its own
  std::string kernel;   ///< "dwell::cuda::step_kernel<dwell::star2d5, double, 0>"
  std::string about{};  ///< what people are told it is; empty: the kernel's name
  std::vector<std::string> others{};  ///< kernels beside it, in the same machine code
};

/// What it is compiled for.
struct kernel_target {
  int compute_capability = 90;  ///< 90 for 9.0
  int driver_major = 0;  ///< the greatest major version of CUDA that the driver takes; 0: any
};

/// What came of it.
struct compiled_kernel {
  std::string cubin;                ///< an ELF file
  std::string symbol;               ///< the kernel's name in it
  std::vector<std::string> others;  ///< and those of kernel_source::others
  std::string compiler;             ///< "NVRTC 13.0"
  file_origin origin;               ///< what the cache says of it
  std::string key;                  ///< SHA-256 of all that it is made of, in hexadecimal digits
  double seconds = 0;               ///< that compiling took; 0 if it was in the cache
  bool found = false;               ///< it was in the cache
  std::string why_not_kept;         ///< on disk: half a line; or empty
};

/// Compiles, or finds. Throws unsupported_error where there is no NVRTC or it knows no such device,
/// input_error, with the compiler's first error, where the text is wrong. Threads and processes may
/// ask at once: one compiles.
///
/// With DWELL_KEEP=1 in the environment the source and its headers stay in the folder `kept` of the
/// cache, and the machine code has the numbers of their lines, for profilers and debuggers.
std::shared_ptr<const compiled_kernel> compile_kernel(const kernel_source& source,
                                                      const kernel_target& target);

/// Several, side by side.
struct compiled_kernels {
  std::vector<std::shared_ptr<const compiled_kernel>> codes;  ///< in the order of the sources
  std::string compiler;                                       ///< "NVRTC 13.0"
  double seconds = 0;  ///< that compiling took this time, on the clock; 0 if all were there
};
compiled_kernels compile_kernels(std::span<const kernel_source> sources,
                                 const kernel_target& target);

/// The options that a kernel is compiled with, for NVRTC of this version.
std::vector<std::string> kernel_options(int compute_capability, int major, int minor);

}  // namespace dwell
