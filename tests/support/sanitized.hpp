// SPDX-License-Identifier: MIT
// Whether the tests run under a sanitizer, and how often what is drawn at random is drawn then.
#pragma once
#include <algorithm>

namespace dwell::test {

/// AddressSanitizer and ThreadSanitizer make everything 5 to 20 times slower: fewer combinations.
#if defined(DWELL_SANITIZED)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

/// ThreadSanitizer, the slowest of them, looks for races only.
#if defined(DWELL_SANITIZED_THREADS)
inline constexpr bool races_only = true;
#else
inline constexpr bool races_only = false;
#endif

/// A quarter of the rounds of a test under sanitizers.
constexpr int rounds(int usual) { return sanitized ? std::max(1, usual / 4) : usual; }

}  // namespace dwell::test
