// SPDX-License-Identifier: MIT
// Files of a cache (file_cache.hpp) that are small and belong to others: found without being made,
// and replaced.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "dwell/base/file_cache.hpp"

namespace dwell {

/// The content for `name`, if it is there and whole.
std::optional<std::string> find_in(const file_cache& cache, const std::string& name);
/// Keeps content for `name`, in place of what is there. "" or why it is not kept: half a line.
std::string put_in(const file_cache& cache, const std::string& name, const file_origin& origin,
                   std::string_view content);

}  // namespace dwell
