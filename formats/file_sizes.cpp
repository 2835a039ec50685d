// SPDX-License-Identifier: MIT
// Chooses the head by the name and the first bytes, as the readers do.
#include "dwell/formats/file_sizes.hpp"

#include <memory>
#include <system_error>
#include <utility>

#include "dwell/formats/binary_matrix.hpp"
#include "dwell/formats/binary_matrix_layout.hpp"
#include "dwell/formats/descriptor.hpp"
#include "dwell/formats/input_file.hpp"
#include "dwell/formats/matrix_market_source.hpp"
#include "dwell/formats/npy_header.hpp"

namespace dwell {

std::optional<file_sizes> sizes_of_file(const std::filesystem::path& file) {
  std::error_code unknown;
  if (is_stream(file) || !std::filesystem::is_regular_file(file, unknown)) return {};
  input_file in(file);
  if (file.extension() == ".npy") {
    const npy_header h = read_npy_header(in);
    if (h.shape.size() != 1 && h.shape.size() != 2) return {};
    return file_sizes{h.shape[0], h.shape.size() == 2 ? h.shape[1] : 1, false, in.name()};
  }
  if (in.peek() == binary::magic) {
    const binary_matrix_file of(file);
    return file_sizes{of.rows(), of.cols(), false, in.name()};
  }
  if (file.extension() == ".dwell") return {};  // damaged, which its reader says
  const mm::head h = mm::read_head(in);
  return file_sizes{h.header.rows, h.header.cols, h.header.field == mm_field::complex, h.where};
}

}  // namespace dwell
