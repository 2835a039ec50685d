// SPDX-License-Identifier: MIT
// How large what a file holds is, by its head alone: to refuse what does not fit before anything is
// read.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "dwell/base/api.hpp"

namespace dwell {

/// What a head says of a matrix, a vector (one column or one row) or a few columns.
struct file_sizes {
  std::int64_t rows = 0;  ///< rows of the full matrix; values of an array of one dimension
  std::int64_t cols = 0;  ///< columns; 1 of an array of one dimension
  bool complex = false;   ///< are the numbers complex?
  std::string where;      ///< for messages: "FILE:LINE", or "FILE" where there are no lines
};

/// Looks into a Matrix Market file, plain, compressed or in an archive, a .dwell file, or an array
/// of one or two dimensions in a .npy file. Nothing for what is no regular file, which can be read
/// only once, and for other arrays. Throws as the readers do.
DWELL_API std::optional<file_sizes> sizes_of_file(const std::filesystem::path& file);

}  // namespace dwell
