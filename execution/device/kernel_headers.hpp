// SPDX-License-Identifier: MIT
// The headers that kernels are compiled of, as text in the library: what is compiled while a
// program runs needs no file. CMake writes their text at build time (cmake/kernel_headers.cmake),
// without comments.
#pragma once
#include <span>
#include <string>

namespace dwell {

struct kernel_header {
  const char* name;  ///< by which it is included: "dwell/execution/stencil/args.hpp", or "array"
  const char* text;
};

/// All of them, headers of the standard library included (nvrtc_std.cuh).
std::span<const kernel_header> kernel_headers();
/// SHA-256 of all names and texts, made once.
const std::string& kernel_headers_digest();

}  // namespace dwell
