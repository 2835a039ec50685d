// SPDX-License-Identifier: MIT
// Columns in a file that must fit a matrix: refused by the head of the file, before it is read, or
// afterwards where it can be read only once.
#pragma once
#include <string>

#include "dwell/formats/columns_file.hpp"
#include "dwell/formats/file_sizes.hpp"
#include "dwell/formats/vector_file.hpp"

namespace dwell::app {

/// require(file_sizes) throws input_error for those that do not fit.
template <class F>
dense_columns read_columns_that(const std::string& file, index most, int threads, F&& require) {
  if (is_vector_name(file))
    if (const auto found = sizes_of_file(file);
        found && found->rows > 0 && found->cols > 0 && found->cols <= most)
      require(*found);
  dense_columns read = read_columns(file, most, threads);
  require(file_sizes{read.rows, read.cols, false, file});
  return read;
}

}  // namespace dwell::app
