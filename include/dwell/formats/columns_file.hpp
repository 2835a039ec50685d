// SPDX-License-Identifier: MIT
// A few columns in a file, such as near-null vectors or the coordinates of nodes: Matrix Market
// (.mtx, .mtx.gz) or NumPy's (.npy, of shape (n, k) or (n,)), as vector_file.hpp tells
// the two apart.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "dwell/base/api.hpp"
#include "dwell/base/index.hpp"

namespace dwell {

/// A dense array.
struct dense_columns {
  index rows = 0;              ///< rows of each column
  index cols = 0;              ///< how many
  std::vector<double> values;  ///< column after column
};

/// Throws input_error "FILE: expected ..., found ..." also for more than `most` columns, for none,
/// and for a value that is not finite. threads 0: default_threads().
DWELL_API dense_columns read_columns(const std::filesystem::path& file, index most,
                                     int threads = 0);
/// The file appears whole or not at all; only Matrix Market has room for the comment.
DWELL_API void write_columns(const std::filesystem::path& file, const dense_columns& a,
                             const std::string& comment = {});

}  // namespace dwell
