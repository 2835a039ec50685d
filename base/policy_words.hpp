// SPDX-License-Identifier: MIT
// The two words that options of both families share: "auto", for every choice, and the policy that
// caches nothing, which every executor has. All other policies are rows of the tables in
// execution/krylov/plan/policies/ and execution/stencil/plan/policies/.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace dwell {

/// The planner's choice.
inline constexpr const char* automatic = "auto";
inline constexpr const char* nothing_cached = "none";

/// Whether a policy needs an executor that caches.
inline bool asks_to_cache(std::string_view policy) {
  return policy != automatic && policy != nothing_cached;
}

/// "auto", then these.
inline std::vector<std::string> after_auto(std::vector<std::string> names) {
  names.insert(names.begin(), automatic);
  return names;
}

}  // namespace dwell
