// SPDX-License-Identifier: MIT
// The version that this library was built from.
#include "dwell/version.hpp"

namespace dwell {

const char* version() noexcept { return DWELL_VERSION_STRING; }
int version_number() noexcept { return DWELL_VERSION_NUMBER; }

}  // namespace dwell
