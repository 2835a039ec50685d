// SPDX-License-Identifier: MIT
// The version: of these headers as macros, of the library that is linked as functions. This is the
// one place where it is written: CMakeLists.txt reads it here. Between releases it is the next
// version with .dev0 behind it, 0.2.0.dev0, as PEP 440 writes it; its numbers are those of the next
// version.
#pragma once
#include "dwell/base/api.hpp"

#define DWELL_VERSION_MAJOR 0  ///< version of these headers
#define DWELL_VERSION_MINOR 2  ///< version of these headers
#define DWELL_VERSION_PATCH 0  ///< version of these headers
/// Version of these headers.
#define DWELL_VERSION_STRING "0.2.0.dev0"

/// The number of a version, for comparisons: #if DWELL_VERSION_NUMBER >= DWELL_MAKE_VERSION(0, 2,
/// 0)
#define DWELL_MAKE_VERSION(major_, minor_, patch_) ((major_)*1000000 + (minor_)*1000 + (patch_))
/// Number of the version of these headers.
#define DWELL_VERSION_NUMBER \
  DWELL_MAKE_VERSION(DWELL_VERSION_MAJOR, DWELL_VERSION_MINOR, DWELL_VERSION_PATCH)

/// Everything of Dwell is in this namespace.
namespace dwell {

/// The linked library's version, DWELL_VERSION_STRING when it was built: "0.1.0", or "0.2.0.dev0"
/// on the way to 0.2.0.
DWELL_API const char* version() noexcept;
/// Its number, DWELL_VERSION_NUMBER when it was built.
DWELL_API int version_number() noexcept;

}  // namespace dwell
