// SPDX-License-Identifier: MIT
// Files of a cache (file_cache.hpp) that are small and belong to others: found without being made,
// and replaced.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "dwell/base/file_cache.hpp"

namespace dwell {

/// The content for `name`, if it is there and whole. uses: it is a use of the file; else it stays
/// in its place among files that were used (file_cache::entries()), as for lists.
std::optional<std::string> find_in(const file_cache& cache, const std::string& name,
                                   bool uses = true);
/// Keeps content for `name`, in place of what is there, within the cache's limit. "" or why it is
/// not kept: half a line.
std::string put_in(const file_cache& cache, const std::string& name, const file_origin& origin,
                   std::string_view content);

}  // namespace dwell
