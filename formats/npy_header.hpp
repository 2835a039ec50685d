// SPDX-License-Identifier: MIT
// Private to formats: what a .npy file begins with; and vectors in them.
#pragma once
#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "dwell/formats/input_file.hpp"

namespace dwell {

inline constexpr const char* npy_magic = "\x93NUMPY";

/// A type of values: as the header and as messages call it.
struct npy_type {
  const char* descr;  ///< "<f8"
  const char* name;   ///< "f64"
  std::size_t bytes;  ///< size of a value
};
/// float64, float32, float16, uint8, in the order of npy_cells. The first two are wide.
inline constexpr npy_type npy_types[] = {
    {"<f8", "f64", 8}, {"<f4", "f32", 4}, {"<f2", "f16", 2}, {"|u1", "u8", 1}};
inline constexpr std::size_t wide_npy_types = 2;

struct npy_header {
  std::vector<long long> shape;  ///< none is negative
  bool single = false;           ///< float32
  std::size_t type = 0;          ///< number of npy_types
  bool fortran = false;          ///< the first index runs fastest
  bool big_endian = false;       ///< the most significant byte of a value comes first
  std::size_t values_at = 0;     ///< where the first value lies in the file

  std::string shape_text() const;  ///< "(3, 2)"
};

/// Leaves `in` at the first value. Throws input_error for what is no .npy file, or one of another
/// type than the first so many of npy_types, of which those of several bytes may be big endian.
npy_header read_npy_header(input_file& in, std::size_t types = wide_npy_types);

/// All that stands before the values, in format 1.0. `shape` as in "300, 200".
std::string npy_start(const std::string& descr, const std::string& shape);

/// An array of any shape that is wanted, float32 widened.
struct npy_array {
  std::vector<long long> shape;
  std::vector<double> values;  ///< in C order
};
/// is_wanted(shape): false, or an exception, before memory is taken.
npy_array read_npy_array(input_file& file,
                         const std::function<bool(const std::vector<long long>&)>& is_wanted);

/// Reads an array of shape (n,) or (n, 1), all values finite.
std::vector<double> read_npy_vector(input_file& file);
void write_npy_vector(const std::filesystem::path& file, std::span<const double> v);

}  // namespace dwell
