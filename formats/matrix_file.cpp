// SPDX-License-Identifier: MIT
// See matrix_file.hpp.
#include "dwell/formats/matrix_file.hpp"

#include <memory>
#include <utility>

#include "dwell/formats/binary_matrix_layout.hpp"
#include "dwell/formats/matrix_market_source.hpp"

namespace dwell {

matrix_file read_matrix(const std::filesystem::path& file, int threads) {
  auto in = std::make_unique<input_file>(file);
  matrix_file out;
  if (in->peek() != binary::magic) {
    out.content = mm::read_matrix(*in, threads);
    return out;
  }
  const binary_matrix_file from(std::move(in));
  out.content.matrix = from.matrix(threads);
  out.content.name = mm::plain_name(file);
  out.binary = from.header();
  return out;
}

}  // namespace dwell
