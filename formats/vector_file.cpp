// SPDX-License-Identifier: MIT
// Chooses the format by the name's ending.
#include "dwell/formats/vector_file.hpp"

#include <fmt/format.h>

#include <string_view>

#include "dwell/base/error.hpp"
#include "dwell/base/printable.hpp"
#include "dwell/formats/descriptor.hpp"
#include "dwell/formats/input_file.hpp"
#include "dwell/formats/matrix_market.hpp"
#include "dwell/formats/matrix_market_source.hpp"
#include "dwell/formats/npy_header.hpp"

namespace dwell {
namespace fs = std::filesystem;
namespace {

bool ends_in_npy(const fs::path& file) { return file.extension() == ".npy"; }

bool ends_in_mtx(const fs::path& file) {
  const auto name = file.filename().string();
  return name.ends_with(".mtx") || name.ends_with(".mtx.gz");
}

void require_vector_name(const fs::path& file) {
  if (!is_vector_name(file))
    throw input_error(
        printable(fmt::format("{}: expected {}, found another", file.string(), vector_names)));
}

}  // namespace

const char* const vector_names = "a name that ends in .mtx, .mtx.gz or .npy";

bool is_vector_name(const fs::path& file) {
  return ends_in_mtx(file) || ends_in_npy(file) || is_stream(file);
}

std::vector<double> read_vector(const fs::path& file, int threads) {
  input_file in(file);
  require_vector_name(file);
  const bool named = ends_in_mtx(file) || ends_in_npy(file);
  if (named ? ends_in_npy(file) : in.peek().starts_with(npy_magic)) return read_npy_vector(in);
  return mm::read_vector(in, threads);
}

std::vector<std::complex<double>> read_complex_vector(const fs::path& file, int threads) {
  input_file in(file);
  require_vector_name(file);
  const bool named = ends_in_mtx(file) || ends_in_npy(file);
  if (named ? !ends_in_npy(file) : !in.peek().starts_with(npy_magic))
    return mm::read_complex_vector(in, threads);
  const std::vector<double> real = read_npy_vector(in);
  return {real.begin(), real.end()};
}

void write_complex_vector(const fs::path& file, std::span<const std::complex<double>> v,
                          const std::string& comment) {
  require_vector_name(file);
  if (ends_in_npy(file))
    throw input_error(printable(fmt::format(
        "{}: expected a name that ends in .mtx or .mtx.gz for complex numbers, found another",
        file.string())));
  write_complex_matrix_market_vector(file, v, comment);
}

void write_vector(const fs::path& file, std::span<const double> v, const std::string& comment) {
  require_vector_name(file);
  if (ends_in_npy(file))
    write_npy_vector(file, v);
  else
    write_matrix_market_vector(file, v, comment);
}

}  // namespace dwell
