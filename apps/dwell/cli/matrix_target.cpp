// SPDX-License-Identifier: MIT
// The ending of a name decides the format of a written matrix.
#include "cli/matrix_target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <system_error>

#include "report/units.hpp"

#include "dwell/base/error.hpp"
#include "dwell/formats/descriptor.hpp"

namespace dwell::app {

bool is_binary_name(const destination& to) { return to.path().ends_with(".dwell"); }

void require_matrix_name(const destination& to) {
  const std::string path = to.path();
  if (is_stream(path) || is_binary_name(to) || path.ends_with(".mtx") || path.ends_with(".mtx.gz"))
    return;
  throw input_error(fmt::format("{}: expected a name that ends in {}, found '{}'", to.option(),
                                matrix_names, to.name()));
}

void require_text_size(const destination& to, const row_source& of) {
  constexpr std::int64_t most = std::numeric_limits<index>::max();
  if (is_binary_name(to) || std::max({of.rows(), of.cols(), of.nonzeros()}) <= most) return;
  throw input_error(fmt::format(
      "{}: expected a name that ends in .dwell, a file that is written a few rows at a time, for "
      "more than {} rows or nonzeros, found '{}' for {} and {}",
      to.option(), most, to.name(), of.rows(), of.nonzeros()));
}

std::string written_bytes(const destination& to) {
  std::error_code unknown;
  if (is_stream(to.path())) return {};
  const auto bytes = std::filesystem::file_size(to.path(), unknown);
  return unknown ? "" : ", " + format_bytes(static_cast<double>(bytes));
}

}  // namespace dwell::app
